"""Which lines of two contents are the same ones. Pure."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

Lines = Sequence[tuple[str, ...]]  # of each line the tokens of its code, as in a Fingerprint

MOST = 4000  # lines between the first and the last difference up to which contents are aligned: bounds the time


def aligned(old: Lines, new: Lines) -> Iterator[tuple[int, int]]:
    """The places (from 0) in both of the lines that stayed where they were among the others, in order; of a stretch too
    long to align none but those before the first difference and after the last one."""
    head = _equal_at_start(old, new)
    tail = _equal_at_start(old[head:][::-1], new[head:][::-1])
    yield from ((place, place) for place in range(head))
    middle, other = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(middle) <= MOST and len(other) <= MOST:
        for found in SequenceMatcher(None, middle, other, autojunk=False).get_matching_blocks():
            yield from ((head + found.a + step, head + found.b + step) for step in range(found.size))
    yield from ((len(old) - step, len(new) - step) for step in range(tail, 0, -1))


def _equal_at_start(ours: Lines, theirs: Lines) -> int:
    size = 0
    for one, other in zip(ours, theirs, strict=False):
        if one != other:
            break
        size += 1
    return size
