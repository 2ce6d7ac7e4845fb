"""What a prose text names in a repository: paths, and code names by DRIFT's rule for a literal.

Both are guesses about prose, made to err on the side of silence: a word wrongly taken for a path makes a warning at
save, and one wrongly taken for a code name could later make a fragment fall. Who uses them checks what exists.
"""

import re
from collections.abc import Iterator

_COMMAND = 20  # words of a command that are looked at
MAX_PATH = 400  # characters; what is longer is no path that people write, and the patterns below go over it repeatedly

_URL = r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*://\S+"
_TICKED = r"`([^`\n]+)`"
_TICKED_WORD = r"`[^`\s]+`"
_PIECE = r"[^\s`'\"“”,;()\[\]|=]+(\()?"

# Names that show themselves in plain prose: a script's target, a flag, a call, a snake_case or CamelCase word.
_BARE_NAME = r"""(?x)
    \b(?:npm|pnpm|yarn|bun)\ run\ (?P<target>[A-Za-z][\w:-]*)
  | (?<![\w-]) (?P<flag>--[a-z][a-z0-9]*(?:-[a-z0-9]+)*) (?![\w-])
  | (?<!\w) (?P<call>[A-Za-z_]\w*) (?=\(\))
  | (?<!\w) (?P<snake>_*[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+_* | __[a-z]\w*) (?!\w)
  | (?<!\w) (?P<camel>(?=\w*[a-z0-9][A-Z] | [A-Z]{2,}[a-z]{2}) [A-Za-z]\w*)
"""
_TICKED_NAME = r"[@$.]?([A-Za-z_]\w*(?:(?:\.|::|->|\#)[A-Za-z_]\w*)*)(?:\(.*\)|!)?"
_TICKED_TARGET = r"(?:make|just|(?:npm|pnpm|yarn|bun) run) ([A-Za-z][\w:-]*)"
_HYPHENATED = r"(?:--)?[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*"
_COMMIT_ID = r"(?=.*[0-9])[0-9a-f]{7,64}"

# A place inside a file, named after its path: `:10-40`, `:10:5`, `#L10`, `#symbol`, `::test`.
_PLACE = r"(?:(?::\d+(?:-\d+)?)+|#[\w.:-]+|::[\w.:\[\]-]+)$"
# What follows the folder that a wildcard is looked for in.
_WILDCARD = r"/[^/]*[*{].*$"
# Wildcards, placeholders, variables, Windows' paths, assignments; what is absolute or leaves the repository.
_NO_PATH = r"[*?<>{}()$\\:~#=&%]|(?<!/)@|\.\.|//|^[/-]"
_NUMBERS = r"v?\d[\d.x]*(?:/v?\d[\d.x]*)*"
_HOST = r"[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai|app|co)/"
_DOT_FILE = r"\.[a-z][\w-]*(?:ignore|rc|attributes|modules|config|env|keep|-version)|\.env"
_EXTENSIONS = frozenset(
    """
    adoc astro bash bat bazel c cc cfg cjs clj cmake conf cpp cs css csv cxx dart diff ex exs fish go gradle graphql h
    hcl hpp hs html ini ipynb java jl js json json5 jsonc jsonl jsx kt kts less lock lua m4 md mdx mjs mk ml nim nix
    patch php pl pm prisma properties proto ps1 py pyi pyx rb rs rst sass scala scss sh sol sql svelte svg swift tcl tex
    tf tfvars toml ts tsv tsx txt vim vue xml yaml yml zig zsh
    """.split()  # noqa: SIM905 a quoted list would take a screen
)
_PLAIN_FILES = frozenset(
    ("Makefile", "Dockerfile", "Containerfile", "Gemfile", "Pipfile", "Rakefile", "Procfile", "Jenkinsfile", "Justfile")
)
_TICKED_FILES = _PLAIN_FILES | {"LICENSE", "README", "CHANGELOG", "CODEOWNERS", "NOTICE", "AUTHORS", "justfile"}
# First parts that make `a/b` in plain prose a path and not an alternative (and/or, read/write).
_USUAL_FOLDERS = frozenset(
    """
    .github .gitlab .vscode app apps assets backend benches benchmarks bin cmd components config configs contrib core
    crates doc docs e2e etc examples frontend hooks include infra internal lib libs packages pkg plugins scripts source
    spec src templates test tests tools utils vendor web
    """.split()  # noqa: SIM905 as above
)
# First parts of refs and media types, which look like paths.
_NO_FOLDERS = frozenset(
    ("origin", "upstream", "refs", "heads", "remotes", "feature", "application", "text", "image", "audio", "video")
)
_PRODUCTS = frozenset(("node", "next", "nuxt", "vue", "react", "express", "three", "d3", "chart", "ember", "angular"))


def identifiers(text: str) -> list[str]:
    """The code names in a prose text, in order, distinct, in their own case: an identifier, flag or hyphenated word
    between backticks, a task runner's target, a bare CamelCase or snake_case word, a flag, a call `foo()`. Names joined
    by dots or `::` come apart, because code seldom spells them so. Paths, URLs and commit ids hold none.
    """
    text = re.sub(_URL, _blank, text)
    found = [(piece.start(1), name) for piece in re.finditer(_TICKED, text) for name in _ticked_names(piece.group(1))]
    prose = re.sub(_PIECE, _blank_path, re.sub(_TICKED_WORD, _blank, text))
    found += [(bare.start(), bare[bare.lastgroup or 0]) for bare in re.finditer(_BARE_NAME, prose)]
    return list(dict.fromkeys(name for _, name in sorted(found, key=lambda place: place[0])))


def _ticked_names(code: str) -> list[str]:
    """The names that a piece between backticks consists of: of a command its hyphenated words; none of an expression
    or a path."""
    code = code.strip()
    if _as_path(code, ticked=True) or re.fullmatch(_COMMIT_ID, code):
        return []
    if target := re.fullmatch(_TICKED_TARGET, code):
        return [target.group(1)]
    if name := re.fullmatch(_TICKED_NAME, code):
        return re.findall(r"\w+", name.group(1))
    if re.fullmatch(_HYPHENATED, code):
        return [code]
    return [word for word in code.split()[:_COMMAND] if re.fullmatch(_HYPHENATED, word) and "-" in word[1:-1]]


def paths(text: str) -> list[str]:
    """What in a prose text looks like a path of a repository, in order, distinct, as the repository would call it:
    without `./`, a closing slash, or a place inside it (`:10-40`, `#symbol`, `::test`); of a wildcard the folder. None
    that is absolute, leaves the repository, holds a placeholder, or is a URL, a version or a date.
    """
    found = (_as_path(token, ticked) for token, ticked in _tokens(re.sub(_URL, _blank, text)))
    return list(dict.fromkeys(path for path in found if path))


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    """The pieces that could be paths, and whether each stood between backticks."""
    for piece in re.finditer(f"{_TICKED}|{_PIECE}", text):
        if piece.group(1):
            yield from ((token, True) for token in piece.group(1).split())
        elif not piece.group(2):
            yield piece.group(), False


def _as_path(token: str, ticked: bool = False) -> str | None:
    """The path that a token is, or None."""
    if len(token) > MAX_PATH:
        return None
    bare = token.strip("'\"").lstrip("*").rstrip(".,;:!?*")
    named = re.sub(_PLACE, "", re.sub(_WILDCARD, "/", bare))
    path = named.removeprefix("./").rstrip("/")
    if not path or re.search(rf"{_NO_PATH}|\s", path) or re.fullmatch(_NUMBERS, path):
        return None
    return path if named.startswith("./") or _looks_like_path(path, named.endswith("/"), ticked) else None


def _looks_like_path(path: str, folder: bool, ticked: bool) -> bool:
    first, slash, _ = path.partition("/")
    if not slash:
        return folder or _is_file_name(path, ticked)
    if re.match(_HOST, path):
        return False
    if re.search(r"[^/.]\.[A-Za-z]\w{0,9}$", path) or first.lower() in _USUAL_FOLDERS:
        return True
    return (folder or ticked) and first not in _NO_FOLDERS


def _is_file_name(name: str, ticked: bool) -> bool:
    stem, _, extension = name.rpartition(".")
    if name in (_TICKED_FILES if ticked else _PLAIN_FILES) or re.fullmatch(_DOT_FILE, name):
        return True
    if extension == "js" and stem.lower() in _PRODUCTS and not ticked:
        return False
    return bool(stem) and stem[0] != "." and extension in _EXTENSIONS


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _blank_path(match: re.Match[str]) -> str:
    return _blank(match) if _as_path(match.group()) else match.group()
