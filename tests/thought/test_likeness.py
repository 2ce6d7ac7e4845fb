"""How like two contents are: the law of the multiset, and what proves nothing."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from memcli.likeness import ENOUGH, likeness, lines_of

LINES = st.lists(st.sampled_from([f"value_{number} = {number}" for number in range(12)]), max_size=30)
LICENCE = "".join(f"# line {number} of the licence\n" for number in range(20))


def alike(old: str, new: str, path: str = "a.py") -> float:
    ours, theirs = lines_of(old.encode(), path), lines_of(new.encode(), path)
    assert ours is not None and theirs is not None
    return likeness(ours, theirs)


@given(LINES, LINES)
def test_it_is_the_share_of_lines_in_common(old: list[str], new: list[str]) -> None:
    """Of the longer content, each line as often as both have it; symmetric; under a half it may say 0."""
    common, longest = (Counter(old) & Counter(new)).total(), max(len(old), len(new))
    share = common / longest if longest else 0.0
    found = alike("\n".join(old), "\n".join(new))
    assert found == alike("\n".join(new), "\n".join(old))
    if share >= 0.5 and common >= ENOUGH:
        assert found == share
    else:
        assert found in (0.0, share)


def test_formatting_is_no_difference() -> None:
    """White space, blank lines, line ends, quotes and brackets do not count."""
    old = "def a(b, c):\n    x = 'one'\n    y = [b, c]\n    return x\n"
    new = 'def a( b,c ):\r\n\r\n  x = "one"\r\n  y = [\tb, c, ]\r\n  return x\r\n'
    assert alike(old, new) == 1.0


def test_comments_make_nothing_alike() -> None:
    """A licence at the head of two files says nothing of what they hold; in a text such lines are its content."""
    old, new = LICENCE + "a = 1\nb = 2\nc = 3\n", LICENCE + "d = 4\ne = 5\nf = 6\n"
    assert alike(old, new) == 0.0
    assert alike(old, new, "a.md") == 20 / 23


def test_a_few_lines_prove_nothing() -> None:
    """Two tiny contents may be equal by chance; bytes that are no text have no lines."""
    assert alike("import os\nimport re\n", "import os\nimport re\n") == 0.0
    assert alike("return\n" * 9, "return\n" * 9) == 1.0  # a line that occurs again counts again
    assert lines_of(b"\0\1\2", "logo.png") is None
