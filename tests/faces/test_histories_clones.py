"""Shallow, partial, sparse, bare and broken clones, submodules and nested repositories: what is not there is no
evidence, nothing is ever fetched, and git's own noise reaches nobody."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import USERS, Repo
from tests.faces.black_box import told
from tests.faces.histories import (
    KEY,
    ask,
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
KEEPS = "create_user in src/users.py keeps name and email as they are"


def clone(repo: Repo, folder: Path, *options: str) -> Repo:
    """A clone over git's own transport."""
    subprocess.run(["git", "clone", "-q", *options, repo.path.as_uri(), str(folder)], check=True)
    return Repo(folder)


def handed_over(repo: Repo, other: Repo) -> None:
    """Import into another repository what this one exports."""
    done = other.mem("import", "-", input=repo.mem("export").out)
    assert done.code == 0, done


@pytest.fixture
def past(repo: Repo) -> Repo:
    """A repository with two fragments stamped at its first commit: of `users.py`, which changed since, and of
    `same.py`, which did not."""
    repo.commit("same", same__py="def same_one():\n    return 1\n")
    probe(repo)
    probe(repo, "same_one in same.py gives one", key="note:same")
    edit(repo, LOWER, "email")
    repo.commit("later")
    repo.commit("latest", b__py="B = 1\n")
    return repo


def test_an_export_in_a_shallow_clone(past: Repo, tmp_path: Path) -> None:
    """The stamped content is out of reach: the same by its id is fresh, another is unverifiable; deepened, as the
    content says when it is imported again."""
    shallow = clone(past, tmp_path / "shallow", "--depth=1")
    handed_over(past, shallow)
    assert is_fresh(judged(shallow, "note:same")) and is_unverifiable(judged(shallow))
    assert is_fresh(judged(shallow, "note:same", at="HEAD")) and is_unverifiable(judged(shallow, at="HEAD"))
    shallow.git("fetch", "-q", "--unshallow")
    assert is_fresh(judged(shallow, "note:same")) and judged(shallow)["confidence"] <= 1.0


def test_saved_in_a_shallow_clone(past: Repo, tmp_path: Path) -> None:
    """The store has the content: judged as anywhere, before and after the history is deepened, and at its edge."""
    shallow = clone(past, tmp_path / "shallow", "--depth=1")
    probe(shallow, KEEPS)
    assert is_fresh(judged(shallow))
    edit(shallow, '"email": email}', '"mail": email.strip()}')
    shallow.commit("changed")
    assert is_changed(judged(shallow)) and is_fresh(judged(shallow, at="HEAD~1"))
    told(ask(shallow, ["list", "--at", "HEAD~2"])[0], 2, "HEAD~2")
    shallow.git("fetch", "-q", "--unshallow")
    assert is_changed(judged(shallow))
    move(shallow, "src/users.py", "lib/users.py", "moved")
    assert judged(shallow)["anchors"][0]["path"] == "lib/users.py"


def test_gone_in_a_shallow_clone(past: Repo, tmp_path: Path) -> None:
    """A tracked file that was deleted is gone, though the history that knew it is cut off."""
    shallow = clone(past, tmp_path / "shallow", "--depth=1")
    probe(shallow)
    shallow.git("rm", "-q", "src/users.py")
    shallow.commit("gone")
    assert is_gone(judged(shallow))
    handed_over(past, shallow)
    assert is_fresh(judged(shallow, "note:same"))


@pytest.fixture
def partial(past: Repo, tmp_path: Path) -> Repo:
    """A partial clone that has only the contents of its work tree, of a remote that is gone; whoever tries to fetch
    leaves a mark."""
    past.git("config", "uploadpack.allowFilter", "true")
    made = clone(past, tmp_path / "partial", "--filter=blob:none")
    mark = tmp_path / "fetched"
    made.git("config", "remote.origin.uploadpack", f"touch {mark}; false")
    handed_over(past, made)
    shutil.rmtree(past.path)
    return made


def test_a_partial_clone_without_its_remote(partial: Repo, tmp_path: Path) -> None:
    """Contents that are here are compared, those that are not are unverifiable, at any commit; nothing is fetched."""
    assert is_fresh(judged(partial, "note:same")) and is_unverifiable(judged(partial))
    assert is_fresh(judged(partial, at="HEAD~2"))  # by its id alone
    probe(partial, KEEPS, key="note:here")
    assert is_fresh(judged(partial, "note:here"))
    edit(partial, '"email": email}', '"mail": email.strip()}')
    partial.commit("changed")
    assert is_changed(judged(partial, "note:here")) and is_fresh(judged(partial, "note:here", at="HEAD~1"))
    move(partial, "src/users.py", "lib/users.py", "moved")
    assert judged(partial, "note:here")["anchors"][0]["path"] == "lib/users.py"
    partial.git("rm", "-q", "lib/users.py")
    partial.commit("gone")
    assert is_gone(judged(partial, "note:here"))
    (swept,) = ask(partial, ["sweep", "--since", "HEAD~3", "--json"])
    assert (swept.code, swept.err) == (0, "")
    assert not (tmp_path / "fetched").exists()


def test_a_partial_clone_without_a_checkout(past: Repo, tmp_path: Path) -> None:
    """Nothing is on disk: at HEAD the ids speak, and every command answers without a word of git's."""
    past.git("config", "uploadpack.allowFilter", "true")
    bare = clone(past, tmp_path / "partial", "--filter=blob:none", "--no-checkout")
    bare.git("config", "remote.origin.uploadpack", f"touch {tmp_path}/fetched; false")
    handed_over(past, bare)
    (tmp_path / "fetched").unlink(missing_ok=True)
    shutil.rmtree(past.path)
    assert is_fresh(judged(bare, "note:same", at="HEAD")) and is_unverifiable(judged(bare, at="HEAD"))
    assert judged(bare)["verdict"] in ("gone", "unverifiable")
    assert not (tmp_path / "fetched").exists()


@pytest.mark.parametrize("options", [["--cone"], ["--no-cone"], ["--cone", "--sparse-index"]], ids=" ".join)
def test_a_sparse_checkout(repo: Repo, tmp_path: Path, options: list[str]) -> None:
    """What is left out is compared in HEAD: file, folder and symbol; changed, moved and deleted upstream too."""
    repo.commit("more", **{"docs/a.md": "# docs\n", "web/app.js": "let a = 1;\n"})
    probe(repo)
    probe(repo, "the sources live in src", "src", key="note:folder")
    probe(repo, "It checks, then stores", "src/users.py#create_user", key="note:symbol")
    keys = (KEY, "note:folder", "note:symbol")
    repo.git("sparse-checkout", "set", *options, "docs" if "--cone" in options else "/docs/")
    assert not (repo.path / "src").exists()
    for key in keys:
        assert is_fresh(judged(repo, key)) and is_fresh(judged(repo, key, at="HEAD"))
    other = clone(repo, tmp_path / "other")
    edit(other, LOWER, "email")
    other.commit("edited upstream")
    repo.git("pull", "-q", other.path.as_uri(), "main")
    assert not (repo.path / "src").exists()
    assert is_changed(judged(repo)) and is_changed(judged(repo, "note:symbol"))
    move(other, "src/users.py", "lib/users.py", "moved upstream")
    repo.git("pull", "-q", other.path.as_uri(), "main")
    assert judged(repo)["anchors"][0]["path"] == "lib/users.py"
    other.git("rm", "-q", "lib/users.py")
    other.commit("deleted upstream")
    repo.git("pull", "-q", other.path.as_uri(), "main")
    assert is_gone(judged(repo)) and is_gone(judged(repo, "note:folder"))
    repo.git("sparse-checkout", "disable")
    assert is_gone(judged(repo))


def test_saved_in_a_sparse_checkout(repo: Repo) -> None:
    """About a file that is not on disk: stamped with what HEAD has."""
    repo.commit("more", **{"docs/a.md": "# docs\n"})
    repo.git("sparse-checkout", "set", "docs")
    probe(repo)
    assert is_fresh(judged(repo))
    repo.git("sparse-checkout", "disable")
    assert is_fresh(judged(repo))
    edit(repo, LOWER, "email")
    assert is_changed(judged(repo))


@pytest.fixture
def outer(repo: Repo, tmp_path: Path) -> Repo:
    """A repository with a submodule `sub`, which has lib.py in two commits, the newer one checked out."""
    library = Repo(tmp_path / "library")
    library.path.mkdir()
    library.git("init", "-q")
    library.commit("one", lib__py="def lib_one():\n    return 1\n\n\ndef lib_two():\n    return 2\n")
    repo.git("submodule", "add", "-q", library.path.as_uri(), "sub")
    repo.commit("with a library")
    library.commit("two", other__py="OTHER = 1\n")
    library.commit("three", lib__py="def lib_one():\n    raise Never\n\n\ndef lib_two():\n    return 2\n")
    repo.git("-C", "sub", "fetch", "-q")
    probe(repo, "the library lives in sub", "sub")
    probe(repo, "lib_one does return one", "sub/lib.py", key="note:inside")
    return repo


def test_a_submodule_updated(outer: Repo) -> None:
    """Another commit is checked out: the submodule is there, and what lies in it is compared by content."""
    assert is_fresh(judged(outer)) and is_fresh(judged(outer, "note:inside"))
    outer.git("-C", "sub", "checkout", "-q", "origin/main~1")
    assert judged(outer)["confidence"] == 1.0 and is_fresh(judged(outer, "note:inside"))
    outer.git("-C", "sub", "checkout", "-q", "origin/main")
    outer.commit("update")
    assert judged(outer)["confidence"] == 1.0 and is_changed(judged(outer, "note:inside"))
    outer.git("revert", "--no-edit", "HEAD")
    outer.git("submodule", "update", "-q")
    assert is_fresh(judged(outer, "note:inside"))


def test_a_submodule_not_checked_out(outer: Repo) -> None:
    """Deinitialised, in a fresh clone, and at a commit: what lies in it is unverifiable."""
    assert is_unverifiable(judged(outer, "note:inside", at="HEAD")) and is_fresh(judged(outer, at="HEAD"))
    outer.git("submodule", "deinit", "-q", "-f", "sub")
    assert is_unverifiable(judged(outer, "note:inside")) and judged(outer)["confidence"] == 1.0
    shutil.rmtree(outer.path / "sub")
    assert is_unverifiable(judged(outer, "note:inside")) and judged(outer)["confidence"] == 1.0


def test_a_name_that_moved_within_a_submodule(outer: Repo) -> None:
    """It is still in the code, though git's own search of the outer repository does not see it."""
    sub = Repo(outer.path / "sub")
    sub.write("moved.py", "def lib_one():\n    return 1\n")
    sub.write("lib.py", "def lib_two():\n    return 2\n")
    assert is_changed(judged(outer, "note:inside"))
    (outer.path / "sub/moved.py").unlink()
    assert is_gone(judged(outer, "note:inside"))


def test_a_submodule_removed(outer: Repo) -> None:
    """`git rm sub`: gone, and so is what lay in it."""
    outer.git("rm", "-q", "-f", "sub")
    outer.commit("no library")
    assert is_gone(judged(outer)) and judged(outer, "note:inside")["verdict"] in ("gone", "unverifiable")


def test_a_nested_repository(repo: Repo) -> None:
    """A repository that nobody registered is compared by content; absent it was never known to git."""
    inner = Repo(repo.path / "vendor")
    inner.path.mkdir()
    inner.git("init", "-q")
    inner.commit("one", lib__py="def lib_one():\n    return 1\n")
    probe(repo, "lib_one gives one", "vendor/lib.py")
    assert is_fresh(judged(repo))
    inner.write("lib.py", "def lib_one():\n    return 2\n")
    assert judged(repo)["verdict"] in ("changed", "fresh")
    shutil.rmtree(inner.path)
    assert is_unverifiable(judged(repo))


def test_a_separate_git_folder_and_sha256(tmp_path: Path) -> None:
    """`git init --separate-git-dir` and SHA-256 ids: stamped, followed and judged like any other."""
    for name, option in (("apart", f"--separate-git-dir={tmp_path}/apart.git"), ("long", "--object-format=sha256")):
        made = Repo(tmp_path / name)
        made.path.mkdir()
        made.git("init", "-q", option)
        made.commit("first", **{"src/users__py": USERS})
        probe(made)
        edit(made, "LIMIT = 50", "LIMIT = 60")
        move(made, "src/users.py", "lib/people.py", "move and edit")
        found = judged(made)
        assert found["anchors"][0]["path"] == "lib/people.py" and found["confidence"] == 1.0
        assert is_fresh(judged(made, at="HEAD~1"))
        edit(made, LOWER, "email", "lib/people.py")
        assert is_changed(judged(made))
        made.git("rm", "-q", "-f", "lib/people.py")
        assert is_gone(judged(made))


def test_reftable(tmp_path: Path) -> None:
    """Refs in tables: HEAD is read all the same."""
    made = Repo(tmp_path / "tables")
    made.path.mkdir()
    if subprocess.run(["git", "init", "-q", "--ref-format=reftable"], cwd=made.path, check=False).returncode:
        pytest.skip("this git knows no reftable (it came with 2.45)")
    made.commit("first", **{"src/users__py": USERS})
    probe(made)
    assert is_fresh(judged(made))
    move(made, "src/users.py", "lib/people.py", "move")
    assert is_moved(judged(made), was="src/users.py", now="lib/people.py") and is_fresh(judged(made, at="HEAD~1"))


def test_a_bare_repository(past: Repo, tmp_path: Path) -> None:
    """It answers at any commit, and asks for one where none is named."""
    bare = clone(past, tmp_path / "bare.git", "--bare")
    done = bare.mem("import", "-", "--at", "HEAD", input=past.mem("export").out)
    assert done.code == 0, done
    assert is_changed(judged(bare, at="main")) and is_fresh(judged(bare, at="main~2"))
    told(ask(bare, ["sweep"])[0], 2, "bare")


@pytest.mark.parametrize("what", ["everything", "the tree"])
def test_objects_that_a_shared_clone_lost(past: Repo, tmp_path: Path, what: str) -> None:
    """Objects borrowed from a repository that is gone: files on disk are compared with the store, what needs an object
    is unverifiable or one clear line, and git's complaints reach nobody."""
    shared = clone(past, tmp_path / "shared", "--shared")
    (shared.path / ".git/objects/info/alternates").write_text(f"{past.path}/.git/objects\n")
    probe(shared, KEEPS, key="note:here")
    if what == "everything":
        shutil.rmtree(past.path)
    else:
        shared.git("repack", "-a", "-d", "-q")
        tree = shared.git("rev-parse", "HEAD^{tree}")
        shared.git("unpack-objects", check=False)
        (shared.path / ".git/objects/info/alternates").unlink()
        for pack in (shared.path / ".git/objects/pack").glob("*"):
            pack.unlink()
        assert shared.git("cat-file", "-t", tree, check=False) == ""
    assert is_fresh(judged(shared, "note:here"))
    edit(shared, '"email": email}', '"mail": email.strip()}')
    assert is_changed(judged(shared, "note:here"))
    (shared.path / "src/users.py").unlink()
    assert is_unverifiable(judged(shared, "note:here")) or is_gone(judged(shared, "note:here"))
    for args in (["list", "--at", "HEAD"], ["sweep", "--since", "HEAD"], ["sweep", "--at", "HEAD~1"]):
        (done,) = ask(shared, args)
        assert done.code in (0, 2) and len(done.err.splitlines()) <= 2, done
        assert not done.err or done.err.startswith("mem: "), done


def test_user_scope_in_another_clone(repo: Repo, tmp_path: Path) -> None:
    """A fragment of the person goes with them into each clone of the repository, moved files included."""
    probe(repo, scope="user")
    other = clone(repo, tmp_path / "other")
    assert is_fresh(judged(other))
    move(other, "src/users.py", "lib/people.py", "move")
    assert is_moved(judged(other), was="src/users.py", now="lib/people.py") and is_fresh(judged(repo))


def test_an_older_commit_of_a_partial_clone(partial: Repo, tmp_path: Path) -> None:
    """At a commit whose contents the clone lacks, what differs by its id can't be compared: unverifiable, no decay."""
    probe(partial, KEEPS, key="note:here")
    assert is_unverifiable(judged(partial, "note:here", at="HEAD~2"))
    assert not (tmp_path / "fetched").exists()
