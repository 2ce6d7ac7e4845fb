"""Where a repository is found, and where its store and hooks lie."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from memcli import git
from memcli.errors import ForeignRepository, GitFailed, MemError, NoRepository
from memcli.git import Repository
from tests.conftest import Repo


def found(path: Path | str, explicit: bool = False, **env: str) -> Repository:
    """The repository at a folder, which must be there."""
    repository = git.find(str(path), {**os.environ, **env}, explicit)
    assert repository is not None
    return repository


def nothing(path: Path | str, explicit: bool = False, **env: str) -> bool:
    return git.find(str(path), {**os.environ, **env}, explicit) is None


def test_root_and_folders_below_find_the_same(repo: Repo) -> None:
    """One repository, whichever folder one stands in; the prefix says which."""
    (repo.path / "a" / "b").mkdir(parents=True)
    deep = found(repo.path / "a" / "b")
    assert (deep.root, deep.prefix) == (str(repo.path), "a/b")
    assert found(repo.path).prefix == ""
    assert deep.store_dir == found(repo.path).store_dir == str(repo.path / ".git" / "mem")


def test_no_repository(tmp_path: Path) -> None:
    """Outside a repository the answer is None, also beside an empty .git folder."""
    (tmp_path / ".git").mkdir()
    assert nothing(tmp_path)


def test_through_a_symlink(repo: Repo, tmp_path: Path) -> None:
    """A link to the work tree is the work tree."""
    (tmp_path / "link").symlink_to(repo.path)
    assert found(tmp_path / "link" / "src").root == str(repo.path)


def test_linked_worktree_shares_the_store(repo: Repo, tmp_path: Path) -> None:
    """A linked work tree has its own root, HEAD and id, and the same store."""
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side tree"))
    side, main = found(tmp_path / "side tree"), found(repo.path)
    assert side.store_dir == main.store_dir
    assert side.root == str(tmp_path / "side tree") and not side.is_bare
    assert (side.head().branch, main.head().branch) == ("side", "main")
    assert main.worktree_id == "main" and side.worktree_id not in ("", "main")
    assert side.worktree_id == found(tmp_path / "side tree").worktree_id


def test_submodule_is_a_repository_of_its_own(repo: Repo, tmp_path: Path) -> None:
    """A submodule has its own store, in its own git folder."""
    inner = Repo(tmp_path / "inner")
    inner.path.mkdir()
    inner.git("init", "-q")
    inner.commit("one", a__py="x = 1\n")
    repo.git("submodule", "add", "-q", str(inner.path), "sub")
    sub = found(repo.path / "sub")
    assert sub.root == str(repo.path / "sub")
    assert sub.store_dir == str(repo.path / ".git" / "modules" / "sub" / "mem")
    assert found(sub.git_dir).root == sub.root


def test_bare(repo: Repo, tmp_path: Path) -> None:
    """A bare repository has no root and holds the store itself, a linked work tree of it has a root."""
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    bare = found(tmp_path / "bare.git")
    assert bare.is_bare and bare.root is None
    assert bare.store_dir == str(tmp_path / "bare.git" / "mem")
    assert found(tmp_path / "bare.git" / "refs").is_bare
    Repo(tmp_path / "bare.git").git("worktree", "add", "-q", str(tmp_path / "out"), "main")
    out = found(tmp_path / "out")
    assert out.root == str(tmp_path / "out") and out.store_dir == bare.store_dir


def test_inside_the_git_folder(repo: Repo, tmp_path: Path) -> None:
    """Who stands inside .git, as hooks may, is in the work tree that it belongs to."""
    assert found(repo.path / ".git" / "hooks").root == str(repo.path)
    repo.git("worktree", "add", "-q", str(tmp_path / "side"))
    assert found(repo.path / ".git" / "worktrees" / "side").root == str(tmp_path / "side")


def test_git_dir_and_work_tree_from_the_environment(repo: Repo, tmp_path: Path) -> None:
    """GIT_DIR and GIT_WORK_TREE count as with git; a GIT_DIR that names nothing is an error."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    git_dir = str(repo.path / ".git")
    assert found(elsewhere, GIT_DIR=git_dir).root == str(elsewhere)
    both = found(elsewhere, GIT_DIR=git_dir, GIT_WORK_TREE=str(repo.path))
    assert both.root == str(repo.path) and both.prefix == ""
    assert both.worktree().entry("README.md").kind == "file"
    assert both.status(["README.md"]) == {"README.md": "clean"}
    with pytest.raises(NoRepository):
        found(elsewhere, GIT_DIR=str(tmp_path / "none"))


def test_core_worktree(repo: Repo, tmp_path: Path) -> None:
    """core.worktree moves the root, as git itself says."""
    (tmp_path / "moved").mkdir()
    repo.git("config", "core.worktree", "../../moved")
    assert found(repo.path).root == str(tmp_path / "moved")


def test_ceilings(repo: Repo) -> None:
    """GIT_CEILING_DIRECTORIES ends the search, but never hides the folder one stands in."""
    deep = repo.path / "a" / "b"
    deep.mkdir(parents=True)
    assert nothing(deep, GIT_CEILING_DIRECTORIES=str(repo.path))
    assert nothing(deep, GIT_CEILING_DIRECTORIES=f"/nowhere:{repo.path / 'a'}")
    assert not nothing(repo.path, GIT_CEILING_DIRECTORIES=str(repo.path))


def test_home_as_repository(sealed: Path) -> None:
    """A repository around the home folder counts at its root or when named, not for every folder below."""
    Repo(sealed).git("init", "-q")
    (sealed / "notes").mkdir()
    assert found(sealed).root == str(sealed)
    assert nothing(sealed / "notes")
    assert found(sealed / "notes", explicit=True).root == str(sealed)


def test_broken_git_file(tmp_path: Path) -> None:
    """A .git file that leads nowhere is named, not passed over."""
    for content in ("gitdir: ../gone\n", "nonsense", ""):
        (tmp_path / ".git").write_text(content)
        with pytest.raises(GitFailed):
            found(tmp_path)


def test_mem_dir(repo: Repo, sealed: Path, tmp_path: Path) -> None:
    """mem.dir of the repository's own configuration puts the store elsewhere; a user's own is no reason to."""
    repo.git("config", "--global", "mem.dir", "/everywhere")
    assert found(repo.path).store_dir == str(repo.path / ".git" / "mem")
    for value, place in (("../.memory", repo.path / ".memory"), ("~/mem", sealed / "mem"), ("/x/y", Path("/x/y"))):
        repo.git("config", "mem.dir", value)
        assert found(repo.path).store_dir == str(place)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_foreign_owner(repo: Repo) -> None:
    """Somebody else's repository is refused with git's message and hint, until the user trusts it as git wants it."""
    os.chown(repo.path / ".git", 12345, 12345)
    os.chown(repo.path, 12345, 12345)
    with pytest.raises(ForeignRepository) as refused:
        found(repo.path / "src")
    assert "dubious ownership" in refused.value.message
    assert refused.value.hint and "safe.directory" in refused.value.hint
    found(repo.path, SUDO_UID="12345")
    repo.git("config", "--global", "--add", "safe.directory", str(repo.path))
    found(repo.path)


def test_bare_repository_that_git_is_told_to_distrust(repo: Repo, tmp_path: Path) -> None:
    """safe.bareRepository=explicit keeps a repository that a commit brought from being taken for ours."""
    repo.git("clone", "-q", "--bare", ".", "fixtures/evil.git")
    assert found(repo.path / "fixtures" / "evil.git").is_bare
    repo.git("config", "--global", "safe.bareRepository", "explicit")
    with pytest.raises(ForeignRepository):
        found(repo.path / "fixtures" / "evil.git")


def test_sha256(tmp_path: Path) -> None:
    """The object format is read from the repository's settings."""
    made = Repo(tmp_path)
    made.git("init", "-q", "--object-format=sha256")
    assert found(tmp_path).object_format == "sha256"


def test_agrees_with_git(repo: Repo, tmp_path: Path) -> None:
    """Root, git folder and common folder are those that git names, in each kind of work tree."""
    repo.git("worktree", "add", "-q", str(tmp_path / "side"))
    repo.git("init", "-q", "--separate-git-dir", str(tmp_path / "apart.git"), str(tmp_path / "apart"))
    for place in (repo.path, repo.path / "src", tmp_path / "side", tmp_path / "apart"):
        said = Repo(place).git(
            "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir"
        )
        here = found(place)
        assert [here.root, here.git_dir, here.common_dir] == said.split("\n")


@pytest.mark.parametrize(
    ("value", "path", "outside"),
    [
        (None, ".git/hooks", False),
        (".husky/_", ".husky/_", False),
        ("/opt/hooks", "/opt/hooks", True),
        ("~/hooks", "~/hooks", True),
    ],
)
def test_hooks_folder(repo: Repo, sealed: Path, value: str | None, path: str, outside: bool) -> None:
    """Hooks run from core.hooksPath, else from the common git folder; a folder beyond the repository is marked."""
    if value:
        repo.git("config", "core.hooksPath", value)
    folder = found(repo.path / "src").hooks_dir()
    assert folder.path == os.path.join(repo.path, path.replace("~", str(sealed)))
    assert folder.outside is outside
    assert folder.from_config == (str(repo.path / ".git" / "config") if value else None)


def test_hooks_folder_of_the_user(repo: Repo, sealed: Path, tmp_path: Path) -> None:
    """A global core.hooksPath is told apart by the file that sets it; a linked work tree shares the default."""
    repo.git("worktree", "add", "-q", str(tmp_path / "side"))
    assert found(tmp_path / "side").hooks_dir().path == str(repo.path / ".git" / "hooks")
    repo.git("config", "--global", "core.hooksPath", "~/hooks")
    assert found(repo.path).hooks_dir() == (str(sealed / "hooks"), True, str(sealed / ".gitconfig"))


def test_odd_environments_raise_only_our_errors(repo: Repo) -> None:
    """Whatever the variables hold, nothing but a MemError comes out."""
    odd: list[Mapping[str, str]] = [
        {"GIT_DIR": "/dev/null"},
        {"GIT_CEILING_DIRECTORIES": ":::relative"},
        {"GIT_CONFIG_COUNT": "x"},
        {"HOME": ""},
        {"GIT_DIR": str(repo.path / "README.md")},
    ]
    for env in odd:
        try:
            repository = git.find(str(repo.path), {**os.environ, **env})
            assert repository is None or repository.user_name() in (None, "Ada")
        except MemError:
            continue
