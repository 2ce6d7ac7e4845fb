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
root cause found and fixed
Fixed!
fix merged in #123
fixed by bumping lodash
hotfix deployed, error is gone
it's resolved now
has been addressed in 4f2c
error no longer occurs after the migration
stopped happening since the upgrade
not an issue any more
no longer an issue
was a false positive
cannot reproduce any more
this is solved
works fine now
working fine since v2
build is green again
tests pass again
CI passes now
issue closed
bug squashed
mitigated by a retry
rolled back, all good again
RESOLVED - wrong env var
turned out to be a typo, corrected
[fixed] login
status: fixed
fixed: no more 500s
does not happen any more
doesn't occur anymore
not reproducible since 3.2
settled; no action needed
login doesn't work: fixed in a1b2
login sometimes fails: fixed by a retry
fixed the missing import
users still get 500s: resolved by scaling up
resolved: reverted the bad commit
fixed a bare except clause
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
reopened
re-opened after 2 days
fixed but still failing on Windows
fix did not help
fix doesn't work
the fix was reverted
fix reverted, see #9
not fixed yet
hasn't been fixed
haven't fixed it
should be fixed
needs fixing
will be fixed in 3.0
to be resolved
not resolved
isn't resolved
still failing
still not fixed
still not working after the fix
fixed in theory, fails in practice
fixed on main but not on release
only fixed for Linux
partially fixed
tried to fix, no luck
could not be resolved
cannot resolve host db.local
failed to resolve module './a'
unresolved import foo
DNS name could not be resolved
Error: connection closed
unhandled promise rejection
unhandled exception in handler
fails again after the fix
happens again
back again: fixed last week
no fix available
waiting for a fix
workaround exists, not fixed
was fixed, now broken again
marked fixed but reappears under load
closed too early, it is open again
is it fixed?
TypeError: cannot read property 'closed' of undefined
prefix not fixed
we thought it was fixed; it is not
CI passes now but local tests fail
fixed for one user, others still see it
fix pending review
fixed? no
fixed upstream, waiting for release
it is not a problem of the client
it was working fine before 3.2
the file is gone
login is not working
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
all done
done!
✅ done
task completed
completed all steps
implementation finished and merged
merged to main
PR #12 merged
shipped
deployed to production
released 1.2
finished the refactoring
work is complete
Completed: endpoint for users
endpoint done, tests pass
all tests pass, done
closed
feature is live
ready and merged
all 12 tasks completed
12/12 done
100 % done
done, no next steps
finished without errors
done; nothing pending
no longer blocked, merged
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
not finished
not complete yet
half finished
50% done
in progress
working on it
started
tests pending
merged 2 of 3
done with 1, 2 remains
almost done
nearly done
to be done
will be done tomorrow
done except for the docs
done apart from tests
finished the first half
partly done
not yet merged
needs to be merged
waiting for review
blocked by #3
should be done by Friday
could not be completed
is it done?
done so far: lexer
when done, deploy
once merged, tag it
until it is done
will be merged after review
completed 3 out of 7 files
3 of 7 completed
TODO: finish
finish the parser
complete the docs
merge the branch
reopened after it was done
undone
step 2 of 5 done
lexer done but parser broken
done, but tests fail
finished? not quite
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
    "text",
    [
        "",
        " ",
        "\u0000",
        "'" * 70_000,
        "not " * 16_000,
        "not a a " * 8_000,
        "1 of " * 13_000,
        "fixed, a but b " * 4_000,
        "done a a a but " * 4_000,
    ],
)
def test_any_text_is_read_quickly(text: str) -> None:
    """Odd and long texts say nothing, and reading them comes to an end."""
    assert not handled(text)
    assert not finished(text)
