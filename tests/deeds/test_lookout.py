"""What was found by looking through a tree stands on later trees: the answers equal those of a look at everything."""

import random
import time
from pathlib import Path
from typing import Any

import pytest

import memcli
from memcli import fingerprint
from memcli.check import Checker
from memcli.git import find
from memcli.git.hashing import blob_id
from memcli.git.tree import RepositoryTree
from memcli.model import Anchor, Assessment, Fragment, Stamp, canonical
from tests.conftest import Repo

NAMES = [f"name_{number}" for number in range(6)]
PATHS = ["a.py", "b.py", "src/a.py", "src/c.py", "src/deep/d.py", "lib/a.py", "lib/e.js", "docs/notes.md", "f.js"]


class Memory:
    """A store in memory that remembers all, or (`forgetful`) the stamped contents alone: `contents.Kept` and writer."""

    def __init__(self, forgetful: bool = False) -> None:
        self.blobs: dict[str, bytes] = {}
        self.values: dict[Any, Any] = {}
        self._forgetful = forgetful

    def blob(self, ident: str) -> bytes | None:
        return self.blobs.get(ident)

    def pair(self, old: str, new: str) -> Any:
        return self.values.get((old, new))

    def verdict(self, ident: str, content: bytes) -> Any:
        return self.values.get((ident, content))

    def meta(self, name: str) -> Any:
        return self.values.get(name)

    def _set(self, key: Any, value: Any) -> None:
        import json

        if not self._forgetful:
            self.values[key] = json.loads(canonical(value))  # as a store gives it back

    def set_pair(self, old: str, new: str, value: object) -> None:
        self._set((old, new), value)

    def set_verdict(self, ident: str, content: bytes, value: object) -> None:
        self._set((ident, content), value)

    def set_meta(self, name: str, value: object) -> None:
        self._set(name, value)


def tree_of(repo: Repo, where: Path | None = None) -> RepositoryTree:
    found = find(str(where or repo.path), {"HOME": str(repo.path.parent), "PATH": "/usr/bin:/bin"})
    assert found is not None
    return found.worktree()


def assess(tree: RepositoryTree, memory: Memory, fragments: list[Fragment]) -> list[Assessment]:
    """The confidences; a memory that isn't forgetful learns as from a sweep."""
    checker = Checker(tree, memory, 0.05, lambda: ())
    found = checker.assess_all(fragments)
    checker.remember(memory, lambda _: True)  # type: ignore[arg-type]  # a writer as far as it is used
    return found


def text_of(dice: random.Random) -> str:
    """A small file: its own lines, some of a few that files share, and names."""
    kind = dice.choice("xyz")
    lines = [f"{kind}_{number} = {number}" for number in range(dice.randrange(2, 9))]
    lines += [f"{name} = 1" for name in dice.sample(NAMES, dice.randrange(3))]
    return "".join(f"{line}\n" for line in lines)


def edited(text: str, dice: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    if lines and dice.random() < 0.7:
        lines.pop(dice.randrange(len(lines)))
    return "".join([*lines, f"more_{dice.randrange(4)} = {dice.choice(NAMES)}\n"])


def step(repo: Repo, where: Repo, dice: random.Random) -> None:
    """One thing that people do to a repository."""
    there = [path for path in PATHS if (where.path / path).is_file()]
    deed = dice.choice(
        ("write", "edit", "edit", "move", "move", "delete", "commit", "commit", "switch", "revert", "ignore")
    )
    if deed == "write" or not there:
        where.write(dice.choice(PATHS), text_of(dice))
    elif deed == "edit":
        path = dice.choice(there)
        where.write(path, edited((where.path / path).read_text(), dice))
    elif deed == "move":
        source, target = dice.choice(there), dice.choice(PATHS)
        text = (where.path / source).read_text()
        (where.path / source).unlink()
        where.write(target, text if dice.random() < 0.5 else edited(text, dice))
    elif deed == "delete":
        (where.path / dice.choice(there)).unlink()
    elif deed == "commit":
        where.git("add", *dice.choice((["-A"], ["-u"])))
        where.git("commit", "-q", "--allow-empty", "-m", "step")
    elif deed == "switch":
        where.git("stash", "-q", "-u", check=False)
        where.git("checkout", "-q", "--detach", dice.choice(where.git("log", "--all", "--format=%H").split()))
    elif deed == "revert":
        where.git("checkout", "-q", "HEAD", "--", ".", check=False)
    else:
        where.write(".gitignore", dice.choice(("", "lib/\n", "f.js\n")))


@pytest.mark.parametrize("seed", range(6))
def test_the_answers_are_those_of_a_new_look(repo: Repo, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Law 1: whatever was remembered of whichever tree, by two work trees that share a store, the confidence is a
    function of the fragment and the tree."""
    if seed % 2:  # few files are enough to be too many, so that the nearest alone are compared
        monkeypatch.setattr("memcli.renames._CANDIDATES", 3)
    dice = random.Random(seed)
    for path in PATHS[:6]:
        repo.write(path, text_of(dice))
    repo.commit("files")
    other = Repo(repo.path.parent / "other")
    repo.git("worktree", "add", "-q", "--detach", str(other.path))
    memory, forgetful = Memory(), Memory(forgetful=True)
    fragments = [fragment_at(repo, path, number, memory) for number, path in enumerate(PATHS[:6])]
    forgetful.blobs = memory.blobs
    for number in range(30):
        where = dice.choice((repo, repo, other))
        step(repo, where, dice)
        learned = assess(tree_of(repo, where.path), memory, fragments)
        assert learned == assess(tree_of(repo, where.path), forgetful, fragments), number
        assert learned == assess(tree_of(repo, where.path), memory, fragments), number


def fragment_at(repo: Repo, path: str, number: int, memory: Memory) -> Fragment:
    """A fragment about a file as it is now, naming what stands in it."""
    data = (repo.path / path).read_bytes()
    blob = blob_id(data, "sha1")
    memory.blobs[blob] = fingerprint.pack_text(data)
    names = tuple(name for name in NAMES if name.encode() in data)
    anchor = Anchor(path, "file", blob, blob, tracked=number % 3 != 2, identifiers=names)
    text = f"x_1 and y_1 in {path} {' '.join(names)}"
    return Fragment(
        f"{number:016x}", None, "fact", "workspace", "active", text, 1.0, Stamp(None, None, False, 0), (anchor,)
    )


def test_a_dirty_file_that_did_not_change_is_not_looked_at_again(repo: Repo) -> None:
    """A snapshot knows uncommitted files by their stat, once that is old enough to be trusted."""
    repo.write("src/users.py", "dirty = 1\n")
    repo.write("new.py", "new = 1\n")
    (repo.path / "README.md").unlink()
    young = tree_of(repo).snapshot()
    assert young is not None
    assert set(tree_of(repo).changed_since(young) or ()) == {"src/users.py", "new.py"}
    time.sleep(2.1)
    old = tree_of(repo).snapshot()
    assert old is not None and tree_of(repo).changed_since(old) == {}
    repo.write("new.py", "new = 2\n")
    assert tree_of(repo).changed_since(old) == {"new.py": False}
    repo.commit("all of it")
    assert tree_of(repo).changed_since(old) == {"new.py": False, "src/users.py": True, "README.md": False}


def test_what_can_not_be_told_is_looked_at_anew(repo: Repo) -> None:
    """Another history, attributes that say anew what a content is, or too many files: None."""
    snapshot = dict(tree_of(repo).snapshot() or {})
    assert tree_of(repo).changed_since({**snapshot, "commit": "0" * 40}) is None
    repo.write(".gitattributes", "*.py -diff\n")
    assert tree_of(repo).changed_since(snapshot) is None
    (repo.path / ".gitattributes").unlink()
    for number in range(2001):
        repo.write(f"many/{number}.py", "")
    assert tree_of(repo).changed_since(snapshot) is None


def test_a_read_after_a_commit_knows_what_the_sweep_found(repo: Repo) -> None:
    """A vanished file and a missing name are looked for in the changed files alone: nothing lists the others."""
    repo.commit("more", **{"src/other.py": "other_name = 1\n" * 9})
    memory = memcli.open(repo.path)
    memory.save("`create_user` makes users", path="src/users.py")
    memory.save("`other_name` is the other", path="src/other.py")
    repo.git("rm", "-q", "src/users.py")
    repo.commit("without users", **{"src/other.py": "this = 1\n" * 9})
    memory.sweep()
    repo.commit("elsewhere", **{"src/elsewhere.py": "def elsewhere():\n    return 1\n"})
    with memory._context() as ctx:
        checker = ctx.shelves["workspace"].checker
        reader = ctx.shelves["workspace"].reader
        found = checker.assess_all(list(reader.fragments(reader.newest("active"))))
        assert [one.verdict for one in found] == ["gone", "gone"]
        assert set(checker._lookout.changed) == {"src/elsewhere.py"}
        assert "_listing" not in checker.scene.renames.__dict__ and not checker._verdicts
    repo.commit("back", **{"src/back.py": "other_name = create_user = 1\n"})
    assert {view.assessment.verdict for view in memcli.open(repo.path).list(minimum=0.0)} == {"gone", "changed"}


def test_a_name_in_a_submodule_is_looked_for_each_time(repo: Repo, tmp_path: Path) -> None:
    """What a submodule holds changes without a word from the repository around it."""
    (tmp_path / "inner").mkdir()
    inner = Repo(tmp_path / "inner")
    inner.git("init", "-q")
    inner.commit("inner", **{"x.py": "create_user = 1\n"})
    repo.git("submodule", "add", "-q", str(inner.path), "sub")
    memcli.open(repo.path).save("`create_user` makes users", path="src/users.py")
    repo.write("src/users.py", "this = 1\n" * 9)
    repo.commit("without users")

    def is_missing() -> bool:
        memcli.open(repo.path).sweep()
        (view,) = memcli.open(repo.path).list(minimum=0.0)
        return "nowhere in the code" in view.assessment.anchors[0].evidence

    assert not is_missing()
    repo.write("sub/x.py", "other = 1\n")
    assert is_missing()
    repo.write("sub/x.py", "create_user = 2\n")
    assert not is_missing()
