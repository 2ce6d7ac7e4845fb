"""A region of a file (lines, or the definition of a symbol): where it stands in another content, and how far it
changed. Pure."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from memcli.align import Lines, aligned
from memcli.drift import compare, deleted_lines
from memcli.fingerprint import Fingerprint

Span = tuple[int, int]  # lines from 1, inclusive

TOGETHER = 0.5  # share of a region's lines that must stand together for it to be there at all (as for a rename)
STAYED = 0.25  # share of its lines that keep a region where it stood among the others, which is evidence by itself
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
    share = max(_tokens_in(lost, old.lines), _tokens_in(added, new.lines))
    return Rewrite("changed", share, len(lost), len(added), sum(map(bool, old.lines)))


def region_now(span: Span, old: Fingerprint, new: Fingerprint) -> Span | None:
    """Where the lines of a region stand in a new content; None when too few of them stand there together.

    First as the two contents align, which tells twins apart, then wherever such a block is, for one that moved.
    """
    first, last = span
    region = [line for line in old.lines[first - 1 : last] if line]
    if not region:
        return span if len(new.lines) >= last else None
    places = [there for here, there in aligned(old.lines, new.lines) if first <= here + 1 <= last and old.lines[here]]
    if len(places) < STAYED * len(region):
        places = block(region, new.lines)
    return (places[0] + 1, places[-1] + 1) if places else None


def block(region: Lines, lines: Lines) -> list[int]:
    """The places (from 0, ascending) of a region's lines, none empty, in the stretch that holds most of them; the
    stretch may be half as long again as the region."""
    wanted = set(region)
    places = [place for place, line in enumerate(lines) if line in wanted]
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


def _tokens_in(numbers: Iterable[int], lines: Lines) -> float:
    """The share of all tokens that stand in these lines (from 1)."""
    size = sum(map(len, lines))
    return sum(len(lines[number - 1]) for number in numbers) / size if size else 0.0
