"""Commits that were amended, rebased, squashed, moved into a folder and collected: labels change, contents decide."""

import re

import pytest

from tests.conftest import Repo
from tests.faces.histories import (
    KEY,
    ask,
    collect,
    edit,
    is_changed,
    is_fresh,
    is_gone,
    is_moved,
    is_unverifiable,
    judged,
    move,
    probe,
)  # fmt: skip

LOWER = "email.lower()"


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "collected"])
def test_an_amended_message(repo: Repo, kept: bool) -> None:
    """Law 2: another message, author and date is another commit with the same content."""
    edit(repo, LOWER, "email.casefold()")
    repo.commit("to be amended")
    probe(repo, "create_user in src/users.py folds the email with casefold")
    stamped = judged(repo)["stamp"]["commit"]
    repo.git("commit", "-q", "--amend", "--date=2001-01-01T00:00:00Z", "-m", "better words")
    if not kept:
        collect(repo)
        assert repo.git("cat-file", "-t", stamped, check=False) == ""
    assert is_fresh(judged(repo)) and judged(repo)["stamp"]["commit"] == stamped
    edit(repo, "email.casefold()", "email")
    repo.git("commit", "-q", "-a", "--amend", "-m", "other content")
    if not kept:
        collect(repo)
    assert is_changed(judged(repo)) and is_changed(judged(repo, at="HEAD"))


def test_a_rebase_with_others_work_below(repo: Repo) -> None:
    """Rebased onto a main that moved the file and changed it elsewhere, then collected: as the content says."""
    repo.git("switch", "-q", "-c", "feature")
    edit(repo, LOWER, "email.casefold()")
    repo.commit("feature")
    probe(repo, "create_user in src/users.py folds the email with casefold")
    probe(repo, "We prefer small commits", key="note:free")
    repo.git("switch", "-q", "main")
    edit(repo, "LIMIT = 50", "LIMIT = 60")
    move(repo, "src/users.py", "lib/users.py", "move")
    repo.git("switch", "-q", "feature")
    repo.git("rebase", "-q", "main")
    collect(repo)
    found = judged(repo)
    assert (found["anchors"][0]["was"], found["anchors"][0]["path"]) == ("src/users.py", "lib/users.py")
    assert found["confidence"] == 1.0
    assert is_unverifiable(judged(repo, "note:free"))


def test_in_the_middle_of_a_rebase(repo: Repo) -> None:
    """A rebase that stopped at a conflict is a dirty tree like any other; aborted it is as before."""
    probe(repo)
    repo.git("switch", "-q", "-c", "feature")
    edit(repo, "LIMIT = 50", "LIMIT = 60")
    repo.commit("feature")
    repo.git("switch", "-q", "main")
    edit(repo, "LIMIT = 50", "LIMIT = 70")
    repo.commit("main")
    repo.git("switch", "-q", "feature")
    repo.git("rebase", "-q", "main", check=False)
    assert (repo.path / ".git/rebase-merge").is_dir()
    assert is_fresh(judged(repo))
    repo.git("rebase", "--abort")
    assert is_fresh(judged(repo))


def test_squashed_and_collected(repo: Repo) -> None:
    """Three commits become one on main and their branch is deleted: the content is the same."""
    repo.git("switch", "-q", "-c", "feature")
    for number in range(3):
        repo.commit(f"step {number}", **{f"part{number}__py": f"def part_{number}():\n    return {number}\n"})
        probe(repo, f"part_{number} in part{number}.py gives {number}", key=f"note:part-{number}")
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "--squash", "feature")
    repo.git("commit", "-q", "-m", "all of it")
    repo.git("branch", "-q", "-D", "feature")
    collect(repo)
    for number in range(3):
        assert is_fresh(judged(repo, f"note:part-{number}"))


def subdirectory(repo: Repo) -> None:
    """Rewrite the whole history so that all of it lies below `app/`, as git filter-repo does, and collect the old."""
    move_all = "mkdir -p .app && find . -mindepth 1 -maxdepth 1 ! -name .app -exec mv {} .app/ \\; && mv .app app"
    repo.git("filter-branch", "-f", "--tree-filter", move_all, "--", "--all", FILTER_BRANCH_SQUELCH_WARNING="1")
    for ref in repo.git("for-each-ref", "--format=%(refname)", "refs/original").split():
        repo.git("update-ref", "-d", ref)
    collect(repo)


def test_a_history_moved_into_a_folder(repo: Repo) -> None:
    """Every commit is another one and every path too: the anchors follow the content."""
    repo.commit("two", a__py="def one():\n    return 1\n")
    probe(repo)
    probe(repo, "It checks, then stores", "src/users.py#create_user", key="note:symbol")
    probe(repo, "We prefer small commits", key="note:free")
    subdirectory(repo)
    assert repo.git("ls-files").split() == ["app/README.md", "app/a.py", "app/src/users.py"]
    assert is_moved(judged(repo), was="src/users.py", now="app/src/users.py")
    assert is_moved(judged(repo, "note:symbol"), was="src/users.py", now="app/src/users.py")
    assert is_moved(judged(repo, at="HEAD"), was="src/users.py", now="app/src/users.py")
    assert is_unverifiable(judged(repo, "note:free"))
    edit(repo, LOWER, "email", "app/src/users.py")
    repo.commit("and edited")
    found = judged(repo)
    assert is_changed(found) and found["anchors"][0]["path"] == "app/src/users.py"


def test_a_file_filtered_out_of_the_history(repo: Repo) -> None:
    """Filtered out of every commit and collected, a file is gone for good, though no commit says so any more."""
    repo.commit("two", a__py="A = 1\n")
    probe(repo)
    drop = "git rm -q --cached --ignore-unmatch src/users.py"
    repo.git("filter-branch", "-f", "--index-filter", drop, "--", "--all", FILTER_BRANCH_SQUELCH_WARNING="1")
    repo.git("update-ref", "-d", "refs/original/refs/heads/main")
    collect(repo)
    assert not (repo.path / "src/users.py").exists()
    assert is_gone(judged(repo))


def test_a_replaced_and_a_grafted_commit(repo: Repo) -> None:
    """`git replace` gives a commit another tree: what git shows is what counts, at a commit as on disk."""
    first = repo.git("rev-parse", "HEAD")
    probe(repo)
    edit(repo, LOWER, "email")
    second = repo.commit("other")
    repo.git("replace", second, first)
    assert is_changed(judged(repo))
    assert is_fresh(judged(repo, at="HEAD"))


def test_no_step_makes_the_sweep_speak(repo: Repo) -> None:
    """Commit, amend, rebase, squash and collect: as long as the content is the same no sweep reports anything."""
    probe(repo)
    steps = (
        lambda: repo.commit("one", one__py="one = 1\n"),
        lambda: repo.git("commit", "-q", "--amend", "-m", "again"),
        lambda: repo.commit("two", two__py="two = 2\n"),
        lambda: repo.git("rebase", "-q", "--root", "--exec", "true"),
        lambda: repo.git("reset", "-q", "--soft", "HEAD~1"),
        lambda: repo.git("commit", "-q", "--amend", "-m", "squashed"),
        lambda: collect(repo),
    )
    for step in steps:
        step()
        (done,) = ask(repo, ["sweep", "--json"])
        assert (done.code, done.err, done.json["changes"]) == (0, "", [])
    assert is_fresh(judged(repo, KEY))


def aged(repo: Repo) -> str:
    """What why says of a fragment without a place."""
    (done,) = ask(repo, ["why", "note:free"])
    assert (done.code, done.err) == (0, "") and "unverifiable" in done.out
    return done.out


def test_age_in_commits_and_days(repo: Repo) -> None:
    """Law 6: what can't be verified says how old it is, in commits and in days."""
    probe(repo, "We prefer small commits", key="note:free")
    for number in range(3):
        repo.commit(f"more {number}", **{f"m{number}__txt": "x\n"})
    assert re.search(r"\b3 commits\b", aged(repo)) and re.search(r"\b\d+ days?\b|\btoday\b", aged(repo))


def test_age_where_the_commit_is_gone(repo: Repo) -> None:
    """The stamped commit was collected: its age in days is known, in commits it is not, and nobody counts 999."""
    repo.commit("to go")
    probe(repo, "We prefer small commits", key="note:free")
    repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "instead")
    collect(repo)
    repo.commit("more")
    assert re.search(r"\b\d+ days?\b|\btoday\b", aged(repo)) and not re.search(r"\b\d+ commits?\b", aged(repo))
