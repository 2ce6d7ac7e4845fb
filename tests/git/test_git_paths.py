"""A user's path, made relative to the root or refused."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import git
from memcli.errors import OutsideRepository
from memcli.git import Repository
from memcli.git.paths import is_plain, relative
from tests.conftest import Repo


def opened(path: Path) -> Repository:
    repository = git.find(str(path), os.environ)
    assert repository is not None
    return repository


def test_spellings_of_one_path(repo: Repo, tmp_path: Path) -> None:
    """Relative to the folder, absolute, with dots, through a link to the root: one path of the repository."""
    (tmp_path / "link").symlink_to(repo.path)
    here = opened(repo.path / "src")
    for spelling in (
        "users.py",
        "./users.py",
        "../src/users.py",
        f"{repo.path}/src/users.py",
        f"{tmp_path}/link/src/users.py",
    ):
        assert here.relative(spelling) == "src/users.py"
    assert here.relative("src/users.py", cwd=str(repo.path)) == "src/users.py"
    assert here.relative("..") == here.relative(str(repo.path)) == "."
    assert here.relative(".") == "src"
    assert here.relative("not/there.py") == "src/not/there.py"


def test_ways_out(repo: Repo, tmp_path: Path) -> None:
    """Above, beside, and through a linked folder that leaves: refused. So is git's own folder, in any case."""
    (repo.path / "out").symlink_to("/etc")
    (repo.path / "up").symlink_to("..")
    here = opened(repo.path)
    for path in ("..", "../x", "/etc/passwd", "out/passwd", "up/x", "src/../../x", f"{repo.path}2/x"):
        with pytest.raises(OutsideRepository):
            here.relative(path)
    for path in (".git/config", ".GIT/config", "src/.git", ".git", "", "a\0b", "a\ud800b"):
        with pytest.raises(OutsideRepository):
            here.relative(path)


def test_links_inside(repo: Repo) -> None:
    """A linked folder that stays inside is followed; a link itself is what is meant."""
    (repo.path / "code").symlink_to("src")
    (repo.path / "passwd").symlink_to("/etc/passwd")
    here = opened(repo.path)
    assert here.relative("code/users.py") == "src/users.py"
    assert here.relative("code") == "code"
    assert here.relative("passwd") == "passwd"


def test_odd_names(repo: Repo) -> None:
    """Spaces, line feeds and bytes that are no UTF-8 stay as they are."""
    here = opened(repo.path)
    for name in ("a b.py", "a\nb", "\udcff\udcfe.bin", "-x", "#", "ünï"):
        assert here.relative(name) == name


def test_case_folding(repo: Repo) -> None:
    """Where the file system folds case, the spelling on disk is taken."""
    repo.git("config", "core.ignoreCase", "true")
    assert opened(repo.path).relative("SRC/Users.PY") == "src/users.py"
    assert opened(repo.path).relative("SRC/New.py") == "src/New.py"


def test_bare(repo: Repo, tmp_path: Path) -> None:
    """In a bare repository paths start at the root of a commit's tree, and lead nowhere else."""
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "b.git"))
    bare = opened(tmp_path / "b.git")
    assert bare.relative("./src/users.py") == "src/users.py"
    for path in ("", "..", "../x", "/etc/passwd", "a/../../x", ".git/config", "a\0b"):
        with pytest.raises(OutsideRepository):
            bare.relative(path)


@given(st.text(alphabet=st.sampled_from("./ab\0\n\udcff~-"), max_size=20))
def test_never_outside(path: str) -> None:
    """Whatever the path, the answer lies below the root and is plain, or it is refused."""
    try:
        found = relative(path, "/nowhere/root/sub", "/nowhere/root", ("/nowhere/root/.git",))
    except OutsideRepository:
        return
    assert found == "." or is_plain(found)
