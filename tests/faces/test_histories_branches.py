"""Dirty files, the index, branches, worktrees and labels: a fragment is judged by the tree that it is asked about."""

import re
from pathlib import Path

import pytest

from tests.conftest import USERS, Repo
from tests.faces.black_box import listed
from tests.faces.histories import (
    KEY,
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

LOWER, FOLD = "email.lower()", "email.casefold()"


def test_saved_dirty(repo: Repo) -> None:
    """Law 3: committed as they were the bytes are fresh; thrown away or committed otherwise they changed."""
    edit(repo, LOWER, FOLD)
    probe(repo, "create_user in src/users.py folds the case of the email with casefold")
    assert judged(repo)["stamp"]["dirty"]
    repo.git("stash", "-q")
    assert is_changed(judged(repo))
    repo.git("stash", "pop", "-q")
    assert is_fresh(judged(repo))
    repo.commit("those very bytes")
    assert is_fresh(judged(repo)) and is_fresh(judged(repo, at="HEAD")) and is_changed(judged(repo, at="HEAD~1"))
    edit(repo, FOLD, "email.strip()")
    repo.commit("other bytes")
    assert is_changed(judged(repo)) and is_changed(judged(repo, at="HEAD"))


def test_three_contents_at_once(repo: Repo) -> None:
    """HEAD, the index and the work tree differ: the stamp is the work tree's, and committing the index alone leaves the
    work tree as it was."""
    edit(repo, "LIMIT = 50", "LIMIT = 60")
    repo.git("add", "-A")
    edit(repo, "LIMIT = 60", "LIMIT = 70")
    probe(repo, "LIMIT in src/users.py is 70")
    assert is_fresh(judged(repo))
    repo.git("commit", "-q", "-m", "the index only")
    assert is_fresh(judged(repo))
    assert is_changed(judged(repo, at="HEAD")) and is_changed(judged(repo, at="HEAD~1"))
    repo.git("checkout", "-q", "--", ".")
    assert is_changed(judged(repo))


def test_intent_to_add_and_a_removal_from_the_index(repo: Repo) -> None:
    """What git is told to forget, and what it is told to expect, is still what lies on disk."""
    repo.write("src/later.py", "def later_on():\n    return 1\n")
    repo.git("add", "-N", "src/later.py")
    probe(repo, "later_on in src/later.py gives one", key="note:later")
    probe(repo)
    repo.git("rm", "-q", "--cached", "src/users.py")
    assert is_fresh(judged(repo)) and is_fresh(judged(repo, "note:later"))
    repo.git("commit", "-q", "-m", "forget the users")
    assert is_fresh(judged(repo)) and is_gone(judged(repo, at="HEAD"))


def test_a_revert_of_an_edit_and_of_a_rename(repo: Repo) -> None:
    """Law 1: the tree of before gives the value and the path of before, and the sweep says that it rose."""
    probe(repo)
    edit(repo, LOWER, "email")
    edit(repo, "def create_user", "def make_user")
    repo.commit("rewrite")
    assert repo.mem("sweep", "--json").json["changes"][0]["to"] < 0.3 and is_gone(judged(repo))
    repo.git("revert", "--no-edit", "HEAD")
    (change,) = repo.mem("sweep", "--json").json["changes"]
    assert (change["to"], change["verdict"]) == (1.0, "fresh") and is_fresh(judged(repo))
    move(repo, "src/users.py", "lib/people.py", "move")
    assert is_moved(judged(repo), was="src/users.py", now="lib/people.py")
    repo.git("revert", "--no-edit", "HEAD")
    assert is_fresh(judged(repo))


def test_switching_bisecting_and_detached_heads(repo: Repo) -> None:
    """Wherever HEAD goes, the answer is that tree's, and back again it is as it was."""
    repo.commit("empty")
    probe(repo)
    repo.git("switch", "-q", "-c", "other")
    edit(repo, LOWER, "email")
    repo.commit("other")
    assert is_changed(judged(repo))
    repo.git("rm", "-q", "-r", "src")
    bad = repo.commit("without")
    assert is_gone(judged(repo))
    repo.git("bisect", "start", bad, "main")
    assert is_changed(judged(repo))
    repo.git("bisect", "reset")
    assert is_gone(judged(repo))
    repo.git("checkout", "-q", "--detach", "main")
    assert is_fresh(judged(repo))
    repo.git("switch", "-q", "main")
    assert is_fresh(judged(repo)) and is_gone(judged(repo, at="other"))


def test_sweeps_of_two_worktrees_do_not_mix(repo: Repo, tmp_path: Path) -> None:
    """Law 1: worktrees on different branches share a store, and each sweep reports what moved in its own."""
    probe(repo)
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repo(tmp_path / "side")
    edit(side, LOWER, "email")
    for tree, fell in ((repo, 0), (side, 1), (repo, 0), (side, 0)):
        assert len(tree.mem("sweep", "--json").json["changes"]) == fell
    assert is_fresh(judged(repo)) and is_changed(judged(side))
    move(side, "src/users.py", "src/people.py", "moved there")
    assert judged(side)["anchors"][0]["path"] == "src/people.py" and is_fresh(judged(repo))


def test_conflict_markers(repo: Repo) -> None:
    """In the middle of a merge both sides are there: what the text is about is not gone; after it, content decides."""
    probe(repo)
    repo.git("switch", "-q", "-c", "theirs")
    edit(repo, LOWER, FOLD)
    repo.commit("theirs")
    repo.git("switch", "-q", "main")
    edit(repo, LOWER, "email.strip().lower()")
    repo.commit("ours")
    repo.git("merge", "-q", "theirs", check=False)
    assert "<<<<<<<" in (repo.path / "src/users.py").read_text()
    found = judged(repo)
    assert found["verdict"] in ("changed", "fresh") and found["confidence"] >= 0.7
    repo.write("src/users.py", USERS)
    repo.git("commit", "-qam", "as it was")
    assert is_fresh(judged(repo))


def test_a_file_both_sides_deleted_and_one_that_only_one_did(repo: Repo) -> None:
    """An unmerged path that is on disk is compared, one that is not is gone."""
    probe(repo)
    repo.git("switch", "-q", "-c", "theirs")
    repo.git("rm", "-q", "src/users.py")
    repo.commit("theirs")
    repo.git("switch", "-q", "main")
    edit(repo, "LIMIT = 50", "LIMIT = 60")
    repo.commit("ours")
    repo.git("merge", "-q", "theirs", check=False)
    assert is_fresh(judged(repo))
    (repo.path / "src/users.py").unlink()
    assert is_gone(judged(repo))


def test_before_the_first_commit(tmp_path: Path) -> None:
    """Unborn, the files are compared all the same; what is absent there was never known to git."""
    (tmp_path / "new").mkdir()
    new = Repo(tmp_path / "new")
    new.git("init", "-q")
    new.write("src/users.py", USERS)
    probe(new, "create_user in src/users.py makes the email lower")
    assert is_fresh(judged(new)) and judged(new)["stamp"]["commit"] is None
    edit(new, LOWER, "email")
    assert is_changed(judged(new))
    (new.path / "src/users.py").unlink()
    assert is_unverifiable(judged(new))
    new.write("lib/users.py", USERS)
    assert is_moved(judged(new), was="src/users.py", now="lib/users.py")
    new.commit("first")
    assert is_moved(judged(new), was="src/users.py", now="lib/users.py")


def test_an_unrelated_history(repo: Repo) -> None:
    """On an orphan branch it is content that decides, as everywhere."""
    probe(repo)
    repo.git("switch", "-q", "--orphan", "island")
    repo.commit("alone", a__py="A = 1\n")
    assert is_gone(judged(repo))
    repo.write("src/users.py", USERS)
    repo.commit("the same file")
    assert is_fresh(judged(repo))


def test_an_unborn_branch_beside_a_history(repo: Repo) -> None:
    """`git switch --orphan` takes the files away and leaves HEAD unborn: the answer is one, and quiet."""
    probe(repo)
    repo.git("switch", "-q", "--orphan", "island")
    assert judged(repo)["verdict"] in ("gone", "unverifiable")
    repo.git("switch", "-q", "main")
    assert is_fresh(judged(repo))


# the label (law 11)


@pytest.fixture
def feature(repo: Repo) -> Repo:
    """A repository with a branch `feature` that has code and fragments of its own; main is checked out."""
    repo.git("switch", "-q", "-c", "feature")
    edit(repo, LOWER, FOLD)
    repo.write("feature.py", "def feature_one():\n    return 1\n")
    repo.commit("feature")
    probe(repo, "create_user in src/users.py folds the email by casefold")
    probe(repo, "feature_one in feature.py gives one", key="note:only-there")
    probe(repo, "valid_email in src/users.py wants one sign", key="note:same")
    probe(repo, "We prefer small commits", key="note:free")
    repo.git("switch", "-q", "main")
    return repo


def noted(repo: Repo, key: str = KEY) -> str:
    """The note of a fragment, which the words of show, why and list have too."""
    (found,) = [fragment for fragment in listed(repo, "--all") if fragment["key"] == key]
    note = str(found.get("note", ""))
    texts = [repo.mem("list", "--all").out, repo.mem("search", key, "--all").out]
    (lines) = [line for text in texts for line in text.splitlines() if key in line]
    assert len(lines) >= 2 and all((note in line) for line in lines), (note, lines)
    return note


def test_no_label_where_the_anchors_match(feature: Repo) -> None:
    """Law 11: neither where the content is the same here, nor where there are no anchors."""
    assert noted(feature, "note:same") == "" and noted(feature, "note:free") == ""


def test_no_label_on_its_own_branch(feature: Repo) -> None:
    """Law 11: amended away on its own branch, and changed, a fragment is on that branch still."""
    feature.git("switch", "-q", "feature")
    edit(feature, FOLD, "email.strip()")
    feature.git("commit", "-q", "-a", "--amend", "-m", "amended")
    assert is_changed(judged(feature)) and noted(feature) == ""


def test_no_label_after_a_squash_merge(feature: Repo) -> None:
    """Squashed into main the content is here, whatever the commits are called."""
    feature.git("merge", "-q", "--squash", "feature")
    feature.git("commit", "-q", "-m", "squashed")
    feature.git("branch", "-q", "-D", "feature")
    for key in (KEY, "note:only-there", "note:same"):
        assert is_fresh(judged(feature, key)) and noted(feature, key) == ""


def test_a_label_where_nothing_matches(feature: Repo) -> None:
    """Law 11: read on main, what holds on the branch only is labelled with its name, in data and in words."""
    assert is_changed(judged(feature)) and is_gone(judged(feature, "note:only-there"))
    assert "feature" in noted(feature) and "feature" in noted(feature, "note:only-there")
    assert any(KEY in line and "branch feature" in line for line in feature.mem("render").out.splitlines())


def test_a_label_of_a_branch_that_is_gone(feature: Repo) -> None:
    """The branch may be deleted and its commits collected; the stamp knows its name."""
    feature.git("branch", "-q", "-D", "feature")
    feature.git("reflog", "expire", "--expire=now", "--all")
    feature.git("gc", "-q", "--prune=now")
    assert "feature" in noted(feature)


def test_a_label_on_a_detached_head(feature: Repo) -> None:
    """No branch is checked out, so it is not that one; at the branch's own commit it is in the history."""
    feature.git("checkout", "-q", "--detach", "main")
    assert "feature" in noted(feature)
    feature.git("checkout", "-q", "--detach", "feature")
    assert noted(feature) == ""


def test_a_labelled_newer_fragment_says_what_it_replaces(repo: Repo) -> None:
    """Law 7: saved on a branch over one of main, the note tells the older one and how to take that back."""
    older = repo.mem("save", "decision:case", "create_user in src/users.py lowers the email", "--json").json
    repo.git("switch", "-q", "-c", "feature")
    edit(repo, LOWER, FOLD)
    repo.commit("feature")
    probe(repo, "create_user in src/users.py folds the email by casefold", key="decision:case")
    repo.git("switch", "-q", "main")
    (found,) = [f for f in listed(repo, "--all") if f["key"] == "decision:case" and f["state"] == "active"]
    assert "feature" in found["note"] and "decision:case" in found["note"]
    undo = re.search(r"`mem (supersede .*--undo)`", found["note"])
    assert undo and repo.mem(*undo.group(1).split()).code == 0
    states = {f["id"]: f["state"] for f in listed(repo, "--all")}
    assert states[older["fragments"][0]["id"]] == "active"
