"""How well a staleness score tells lines that went stale from those that were kept. Pure: values in, values out.

A label is 1 for stale, 0 for kept; a score is higher the staler a line is believed to be. The figures are those that
the examples' own scorer prints: AUC, its mean over repositories, its mean within events, and average precision.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby
from statistics import fmean
from typing import NamedTuple

MACRO_LEAST = 5  # lines of each kind that a repository needs to have an AUC worth averaging
HEADER = f"{'':34}{'n':>6}{'stale':>6}{'AUC':>7}{'macro':>7}{'pair':>7}{'event':>7}{'AP':>7}"


class Scored(NamedTuple):
    """One line: its repository, the edit it was judged at, its label and the score that a predictor gave it."""

    repo: str
    event: str
    label: int
    score: float


class Tenth(NamedTuple):
    """The lines believed with a confidence of this tenth (0 to 9): how many, their mean, the share still true."""

    tenth: int
    lines: int
    said: float
    true: float


def auc(labels: Sequence[int], scores: Sequence[float]) -> float | None:
    """How often a stale line scores above a kept one, ties half; None without both kinds."""
    kept = sorted(score for label, score in zip(labels, scores, strict=True) if not label)
    stale = [score for label, score in zip(labels, scores, strict=True) if label]
    if not kept or not stale:
        return None
    return sum(bisect_left(kept, score) + bisect_right(kept, score) for score in stale) / (2 * len(kept) * len(stale))


def macro(lines: Iterable[Scored]) -> float | None:
    """Mean AUC of the repositories with enough lines of each kind; None where there is none."""
    groups = _grouped((line.repo, line) for line in lines)
    return _mean(auc(*group) for group in groups if min(sum(group[0]), len(group[0]) - sum(group[0])) >= MACRO_LEAST)


def within_events(lines: Iterable[Scored]) -> tuple[float | None, float | None]:
    """AUC within events: over all their pairs, and as the mean over the events."""
    values = []
    for labels, scores in _grouped((line.event, line) for line in lines):
        value = auc(labels, scores)
        if value is not None:
            values.append((value, sum(labels) * (len(labels) - sum(labels))))
    pairs = sum(count for _, count in values)
    return (sum(value * count for value, count in values) / pairs if pairs else None), _mean(v for v, _ in values)


def average_precision(labels: Sequence[int], scores: Sequence[float]) -> float | None:
    """Precision averaged over recall; equal scores are one threshold. None without a stale line."""
    seen = hits = 0
    total = 0.0
    for _, tied in groupby(sorted(zip(scores, labels, strict=True), reverse=True), key=lambda pair: pair[0]):
        found = [label for _, label in tied]
        seen, hits = seen + len(found), hits + sum(found)
        total += sum(found) * hits / seen
    return total / hits if hits else None


def row(name: str, lines: Sequence[Scored]) -> str:
    """A line of the table under HEADER."""
    labels, scores = [line.label for line in lines], [line.score for line in lines]
    values = auc(labels, scores), macro(lines), *within_events(lines), average_precision(labels, scores)
    shown = "".join("      -" if value is None else f"  {value:.3f}" for value in values)
    return f"{name:34}{len(labels):6}{sum(labels):6}{shown}"


def calibration(labels: Sequence[int], confidences: Sequence[float]) -> list[Tenth]:
    """What was believed beside what was true, by tenths of confidence."""
    tenths: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for label, value in zip(labels, confidences, strict=True):
        tenths[min(max(int(value * 10), 0), 9)].append((value, 1 - label))
    return [
        Tenth(tenth, len(pairs), fmean(said for said, _ in pairs), fmean(true for _, true in pairs))
        for tenth, pairs in sorted(tenths.items())
    ]


def _grouped(pairs: Iterable[tuple[str, Scored]]) -> list[tuple[list[int], list[float]]]:
    """(labels, scores) of each group."""
    groups: dict[str, tuple[list[int], list[float]]] = defaultdict(lambda: ([], []))
    for name, line in pairs:
        groups[name][0].append(line.label)
        groups[name][1].append(line.score)
    return list(groups.values())


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
