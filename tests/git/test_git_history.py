"""What git has stored, by libgit2 and by the git program: the same answers."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import git
from memcli.errors import GitFailed, UnknownRevision
from memcli.git import Entry, Repository
from memcli.git.hashing import blob_id
from memcli.git.libgit import LibgitHistory, open_libgit
from memcli.git.objects import History
from memcli.git.program import ProgramHistory
from tests.conftest import Repo


def opened(path: Path) -> Repository:
    repository = git.find(str(path), os.environ)
    assert repository is not None
    return repository


def both(path: Path) -> list[History]:
    """The two backends on one repository."""
    repository = opened(path)
    libgit = open_libgit(repository)
    assert libgit is not None
    return [libgit, ProgramHistory(repository)]


@pytest.fixture
def rich(repo: Repo, tmp_path: Path) -> Repo:
    """A history with a merge, a second root, links, a submodule, odd names and an odd message."""
    inner = Repo(tmp_path / "inner")
    inner.path.mkdir()
    inner.git("init", "-q")
    inner.commit("one", a__py="x = 1\n")
    repo.git("submodule", "add", "-q", str(inner.path), "libs/sub")
    (repo.path / "link").symlink_to("src")
    for name in ("a b.py", "line\nfeed.py", "raw\udcff.py", "ünï/x.py"):
        repo.write(name, name.encode("utf-8", "surrogateescape"))
    repo.commit("  first line\ncontinued\n\nbody")
    repo.git("checkout", "-q", "-b", "side", "HEAD~1")
    repo.commit("side", side__py="side_name = 1\n")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-edit", "side")
    repo.git("checkout", "-q", "--orphan", "other")
    repo.commit("another röot")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-edit", "--allow-unrelated-histories", "-s", "ours", "other")
    return repo


def test_backends_agree(rich: Repo) -> None:
    """Every question has one answer, for every commit of the history."""
    libgit, program = both(rich.path)
    commits = rich.git("rev-list", "--all").split()
    asked = ["src", "src/users.py", "link", "link/users.py", "libs/sub", "libs/sub/a.py", "libs", "gone", "ünï/x.py"]
    asked += ["a b.py", "line\nfeed.py", "raw\udcff.py", ".", "", "a//b", "../x", "src/users.py/x", "x\0", "src/"]
    for commit in commits:
        one, two = libgit.tree(commit), program.tree(commit)
        assert one.files() == two.files()
        assert one.entries(asked) == two.entries(asked)
        assert [one.read(path) for path in asked] == [two.read(path) for path in asked]
        assert one.identity() == two.identity() == rich.git("rev-parse", f"{commit}^{{tree}}")
        assert libgit.subject(commit) == program.subject(commit)
        for other in commits:
            assert libgit.is_ancestor(commit, other) == program.is_ancestor(commit, other)
            assert libgit.merge_base(commit, other) == program.merge_base(commit, other)
    head = commits[0]
    names = ["side_name", "valid_email", "gone_name"]
    assert libgit.tree(head).holding(names) == program.tree(head).holding(names) == {"side_name", "valid_email"}
    assert libgit.roots() == program.roots() == tuple(sorted(rich.git("rev-list", "--max-parents=0", "HEAD").split()))
    assert libgit.contained([*commits, "0" * 40, "junk"], "side") == program.contained(commits, "side")
    assert program.contained(commits, "side") == set(rich.git("rev-list", "side").split())


def test_commit_tree(rich: Repo) -> None:
    """Kinds at a commit; what is on disk or in the index plays no part."""
    rich.write("src/users.py", "changed\n")
    for history in both(rich.path):
        tree = history.tree(history.resolve("main"))
        assert tree.commit == rich.git("rev-parse", "main")
        assert tree.entry("src/users.py").blob == rich.git("rev-parse", "main:src/users.py")
        assert tree.entry("link").kind == "symlink" and tree.read("link") == b"src"
        assert tree.entry("link/users.py") == tree.entry("gone") == Entry("missing")
        assert tree.entry("libs/sub").kind == "submodule" and tree.read("libs/sub") is None
        assert tree.entry("libs/sub/a.py") == Entry("unknown")
        assert tree.entry("src") == tree.entry(".") == Entry("dir")
        assert set(tree.where(["side_name"])["side_name"]) == {"side.py"}
        assert tree.files()["raw\udcff.py"] == blob_id(b"raw\xff.py", "sha1")
        assert not tree.fresh


def test_revisions(rich: Repo) -> None:
    """Whatever git takes for a commit resolves; whatever it doesn't is an unknown revision."""
    rich.git("tag", "-a", "v1", "-m", "v1", "HEAD~1")
    for history in both(rich.path):
        for rev in ("HEAD", "main", "@", "v1", "HEAD~1", "side", ":/another", rich.git("rev-parse", "--short", "HEAD")):
            assert history.resolve(rev) == rich.git("rev-parse", f"{rev}^{{commit}}" if rev[0] != ":" else rev)
        for rev in ("", "nope", "HEAD:README.md", "main..side", "--all", "-h", "HEAD^{tree}", "0" * 40, "a\nb", "a\0b"):
            with pytest.raises(UnknownRevision):
                history.resolve(rev)


def test_what_is_not_there(rich: Repo) -> None:
    """Unknown ids are None, False, unknown or GitFailed; never a stranger's error."""
    blob = rich.git("rev-parse", "HEAD:README.md")
    tree_id = rich.git("rev-parse", "HEAD^{tree}")
    for history in both(rich.path):
        for odd in ("0" * 40, "f" * 40, "junk", "", blob[:10], "é", tree_id):
            assert history.blob(odd) is None
            assert history.subject(odd) is None
            assert history.is_ancestor(odd, "0" * 40) in (False, odd == "0" * 40)
            assert not history.is_ancestor(odd, rich.git("rev-parse", "HEAD"))
        assert history.blob(blob) == b"# app\n\nA small app.\n"
        assert history.blob(blob, 5) is None
        assert history.merge_base("0" * 40, blob) is None
        gone = history.tree("0" * 40)
        assert gone.entry("README.md") == Entry("unknown")
        assert gone.files() == {} and gone.read("README.md") is None
        assert gone.holding(["x"]) == {"x"} and gone.where(["x"]) == {}
        with pytest.raises(GitFailed):
            gone.identity()
        unborn = history.tree(None)
        assert unborn.entry("x") == Entry("missing") and unborn.files() == {} and unborn.holding(["x"]) == set()


def test_sha256_by_the_program(tmp_path: Path) -> None:
    """A SHA-256 repository answers all the same."""
    made = Repo(tmp_path)
    made.git("init", "-q", "--object-format=sha256")
    first = made.commit("one", a__py="sha_name = 1\n")
    second = made.commit("two", b__py="x\n")
    history = opened(tmp_path).history()
    assert isinstance(history, ProgramHistory) and not isinstance(history, LibgitHistory)
    tree = history.tree(history.resolve("HEAD"))
    assert tree.commit == second and tree.read("a.py") == b"sha_name = 1\n"
    assert tree.entry("a.py") == opened(tmp_path).worktree().entry("a.py")
    assert history.is_ancestor(first, second) and history.roots() == (first,)
    assert tree.holding(["sha_name"]) == {"sha_name"}


def test_bare(repo: Repo, tmp_path: Path) -> None:
    """In a bare repository the tree that is asked about is HEAD's."""
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "b.git"))
    bare = opened(tmp_path / "b.git")
    for tree in [bare.worktree(), *(history.tree(bare.head().commit) for history in both(tmp_path / "b.git"))]:
        assert tree.entry("README.md").blob == repo.git("rev-parse", "HEAD:README.md")
        assert tree.holding(["valid_email", "gone"]) == {"valid_email"}
    assert bare.status(["README.md"]) == {}


def test_linked_worktree(repo: Repo, tmp_path: Path) -> None:
    """A linked work tree sees the same objects and its own HEAD."""
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    commit = Repo(tmp_path / "side").commit("there", there__py="x\n")
    for history in both(tmp_path / "side"):
        assert history.resolve("HEAD") == commit
        assert history.tree(commit).entry("there.py").kind == "file"


def test_shallow(repo: Repo, tmp_path: Path) -> None:
    """A shallow clone says so, names no roots, and holds what it holds."""
    first = repo.git("rev-parse", "HEAD")
    repo.commit("second", a__py="x\n")
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.path}", str(tmp_path / "shallow"))
    for history in both(tmp_path / "shallow"):
        assert history.is_shallow and history.roots() == ()
        head = history.resolve("HEAD")
        assert history.tree(head).entry("a.py").kind == "file"
        assert not history.is_ancestor(first, head) and history.subject(first) is None
        assert history.contained([first, head], head) == {head}
    assert not opened(repo.path).history().is_shallow


@pytest.mark.parametrize("kept", ["blob:none", "tree:0"])
def test_partial_clone_fetches_nothing(repo: Repo, tmp_path: Path, kept: str) -> None:
    """What a partial clone lacks is unknown; nothing is fetched to find out."""
    old = repo.git("rev-parse", "HEAD:src/users.py")
    first = repo.git("rev-parse", "HEAD")
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    repo.commit("second", extra__py="x\n")
    repo.write("src/users.py", "partial_name = 1\n")
    repo.commit("third")
    partial = Repo(tmp_path / "partial")
    repo.git("clone", "-q", f"--filter={kept}", f"file://{repo.path}", str(partial.path))
    packs = sorted(os.listdir(partial.path / ".git" / "objects" / "pack"))
    for history in both(partial.path):
        assert history.blob(old) is None
        assert history.blob(partial.git("rev-parse", "HEAD:README.md")) == b"# app\n\nA small app.\n"
        assert history.subject(first) is not None
        before = history.tree(first)
        assert before.entry("src/users.py") in (Entry("file", old, old), Entry("unknown"))
        assert before.read("src/users.py") is None
        assert before.holding(["valid_email"]) == {"valid_email"}
        assert history.tree(history.resolve("HEAD")).holding(["valid_email", "partial_name"]) == {"partial_name"}
    assert sorted(os.listdir(partial.path / ".git" / "objects" / "pack")) == packs


def test_amended_and_collected(repo: Repo) -> None:
    """A commit that was amended away and collected is in nobody's history, without an error."""
    dropped = repo.commit("to amend", a__py="x\n")
    repo.git("commit", "-q", "--amend", "-m", "amended")
    for history in both(repo.path):
        assert not history.is_ancestor(dropped, history.resolve("HEAD"))
        assert history.contained([dropped], "HEAD") == set()
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    for history in both(repo.path):
        assert not history.is_ancestor(dropped, history.resolve("HEAD"))
        assert history.contained([dropped], "HEAD") == set()
        assert history.tree(dropped).entry("a.py") == Entry("unknown")


def test_large_contents_and_many(repo: Repo) -> None:
    """One process gives many contents in turn, binary ones and ones with line feeds at their ends too."""
    contents = [b"", b"\n", b"\n\n", bytes(range(256)) * 5000, b"blob 3\n"]
    for number, content in enumerate(contents):
        repo.write(f"f{number}", content)
    repo.commit("contents")
    for history in both(repo.path):
        for content in [*contents, *contents]:
            assert history.blob(blob_id(content, "sha1")) == content


def test_any_text_as_a_path(repo: Repo) -> None:
    """No path makes a commit's tree fail, nor is anything at one that no tree could hold."""
    trees = [history.tree(history.resolve("HEAD")) for history in both(repo.path)]

    @given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("./\0")), max_size=20))
    def missing_or_dir(path: str) -> None:
        assert {tree.entry(path).kind for tree in trees} in ({"missing"}, {"dir"})

    missing_or_dir()
