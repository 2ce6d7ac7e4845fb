"""Where the content of a vanished path is found again: exact, similar, among many, and whole folders."""

from collections.abc import Mapping

import pytest

from memcli import fingerprint
from memcli.contents import Contents
from memcli.git import find
from memcli.git.hashing import blob_id
from memcli.lookout import Lookout
from memcli.model import Anchor
from memcli.renames import Renames
from tests.conftest import Repo


class Shelf:
    """What a store keeps, in memory: `contents.Kept`."""

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}

    def keep(self, path: str, text: str, tracked: bool = True) -> Anchor:
        """A file's content as it was stamped."""
        blob = blob_id(text.encode(), "sha1")
        self.blobs[blob] = fingerprint.pack_text(text.encode())
        return Anchor(path, "file", blob, blob, tracked=tracked)

    def keep_folder(self, path: str, files: Mapping[str, str]) -> Anchor:
        packed = fingerprint.pack_listing({name: blob_id(text.encode(), "sha1") for name, text in files.items()})
        blob = fingerprint.listing_id(packed)
        self.blobs[blob] = packed
        return Anchor(path, "dir", blob)

    def blob(self, ident: str) -> bytes | None:
        return self.blobs.get(ident)

    def pair(self, old: str, new: str) -> None: ...

    def verdict(self, ident: str, content: bytes) -> None: ...

    def meta(self, name: str) -> None: ...


def code(name: str, lines: int = 20, own: int = 0) -> str:
    """A text of so many lines, the first `own` of which no other name has."""
    return "".join(f"{name}_{n} = {n}\n" if n < own else f"shared_{n} = {n}\n" for n in range(lines))


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def renames(repo: Repo, shelf: Shelf) -> Renames:
    """The search of the work tree as it is now."""
    found = find(str(repo.path), {"HOME": str(repo.path), "PATH": "/usr/bin:/bin"})
    assert found is not None
    tree = found.worktree()
    return Renames(tree, shelf, Contents(tree, shelf), Lookout(tree, shelf))


def test_exact_content_comes_first(repo: Repo, shelf: Shelf) -> None:
    """The same bytes under any name beat a similar file beside it; of several the nearest, by name in the end."""
    gone = shelf.keep("src/a.py", code("a"))
    repo.commit("moved", **{"src/b.py": code("a", own=1), "far/away/notes.txt": code("a")})
    assert renames(repo, shelf).place_of(gone) == "far/away/notes.txt"
    repo.write("src/z.py", code("a"))
    repo.write("src/y.py", code("a"))
    assert renames(repo, shelf).place_of(gone) == "src/y.py"


def test_the_most_similar_file_wins(repo: Repo, shelf: Shelf) -> None:
    """Copied and deleted with edits: what has most of its lines is the same file, wherever it lies."""
    gone = shelf.keep("src/a.py", code("a"))
    repo.commit("split", **{"src/b.py": code("b", own=8), "src/c.py": code("c", own=11), "lib/d.py": code("d", own=3)})
    assert renames(repo, shelf).place_of(gone) == "lib/d.py"
    repo.git("rm", "-q", "lib/d.py", "src/b.py")
    assert renames(repo, shelf).place_of(gone) is None


@pytest.mark.parametrize("path", ["web/a.ts", "a.py", "Makefile.in", "a.md"])
def test_another_suffix_is_no_hindrance(repo: Repo, shelf: Shelf, path: str) -> None:
    """A file that changed its suffix with a few lines (a.js → a.ts) is found by its stem, or its suffix by any name."""
    gone = shelf.keep("web/a.js" if "a." in path else "Makefile", code("a"))
    repo.commit("converted", **{path: code("a", own=2)})
    assert renames(repo, shelf).place_of(gone) == path


def test_next_to_nothing_is_found_nowhere(repo: Repo, shelf: Shelf) -> None:
    """Empty files, blank ones, and two lines that any file may begin with prove no rename."""
    repo.commit("tiny", **{"b/e.py": "", "b/blank.py": "\n", "b/two.py": "import os\nimport re\nx = 1\n"})
    search = renames(repo, shelf)
    for text in ("", "\n", "import os\nimport re\n"):
        assert search.place_of(shelf.keep("a/e.py", text)) is None


def test_a_file_that_git_never_knew_is_followed_by_exact_content_alone(repo: Repo, shelf: Shelf) -> None:
    """A local file that is absent and like a tracked one (.env, .env.example) was not renamed to it."""
    local = shelf.keep("local.env", code("a"), tracked=False)
    repo.commit("example", **{"example.env": code("a", own=1)})
    assert renames(repo, shelf).place_of(local) is None
    repo.write("renamed.env", code("a"))
    assert renames(repo, shelf).place_of(local) == "renamed.env"


def test_among_many_files_the_nearest_are_compared(repo: Repo, shelf: Shelf) -> None:
    """The search is bounded, and the same name, the same stem and the same folders come first."""
    gone = shelf.keep("src/core/a.py", code("a"))
    for number in range(600):
        repo.write(f"other/f{number}.py", code(f"f{number}", own=20))
    repo.write("zoo/a.py", code("a", own=5))
    repo.write("src/core/zz.py", code("zz", own=4))
    assert renames(repo, shelf).place_of(gone) == "src/core/zz.py"
    (repo.path / "src/core/zz.py").unlink()
    assert renames(repo, shelf).place_of(gone) == "zoo/a.py"


FOLDER = {"__init__.py": "", "models.py": code("m"), "deep/views.py": code("v"), "urls.py": code("u")}


def test_a_moved_folder_is_found(repo: Repo, shelf: Shelf) -> None:
    """By the content of its files, some of them edited, at their places below another folder."""
    gone = shelf.keep_folder("app", FOLDER)
    repo.commit("moved", **{f"lib/web/{path}": text for path, text in FOLDER.items()})
    repo.write("lib/web/urls.py", code("u", own=15))
    repo.commit("other app", **{"shop/__init__.py": "", "shop/models.py": code("s", own=20), "shop/urls.py": "urls\n"})
    assert renames(repo, shelf).folder_of(gone) == "lib/web"


def test_files_renamed_inside_a_moved_folder_count(repo: Repo, shelf: Shelf) -> None:
    """The same content below the new folder is the same file, whatever it is called there."""
    gone = shelf.keep_folder("app", {"a.py": code("a", own=1), "b.py": code("b", own=1), "c.py": code("c", own=1)})
    repo.commit("moved", **{"core/one.py": code("a", own=1), "core/b.py": code("b", own=1)})
    assert renames(repo, shelf).folder_of(gone) == "core"


def test_a_folder_that_was_dissolved_is_nowhere(repo: Repo, shelf: Shelf) -> None:
    """No folder holds half of its files, or it shares their names alone."""
    files = {f"{name}.py": code(name, own=1) for name in "abcd"}
    gone = shelf.keep_folder("app", files)
    repo.commit("dissolved", **{f"{name}/{name}.py": code(name, own=1) for name in "abcd"})
    assert renames(repo, shelf).folder_of(gone) is None
    repo.commit("namesakes", **{f"new/{name}.py": code(name, own=20) for name in "abcd"})
    assert renames(repo, shelf).folder_of(gone) is None
    assert renames(repo, shelf).folder_of(Anchor("app", "dir")) is None


def test_a_listing_is_bounded_and_comes_back() -> None:
    """A folder is known by at most so many files; a damaged listing is an error of the caller's."""
    files = {f"{number:04}.py": "0" * 40 for number in range(600)}
    packed = fingerprint.pack_listing(files)
    assert list(fingerprint.unpack_listing(packed)) == sorted(files)[: fingerprint.MAX_LISTED]
    with pytest.raises(ValueError, match="listing"):
        fingerprint.unpack_listing(fingerprint.pack_text(b"text"))
