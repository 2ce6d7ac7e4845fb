"""What the edits of known meaning are made of: a change to a sample's files, and where it may be put."""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Sequence
from random import Random

from benchmarks.samples import Definition, Sample, has_word

#: path → its new text, None where it is deleted
Change = dict[str, str | None]


def with_lines(sample: Sample, lines: Sequence[str]) -> Change:
    """The sample's file with these lines."""
    return {sample.path: "\n".join(lines)}


def inserted(sample: Sample, number: int, new: Sequence[str]) -> Change:
    """The file with lines put before this one."""
    lines = sample.lines
    return with_lines(sample, [*lines[: number - 1], *new, *lines[number - 1 :]])


def body_replaced(lines: Sequence[str], one: Definition, donor: Sequence[str]) -> list[str]:
    """The lines with a definition's body replaced by another function's."""
    indent = indent_of(lines[one.body_first - 1])
    body = [f"{indent}{line}" if line else "" for line in donor]
    return [*lines[: one.body_first - 1], *body, *lines[one.body_last :]]


def one_line_changed(sample: Sample, dice: Random, pattern: str, put: Callable[[re.Match[str]], str]) -> Change | None:
    """The file with the pattern's first match replaced in one line of the body that holds no string and no comment."""
    lines, target = sample.lines, sample.target
    inside = inside_strings(sample)
    body = range(target.body_first, target.body_last + 1)
    plain = [n for n in body if n not in inside and not re.search(r"[\"'`#]|//|\*", lines[n - 1])]
    fits = [n for n in plain if re.search(pattern, lines[n - 1]) and not has_word(lines[n - 1], target.name)]
    if not fits:
        return None
    number = dice.choice(fits)
    lines[number - 1] = re.sub(pattern, put, lines[number - 1], count=1)
    return with_lines(sample, lines)


def uses_replaced(sample: Sample) -> Change:
    """The other files with another name where they hold the target's."""
    name, new = sample.target.name, new_name(sample)
    return {path: word_replaced(sample.files[path], name, new) for path in sample.users}


def word_replaced(text: str, old: str, new: str) -> str:
    """The text with a whole word replaced by another."""
    return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new, text)


def new_name(sample: Sample) -> str:
    """A name in the case of the old one that shares no word with it."""
    old = sample.target.name
    if "_" in old or old.islower():
        return "carry_out_quietly"
    return "CarriedOutQuietly" if old[0].isupper() else "carryOutQuietly"


def indent_of(line: str) -> str:
    """The white space that a line begins with."""
    return line[: len(line) - len(line.lstrip())]


def statements(sample: Sample) -> list[int]:
    """The lines where statements of the body begin, but for its docstring and its first one where there are others."""
    target, lines = sample.target, sample.lines
    if sample.language != "python":
        first = indent_of(lines[target.body_first - 1])
        later = range(target.body_first + 1, target.body_last + 1)
        # after a line that ends a statement or block at the body's own depth
        return [
            n
            for n in later
            if lines[n - 1].startswith(first)
            and lines[n - 1][len(first) :][:1].isalpha()
            and lines[n - 2].rstrip().endswith((";", f"{first}}}"))
            and indent_of(lines[n - 2]) == first
        ]
    for node in ast.walk(ast.parse(sample.files[sample.path])):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == target.name:
            starts = [min([n.lineno, *(d.lineno for d in getattr(n, "decorator_list", []))]) for n in node.body]
            return starts[1:]
    return []


def inside_strings(sample: Sample) -> set[int]:
    """The lines that a string over several lines covers, but for its first; all lines where that can't be told."""
    text = sample.files[sample.path]
    if sample.language != "python":
        odd = any(line.count("`") % 2 or '"""' in line or 'r#"' in line for line in sample.lines)
        return set(range(1, len(sample.lines) + 1)) if odd else set()
    inside: set[int] = set()
    starts: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        if kind == "STRING":
            inside.update(range(token.start[0], token.end[0] + (token.end[0] > token.start[0])))
        elif kind == "FSTRING_START":
            starts.append(token.start[0])
        elif kind == "FSTRING_END":
            start = starts.pop()
            inside.update(range(start, token.end[0] + (token.end[0] > start)))
    return inside
