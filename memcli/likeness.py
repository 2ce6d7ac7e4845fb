"""How like two contents are, by their lines: what tells a file that was renamed and edited from another one.

Cheap, because one vanished file is compared with hundreds.
"""

from collections import Counter

from memcli.fingerprint import is_binary
from memcli.syntax import style_of

ENOUGH = 3  # distinct lines; two contents with fewer in common may be alike by chance

# white space and what a formatter adds, removes or exchanges: `syntax` passes over the same signs
_NO_SIGNS = b" \t\f\v,;()[]{}\"'`\\"
_LINE_ENDS = bytes.maketrans(b"\r", b"\n")

#: language (`syntax.style_of`) → how its comment lines begin: a licence at the head of every file makes no two alike
_COMMENTS = {
    **dict.fromkeys(("python", "shell", "powershell", "ruby", "hash", "yaml"), (b"#",)),
    **dict.fromkeys(("c", "nested", "rust", "go", "javascript", "css", "scss"), (b"//", b"/*", b"*")),
    "php": (b"//", b"/*", b"*", b"#"),
    **dict.fromkeys(("sql", "lua", "haskell", "dash"), (b"--", b"/*", b"*")),
    **dict.fromkeys(("markup", "component"), (b"<!--",)),
    **dict.fromkeys(("tex", "erlang"), (b"%",)),
}

#: a content's lines without white space, formatting signs and comments; one that occurs again is numbered, so that sets
#: compare as multisets
Lines = frozenset[bytes | tuple[bytes, int]]


def lines_of(data: bytes, path: str) -> Lines | None:
    """The lines that a content is known by; None for what is no text, or too large. The path tells the language."""
    if is_binary(data):
        return None
    lines = [line for line in data.translate(_LINE_ENDS, _NO_SIGNS).split(b"\n") if line]
    marks = _COMMENTS.get(style_of(path))
    if marks:
        lines = [line for line in lines if not line.startswith(marks)]
    distinct = frozenset(lines)
    if len(distinct) == len(lines):
        return distinct
    again = ((line, number) for line, count in Counter(lines).items() for number in range(1, count))
    return distinct.union(again)


def likeness(old: Lines, new: Lines) -> float:
    """Share of lines in common, 0 to 1, of the content that has more; 0 where those in common are too few to tell."""
    fewer, more = sorted((len(old), len(new)))
    if fewer < ENOUGH or 2 * fewer < more:  # under a half, which no one asks about
        return 0.0
    common = len(old & new)
    return common / more if common >= ENOUGH else 0.0
