"""A query as a row of tokens, each with its place."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from memcli.query.place import Fault, Span
from memcli.query.values import MAX_INTEGER, number

MAX_SOURCE = 64 * 1024  # characters of a query


class Token(NamedTuple):
    """`kind` is name, number, text, sign or end; `value` is the word, the sign, or the literal's value."""

    kind: str
    value: str | int | float
    at: Span


_TOKEN = re.compile(
    r"""(?P<space> \s+)
      | (?P<number> [0-9][0-9_]* (?: \.[0-9]+ )? (?: [eE][+-]?[0-9]+ )?)
      | (?P<name> [^\W\d]\w*)
      | (?P<text> "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | `[^`]*`)
      | (?P<sign> == | != | <= | >= | && | \|\| | \?\? | [-+*/%<>!?:.,#()\[\]{}])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", '"': '"', "'": "'", "/": "/", "\n": "\n"}
_MEANT = {"=": "==", "&": "&&", "|": "||", "~": "matches", ";": ",", "“": '"', "”": '"', "‘": "'", "’": "'"}


def tokens(source: str) -> Iterator[Token]:
    """The tokens of a query, the last of kind end. Raises Fault where no token can stand."""
    if len(source) > MAX_SOURCE:
        raise Fault(f"the query is longer than {MAX_SOURCE} characters", Span(MAX_SOURCE, MAX_SOURCE))
    at = 0
    while at < len(source):
        found = _TOKEN.match(source, at)
        if found is None:
            raise _unreadable(source, at)
        if found.lastgroup != "space":
            yield _token(str(found.lastgroup), found.group(), Span(at, found.end()))
        if found.lastgroup == "number" and re.match(r"\w", source[found.end() : found.end() + 1]):
            raise Fault("a number can't go on with a letter", Span(at, found.end() + 1))
        at = found.end()
    yield Token("end", "the end of the query", Span(at, at))


def _token(kind: str, written: str, at: Span) -> Token:
    if kind == "number":
        return Token(kind, _number(written.replace("_", ""), at), at)
    if kind == "text":
        return Token(kind, _text(written, at), at)
    return Token(kind, written, at)


def _number(digits: str, at: Span) -> int | float:
    whole = digits.isdigit()
    if whole and len(digits) > len(str(MAX_INTEGER)):
        digits = str(MAX_INTEGER + 1)  # too large, and Python's int() refuses thousands of digits in its own words
    try:
        return number(int(digits) if whole else float(digits))
    except Fault as fault:
        raise fault.placed(at) from None


def _text(written: str, at: Span) -> str:
    inner = written[1:-1]
    if written.startswith("`") or "\\" not in inner:
        return inner

    def unescape(found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3]
        char = chr(int(code, 16)) if code and int(code, 16) <= 0x10FFFF else _ESCAPES.get(found[4] or "")
        if char is None:
            place = Span(at.start + 1 + found.start(), at.start + 1 + found.end())
            raise Fault("unknown escape; for a backslash write two, or put the text in `backquotes`", place)
        return char

    return _ESCAPE.sub(unescape, inner)


def _unreadable(source: str, at: int) -> Fault:
    char = source[at]
    if char in "\"'`":
        return Fault(f"the text has no closing {char}", Span(at, len(source)))
    shown = char if char.isprintable() else f"U+{ord(char):04X}"
    meant = f"; did you mean {_MEANT[char]}?" if char in _MEANT else ""
    return Fault(f"unexpected character {shown}{meant}", Span(at, at + 1))
