"""HEAD by hand, with git for anything surprising."""

import os
import subprocess
import sys
from pathlib import Path

from memcli import git
from memcli.git import Head
from tests.conftest import Repo

ROOT = Path(__file__).resolve().parents[2]


def head(repo: Repo) -> Head:
    repository = git.find(str(repo.path), os.environ)
    assert repository is not None
    return repository.head()


def test_branch_detached_and_unborn(repo: Repo) -> None:
    """On a branch, detached, and before the first commit of a branch."""
    commit = repo.git("rev-parse", "HEAD")
    assert head(repo) == Head(commit, "main")
    repo.git("checkout", "-q", "-b", "feature/a b".replace(" ", "-"))
    assert head(repo) == Head(commit, "feature/a-b")
    repo.git("checkout", "-q", "--detach")
    assert head(repo) == Head(commit, None)
    repo.git("checkout", "-q", "--orphan", "new")
    assert head(repo) == Head(None, "new")


def test_packed_refs(repo: Repo) -> None:
    """A branch that is packed, and not another whose name ends alike."""
    commit = repo.git("rev-parse", "HEAD")
    repo.git("branch", "x/main")
    repo.commit("second")
    repo.git("checkout", "-q", "x/main")
    repo.git("pack-refs", "--all")
    assert not (repo.path / ".git" / "refs" / "heads" / "main").exists()
    assert head(repo) == Head(commit, "x/main")


def test_symbolic_refs(repo: Repo) -> None:
    """A branch that is itself a name for another, and a HEAD that is an old-fashioned link."""
    commit = repo.git("rev-parse", "HEAD")
    repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    repo.git("symbolic-ref", "HEAD", "refs/heads/alias")
    assert head(repo).commit == commit
    path = repo.path / ".git" / "HEAD"
    path.unlink()
    path.symlink_to("refs/heads/main")
    assert head(repo) == Head(commit, "main")


def test_sha256_head(tmp_path: Path) -> None:
    """Ids of 64 digits are read too."""
    made = Repo(tmp_path)
    made.git("init", "-q", "--object-format=sha256")
    assert head(made) == Head(None, "main")
    assert head(made) == Head(None, "main") and made.commit("one", a="x\n") == head(made).commit


def test_no_process_for_plain_refs(repo: Repo, tmp_path: Path) -> None:
    """With no git on PATH the head, the places and the paths are still known."""
    repository = git.find(str(repo.path), {**os.environ, "PATH": str(tmp_path)})
    assert repository is not None
    assert repository.head().branch == "main"
    assert repository.relative("src/users.py") == "src/users.py"
    assert repository.worktree().entry("src/users.py").kind == "file"


def test_nothing_heavy_is_imported(repo: Repo) -> None:
    """Finding a repository, its HEAD, its paths and its files loads neither pygit2 nor what starts processes."""
    code = (
        "import os, sys; from memcli import git; r = git.find(os.getcwd(), os.environ); r.head(); r.relative('src');"
        "r.worktree().entry('src/users.py'); print(sorted({'pygit2', 'subprocess'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {[str(ROOT)]!r}; {code}"],
        cwd=repo.path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"
