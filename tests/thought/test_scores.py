"""The figures of the staleness benchmark, against their definitions spelt out pair by pair."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.scores import Scored, auc, average_precision, calibration, macro, row, within_events

LINES = st.lists(st.tuples(st.integers(0, 1), st.sampled_from([0.0, 0.25, 0.5, 1.0])), max_size=30)


@given(LINES)
def test_auc_counts_pairs(lines: list[tuple[int, float]]) -> None:
    """AUC is the share of (stale, kept) pairs in which the stale line scores higher, ties half."""
    stale, kept = ([score for label, score in lines if label == wanted] for wanted in (1, 0))
    pairs = [1.0 if ours > theirs else 0.5 if ours == theirs else 0.0 for ours, theirs in product(stale, kept)]
    got = auc([label for label, _ in lines], [score for _, score in lines])
    assert got == (pytest.approx(sum(pairs) / len(pairs)) if pairs else None)


@given(LINES)
def test_auc_turns_around(lines: list[tuple[int, float]]) -> None:
    """The opposite score has the opposite AUC."""
    labels, scores = [label for label, _ in lines], [score for _, score in lines]
    value = auc(labels, scores)
    assert value is None or auc(labels, [-score for score in scores]) == pytest.approx(1 - value)


def test_pairs_within_events() -> None:
    """Only lines of one event are compared; the first figure weighs events by their pairs, the second does not."""
    lines = [
        Scored("r", "a", 1, 0.9),
        Scored("r", "a", 0, 0.1),
        Scored("r", "a", 0, 0.2),
        Scored("r", "b", 1, 0.0),
        Scored("r", "b", 0, 0.8),
        Scored("r", "c", 1, 0.5),
    ]
    assert within_events(lines) == (2 / 3, 1 / 2)


def test_macro_leaves_out_small_repositories() -> None:
    """A repository counts when it has five lines of each kind, and then as much as any other."""
    large = [Scored("large", "e", label, float(label)) for label in (0, 1) for _ in range(5)]
    small = [Scored("small", "e", 1, 0.0), Scored("small", "e", 0, 1.0)]
    assert macro(large + small) == 1.0
    assert macro(small) is None


def test_average_precision() -> None:
    """Precision at each stale line's rank, averaged; equal scores share one rank."""
    assert average_precision([1, 0, 1], [0.9, 0.5, 0.1]) == pytest.approx((1 + 2 / 3) / 2)
    assert average_precision([1, 0], [0.5, 0.5]) == pytest.approx(0.5)
    assert average_precision([0], [0.5]) is None


def test_calibration_by_tenths() -> None:
    """Full confidence belongs to the last tenth; each says what was believed and how much of it was true."""
    tenths = calibration([0, 1, 1], [1.0, 0.92, 0.23])
    assert [(tenth.tenth, tenth.lines, tenth.true) for tenth in tenths] == [(2, 1, 0.0), (9, 2, 0.5)]


def test_row_without_both_kinds() -> None:
    """A part of the table with one kind of line shows no figure in place of a wrong one."""
    assert row("kept only", [Scored("r", "e", 0, 0.5)]).split()[-5:] == ["-"] * 5
