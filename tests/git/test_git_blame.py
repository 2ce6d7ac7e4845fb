"""Who wrote a line, as git tells it, in plain records."""

import os

import pytest

from memcli.errors import GitFailed
from memcli.git import find
from memcli.git.blame import Origin
from tests.conftest import Repo


def origins(repo: Repo, path: str, commit: str | None = None) -> dict[int, Origin]:
    found = find(str(repo.path), os.environ)
    assert found is not None
    return found.history().blame(path, commit)


def test_each_line_has_its_commit_and_what_was_before(repo: Repo) -> None:
    """A line's commit, its place there, and where its history goes on; a root commit has nothing before it."""
    first = repo.git("rev-parse", "HEAD")
    second = repo.commit("more", README__md="# app\n\nA small app.\nMore.\n")
    found = origins(repo, "README.md")
    assert [found[n].commit for n in (1, 4)] == [first, second]
    assert found[1].previous is None
    assert found[4].previous == (first, "README.md")


def test_what_is_not_committed_has_no_commit(repo: Repo) -> None:
    """A line of the work tree alone."""
    repo.write("README.md", "# app\n\nA small app.\nNew.\n")
    assert [origins(repo, "README.md")[n].commit is None for n in (3, 4)] == [False, True]


def test_names_that_git_quotes(repo: Repo) -> None:
    """A renamed document is followed; the old name comes out of git's quotes."""
    old = 'dö "x"\t.md'
    repo.write(old, "One line about something or other.\nAnd a second one beside it.\n")
    first = repo.commit("add")
    repo.git("mv", old, "new.md")
    repo.commit("rename")
    assert (origins(repo, "new.md")[1].commit, origins(repo, "new.md")[1].path) == (first, old)


def test_white_space_is_no_writing(repo: Repo) -> None:
    """Indentation alone does not make a line new."""
    first = repo.git("rev-parse", "HEAD")
    repo.commit("indent", README__md="# app\n\n   A small app.\n")
    assert origins(repo, "README.md")[3].commit == first


def test_a_commit_to_ignore_is_passed_over(repo: Repo) -> None:
    """blame.ignoreRevsFile holds here as for git."""
    first = repo.git("rev-parse", "HEAD")
    wordy = repo.commit("reword", README__md="# app\n\nA smaller app.\n")
    repo.write(".ignore", f"{wordy}\n")
    repo.git("config", "blame.ignoreRevsFile", ".ignore")
    assert origins(repo, "README.md")[3].commit == first


@pytest.mark.parametrize("content", [None, "no commit\n"], ids=["absent", "garbage"])
def test_a_list_to_ignore_that_can_not_be_read(repo: Repo, content: str | None) -> None:
    """A branch from before the list, or a broken one: the lines have their commits all the same."""
    first = repo.git("rev-parse", "HEAD")
    if content:
        repo.write(".ignore", content)
    repo.git("config", "blame.ignoreRevsFile", ".ignore")
    assert origins(repo, "README.md")[3].commit == first


def test_a_file_that_is_not_there(repo: Repo) -> None:
    """An error of ours, with git's words."""
    with pytest.raises(GitFailed, match=r"who wrote nothing\.md"):
        origins(repo, "nothing.md")
