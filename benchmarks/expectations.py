"""What the program should say of each kind of edit, for each kind of anchor, and why.

Bands are shares of the base. The reasons are the contract's: its laws by number, its small print by name.
"""

from typing import NamedTuple

MINIMUM = 0.30  # below it nothing is shown unless asked for
DRAWN = ("symbol", "lines")  # the author pointed at the region
TOLD = ("file", "name")  # the text names the file and the identifier, or the identifier alone
ANCHORS = (*DRAWN, *TOLD)


class Expected(NamedTuple):
    """The verdicts that are right, the most fitting first, and the least and greatest share of the base."""

    verdicts: tuple[str, ...]
    least: float
    most: float

    def allows(self, verdict: str, share: float) -> bool:
        """Whether a verdict with this share of the base is right."""
        return verdict in self.verdicts and self.least <= share <= self.most


FRESH = Expected(("fresh",), 1.0, 1.0)
STAYS = Expected(("fresh", "moved"), 1.0, 1.0)
LAYOUT = Expected(("reformatted", "fresh"), 1.0, 1.0)
COMMENT = Expected(("comments", "fresh", "reformatted"), 0.95, 1.0)
FAR = Expected(("fresh", "moved"), 0.99, 1.0)
FAR_TOLD = Expected(("fresh", "moved", "changed"), 0.8, 1.0)  # words of the text may stand far off too
MOVED = Expected(("moved",), 1.0, 1.0)
GONE = Expected(("gone",), 0.0, MINIMUM - 0.001)
LOST = Expected(("gone", "changed"), 0.0, MINIMUM - 0.001)  # of lines whose file stays, both words are true
WORDS = Expected(("changed",), 0.75, 0.999)  # all lines with the note's words deleted cost a fifth
WORDS_OR_NOT = Expected(("changed", "fresh"), 0.75, 1.0)


def _changed(least: float, most: float, *also: str) -> Expected:
    return Expected(("changed", *also), least, most)


class Row(NamedTuple):
    """A kind of edit: what is expected for each kind of anchor, and why. `is_law`: no judgement in it."""

    symbol: Expected
    lines: Expected
    file: Expected
    name: Expected
    why: str
    is_law: bool = False

    def of(self, anchor: str) -> Expected:
        """The expectation for one kind of anchor."""
        return {"symbol": self.symbol, "lines": self.lines, "file": self.file, "name": self.name}[anchor]


def _all(expected: Expected, why: str, is_law: bool = True) -> Row:
    return Row(expected, expected, expected, expected, why, is_law)


def _two(drawn: Expected, told: Expected, why: str, is_law: bool = False) -> Row:
    return Row(drawn, drawn, told, told, why, is_law)


TABLE = {
    "nothing": _all(FRESH, "law 1: nothing changed"),
    "trailing space, blank lines": _all(LAYOUT, "law 4: white space and blank lines are no drift"),
    "line ends to CRLF": _all(LAYOUT, "law 4: line ends are no drift"),
    "indented by tabs": _all(LAYOUT, "law 4: white space is no drift"),
    "ruff format, other width": _all(LAYOUT, "law 4, Reformatted: tokens in order, quotes and brackets aside"),
    "comment in the region": Row(
        Expected(("comments",), 0.95, 1.0), Expected(("comments", "fresh"), 0.95, 1.0), COMMENT, COMMENT,
        "law 4: next to no drift; beside the first or last of drawn lines it may stand outside of them", is_law=True,
    ),
    "comment above the region": _all(COMMENT, "law 4: next to no drift; outside of a drawn region none"),
    "docstring edited": _all(
        Expected(("comments", "fresh", "changed"), 0.7, 1.0), "a docstring is prose; a note may be about it", False
    ),
    "far function rewritten": _two(FAR, FAR_TOLD, "law 5: far from the region costs nothing or next to it", True),
    "lines inserted above": _two(FAR, FAR_TOLD, "law 5, and lines are found again by content", True),
    "moved within the file": _all(STAYS, "law 4: a move is no drift"),
    "moved to another file": Row(
        MOVED, MOVED, _changed(0.75, 1.0, "moved"), _changed(0.75, 1.0, "moved"),
        "Renamed things: a symbol found elsewhere by its content has moved; the file lost what the text says of it",
    ),
    "file renamed": _all(MOVED, "law 4: the anchor follows the rename"),
    "file renamed, far function rewritten": _two(
        Expected(("moved",), 0.99, 1.0), Expected(("moved", "changed"), 0.8, 1.0), "laws 4 and 5 together", True
    ),
    "folder renamed": _all(MOVED, "law 4: the anchor follows the rename"),
    "renamed everywhere": Row(
        Expected(("moved", "changed"), 0.7, 1.0), Expected(("fresh", "moved", "changed"), 0.7, 1.0), GONE, GONE,
        "Renamed things: the symbol is there under another name; a text that names the old one names what is gone",
    ),
    "renamed at its definition only": Row(
        Expected(("moved", "changed"), 0.7, 1.0), Expected(("fresh", "moved", "changed"), 0.9, 1.0), WORDS, WORDS,
        "the name is still used in code, so it is not gone; the line that defines it changed",
    ),
    "local variable renamed": _two(_changed(0.3, 0.999), WORDS_OR_NOT, "in proportion to the region's tokens"),
    "a number changed": _two(_changed(0.6, 0.999), WORDS_OR_NOT, "one line of the region changed"),
    "one line changed": _two(_changed(0.6, 0.999), WORDS_OR_NOT, "one line of the region changed"),
    "parameter added": Row(
        _changed(0.6, 0.999), Expected(("fresh", "moved"), 0.95, 1.0), WORDS_OR_NOT, WORDS_OR_NOT,
        "the header is part of the definition, not of lines drawn around the body; it may have a line of its own",
    ),
    "half of the body rewritten": _two(_changed(0.35, 0.85), WORDS_OR_NOT, "in proportion to the region's tokens"),
    "body rewritten": Row(
        Expected(("changed", "gone"), 0.0, 0.5), LOST, WORDS_OR_NOT,
        WORDS_OR_NOT, "Numbers: a drawn region wholly rewritten falls below the minimum; a symbol keeps its header",
    ),
    "deleted with its uses": Row(GONE, LOST, GONE, GONE, "law 5: the thing named is gone", is_law=True),
    "deleted, the name still used": Row(GONE, LOST, WORDS, WORDS, "the region is gone; the literal still is in code"),
    "file deleted": _all(GONE, "law 5: the path is gone"),
    "file replaced by another": Row(
        GONE, LOST, GONE, GONE, "DRIFT: under a tenth of its words remains, or the name is gone", is_law=True
    ),
    "reverted": _all(FRESH, "law 1: a revert restores it"),
    "amended away, gc": _all(FRESH, "law 2: commits are labels"),
    "saved dirty, then committed": _all(FRESH, "law 3: the stamp is what the author saw"),
    "copied elsewhere": _all(FRESH, "its own place is as it was"),
    "twin edited": _two(FAR, FAR_TOLD, "an identical twin below is not the region"),
    "twin left, region edited": _two(
        _changed(0.3, 0.999, "moved"), WORDS_OR_NOT, "the region changed, though its twin below did not"
    ),
}  # fmt: skip

#: law 5's grades, most drift to least: a mean confidence may not fall from one to the next
GRADES = (
    ("deleted with its uses", "file deleted"),
    ("body rewritten",),
    ("half of the body rewritten",),
    ("one line changed", "a number changed"),
    ("far function rewritten",),
    ("nothing",),
)
