"""The difference of two contents, line by line, as git shows it: by libgit2, which needs no repository for it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pygit2 import DiffLine


class Line(NamedTuple):
    """A line of a hunk. `origin`: " " in both, "-" only in the old content, "+" only in the new one, "\\" the remark
    that the line before it has no line feed. `old` and `new`: its numbers from 1, None where it is not in that one."""

    origin: str
    text: bytes
    old: int | None
    new: int | None


class Hunk(NamedTuple):
    """A run of changed lines with three lines around it: where it begins (from 1) and how long it is on each side."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[Line, ...]


def hunks(old: bytes, new: bytes) -> tuple[Hunk, ...]:
    """The hunks that make the new content of the old one; none for what is no text."""
    import pygit2

    patch = pygit2.Patch.create_from(old, new)  # it looks into both contents as long as it lives
    return tuple(
        Hunk(hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines, tuple(_lines(hunk.lines)))
        for hunk in (patch.hunks if patch else ())
    )


def _lines(lines: "list[DiffLine]") -> Iterator[Line]:
    for line in lines:
        if line.origin in "<>=":  # libgit2's marks for what git says of the end of a file
            yield Line("\\", b" No newline at end of file", None, None)
            continue
        old, new = line.old_lineno, line.new_lineno
        text = line.raw_content.removesuffix(b"\n")
        yield Line(line.origin, text, old if old > 0 else None, new if new > 0 else None)
