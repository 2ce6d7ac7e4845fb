"""Edits that should not matter: layout, comments, and what lies elsewhere in the file. ruff is the one program run."""

import re
import subprocess
import sys
from random import Random

from benchmarks.editing import (
    Change,
    body_replaced,
    indent_of,
    inserted,
    inside_strings,
    statements,
    with_lines,
)
from benchmarks.samples import Sample, has_word


def trailing_space(sample: Sample, dice: Random) -> Change | None:
    """White space after lines of the region and blank lines in and above it, none of it inside a string."""
    inside, lines, target = inside_strings(sample), sample.lines, sample.target
    spots = [n for n in range(target.first, target.last + 1) if n not in inside and lines[n - 1].strip()]
    if not spots:
        return None
    for number in spots:
        if not lines[number - 1].endswith("\\"):
            lines[number - 1] += "  "
    start = _statement(sample)
    for number in sorted({start, target.first}, reverse=True) if start else [target.first]:
        lines.insert(number - 1, "")
    return with_lines(sample, lines)


def crlf(sample: Sample, dice: Random) -> Change:
    """The whole file with the line ends of Windows."""
    return {sample.path: sample.files[sample.path].replace("\n", "\r\n")}


def tabs(sample: Sample, dice: Random) -> Change | None:
    """The whole file indented by tabs, where no string goes over several lines."""
    inside = inside_strings(sample)
    unit = len(sample.lines[sample.target.body_first - 1]) - len(sample.lines[sample.target.body_first - 1].lstrip(" "))
    unit -= len(sample.target.indent)
    if inside or unit < 2:
        return None
    return with_lines(sample, [_tabbed(line, unit) for line in sample.lines])


def _tabbed(line: str, unit: int) -> str:
    bare = line.lstrip(" ")
    depth = len(line) - len(bare)
    return "\t" * (depth // unit) + " " * (depth % unit) + bare


def formatted(sample: Sample, dice: Random) -> Change | None:
    """The file as ruff lays it out for another width."""
    if sample.language != "python":
        return None
    command = [
        sys.executable,
        "-m",
        "ruff",
        "format",
        "--isolated",
        "--line-length",
        "66",
        "--stdin-filename",
        "a.py",
        "-",
    ]
    done = subprocess.run(command, input=sample.files[sample.path], capture_output=True, text=True, check=False)
    return {sample.path: done.stdout} if done.returncode == 0 else None


def comment_inside(sample: Sample, dice: Random) -> Change | None:
    """A line of comment between two statements of the region."""
    number = _statement(sample)
    return inserted(sample, number, [f"{indent_of(sample.lines[number - 1])}{_comment(sample)}"]) if number else None


def comment_above(sample: Sample, dice: Random) -> Change:
    """A line of comment right above the definition."""
    return inserted(sample, sample.target.first, [f"{sample.target.indent}{_comment(sample)}"])


def docstring(sample: Sample, dice: Random) -> Change | None:
    """A sentence more in the docstring."""
    number = sample.target.doc
    if number is None:
        return None
    line = sample.lines[number - 1]
    quotes = re.match(r'\s*("""|\'\'\')', line)
    if not quotes:
        return None
    closed = line.rstrip().endswith(quotes[1]) and line.count(quotes[1]) == 2
    if closed:
        lines = sample.lines
        lines[number - 1] = f"{line.rstrip()[:-3]} Worth knowing before the next release.{quotes[1]}"
        return with_lines(sample, lines)
    return inserted(sample, number + 1, ["", f"{indent_of(line)}Worth knowing before the next release."])


def _comment(sample: Sample) -> str:
    sign = "#" if sample.language == "python" else "//"
    return f"{sign} whoever changes this should tell the other team first"


def _statement(sample: Sample) -> int | None:
    """A line of the body where a statement begins, so that a line may be put before it."""
    return next(iter(statements(sample)), None)


def far(sample: Sample, dice: Random) -> Change | None:
    """Another function of the file, a small part of it that does not speak of the target, with another body."""
    sizes, lines, name = range(3, len(sample.lines) // 5), sample.lines, sample.target.name
    bodies = [
        one
        for one in sample.others
        if not one.is_class
        and one.body_last - one.body_first + 1 in sizes
        and not has_word("\n".join(lines[one.first - 1 : one.last]), name)
    ]
    return with_lines(sample, body_replaced(sample.lines, dice.choice(bodies), sample.donor)) if bodies else None


def above(sample: Sample, dice: Random) -> Change | None:
    """A new function above the region, at the outermost level."""
    line = next((n for n in range(sample.target.first, 0, -1) if _is_outermost(sample, n)), None)
    if line is None:
        return None
    header, closing = {
        "python": ("def brought_along(given):", ""),
        "rust": ("fn brought_along() {", "}"),
        "swift": ("func broughtAlong() {", "}"),
        "go": ("func broughtAlong() {", "}"),
        "kotlin": ("fun broughtAlong() {", "}"),
    }.get(sample.language, ("function broughtAlong() {", "}"))
    body = [f"    {line}" if line else "" for line in sample.donor]
    return inserted(sample, line, [header, *body, *([closing] if closing else []), "", ""])


def _is_outermost(sample: Sample, number: int) -> bool:
    """Whether a definition at the outermost level starts at this line, with nothing that belongs to it above."""
    starts = {one.first for one in (*sample.others, sample.target) if not one.indent}
    return number in starts and not sample.lines[number - 2].strip()
