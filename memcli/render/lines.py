"""A line of the block as pieces whose tokens add up exactly.

A piece after the first of its line is one space and something that begins and ends with no white space; the last
carries the line feed; no line begins with white space or `/`. Then no token reaches over the end of a piece
(FACTS.md, Tokens: 0 wrong in 30,000 random joins), so counts of pieces can be kept and added.
"""

from collections.abc import Sequence
from typing import NamedTuple

from memcli.model import SHORT_ID, Assessment, Fragment, View
from memcli.text import escape

RESUME = " <== RESUME"

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000


class Line(NamedTuple):
    """The parts of a fragment's line that are its own, whatever stands beside it. `body` may be empty."""

    name: str
    head: str
    body: str
    notes: tuple[str, ...]


def line(view: View, now: int, mark: str = "") -> Line:
    """The line of a fragment; `mark` is what the line begins with."""
    fragment = view.fragment
    called = name(fragment)
    remarks = (escape(note).strip() for note in view.notes)
    return Line(
        called,
        f"{mark}{called} [{word(fragment.type)}]:",
        _piece(escape(fragment.text)),
        (*_notes(view, now), *(f" ({remark})" for remark in remarks if remark)),
    )


def name(fragment: Fragment) -> str:
    """What the block calls a fragment: its key, or its short id where there is no key or none a line can begin with."""
    key = word(fragment.key or "")
    return key if key and not key.startswith("/") else word(fragment.id[:SHORT_ID])


def word(text: str) -> str:
    """A key or type as the block shows it: escaped, with single spaces."""
    return " ".join(escape(text).split())


def same_as(other: str) -> list[str]:
    """The pieces that stand for a text which another fragment of that name has already."""
    return [" (same as", f" {other})"]


def derived(parents: Sequence[str]) -> list[str]:
    """The pieces for a line's edges, from the names of the parents."""
    if not parents:
        return []
    return [" <-", *(f" {parent}," for parent in parents[:-1]), f" {parents[-1]}"]


def ended(pieces: list[str]) -> list[str]:
    """The pieces as a whole line."""
    return [*pieces[:-1], pieces[-1] + "\n"]


def sentence(text: str) -> list[str]:
    """A line of our own as pieces of one word each; its words are separated by single spaces."""
    first, *rest = text.split(" ")
    return ended([first, *(f" {word}" for word in rest)])


def age(ms: int) -> str:
    """A span of time as the block shows it: just now, Nm ago, Nh ago, Nd ago."""
    if ms < MINUTE:
        return "just now"
    if ms < HOUR:
        return f"{ms // MINUTE}m ago"
    return f"{ms // HOUR}h ago" if ms < DAY else f"{ms // DAY}d ago"


def _notes(view: View, now: int) -> list[str]:
    """The pieces that tell what the code's changes since the stamp mean for the fragment."""
    fragment, found = view.fragment, view.assessment
    reason = f": {escape(found.evidence)}" if found.evidence else ""
    notes = []
    if fragment.anchors and found.verdict == "unverifiable":
        # the age apart, so that the rest can be counted ahead
        notes = [f" (unverifiable{reason},", *(f" {part}" for part in f"{age(now - fragment.stamp.at)})".split())]
    elif _percent(found.confidence) != _percent(fragment.base):
        notes = [f" ({_percent(found.confidence)}{reason})"]
    moves = _moves(found)
    return [*notes, f" (moved: {moves})"] if moves else notes


def _percent(share: float) -> str:
    return f"{round(100 * share)}%"


def _moves(found: Assessment) -> str:
    """The paths that were found again elsewhere."""
    moves = {(anchor.was, anchor.path): None for anchor in found.anchors if anchor.was and anchor.was != anchor.path}
    return ", ".join(f"{escape(was or '')} → {escape(path)}" for was, path in moves)


def _piece(text: str) -> str:
    stripped = text.strip()
    return f" {stripped}" if stripped else ""
