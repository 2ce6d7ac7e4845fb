"""Searching and listing on real trees: the same whether a sweep ever ran, and what is near is preferred."""

import random
from collections.abc import Callable
from pathlib import Path

import lmdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memcli
from memcli.context import Context
from memcli.model import View
from memcli.read import Filter, listing
from memcli.searching import Hit, search
from tests.conftest import Repo

NAMES = [f"file_{number}" for number in range(8)]
WORDS = ["ledger", "kernel", "quota", "rename", "cache"]


def source(name: str, size: int = 12) -> str:
    """A module with one function of that name, unlike the others."""
    dice = random.Random(name)
    lines = "".join(f"    {name}_{at} = work_{dice.randrange(10**6)}({at})\n" for at in range(size))
    return f"def {name}(value):\n{lines}    return value\n"


@pytest.fixture
def filled(repo: Repo) -> Repo:
    """Forty fragments about eight files, of several bases and many equal relevances."""
    for name in NAMES:
        repo.write(f"src/{name}.py", source(name))
    repo.commit("files")
    dice = random.Random(1)
    memory = memcli.open(repo.path)
    for number in range(40):
        name = dice.choice(NAMES)
        text = f"`{name}` {' '.join(dice.choices(WORDS, k=3))} note {number}"
        memory.save(text, path=f"src/{name}.py#{name}", confidence=dice.choice([1.0, 0.8, 0.5]))
    return repo


EDITS: dict[str, Callable[[Path], object]] = {
    "delete": lambda file: file.unlink(missing_ok=True),
    "rewrite": lambda file: file.write_text(f"def {file.stem}(other):\n    return other * 2\n"),
    "empty": lambda file: file.write_text("# nothing is left\n"),
    "append": lambda file: file.write_text(file.read_text() + "\n\nMORE = 1\n") if file.exists() else None,
    "move": lambda file: file.rename(file.with_name(f"moved_{file.name}")) if file.exists() else None,
}


def found(repo: Repo, query: str, limit: int, at: str | None = None) -> list[tuple[str, float, str, float]]:
    """What a search gives: ids, confidences, verdicts, scores."""
    hits: tuple[Hit, ...] = memcli.open(repo.path, at=at).search(query, limit=limit)
    return [(hit.view.id, hit.view.confidence, hit.view.verdict, hit.score) for hit in hits]


def listed(repo: Repo, limit: int) -> list[tuple[str, float, str]]:
    views: tuple[View, ...] = memcli.open(repo.path).list(limit=limit)
    return [(view.id, view.confidence, view.verdict) for view in views]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(sorted(EDITS))), min_size=1, max_size=6),
    st.lists(st.sampled_from([*WORDS, "file_3", "ote"]), min_size=1, max_size=2),
    st.sampled_from([1, 3, 10]),
)
def test_sweep_first_or_not(filled: Repo, edits: list[tuple[str, str]], query: list[str], limit: int) -> None:
    """Law 9: search and list give the same fragments, in the same order, with a sweep before and without."""
    filled.git("checkout", "-q", "--", ".")
    filled.git("clean", "-qfd")
    for name, edit in edits:
        EDITS[edit](filled.path / f"src/{name}.py")
    asked = " ".join(query)
    before = found(filled, asked, limit), listed(filled, limit)
    memcli.open(filled.path).sweep()
    assert (found(filled, asked, limit), listed(filled, limit)) == before
    everything = found(filled, asked, 100)
    assert found(filled, asked, limit) == everything[:limit]  # and no hit is cut off that belongs before those shown


def test_what_fell_is_replaced_by_the_next(filled: Repo) -> None:
    """As many hits are shown as were asked for, as long as there are so many above the minimum."""
    (filled.path / "src/file_1.py").unlink()
    (filled.path / "src/file_2.py").unlink()
    hits = found(filled, "note", 10)
    assert len(hits) == 10
    assert all(confidence >= 0.3 for _, confidence, _, _ in hits)


def test_few_are_looked_at_of_many_that_tie(repo: Repo) -> None:
    """Of a thousand hits of the same relevance no more are read than the ten that are shown: the others are damaged."""
    lines = [f'{{"text": "ledger number {number}", "updated": {number}}}' for number in range(1, 1001)]
    memory = memcli.open(repo.path)
    memory.import_lines(lines)
    shown = {hit.view.id for hit in memory.search("ledger", limit=10)}
    with lmdb.open(str(repo.path / ".git/mem"), max_dbs=40, map_size=1 << 30) as env:
        fragments = env.open_db(b"fragments")
        with env.begin(write=True, db=fragments) as txn:
            for ident in [key for key, _ in txn.cursor() if key.decode() not in shown]:
                txn.put(ident, b"{")
    with Context.open(str(repo.path), {"HOME": "/nowhere"}, 1) as ctx:
        hits = search(ctx, "ledger", Filter(limit=10)).hits
        assert not ctx.shelves["workspace"].reader.damaged
    assert [hit.view.text for hit in hits] == [f"ledger number {number}" for number in range(1000, 990, -1)]


def test_equals_come_newest_first(repo: Repo) -> None:
    """Ties are broken by the time of the last write, not by the order of saving."""
    lines = [f'{{"text": "ledger {word}", "updated": {time}}}' for word, time in (("a1", 5), ("b2", 9), ("c3", 1))]
    memcli.open(repo.path).import_lines(lines)
    assert [hit.view.text for hit in memcli.open(repo.path).search("ledger")] == ["ledger b2", "ledger a1", "ledger c3"]


@pytest.fixture
def related(repo: Repo) -> Repo:
    """One fragment each, in the same words, about files that stand in different relations to src/app/main.py."""
    repo.write("src/app/main.py", "from src.lib.helper import help_me\n\nhelp_me()\n")
    repo.write("src/app/beside.py", "x = 1\n")
    repo.write("src/lib/helper.py", "def help_me():\n    return 1\n")
    repo.write("tests/main_check.py", "import src.app.main\n")
    repo.write("docs/far.py", "y = 1\n")
    repo.commit("files")
    memory = memcli.open(repo.path)
    for path in ("src/app/main.py", "src/lib/helper.py", "tests/main_check.py", "src/app/beside.py", "docs/far.py"):
        memory.save(f"ledger {path.replace('/', ' ').removesuffix('.py')}", path=path)
    return repo


def test_a_path_prefers_what_is_near(related: Repo) -> None:
    """What is about the path comes first, then what it imports and what imports it, then its folder, then the rest."""
    hits = memcli.open(related.path).search("ledger", near=("src/app/main.py",))
    found = {hit.view.fragment.anchors[0].path: hit.near[1] for hit in hits}
    order = list(found)
    assert order[0] == "src/app/main.py" and order[3:] == ["src/app/beside.py", "docs/far.py"]
    assert found == {
        "src/app/main.py": "about src/app/main.py",
        "tests/main_check.py": "tests/main_check.py imports src/app/main.py",
        "src/lib/helper.py": "src/app/main.py imports src/lib/helper.py",
        "src/app/beside.py": "in src/app",
        "docs/far.py": "",
    }


def test_the_folder_one_stands_in_is_a_hint(related: Repo) -> None:
    """Of equals those about this folder come first, and no more than of equals."""
    first = memcli.open(related.path / "src/lib").search("ledger")[0]
    assert first.view.fragment.anchors[0].path == "src/lib/helper.py"
    assert memcli.open(related.path / "src/lib").search("ledger far")[0].view.fragment.anchors[0].path == "docs/far.py"


def test_listing_is_not_moved_by_what_is_near(related: Repo) -> None:
    """A list is newest first, whatever the folder."""
    with Context.open(str(related.path / "src/lib"), {"HOME": "/nowhere"}, 1) as ctx:
        assert listing(ctx, Filter())[0].fragment.anchors[0].path == "docs/far.py"
