"""The work tree as a tree: what stands at a path, all files, names, and what may be trusted without reading."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memcli import git
from memcli.git import Entry, Known, RepositoryTree, Seen
from memcli.git.hashing import blob_id
from memcli.git.tree import MAX_BYTES
from tests.conftest import Repo

OLD = 1_600_000_000_000_000_000  # ns; long before any look


def tree(repo: Repo, known: Known | None = None, **env: str) -> RepositoryTree:
    repository = git.find(str(repo.path), {**os.environ, **env})
    assert repository is not None
    return repository.worktree(known)


def file(content: bytes) -> Entry:
    blob = blob_id(content, "sha1")
    return Entry("file", blob, blob)


def test_kinds(repo: Repo, tmp_path: Path) -> None:
    """File, folder, link, pipe, missing; tracked or not; a link counts by its target, a pipe is never opened."""
    (repo.path / "link").symlink_to("/etc/passwd")
    (repo.path / "dangling").symlink_to("nowhere")
    os.mkfifo(repo.path / "pipe")
    repo.write(".gitignore", "build/\n")
    repo.write("build/out.cfg", "a=1\n")
    here = tree(repo)
    assert here.entry("build/out.cfg") == file(b"a=1\n")
    assert here.entry("src") == here.entry(".") == Entry("dir")
    assert here.entry("pipe") == Entry("unknown") and here.read("pipe") is None
    assert here.entry("link").kind == here.entry("dangling").kind == "symlink"
    assert here.entry("link").blob == blob_id(b"/etc/passwd", "sha1") and here.read("link") == b"/etc/passwd"
    assert here.entry("gone.py") == Entry("missing") and here.read("gone.py") is None
    assert here.entry("README.md/x") == Entry("missing")
    assert here.read("src") is None


def test_nothing_outside_is_read(repo: Repo, tmp_path: Path) -> None:
    """A path that leads up, out, through a link or into .git is missing, whatever lies there."""
    (tmp_path / "secret").write_text("secret")
    (repo.path / "out").symlink_to(tmp_path)
    (repo.path / "src2").symlink_to("src")
    here = tree(repo)
    odd = ["../secret", "/etc/passwd", "out/secret", "src2/users.py", ".git/config", ".GIT/HEAD", "", "a//b", "a/./b"]
    for path in [*odd, "src/../README.md", "a\0b", "x\ud800", "n" * 5000]:
        assert here.entry(path) == Entry("missing")
        assert here.read(path) is None


def test_odd_names(repo: Repo) -> None:
    """Spaces, line feeds and bytes that are no UTF-8: found, read, listed, with git's ids."""
    names = ["a b.py", "line\nfeed.py", "raw\udcff.py", '"quoted".py', "-dash.py", "ünï.py", ":(top)x.py"]
    for name in names:
        repo.write(name, name.encode("utf-8", "surrogateescape") + b"\r\n")
    repo.write(".gitattributes", "* text\n")
    repo.commit("names")
    here = tree(repo)
    entries = here.entries(names)
    for name in names:
        stored = name.encode("utf-8", "surrogateescape") + b"\n"
        assert here.read(name) == stored
        assert entries[name].blob == blob_id(stored, "sha1") == here.files()[name]
    repository = git.find(str(repo.path), os.environ)
    assert repository and set(repository.status(names).values()) == {"clean"}


def test_unreadable(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is there and can't be read can't be compared: unknown, not missing."""
    if os.geteuid() == 0:
        pytest.skip("root can read everything")
    (repo.path / "README.md").chmod(0)
    assert tree(repo).entry("README.md") == Entry("unknown")


def test_huge_file(repo: Repo) -> None:
    """A file over the limit has an id and no content."""
    data = b"0123456789abcde\n" * (MAX_BYTES // 16 + 1)
    repo.write("big.csv", data)
    here = tree(repo)
    assert here.entry("big.csv") == file(data)
    assert here.read("big.csv") is None


def test_unborn(tmp_path: Path) -> None:
    """Before the first commit everything works on the files alone."""
    made = Repo(tmp_path)
    made.git("init", "-q")
    made.write("a.py", "def create_user(): pass\n")
    here = tree(made)
    assert here.commit is None
    assert here.entry("a.py") == file(b"def create_user(): pass\n")
    assert here.files() == {"a.py": None}
    assert here.holding(["create_user", "gone"]) == {"create_user"}
    assert here.identity() == tree(made).identity()
    repository = git.find(str(tmp_path), os.environ)
    assert repository and repository.status(["a.py", "b.py"]) == {"a.py": "untracked", "b.py": "untracked"}


def trusting(repo: Repo, path: str, **changed: int | str) -> Entry:
    """The entry of a path for one who remembers it as it is, but for `changed`; ids that no reading would give."""
    stat = os.lstat(repo.path / path)
    seen = Seen(
        stat.st_size,
        stat.st_mtime_ns,
        stat.st_ctime_ns,
        stat.st_ino,
        stat.st_mode,
        "b" * 40,
        "d" * 40,
        stat.st_ctime_ns,
    )
    values: Sequence[Any] = list(seen._replace(**changed))  # type: ignore[arg-type]
    return tree(repo, lambda asked: values if asked == path else None).entry(path)


def test_known_file_is_not_read(repo: Repo) -> None:
    """An equal stat, of a file written long before it was taken, is trusted without reading."""
    os.utime(repo.path / "README.md", ns=(OLD, OLD))
    assert trusting(repo, "README.md") == Entry("file", "b" * 40, "d" * 40)


@pytest.mark.parametrize("field", ["size", "mtime_ns", "ctime_ns", "inode", "mode"])
def test_changed_stat_is_read(repo: Repo, field: str) -> None:
    """A stat that differs in anything is no reason to trust."""
    os.utime(repo.path / "README.md", ns=(OLD, OLD))
    assert trusting(repo, "README.md", **{field: 1}) == file(b"# app\n\nA small app.\n")


@pytest.mark.parametrize(("age", "trusted"), [(0, False), (1_999_999_999, False), (2_000_000_000, True), (-5, False)])
def test_racily_clean(repo: Repo, age: int, trusted: bool) -> None:
    """A file written less than two seconds before it was looked at is read again, however equal its stat."""
    os.utime(repo.path / "README.md", ns=(OLD, OLD))
    assert (trusting(repo, "README.md", seen_at_ns=OLD + age).blob == "b" * 40) is trusted


def test_fresh_is_what_the_next_look_knows(repo: Repo) -> None:
    """What one look collects spares the next one the reading, also as a plain list; a later write is noticed."""
    os.utime(repo.path / "README.md", ns=(OLD, OLD))
    first = tree(repo)
    first.entries(["README.md", "src/users.py", "src", "gone"])
    assert set(first.fresh) == {"README.md", "src/users.py"}
    remembered = {path: list(seen) for path, seen in first.fresh.items()}
    second = tree(repo, remembered.get)
    assert second.entry("README.md") == first.entry("README.md")
    assert dict(second.fresh) == {}
    repo.write("README.md", b"# app\n\nA small bpp.\n")
    os.utime(repo.path / "README.md", ns=(OLD, OLD))
    assert tree(repo, remembered.get).entry("README.md") == file(b"# app\n\nA small bpp.\n")


def test_broken_memory_is_no_memory(repo: Repo) -> None:
    """What another version remembered in another shape is passed over."""
    assert tree(repo, lambda _: [1, 2]).entry("README.md").kind == "file"


def test_files(repo: Repo) -> None:
    """Tracked files with the index's ids where they are unchanged; changed and untracked ones without; no ignored,
    deleted or nested ones."""
    repo.commit("more", keep__py="1\n", edit__py="1\n", staged__py="1\n", gone__py="1\n", removed__py="1\n")
    repo.write(".gitignore", "*.log\n")
    repo.write("x.log", "x")
    repo.write("edit.py", "2\n")
    repo.write("staged.py", "2\n")
    repo.git("add", "staged.py")
    repo.write("new/file.py", "3\n")
    repo.write("intent.py", "4\n")
    repo.git("add", "-N", "intent.py")
    (repo.path / "gone.py").unlink()
    repo.git("rm", "-q", "removed.py")
    repo.git("mv", "keep.py", "kept.py")
    nested = Repo(repo.path / "nested")
    nested.path.mkdir()
    nested.git("init", "-q")
    nested.commit("inner", a__py="1\n")
    files = dict(tree(repo).files())
    assert files == {
        ".gitignore": None,
        "README.md": repo.git("rev-parse", "HEAD:README.md"),
        "src/users.py": repo.git("rev-parse", "HEAD:src/users.py"),
        "kept.py": blob_id(b"1\n", "sha1"),
        "staged.py": blob_id(b"2\n", "sha1"),
        "edit.py": None,
        "new/file.py": None,
        "intent.py": None,
    }


def test_names_in_code(repo: Repo) -> None:
    """Whole words, in their case, in tracked and untracked code; not in documentation, binaries or ignored files."""
    repo.write(".gitignore", "ignored.py\n")
    repo.write("ignored.py", "ignored_name\n")
    repo.write("new.py", "run --dry-run user-id a-b-c untracked_name Create_User\n")
    repo.write("docs/guide.MD", "prose_name\n")
    repo.write("docs/deep/LICENSE-MIT", "license_name\n")
    repo.write("blob.bin", b"\0binary_name\n")
    repo.write("odd\nname.py", "odd_name\n")
    names = ["valid_email", "untracked_name", "--dry-run", "user-id", "id", "a-b", "b-c", "odd_name"]
    absent = [
        "valid_emai",
        "ignored_name",
        "prose_name",
        "license_name",
        "binary_name",
        "create_User",
        "",
        "a\nb",
        "x\0y",
        "\ud800",
    ]
    here = tree(repo)
    assert here.holding([*names, *absent]) == set(names)
    assert here.holding(absent) == here.holding([]) == set()
    where = {name: set(paths) for name, paths in here.where([*names, *absent]).items()}
    assert where.keys() == set(names)
    assert where["valid_email"] == {"src/users.py"} and where["odd_name"] == {"odd\nname.py"}
    assert where["id"] == where["b-c"] == {"new.py"}


def test_users_grep_settings_do_not_matter(repo: Repo) -> None:
    """grep.* and color.* of the user's configuration change nothing."""
    for name in ("grep.lineNumber", "grep.column", "grep.fullName", "color.grep"):
        repo.git("config", "--global", name, "always" if name == "color.grep" else "true")
    repo.git("config", "--global", "grep.patternType", "perl")
    repo.git("config", "--global", "submodule.recurse", "true")
    assert dict(tree(repo).where(["valid_email", "v.lid_email"])) == {"valid_email": {"src/users.py"}}


def test_identity(repo: Repo) -> None:
    """It stays while every file does, and moves with an edit, a second edit, a new file, a deletion and a commit."""
    seen = [tree(repo).identity()]
    assert tree(repo).identity() == seen[0]
    for step in ("one", "twos", "new", "gone", "commit"):
        if step == "new":
            repo.write("new.py", "x\n")
        elif step == "gone":
            (repo.path / "src" / "users.py").unlink()
        elif step == "commit":
            repo.commit("all")
        else:
            repo.write("README.md", step)
        seen.append(tree(repo).identity())
        assert tree(repo).identity() == seen[-1]
    assert len(set(seen)) == len(seen)


def test_dirty_then_committed(repo: Repo) -> None:
    """The bytes of a dirty file have the id that they get when they are committed (law 3)."""
    repo.write("src/users.py", "x = 2\n")
    before = tree(repo).entry("src/users.py")
    repo.commit("those bytes")
    assert tree(repo).entry("src/users.py") == before
    assert before.blob == repo.git("rev-parse", "HEAD:src/users.py")


def test_sparse_checkout(repo: Repo) -> None:
    """A path that a sparse checkout leaves out is as in the index, not missing; names in it are still held."""
    repo.write("lib/deep/code.py", "sparse_name = 1\n")
    repo.commit("lib")
    repo.git("sparse-checkout", "set", "src")
    assert not (repo.path / "lib").exists()
    here = tree(repo)
    entries = here.entries(["lib/deep/code.py", "lib", "lib/deep", "lib/none.py", "src/users.py"])
    assert entries["lib/deep/code.py"] == file(b"sparse_name = 1\n")
    assert here.read("lib/deep/code.py") == b"sparse_name = 1\n"
    assert entries["lib"] == entries["lib/deep"] == Entry("dir")
    assert entries["lib/none.py"] == Entry("missing")
    assert here.holding(["sparse_name", "valid_email", "none_such"]) == {"sparse_name", "valid_email"}
    assert here.files()["lib/deep/code.py"] == blob_id(b"sparse_name = 1\n", "sha1")
    repository = git.find(str(repo.path), os.environ)
    assert repository and repository.status(["lib/deep/code.py", "lib/none.py"]) == {
        "lib/deep/code.py": "clean",
        "lib/none.py": "untracked",
    }


def test_sparse_index(repo: Repo) -> None:
    """The same with an index that holds whole folders as one entry."""
    repo.write("lib/code.py", "x\n")
    repo.commit("lib")
    repo.git("sparse-checkout", "set", "--sparse-index", "src")
    assert tree(repo).entry("lib/code.py") == file(b"x\n")


def test_missing_needs_no_process(repo: Repo, tmp_path: Path) -> None:
    """In an ordinary checkout a missing path is missing without asking git."""
    assert tree(repo, PATH=str(tmp_path)).entry("gone/far.py") == Entry("missing")


def test_submodules(repo: Repo, tmp_path: Path) -> None:
    """A submodule counts by the commit checked out in it; what lies in it by content; not checked out: unknown."""
    inner = Repo(tmp_path / "inner")
    inner.path.mkdir()
    inner.git("init", "-q")
    commit = inner.commit("one", a__py="x = 1\n")
    repo.git("submodule", "add", "-q", str(inner.path), "libs/sub")
    repo.commit("with submodule")
    here = tree(repo)
    assert here.entry("libs/sub") == Entry("submodule", commit, commit)
    assert here.entry("libs/sub/a.py") == file(b"x = 1\n")
    assert here.entry("libs/sub/gone.py") == Entry("missing")
    assert "libs/sub" not in here.files()
    repository = git.find(str(repo.path), os.environ)
    assert repository and repository.status(["libs/sub", "libs/sub/a.py", "README.md"]) == {
        "libs/sub": "clean",
        "libs/sub/a.py": "untracked",
        "README.md": "clean",
    }
    repo.git("clone", "-q", ".", str(tmp_path / "clone"))
    there = tree(Repo(tmp_path / "clone"))
    assert there.entry("libs/sub") == there.entry("libs/sub/a.py") == Entry("unknown")
    assert there.entry("libs/none.py") == Entry("missing")


def test_status(repo: Repo) -> None:
    """Clean, dirty, untracked and ignored, for files and folders, in one answer."""
    repo.write(".gitignore", "build/\n*.log\n")
    repo.commit("base", a__py="1\n", b__py="1\n", gone__py="1\n")
    repo.write("lib/x.py", "1\n")
    repo.commit("lib")
    repo.write("b.py", "2\n")
    repo.write("c.py", "3\n")
    repo.git("add", "c.py")
    (repo.path / "gone.py").unlink()
    repo.write("new/deep/n.py", "1\n")
    repo.write("lib/y.py", "1\n")
    repo.write("build/out.cfg", "1\n")
    repo.write("x.log", "1\n")
    repo.write("src/users.py", "changed\n")
    expected = {
        "a.py": "clean",
        "b.py": "dirty",
        "c.py": "dirty",
        "gone.py": "dirty",
        "new/deep/n.py": "untracked",
        "new": "untracked",
        "lib": "clean",
        "lib/x.py": "clean",
        "lib/y.py": "untracked",
        "build/out.cfg": "ignored",
        "build": "ignored",
        "x.log": "ignored",
        "src": "dirty",
        ".": "dirty",
        "never.py": "untracked",
        "*.py": "untracked",
    }
    repository = git.find(str(repo.path), os.environ)
    assert repository is not None
    assert repository.status(list(expected)) == expected
    for path, state in expected.items():
        assert (path, repository.status([path])) == (path, {path: state})
    assert repository.status([]) == {}


def test_index_is_not_touched(repo: Repo) -> None:
    """No question takes a lock or refreshes the index."""
    index = repo.path / ".git" / "index"
    os.utime(repo.path / "README.md", ns=(OLD, OLD))
    before = index.read_bytes()
    here = tree(repo)
    here.identity()
    here.files()
    here.holding(["x"])
    assert index.read_bytes() == before


def test_hook_environment(repo: Repo, tmp_path: Path) -> None:
    """GIT_INDEX_FILE and GIT_DIR as a hook of another repository inherits them mislead nobody."""
    other = tmp_path / "other"
    other.mkdir()
    Repo(other).git("init", "-q")
    env = {"GIT_INDEX_FILE": str(other / ".git" / "index"), "GIT_PREFIX": "src/", "GIT_LITERAL_PATHSPECS": "0"}
    assert tree(repo, None, **env).files().keys() == {"README.md", "src/users.py"}
