"""What people reported about where a memory lives, told to the real program. Layouts by themselves: tests/git."""

import os
import shutil
from pathlib import Path

from tests.conftest import Repo, run_mem
from tests.faces.black_box import AUTH, answers, listed, saved, shell


def test_one_repository_is_one_store(repo: Repo, tmp_path: Path) -> None:
    """From root, folder, linked worktree, through a link, detached, inside .git: each save lands in the same store, and
    stays when the worktree goes."""
    side = tmp_path / "side"
    repo.git("worktree", "add", "-q", "--detach", str(side))
    (tmp_path / "link").symlink_to(repo.path)
    places = [repo.path, repo.path / "src", side, side / "src", tmp_path / "link" / "src", repo.path / ".git"]
    for number, place in enumerate(places):
        done = run_mem(place, "save", f"note:{number}", f"saved from place number {number}")
        assert done.code == 0, (place, done)
    for place in places:
        assert len(run_mem(place, "list").out.splitlines()) == len(places)
    repo.git("worktree", "remove", "--force", str(side))
    repo.git("checkout", "-q", "--detach")
    assert len(listed(repo)) == len(places)
    assert not repo.git("status", "--porcelain") and (repo.path / ".git/mem/data.mdb").exists()


def test_a_remote_is_no_identity(repo: Repo) -> None:
    """Changing origin, or renaming the folder, forks nothing."""
    saved(repo, "decision:auth", AUTH)
    repo.git("remote", "add", "origin", "https://example.org/a.git")
    repo.git("remote", "set-url", "origin", "git@example.org:b/c.git")
    moved = Repo(repo.path.rename(repo.path.with_name("renamed")))
    assert [fragment["key"] for fragment in listed(moved)] == ["decision:auth"]
    assert listed(moved)[0]["confidence"] == 1.0


def test_a_submodule_has_its_own_memory(repo: Repo, tmp_path: Path) -> None:
    """What is saved in a submodule is the submodule's, and the outer repository's is not seen there."""
    inner = Repo(tmp_path / "inner")
    inner.path.mkdir()
    inner.git("init", "-q")
    inner.commit("inner", lib__py="def helper():\n    return 1\n")
    repo.git("submodule", "add", "-q", str(inner.path), "sub")
    repo.commit("with submodule")
    saved(repo, "note:outer", "outer things of the app")
    sub = Repo(repo.path / "sub")
    saved(sub, "note:inner", "helper in lib.py gives one")
    assert [fragment["key"] for fragment in listed(sub)] == ["note:inner"]
    assert [fragment["key"] for fragment in listed(repo)] == ["note:outer"]


def test_home_is_no_project(sealed: Path) -> None:
    """A folder below a home that is a repository itself belongs to none; a save there makes no store."""
    home = Repo(sealed)
    home.git("init", "-q")
    folder = sealed / "notes"
    folder.mkdir()
    assert run_mem(folder, "save", "things of a folder in the home").code == 2
    assert not (sealed / ".git/mem").exists()
    assert run_mem(Path("/"), "-C", str(folder), "save", "named, so it counts").code == 0
    assert (sealed / ".git/mem/data.mdb").exists()


def test_the_folder_that_is_named_counts(repo: Repo, sealed: Path) -> None:
    """`cd /; mem -C ~/r save …` lands in r, wherever the caller stands, and paths are read from there."""
    other = repo.path.parent / "other"
    other.mkdir()
    Repo(other).git("init", "-q")
    done = run_mem(other, "-C", str(repo.path / "src"), "save", "note:c", "text of c", "--path", "users.py")
    assert done.code == 0, done
    assert listed(repo)[0]["anchors"][0]["path"] == "src/users.py"
    assert run_mem(Path("/"), "list", "-C", str(repo.path), "--path", "src/users.py", "--keys").out.startswith("note:c")
    assert not (other / ".git/mem").exists() and not (other / ".mem").exists()


def test_variables_of_another_repository(repo: Repo) -> None:
    """GIT_DIR names the repository, as with git, and an index that is not there misleads nobody."""
    saved(repo, "decision:auth", AUTH)
    elsewhere = repo.path.parent
    done = run_mem(elsewhere, "list", "--keys", GIT_DIR=str(repo.path / ".git"), GIT_WORK_TREE=str(repo.path))
    assert done.out == "decision:auth [decision] 100%\n"
    assert repo.mem("list", "--keys", GIT_INDEX_FILE="/nowhere/index").out == done.out


def test_a_removed_store_does_not_come_back(repo: Repo) -> None:
    """Who removes it by hand is not given a new one by a hook, a read or a checkout."""
    saved(repo, "decision:auth", AUTH)
    repo.mem("hooks", "install")
    repo.commit("second")
    shutil.rmtree(repo.path / ".git/mem")
    repo.git("checkout", "-q", "HEAD~1")
    calls: list[list[str]] = [
        ["_background", "sweep"], ["hook", "git", "post-checkout"], ["list"], ["render"], [], ["stats"], ["sweep"],
        ["list", "--at", "HEAD"], ["_complete", "ids", ""],
    ]  # fmt: skip
    for call, done in zip(calls, answers(repo, *calls, MEM_NO_BACKGROUND=""), strict=True):
        assert done.code == 0, (call, done)
    assert not (repo.path / ".git/mem").exists()


def test_a_folder_that_is_gone(repo: Repo, tmp_path: Path) -> None:
    """In a folder that was removed under it each command says so; -C still leads to one that is there."""
    script = f"""
    cd {tmp_path} && mkdir gone && cd gone && rmdir {tmp_path}/gone
    for args in list "save text-of-it" render sweep init; do $mem $args; echo $?; done
    $mem -C {repo.path} list; echo $?; $mem hook git post-commit; echo $?; $mem --version >/dev/null; echo $?
    """
    done = shell(repo, script)
    assert done.out.split() == ["2"] * 5 + ["0"] * 3
    assert len(done.err.splitlines()) == 5 and all("it is gone" in line for line in done.err.splitlines())


def test_a_repository_that_goes_while_it_is_used(repo: Repo) -> None:
    """With .git, or only its HEAD, removed a read answers from user scope and a write says what is missing."""
    saved(repo, "decision:auth", AUTH)
    os.remove(repo.path / ".git/HEAD")
    assert repo.mem("list").out == "" and "not in a git repository" in repo.mem("list").err
    assert repo.mem("save", "something new of it").code == 2
    shutil.rmtree(repo.path / ".git")
    assert repo.mem("list").code == 0 and repo.mem("sweep").code == 2


def test_all_stores_passes_over_what_is_gone(repo: Repo, tmp_path: Path) -> None:
    """A repository that was removed is no failure; a store that can't be swept is one, and the others are swept."""
    gone = Repo(tmp_path / "gone")
    broken = Repo(tmp_path / "broken")
    for one in (gone, broken):
        one.path.mkdir()
        one.git("init", "-q")
        one.commit("first")
        saved(one, "things of this one")
    saved(repo, "decision:auth", AUTH)
    shutil.rmtree(gone.path)
    done = repo.mem("sweep", "--all-stores", "--json")
    assert done.code == 0 and {Path(row["path"]).name for row in done.json["stores"]} == {"app", "broken"}
    (broken.path / ".git/mem/data.mdb").write_bytes(b"garbage")
    done = repo.mem("sweep", "--all-stores")
    assert done.code == 2 and "1 active fragment" in done.out and "can't be read" in done.err
