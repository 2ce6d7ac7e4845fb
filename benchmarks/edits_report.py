"""The answers of the edits benchmark as tables: kinds of edit, the confusion of verdicts, grades, and each miss."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, median
from typing import Any, NamedTuple

from benchmarks.expectations import ANCHORS, GRADES, TABLE, Expected
from benchmarks.samples import Sample
from memcli.model import VERDICTS, Assessment


class Observation(NamedTuple):
    """What the program said of a fragment with one kind of anchor after one edit, in the work tree or committed."""

    kind: str
    sample: Sample
    when: str
    anchor: str
    answer: Assessment

    @property
    def expected(self) -> Expected:
        """What is right here."""
        return TABLE[self.kind].of(self.anchor)

    @property
    def is_right(self) -> bool:
        """Whether verdict and confidence are (each fragment's base is 1, so its confidence is the share)."""
        return self.expected.allows(self.answer.verdict, self.answer.confidence)

    @property
    def error(self) -> float:
        """How far the confidence is from the band that is right."""
        least, most, given = self.expected.least, self.expected.most, self.answer.confidence
        return max(least - given, given - most, 0.0)


def record(one: Observation) -> dict[str, Any]:
    """An answer as a mapping for JSON."""
    sample, expected = one.sample, one.expected
    target = sample.target
    return {
        "edit": one.kind,
        "anchor": one.anchor,
        "when": one.when,
        "source": sample.source,
        "path": sample.path,
        "symbol": target.name,
        "lines": [target.first, target.last],
        "is_class": target.is_class,
        "expected": {"verdicts": expected.verdicts, "least": expected.least, "most": expected.most},
        "right": one.is_right,
        "assessment": {**one.answer._asdict(), "anchors": [drift._asdict() for drift in one.answer.anchors]},
    }


def print_report(seen: Sequence[Observation], misses: bool) -> None:
    """Print the tables, and with `misses` every wrong answer, the worst first."""
    samples = len({(one.sample.source, one.sample.path, one.sample.target.name) for one in seen})
    right = sum(one.is_right for one in seen)
    print(f"{samples} functions and classes, {len(seen)} answers, {right} right ({right / max(1, len(seen)):.1%})\n")
    _print_kinds(seen)
    _print_confusion(seen)
    _print_grades(seen)
    differ = list(differing(seen))
    print(f"\nIn the work tree and committed, {len(differ)} answers differ.")
    for kind, anchor, sample in differ:
        print(f"- {kind}, {anchor}: {_where(sample)}")
    if misses:
        _print_misses([one for one in seen if not one.is_right])


def _print_kinds(seen: Sequence[Observation]) -> None:
    print("| edit | n | " + " | ".join(f"{anchor}: right, median" for anchor in ANCHORS) + " |")
    print("|---|---|" + "---|" * len(ANCHORS))
    for kind in TABLE:
        of_kind = [one for one in seen if one.kind == kind]
        cells = []
        for anchor in ANCHORS:
            some = [one for one in of_kind if one.anchor == anchor]
            share = fmean(one.is_right for one in some) if some else 0.0
            cells.append(f"{share:.0%}, {median(one.answer.confidence for one in some):.2f}" if some else "")
        print(f"| {kind} | {len(of_kind)} | {' | '.join(cells)} |")


def _print_confusion(seen: Sequence[Observation]) -> None:
    """Rows: the verdict that fits best; columns: the one given. A verdict that is also allowed is counted as right."""
    cells: Counter[tuple[str, str]] = Counter()
    for one in seen:
        allowed = one.expected.verdicts
        cells[allowed[0] if one.answer.verdict not in allowed else one.answer.verdict, one.answer.verdict] += 1
    verdicts = [verdict for verdict in VERDICTS if any(verdict in cell for cell in cells)]
    print("\n| expected ↓ given → | " + " | ".join(verdicts) + " |")
    print("|---|" + "---|" * len(verdicts))
    for expected in verdicts:
        print(f"| {expected} | " + " | ".join(str(cells[expected, given] or "") for given in verdicts) + " |")


def _print_grades(seen: Sequence[Observation]) -> None:
    print("\nMean confidence by law 5, most drift to least:\n")
    print("| anchor | " + " | ".join(", ".join(grade) for grade in GRADES) + " | in order |")
    print("|---|" + "---|" * (len(GRADES) + 1))
    for anchor in ANCHORS:
        means = grades(seen, anchor)
        known = [value for value in means if value is not None]
        cells = ["" if value is None else f"{value:.3f}" for value in means]
        print(f"| {anchor} | {' | '.join(cells)} | {'yes' if known == sorted(known) else 'no'} |")


def grades(seen: Iterable[Observation], anchor: str) -> list[float | None]:
    """Mean confidence of each of GRADES for one kind of anchor; None where none was seen."""
    values: dict[str, list[float]] = defaultdict(list)
    for one in seen:
        if one.anchor == anchor:
            values[one.kind].append(one.answer.confidence)
    pooled = [[value for kind in grade for value in values[kind]] for grade in GRADES]
    return [fmean(pool) if pool else None for pool in pooled]


def differing(seen: Iterable[Observation]) -> Iterable[tuple[str, str, Sample]]:
    """(kind, anchor, sample) of the edits that read otherwise once they are committed (law 2 forbids it)."""
    said: dict[tuple[str, str, str], list[Observation]] = defaultdict(list)
    for one in seen:
        said[one.kind, one.anchor, _where(one.sample)].append(one)
    for (kind, anchor, _), both in said.items():
        if len({(one.answer.verdict, one.answer.confidence) for one in both}) > 1:
            yield kind, anchor, both[0].sample


def _print_misses(misses: Sequence[Observation]) -> None:
    print("\nMisses:\n")
    for one in sorted(misses, key=lambda one: -one.error):
        wanted = f"{'/'.join(one.expected.verdicts)} {one.expected.least:.2f}–{one.expected.most:.2f}"
        print(f"- {one.kind} × {one.anchor}, {one.when}: {_where(one.sample)}")
        print(f"  expected {wanted}, got {one.answer.verdict} {one.answer.confidence:.3f}: {one.answer.evidence}")


def _where(sample: Sample) -> str:
    target = sample.target
    return f"{sample.source} {sample.path}:{target.first}-{target.last} {target.name}"
