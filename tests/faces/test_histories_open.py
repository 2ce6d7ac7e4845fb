"""Histories whose right answer the program does not give yet."""

from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.faces.histories import (
    edit,
    is_moved,
    judged,
    move,
    probe,
    where,
)  # fmt: skip


def test_a_chain_with_an_edit_at_each_step(repo: Repo) -> None:
    """Each step keeps most lines, all together do not: the history leads to the newest name; the words it is about are
    all there, so it costs nothing."""
    rows = [f"def part_{n}(row):\n    return row[{n}]\n" for n in range(10)]
    repo.commit("parts", **{"src/parts__py": "\n".join(rows)})
    probe(repo, "part_0 in src/parts.py gives the first")
    at = "src/parts.py"
    for step, new in enumerate(("a/one.py", "b/two.py", "lib/three.py")):
        for n in range(3):
            rows[1 + 3 * step + n] = f"def step_{step}_{n}(line):\n    yield line.strip({n})\n"
        move(repo, at, new)
        repo.write(new, "\n".join(rows))
        repo.commit(f"step {step}")
        at = new
    found = judged(repo)
    assert where(found) == [("src/parts.py", "lib/three.py")] and found["confidence"] >= 0.9


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
    probe(repo, "lib_one returns one", "sub/lib.py", key="note:inside")
    return repo


def test_a_submodule_moved(outer: Repo) -> None:
    """`git mv sub libs/sub`: the submodule and what lies in it are where they are now."""
    move(outer, "sub", "libs/sub", "move the library")
    assert is_moved(judged(outer), was="sub", now="libs/sub")
    assert is_moved(judged(outer, "note:inside"), was="sub/lib.py", now="libs/sub/lib.py")


def test_a_bundle_written_anew(repo: Repo) -> None:
    """A bundle of one long line, of which no word is left: what is said of the file as such is not gone with them."""
    repo.commit("bundle", **{"dist/app.js": "".join(f"function a{n}(b{n}){{return c{n}}};" for n in range(500))})
    probe(repo, "dist/app.js is written by make, never by hand")
    repo.commit("make", **{"dist/app.js": "".join(f"let x{n}=(y{n})=>z{n};" for n in range(500))})
    assert judged(repo)["confidence"] >= 0.3 and judged(repo)["verdict"] == "changed"


@pytest.fixture
def handlers(repo: Repo) -> Repo:
    """A folder of twenty files that moves as a whole."""
    for n in range(20):
        repo.write(
            f"src/handlers/h{n}.py", "".join(f"def handler_{n}_{m}(row):\n    return row[{m}]\n" for m in range(8))
        )
    repo.commit("handlers")
    return repo


def test_the_folder_and_an_edit_in_each_file(handlers: Repo) -> None:
    """Moved and every file of it edited a little (imports, say): by similarity."""
    probe(handlers, "one handler a file", "src/handlers")
    handlers.git("mv", "src/handlers", "web")
    for n in range(20):
        edit(handlers, f"def handler_{n}_7(row):\n    return row[7]\n", "", f"web/h{n}.py")
    handlers.commit("move and edit")
    found = judged(handlers)
    assert where(found) == [("src/handlers", "web")] and found["confidence"] == 1.0
