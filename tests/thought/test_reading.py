"""What wordings say: handled errors, finished work."""

import pytest

from memcli.render.reading import finished, handled

HANDLED = """
Resolved by pinning urllib3
login test is flaky: fixed in a1b2c3
FIXED: the cache key held the locale
closed as a duplicate
the race was solved with a lock
no longer reproduces on main
not a bug, the docs were wrong
won’t fix
won't fix: upstream behaviour
worked around with a retry
works again after the upgrade
the regex was wrong; it has been fixed
the deadlock, which was not easy to find, is fixed
"""

UNRESOLVED = """
login test fails on Tuesdays
reopened: fixed in a1b2, fails again on CI
re-opened after the fix; was closed
not fixed
Not yet fixed
isn't fixed
isn’t really fixed
still failing although marked fixed
still fails after being fixed
was fixed, came back with 3.12
fixed once, regressed in 2.1
needs to be fixed
must be resolved before the release
never resolved
only partly fixed
almost fixed
unresolved
unfixed since March
no fixed version yet
cannot be closed until QA answers
ValueError: I/O operation on closed file
connection closed by peer during TLS handshake
RuntimeError: Event loop is closed
overflow in the fixed-point conversion
fixed width columns are misread
prefixed names are not found
the fix does not help
"""

DONE = """
done
Done.
DONE: users endpoint
login finished
migration completed
the branch was merged
shipped in 2.0
released as 1.4.2
5 of 5 tasks done
100% done
everything is complete
fixed the flaky login test
finished; coverage 85%
"""

UNFINISHED = """
compiles; tests pending
writing handlers
not done
isn't done yet
almost finished
half done
half-done
80% done
80 % of it done
3 of 5 done
3/5 tasks done
merged 3 of 5 branches
API done, docs in progress
API done; remaining: docs
to be merged
waiting to get merged
blocked until the PR is merged
was done, reopened by QA
unfinished
incomplete
Complete the migration
abandonment of the old API
done with the parser, next step is the lexer
"""


def cases(table: str) -> list[str]:
    return table.strip().splitlines()


@pytest.mark.parametrize("text", cases(HANDLED))
def test_handled_errors(text: str) -> None:
    """Resolved, fixed, closed and the like read as handled."""
    assert handled(text)


@pytest.mark.parametrize("text", cases(UNRESOLVED))
def test_unresolved_errors(text: str) -> None:
    """Reopened, negated, partial and future wordings, and other senses of the words, read as open."""
    assert not handled(text)


@pytest.mark.parametrize("text", cases(DONE))
def test_finished_work(text: str) -> None:
    """Done, finished, merged, shipped and the like read as done."""
    assert finished(text)


@pytest.mark.parametrize("text", cases(UNFINISHED))
def test_unfinished_work(text: str) -> None:
    """What has a part left to do, or only will be done, is not done."""
    assert not finished(text)


@pytest.mark.parametrize(
    "text", ["", " ", "\u0000", "'" * 70_000, "not " * 16_000, "not a a " * 8_000, "1 of " * 13_000]
)
def test_any_text_is_read_quickly(text: str) -> None:
    """Odd and long texts say nothing, and reading them comes to an end."""
    assert not handled(text)
    assert not finished(text)
