"""Where a symbol is defined in a text that no grammar reads, by its spelling, indentation and brackets. Pure.

A definition is a line that introduces the name with a keyword, or assigns it, or opens a body after
it, and it extends over the deeper-indented or bracketed lines that follow.
"""

import re
from collections.abc import Sequence

_KEYWORDS = (
    "def|class|function|func|fn|fun|interface|struct|enum|trait|impl|type|module|namespace|object|protocol|extension|"
    "record|union|macro_rules!|macro|sub|proc|procedure|table|view|const|let|var|val|static|define|resource"
)


#: from the surest sign of a definition to the weakest; \0 stands for the name: compiling them for each would cost more
_PATTERNS = [
    re.compile(rf"(?:^|[\s(])(?:{_KEYWORDS})\s+(?:\([^)]*\)\s*)?(?:[\w:<>]+\s+)?[&*]*\0(?!\w)"),
    re.compile(r"^\s*(?:export\s+|public\s+|private\s+|static\s+|async\s+)*\0\s*(?::[^=]*)?=(?!=)"),
    re.compile(r"^\s*(?:[\w<>\[\],*&:~]+\s+)*[*&]*\0\s*\([^;]*[{:]\s*$"),
    re.compile(
        r"^\s*(?!(?:return|await|yield|throw|raise|assert|new|else|case|if|elif|not|in|and|or|import|from)\b)"
        r"[\w<>\[\],*&:~]+\s+(?:[\w<>\[\],*&:~]+\s+)*[*&]*\0\s*\([^;]*$"
    ),
    re.compile(r"^\s*[\"']?\0[\"']?\s*:"),
]


def find(text: str, names: Sequence[str]) -> tuple[int, int] | None:
    """The lines (from 1, inclusive) of the first definition of the last name within that of the name before it, and so
    on; None when nothing in the text defines it. Lines end with "\\n"."""
    lines = text.split("\n")
    start, end = 0, len(lines)
    for name in names:
        found = _definition(lines, name, start, end)
        if found is None:
            return None
        start, end = found
    return start + 1, end


def _definition(lines: list[str], name: str, start: int, end: int) -> tuple[int, int] | None:
    holding = [number for number in range(start, end) if name in lines[number]]
    marked = [(number, lines[number].replace(name, "\0")) for number in holding]
    for pattern in _PATTERNS:
        for number, line in marked:
            if pattern.search(line):
                return _with_decorators(lines, number, start), _end(lines, number, end)
    return None


def _with_decorators(lines: list[str], number: int, start: int) -> int:
    """The definition's first line, with the decorators and attributes right above it."""
    while number > start and re.match(r"\s*(?:@\w|#\[)", lines[number - 1]):
        number -= 1
    return number


def _end(lines: list[str], number: int, end: int) -> int:
    """The line after the definition: where its brackets are closed and the indentation is back."""
    indent = _indent(lines[number])
    depth, last = _depth(lines[number]), number
    for later in range(number + 1, end):
        line = lines[later]
        if line.strip():
            closing = line.strip()[0] in ")]}" or line.strip() == "end"
            if depth <= 0 and _indent(line) <= indent and not (closing and _indent(line) == indent):
                break
            depth += _depth(line)
            last = later
            if closing and depth <= 0 and _indent(line) <= indent and line.strip()[-1] not in ":({[":
                break
    return last + 1


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())


def _depth(line: str) -> int:
    """Brackets opened less brackets closed, outside plain string literals."""
    bare = re.sub(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'", "", line)
    return sum(bare.count(sign) for sign in "([{") - sum(bare.count(sign) for sign in ")]}")
