"""Where in a query something stands, and how a mistake there is shown."""

from collections.abc import Collection
from typing import NamedTuple

from memcli.errors import BadQuery

WINDOW = 76  # characters of a long line that are shown around the place, so that it fits a terminal of 80
MAX_NAMES = 16  # names that a message lists


class Span(NamedTuple):
    """A stretch of the source: `start` is its first character, `end` the one after its last (0-based)."""

    start: int
    end: int


class Fault(Exception):  # a signal between stages; what leaves `run` is BadQuery
    """A mistake in a query. `at` is None where only the caller knows the place; `placed` adds it."""

    def __init__(self, message: str, at: Span | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.at = at

    def placed(self, at: Span) -> "Fault":
        """The same fault, standing at `at` unless it has a place already."""
        self.at = self.at or at
        return self


def bad_query(source: str, fault: Fault) -> BadQuery:
    """The error for a user: one line that names the column (1-based), and the picture as its hint."""
    at = fault.at or Span(0, len(source))
    line, column = source.count("\n", 0, at.start) + 1, at.start - source.rfind("\n", 0, at.start)
    where = f"line {line}, column {column}" if "\n" in source else f"column {column}"
    return BadQuery(f"{where}: {fault.message}", picture(source, at))


def picture(source: str, at: Span) -> str:
    """The source line with carets under the place. What can't be printed is shown as `?`."""
    begin = source.rfind("\n", 0, at.start) + 1
    end = source.find("\n", at.start)
    line = source[begin : end if end >= 0 else len(source)]
    column, width = at.start - begin, max(1, min(at.end - begin, len(line)) - (at.start - begin))
    first = max(0, column - WINDOW // 2) if len(line) > WINDOW else 0
    shown = "".join(_printable(char) for char in line[first : first + WINDOW])
    before, under = shown[: column - first], shown[column - first : column - first + width]
    return f"{shown}\n{' ' * _columns(before)}{'^' * max(1, _columns(under))}"


def suggest(word: str, known: Collection[str], mark: str = "") -> str:
    """How a message about an unknown name ends: the nearest known one, or else which there are."""
    from memcli.text import nearest  # only a mistake needs it

    close = nearest(word, known)
    if close:
        return f"; did you mean {mark}{close}?"
    names = [mark + name for name in known]
    more = ", …" if len(names) > MAX_NAMES else ""
    return f"; known: {', '.join(names[:MAX_NAMES])}{more}" if names else ""


def _printable(char: str) -> str:
    if char.isspace():
        return " "
    return char if char.isprintable() else "?"


def _columns(text: str) -> int:
    """How many columns of a terminal the text takes: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    import unicodedata  # only a mistake behind such letters needs it

    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)
