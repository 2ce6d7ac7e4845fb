"""A region of a file (lines, or the definition of a symbol): where it stands in another content, and how far it
changed. Pure."""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from memcli.align import Lines, aligned
from memcli.drift import compare, deleted_lines
from memcli.fingerprint import Fingerprint

Span = tuple[int, int]  # lines from 1, inclusive

TOGETHER = 0.5  # share of a region's lines that must stand together for it to be there at all (as for a rename)
STAYED = 0.25  # share of its lines that keep a region where it stood among the others, which is evidence by itself
_FEW = 2  # lines of code; of so few a line tells too little: `VERSION = 3` with another number is no rewrite
_GAP = 1.5  # a block found again may be this much longer than it was


class Rewrite(NamedTuple):
    """How a region differs from the stamped one: verdict as in `drift.Change`; share of its tokens that changed, 0 to
    1; how many of its lines of code it lost, how many it got, and how many it had."""

    verdict: str
    share: float = 0.0
    lost: int = 0
    added: int = 0
    size: int = 0


def rewritten(old: Fingerprint, new: Fingerprint) -> Rewrite:
    """What became of a region: the larger share, of the old tokens those in lines that it lost, of the new ones those
    in lines that it got. Order and wrapping are no change, as for a whole file."""
    verdict = compare(old, new).verdict
    if verdict != "changed":
        return Rewrite(verdict)
    lost, added = deleted_lines(old.lines, new.lines), deleted_lines(new.lines, old.lines)
    size = sum(map(bool, old.lines))
    share = max(_tokens_in(lost, old.lines), _tokens_in(added, new.lines)) if size > _FEW else _tokens_changed(old, new)
    return Rewrite("changed", share, len(lost), len(added), size)


def region_now(span: Span, old: Fingerprint, new: Fingerprint) -> Span | None:
    """Where the lines of a region stand in a new content; None when too few of them stand there together.

    First as the two contents align, which tells twins apart, then wherever such a block is, for one that moved: made of
    lines that are not accounted for by what stood around the region, or its like next door would pass for it.
    """
    numbers = [number for number in range(span[0] - 1, min(span[1], len(old.lines))) if old.lines[number]]
    if not numbers:
        return span if len(new.lines) >= span[1] else None
    pairs = list(aligned(old.lines, new.lines))
    stayed = [(here, there) for here, there in pairs if span[0] <= here + 1 <= span[1] and old.lines[here]]
    if len(stayed) < TOGETHER * len(numbers):
        taken = {there for here, there in pairs if not span[0] <= here + 1 <= span[1]}
        moved = block([old.lines[number] for number in numbers], new.lines, taken)
        if moved:
            return moved[0] + 1, moved[-1] + 1
    if len(stayed) < STAYED * len(numbers):
        return None
    # lines without code at its edges belong to it as long as what they stand beside does
    above = numbers[0] + 1 - span[0] if stayed[0][0] == numbers[0] else 0
    below = span[1] - numbers[-1] - 1 if stayed[-1][0] == numbers[-1] else 0
    return max(1, stayed[0][1] + 1 - above), min(len(new.lines), stayed[-1][1] + 1 + below)


def core(span: Span, content: Fingerprint) -> Span:
    """The region without the lines at its edges that hold no code, which belong to what stands beside it as much."""
    numbers = [number for number in range(span[0], min(span[1], len(content.lines)) + 1) if content.lines[number - 1]]
    return (numbers[0], numbers[-1]) if numbers else span


def block(region: Lines, lines: Lines, taken: Collection[int] = ()) -> list[int]:
    """The places (from 0, ascending) of a region's lines, none empty, in the stretch that holds most of them; the
    stretch may be half as long again as the region. Places in `taken` belong to something else."""
    wanted = set(region)
    places = [place for place, line in enumerate(lines) if line in wanted and place not in taken]
    room = _GAP * len(region) + 2
    best: list[int] = []
    start = 0
    for end, place in enumerate(places):
        while place - places[start] > room:
            start += 1
        if end + 1 - start > len(best):
            best = places[start : end + 1]
    return best if _in_common(region, [lines[place] for place in best]) >= TOGETHER * len(region) else []


def _in_common(ours: Lines, theirs: Lines) -> int:
    return (Counter(ours) & Counter(theirs)).total()


def _tokens_changed(old: Fingerprint, new: Fingerprint) -> float:
    """The share of the tokens of the side that has more which the other one lacks."""
    ours, theirs = (Counter(token for line in content.lines for token in line) for content in (old, new))
    return 1 - (ours & theirs).total() / max(ours.total(), theirs.total(), 1)


def _tokens_in(numbers: Iterable[int], lines: Lines) -> float:
    """The share of all tokens that stand in these lines (from 1)."""
    size = sum(map(len, lines))
    return sum(len(lines[number - 1]) for number in numbers) / size if size else 0.0
