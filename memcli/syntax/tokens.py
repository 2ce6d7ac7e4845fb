"""Text into tokens, in one pass. What a formatter adds, removes or exchanges is no token."""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import NamedTuple

from memcli.syntax.brackets import CLOSERS, Brackets
from memcli.syntax.imports import sorted_imports
from memcli.syntax.languages import LANGUAGES, Language

_DEDENT = "\n"  # a block of indented lines ends here
_STRUCTURE = frozenset(["", "{", *CLOSERS, _DEDENT])
_JOINED = "\1"  # begins a part that belongs to the token before it: a string's next line, an adjacent literal
_BLOCKS = frozenset(
    ["if", "elif", "else", "for", "while", "try", "except", "finally", "with", "def", "class", "async", "match", "case"]
)  # what begins a statement that holds others, on its own line or after a colon

_PLAIN = re.compile(r"\w+|[^\w\s]")
_ESCAPE = re.compile(r"\\(['\"`])|\\(?s:.)")
_FIELD = re.compile(r"\{[^{}]*\}")
_TRAILING_ZEROS = re.compile(r"\.(\d*?)0*(?=[a-z%]|$)")
_TO_LINE_END = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
_KEY = re.compile(r"[A-Za-z_$][\w$]*\Z")
_BEFORE_COLON = re.compile(r"\s*(?:\??:|=(?![=>]))")
_TRIVIAL = frozenset(",;()[]{}\"'`\\")
_SEPARATORS = ",;\"'`\\"


#: the kinds of token that are handled, each by the method of its name
_KINDS = """
    newline indent comment string raw block bare soft doubled template heredoc regex aside number separator open
    close sign
""".split()  # noqa: SIM905 a quoted list would take a screen


class Reading(NamedTuple):
    """A text's tokens. `lines`: those of the code, line by line, without the brackets that only say where something
    ends. `code`: all of the code, in the form that formatting leaves alone. `comments`: the words of the comments."""

    lines: tuple[tuple[str, ...], ...]
    code: str
    comments: str


def read(text: str, style: str) -> Reading:
    """The text as a language of this style (`languages.style_of`) has it; line ends are LF."""
    reader = _Reader(LANGUAGES[style])
    reader.read(text, _pattern(style))
    return reader.reading()


@cache
def _pattern(style: str) -> re.Pattern[str]:
    language = LANGUAGES[style]
    word = r"[^\W_]+(?:_+[^\W_]+)*" if language.prose else r"[^\W\d]\w*"
    include = r"\#[ \t]*include\b|" if "#include" in language.imports else ""
    parts = [
        r"(?P<newline>\n)",
        *([f"(?P<indent>{language.nesting})"] if language.nesting != r"(?!)" else []),
        rf"(?P<comment>{language.comments})",
        # the most frequent go first, but for what may be a string's prefix, or in prose a number in a list
        *([] if language.prose else [rf"(?P<word>{word}+(?!['\"#]))"]),
        r"(?P<open>[(\[{])|(?P<close>[)\]}])",
        language.strings,
        rf"(?P<aside>{language.aside})",
        rf"(?P<prefix>{include}{word})",
        r"(?P<number>0[xXbBoO]\w+|(?:(?<![\w)\]])\.)?\d(?:[eE][+-]\d|\w|\.(?!\.))*)",
        r"(?P<separator>[,;\"'`\\])",
        r"(?P<sign>&&|\|\||\?\?|\?\.|[=!]==?|<=|[-=]>|\+\+|--|[^\w\s])",
    ]
    return re.compile("|".join(parts), re.MULTILINE)


class _Reader:
    def __init__(self, language: Language) -> None:
        self._language = language
        self._tokens: list[str] = []
        self._brackets = Brackets(self._tokens, language)
        self._comments: list[str] = []
        self._starts = [0]  # of each line, the place of its first token
        self._statements = [0]  # of each line outside of brackets, the same
        self._indents = [0.0]
        self._compound = 0  # where the statement began that may hold others
        self._separated = 0  # the place after which a comma stood last
        self._handlers: dict[str, Callable[[re.Match[str]], int | None]] = {
            kind: getattr(self, f"_{kind}") for kind in _KINDS
        }

    def read(self, text: str, pattern: re.Pattern[str]) -> None:
        at: int | None = 0
        while at is not None:
            at = self._pass(text, pattern, at)
        if self._language.nesting != r"(?!)":
            self._end_one_liner()
            self._dedent(0.0)

    def _pass(self, text: str, pattern: re.Pattern[str], at: int) -> int | None:
        """Reads on from a place, to the end (None) or to where it must be begun anew."""
        tokens, brackets, handlers = self._tokens, self._brackets, self._handlers
        fold = self._language.fold
        for match in pattern.finditer(text, at):
            kind = match.lastgroup
            if kind == "word" or kind == "prefix":
                token = match.group()
                tokens.append(token.lower() if fold else token)
                if brackets.groups:
                    brackets.word(token)
            else:
                assert kind is not None
                again = handlers[kind](match)
                if again is not None:
                    return again
        return None

    def reading(self) -> Reading:
        tokens = self._tokens
        ends = [*self._starts[1:], len(tokens)]
        parts = (tokens[start:end] for start, end in zip(self._starts, ends, strict=True))
        lines = tuple([tuple([token for token in part if token not in _STRUCTURE]) for part in parts])
        code = "\0".join(sorted_imports(tokens, self._statements, self._language))
        return Reading(lines, code.replace("\0" + _JOINED, ""), "\0".join(self._comments))

    # each kind of match

    def _newline(self, match: re.Match[str]) -> None:
        place = len(self._tokens)
        self._starts.append(place)
        if not self._brackets.groups and match.string[match.start() - 1] != "\\":
            self._statements.append(place)

    def _indent(self, match: re.Match[str]) -> None:
        if self._brackets.groups:
            return
        width = float(len(match.group().expandtabs()))
        if match.string.startswith("-", match.end()):
            width += 0.5  # a list's items belong to the key above them, though they may stand under it
        self._end_one_liner()
        self._dedent(width)
        if width > self._indents[-1]:
            self._indents.append(width)
        self._statements[-1] = self._compound = len(self._tokens)

    def _end_one_liner(self) -> None:
        """`if a: b` is a block of one line, and ends with it."""
        tokens, begin = self._tokens, self._compound
        if begin < len(tokens) and tokens[begin] in _BLOCKS and tokens[-1] != ":":
            tokens.append(_DEDENT)

    def _dedent(self, width: float) -> None:
        while width < self._indents[-1]:
            self._indents.pop()
            self._tokens.append(_DEDENT)

    def _comment(self, match: re.Match[str]) -> None:
        comment = match.group()
        self._comments += re.findall(r"\w+", comment)
        self._starts += [len(self._tokens)] * comment.count("\n")

    def _string(self, match: re.Match[str]) -> None:
        text = match.group()
        if self._is_documentation(match):
            return self._comment(match)
        start = next((place for place, sign in enumerate(text) if sign in "\"'"), 0)
        prefix = text[:start].lower().replace("u", "") if self._language.nesting != r"(?!)" else text[:start]
        body = text[start:]
        width = 3 if body[:3] in ('"""', "'''") and len(body) > 5 else 1
        body = body[width:-width] if len(body) > width and body.endswith(body[:width]) else body[width:]
        if "\\" in body and "r" not in prefix:
            body = _ESCAPE.sub(lambda found: found[1] or found[0], body)
        if "f" in prefix or "t" in prefix:
            body = _FIELD.sub(_field, body)
        if self._language.markup and _KEY.match(body) and self._is_key(match):
            self._tokens.append(body)
        else:
            self._literal(prefix + '"', body)
        return None

    def _is_key(self, match: re.Match[str]) -> bool:
        """A property's name, whose quotes may go. Not the string of `case "a":` or `b ? "a" : c`."""
        if not _BEFORE_COLON.match(match.string, match.end()):
            return False
        return self._separated == len(self._tokens) or self._tokens[-1:] == ["{"] or self._brackets.after_value()

    def _is_documentation(self, match: re.Match[str]) -> bool:
        """A string that is a statement of its own is Python's way to write documentation."""
        return (
            self._language.nesting.startswith(r"(?<!\\")
            and not self._brackets.groups
            and self._statements[-1] == len(self._tokens)
            and _TO_LINE_END.match(match.string, match.end()) is not None
        )

    def _literal(self, mark: str, body: str) -> None:
        tokens = self._tokens
        if mark == '"' and self._language.joins and tokens and self._separated != len(tokens):
            mark = _JOINED if tokens[-1][:1] in ('"', _JOINED) else mark
        first, *rest = body.split("\n")
        tokens.append(mark + first)
        for part in rest:
            self._starts.append(len(tokens))
            tokens.append(f"{_JOINED}\n{part}")

    def _raw(self, match: re.Match[str]) -> None:
        self._literal("r" + '"', match.group())

    def _regex(self, match: re.Match[str]) -> int | None:
        if self._brackets.after_value() or self._tokens[-1:] == ["<"]:
            self._tokens.append("/")  # a division, or the end of an element
            return match.start() + 1
        self._raw(match)
        return None

    def _template(self, match: re.Match[str]) -> None:
        body = match.group()[1:].removesuffix("`")
        self._literal("`", re.sub(r"\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*+\}", _field, body))

    def _block(self, match: re.Match[str]) -> None:
        """A string of lines whose common indentation is no part of it."""
        self._literal('"', re.sub(r"\n[ \t]+", "\n", match.group()))

    def _bare(self, match: re.Match[str]) -> None:
        """A string whose quotes may go."""
        self._loose(match.group())

    def _soft(self, match: re.Match[str]) -> None:
        """A string in which white space says nothing."""
        self._tokens.append('"')
        self._loose(match.group())

    def _doubled(self, match: re.Match[str]) -> None:
        self._tokens.append('"')
        self._loose(match.group().replace("''", "'"))

    def _loose(self, text: str) -> None:
        for number, part in enumerate(text.split("\n")):
            if number:
                self._starts.append(len(self._tokens))
            self._tokens += [piece for piece in _PLAIN.findall(part) if piece not in _TRIVIAL]

    def _heredoc(self, match: re.Match[str]) -> None:
        head, _, body = match.group().partition("\n")
        self._loose(head)
        if match.group()[2:3] in ("-", "~"):
            body = re.sub(r"(?m)^[ \t]+", "", body)
        self._starts.append(len(self._tokens))
        self._literal("<<", body)

    def _aside(self, match: re.Match[str]) -> None:
        pass

    def _number(self, match: re.Match[str]) -> None:
        self._tokens.append(_number(match.group(), self._language.plain_numbers))

    def _separator(self, match: re.Match[str]) -> None:
        sign = match.group()
        if sign == ",":
            self._separated = len(self._tokens)
            self._brackets.comma()
        elif sign == ";":
            self._brackets.stop()
            if not self._brackets.groups:
                self._statements.append(len(self._tokens))

    def _open(self, match: re.Match[str]) -> None:
        self._brackets.open(match.group(), self._statements[-1])

    def _close(self, match: re.Match[str]) -> None:
        self._brackets.close(match)

    def _sign(self, match: re.Match[str]) -> None:
        token = match.group()
        if token == "|" and self._language.markup and not self._brackets.after_value():
            return  # before the first of a type's alternatives
        if self._brackets.groups:
            self._brackets.sign(token)
        self._tokens.append(token)


def _field(match: re.Match[str]) -> str:
    """The code inside a string, which formatters format too."""
    return " ".join(piece for piece in _PLAIN.findall(match.group()) if piece not in "(),;\"'`\\")


@lru_cache(maxsize=4096)
def _number(token: str, plain: bool) -> str:
    """One spelling for 0XFF and 0xff, 1E+5 and 1e5, .5 and 0.5; where all numbers are of one kind, 1.50 and 1.5 too."""
    token = token.lower()
    if token.startswith("0x"):
        return token
    token = token.replace("e+", "e")
    if token.startswith("."):
        token = "0" + token
    if plain:
        token = _TRAILING_ZEROS.sub(lambda found: f".{found[1]}" if found[1] else "", token, count=1)
    return token
