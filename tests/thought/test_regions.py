"""Regions: found again wherever their lines went, and graded by their own tokens alone."""

from hypothesis import given
from hypothesis import strategies as st

from memcli import fingerprint
from memcli.fingerprint import Fingerprint
from memcli.regions import region_now, rewritten


def content(lines: list[str]) -> Fingerprint:
    """The lines as a Python file."""
    return fingerprint.of_content("\n".join(lines).encode(), "a.py")


def function(name: str, size: int = 6) -> list[str]:
    """A function of so many lines, each its own."""
    return [f"def {name}(value):", *(f"    {name}_{number} = value + {number}" for number in range(size - 1)), ""]


FILE = [*function("first"), *function("second"), *function("third")]
SECOND = (8, 13)


def test_lines_inserted_above_shift_a_region() -> None:
    """What is inserted above moves the region down and is no change of it."""
    new = [*function("zeroth", 4), *FILE]
    assert region_now(SECOND, content(FILE), content(new)) == (13, 18)
    assert rewritten(content(FILE[7:13]), content(new[12:18])).verdict == "fresh"


def test_a_region_that_moved_within_its_file_is_found() -> None:
    """A function that was cut and put elsewhere is found where it stands now, also behind its neighbour."""
    new = [*function("first"), *function("third"), *function("second")]
    assert region_now(SECOND, content(FILE), content(new)) == (15, 20)


def test_of_twins_each_is_found_at_its_own_place() -> None:
    """Two functions with the same body are told apart by what stands around them."""
    twin = ["    total = 0", "    total += value", "    total += 1", "    return total", ""]
    old = ["def one(value):", *twin, "def two(value):", *twin]
    new = ["import os", "", *old]
    assert region_now((7, 11), content(old), content(new)) == (9, 13)
    assert region_now((1, 5), content(old), content(new)) == (3, 7)


def test_a_region_of_which_little_is_left_is_nowhere() -> None:
    """When under half of its lines stand together it is not there."""
    new = [*function("first"), "second_0 = 1", *function("third")]
    assert region_now(SECOND, content(FILE), content(new)) is None


def test_what_changed_is_counted_in_lines_and_weighed_in_tokens() -> None:
    """Lines lost and got are counted; the share is that of their tokens, of the larger side."""
    old = FILE[7:13]
    edited = [*old[:2], "    second_1 = value - 40", *old[3:]]
    change = rewritten(content(old), content(edited))
    assert (change.verdict, change.lost, change.size) == ("changed", 1, 6) and 0.1 < change.share < 0.25
    longer = [*old, *(f"    other_{number} = value * {number}" for number in range(6))]
    grown = rewritten(content(old), content(longer))
    assert (grown.verdict, grown.lost, grown.added) == ("changed", 0, 6) and 0.3 < grown.share < 0.6


def test_comments_and_formatting_in_a_region_have_their_own_verdicts() -> None:
    """A comment is no change of the code, nor is white space."""
    old = FILE[7:13]
    assert rewritten(content(old), content([*old[:3], "    # why", *old[3:]])).verdict == "comments"
    assert rewritten(content(old), content([line.replace(" + ", "+") for line in old])).verdict == "reformatted"


def test_a_large_file_is_searched_in_bounded_time() -> None:
    """Files over the bound of alignment are searched for the block alone."""
    big = [f"value_{number} = {number}" for number in range(9000)]
    new = ["a = 1", *big[:4000], *big[4500:], *big[4000:4500], "b = 2"]
    assert region_now((4101, 4140), content(big), content(new)) == (8602, 8641)


LINES = st.lists(st.sampled_from(["a = 1", "b = a", "", "c = b + a", "return c", "# d", "e()"]), max_size=12)


@given(LINES, LINES, st.integers(1, 12), st.integers(0, 12))
def test_a_place_is_always_within_the_file(old: list[str], new: list[str], first: int, more: int) -> None:
    """Whatever the contents, a region is nowhere or at lines that the new content has; the shares are shares."""
    last = min(first + more, len(old))
    if first > last:
        return
    found = region_now((first, last), content(old), content(new))
    assert found is None or 1 <= found[0] <= found[1] <= max(len(new), last)
    assert region_now((first, last), content(old), content(old)) is not None
    change = rewritten(content(old[first - 1 : last]), content(new))
    assert 0 <= change.share <= 1


@given(LINES, st.integers(1, 12), st.integers(0, 12))
def test_a_region_of_the_same_content_is_unchanged(lines: list[str], first: int, more: int) -> None:
    """A content has its own regions at their own lines, unchanged."""
    last = min(first + more, len(lines))
    if first > last:
        return
    found = region_now((first, last), content(lines), content(lines))
    assert found == (first, last)
    assert rewritten(content(lines), content(lines)).verdict == "fresh"
