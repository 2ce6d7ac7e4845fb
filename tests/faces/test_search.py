"""`mem search` as people and agents meet it: found words marked on a terminal, scores explained, a no with a hint."""

import json
import os
import sys

import pytest

from tests.conftest import Repo


@pytest.fixture
def filled(repo: Repo) -> Repo:
    """Three fragments about one thing."""
    assert repo.mem("save", "limit:users", "list_users gives 50 <at> most", "--path", "src/users.py").code == 0
    assert repo.mem("save", "the users wait for the ledger, says ADR-0005").code == 0
    assert repo.mem("save", "never run rm -rf on the ledger").code == 0
    return repo


def on_a_terminal(repo: Repo, *args: str, **env: str) -> str:
    """What `mem ARGS` shows on a terminal."""
    import pty

    child, terminal = pty.fork()
    if child == 0:
        os.chdir(repo.path)
        environment = {**os.environ, "TERM": "xterm", **env}
        os.execve(sys.executable, [sys.executable, "-m", "memcli", *args], environment)  # noqa: S606 (its arguments are these)
    shown = b""
    try:
        while piece := os.read(terminal, 4096):
            shown += piece
    except OSError:  # the child has gone
        pass
    os.waitpid(child, 0)
    os.close(terminal)
    return shown.decode()


def test_found_words_are_marked_on_a_terminal(filled: Repo) -> None:
    """Underlined in key and text, in whatever form they stand; escapes leave the text as it is."""
    shown = on_a_terminal(filled, "search", "user", "limit")
    assert "\x1b[4mlimit\x1b[24m:\x1b[4musers\x1b[24m" in shown
    assert "\x1b[4mlist_users\x1b[24m gives 50 <at> most" in shown
    assert "\x1b[4mrm -rf\x1b[24m" in on_a_terminal(filled, "search", "rm -rf")


def test_nothing_is_marked_where_nobody_looks(filled: Repo) -> None:
    """Neither in a pipe nor with NO_COLOR."""
    assert "\x1b" not in filled.mem("search", "user").out
    assert "\x1b" not in on_a_terminal(filled, "search", "user", NO_COLOR="1")


def test_explain_says_how_a_score_came_about(filled: Repo) -> None:
    """Relevance by its reasons, times confidence, times nearness; the sum is the score, in words and in JSON."""
    (filled.path / "src/users.py").write_text("# all gone\n")
    told = filled.mem("search", "ledger", "users", "--path", "src/users.py", "--explain", "--min-confidence", "0")
    assert told.code == 0
    assert "× 2 (about src/users.py)" in told.out
    assert "relevance" in told.out and "confidence" in told.out
    document = json.loads(filled.mem("search", "ledger", "users", "--explain", "--json").out)
    for found in document["fragments"]:
        explained = found["explain"]
        assert sum(reason["points"] for reason in explained["reasons"]) == pytest.approx(
            explained["relevance"], abs=1e-3
        )
        product = explained["relevance"] * explained["confidence"] * explained["near"]
        assert product == pytest.approx(found["score"], abs=1e-2)


def test_a_path_is_a_preference_of_search_and_a_limit_of_list(filled: Repo) -> None:
    """`search --path` puts what is about it first and shows the rest too; `list --path` shows only what is about it."""
    found = json.loads(filled.mem("search", "users", "--path", "src/users.py", "--json").out)["fragments"]
    assert [each["key"] for each in found] == ["limit:users", None]
    assert filled.mem("list", "--path", "src/users.py", "--keys").out.count("\n") == 1


@pytest.mark.parametrize(
    ("query", "near"),
    [
        ("ledgerr usrs", None),
        ("autenticate", "nothing found"),
        ("xyzzy", "nothing found"),
        ("ADR-0006", None),
        ("*?[", "nothing"),
    ],
)
def test_a_no_is_a_no_with_the_nearest_words(filled: Repo, query: str, near: str | None) -> None:
    """A query that finds nothing exits with 1 and says so on stderr; one with typos is answered."""
    done = filled.mem("search", query)
    assert done.code == (1 if near else 0)
    assert (near or "") in done.err


def test_the_nearest_words_are_named(filled: Repo) -> None:
    """Words that are too far to be taken for a typo are suggested."""
    done = filled.mem("search", "ledgxyz")
    assert (done.code, done.out) == (1, "")
    assert "did you mean ledger" in done.err
