"""Real functions and classes to edit, each in a small repository of real files around it.

Definitions are found by Python's own parser, or elsewhere by the layout that formatters give: a body is what is
indented deeper than its header, up to the closing bracket under it. That is stricter than the program under test and
owes it nothing; what does not look like that is passed over.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

LANGUAGES = {
    "py": "python", "ts": "typescript", "tsx": "typescript", "js": "javascript", "mjs": "javascript", "rs": "rust",
    "swift": "swift", "go": "go", "java": "java", "kt": "kotlin",
}  # fmt: skip
_HEADER = re.compile(r"^(?:[\w@()]+\s+)*?(?:(function\*?|fn|func|fun)|class|struct|enum|trait|interface)\s+(\w+)")


class Definition(NamedTuple):
    """A function or class: its lines (from 1, inclusive, decorators too), its body's, and its header's indentation."""

    name: str
    is_class: bool
    first: int
    last: int
    body_first: int
    body_last: int
    indent: str
    doc: int | None = None  # the first line of its docstring


class Sample(NamedTuple):
    """A definition to edit and the files around it (path → text). `others`: definitions of the same file beside it;
    `words`: plain words that stand in its body and nowhere else in the file; `donor`: the body of another function,
    without indentation; `stranger`: a file of the same language that is not among the files."""

    source: str
    language: str
    path: str
    files: dict[str, str]
    target: Definition
    others: tuple[Definition, ...]
    words: tuple[str, ...]
    donor: tuple[str, ...]
    stranger: str

    @property
    def lines(self) -> list[str]:
        """The lines of the target's file, without their ends."""
        return self.files[self.path].split("\n")

    @property
    def users(self) -> list[str]:
        """The other files that hold the target's name."""
        return [path for path, text in self.files.items() if path != self.path and has_word(text, self.target.name)]


def has_word(text: str, word: str) -> bool:
    """Whether a text holds the word as a whole."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def language_of(path: str) -> str:
    """The language that a path's ending tells, or ""."""
    return LANGUAGES.get(path.rpartition(".")[2], "")


def definitions(text: str, language: str) -> list[Definition]:
    """The functions and classes of a text that are laid out plainly, in order of their first lines."""
    found = _python(text) if language == "python" else _bracketed(text.split("\n"))
    return sorted(found, key=lambda definition: definition.first)


def is_whole(text: str, language: str) -> bool:
    """Whether the text still parses, as far as that can be told here."""
    if language != "python":
        return all(text.count(left) == text.count(right) for left, right in ("{}", "()", "[]"))
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def _python(text: str) -> Iterator[Definition]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        body, last = node.body[0], node.end_lineno or node.lineno
        starts = min([body.lineno, *(decorator.lineno for decorator in getattr(body, "decorator_list", []))])
        if starts > node.lineno:
            doc = starts if ast.get_docstring(node) is not None else None
            indent = " " * node.col_offset
            yield Definition(node.name, isinstance(node, ast.ClassDef), first, last, starts, last, indent, doc)


def _bracketed(lines: Sequence[str]) -> Iterator[Definition]:
    for number, line in enumerate(lines):
        header = _HEADER.match(line.lstrip())
        if not header:
            continue
        indent = line[: len(line) - len(line.lstrip())]
        end = next((n for n in range(number, len(lines)) if _ends(lines[n], indent, n == number)), None)
        if end is None or not lines[end].rstrip().endswith("{"):
            continue
        close = next((n for n in range(end + 1, len(lines)) if _is_out(lines[n], indent)), None)
        if close is not None and close > end + 1 and lines[close] == f"{indent}}}":
            yield Definition(header[2], header[1] is None, number + 1, close + 1, end + 2, close, indent)


def _ends(line: str, indent: str, is_first: bool) -> bool:
    """Whether a header ends here: where its bracket opens, or what follows is no continuation of it."""
    return line.rstrip().endswith(("{", ";", "}")) or (
        not is_first and not line.startswith((indent + " ", indent + ")"))
    )


def _is_out(line: str, indent: str) -> bool:
    return bool(line.strip()) and not line.startswith((f"{indent} ", f"{indent}\t"))
