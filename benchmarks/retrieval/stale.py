"""What decay keeps out of the answers: fragments of an old commit of real repositories, searched for at a later one.

A fragment says what a function's docstring says, about that function, as it was so many commits ago. It is stale now if
nothing of that name is defined any more in any file: told by Python's parser, not by mem. The questions are the words
of such texts, of fragments that still hold.
"""

import ast
import json
import random
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import memcli
from memcli.searching import Hit

AGE, FRAGMENTS, QUESTIONS, SHOWN = 400, 400, 100, 10  # commits, in each repository; hits that are looked at


def report(repositories: Path) -> None:
    """Print for each Python repository how many stale fragments 100 queries return, with decay and without."""
    print(f"\nstale fragments among the first {SHOWN} hits, per 100 queries, {AGE} commits later")
    print(f"{'':34} {'stale':>6} {'decay':>6} {'without':>8} {'lost':>5}")
    for path in sorted(repositories.iterdir()):
        git = next((each for each in (path / ".git", path / "repo", path) if (each / "HEAD").is_file()), None)
        with tempfile.TemporaryDirectory() as folder:
            row = git and _measured(git, Path(folder) / "clone")
        if row:
            print(f"{path.name:34} {row[0]:>5.0%} {row[1]:6.1f} {row[2]:8.1f} {row[3]:5.1f}", flush=True)


def _measured(git: Path, clone: Path) -> tuple[float, float, float, float] | None:
    """(share of stale fragments, stale hits per 100 queries with decay, without, good ones that decay lost)."""
    subprocess.run(["git", "clone", "-q", "--shared", git, clone], check=False, capture_output=True)
    if _git(clone, "checkout", "-q", f"HEAD~{AGE}").returncode:
        return None
    then = list(_functions(clone))
    if len(then) < FRAGMENTS:
        return None
    dice = random.Random(clone.name)
    lines = [
        json.dumps(
            {"key": f"f:{number}", "text": f"`{name}` in {path}: {doc}", "anchors": [{"path": path, "symbol": name}]}
        )
        for number, (path, name, doc) in enumerate(dice.sample(then, FRAGMENTS))
    ]
    memory = memcli.open(clone)
    memory.import_lines(lines)
    _git(clone, "checkout", "-q", "-")
    memory.sweep()  # so that the searches are quick: their answers are the same without
    now = {name for _, name, _ in _functions(clone, with_doc=False)}
    stale = {view.id for view in memory.list(all=True) if view.text.split("`")[1] not in now}
    good = [view for view in memory.list(all=True) if view.id not in stale]
    queries = [(view.id, view.text.partition(": ")[2]) for view in dice.sample(good, min(QUESTIONS, len(good)))]
    kept = [[hit.view.id for hit in memory.search(query, limit=SHOWN)] for _, query in queries]
    every = [[hit.view.id for hit in _by_relevance(memory, query)] for _, query in queries]
    share = 100 / len(queries)
    lost = sum(ident in all_ and ident not in some for (ident, _), all_, some in zip(queries, every, kept, strict=True))
    return (
        len(stale) / FRAGMENTS,
        share * sum(ident in stale for hits in kept for ident in hits),
        share * sum(ident in stale for hits in every for ident in hits),
        share * lost,
    )


def _by_relevance(memory: memcli.Memory, query: str) -> list[Hit]:
    """The first hits as they would be without any decay."""
    hits = memory.search(query, limit=200, minimum=0.0)
    relevance = {hit.view.id: sum(points for _, points in hit.reasons) for hit in hits}
    return sorted(hits, key=lambda hit: (not hit.key_hit, -relevance[hit.view.id]))[:SHOWN]


def _functions(clone: Path, with_doc: bool = True) -> Iterator[tuple[str, str, str]]:
    """(path, name, first line of the docstring) of the functions and classes of a work tree."""
    for file in sorted(clone.rglob("*.py")):
        try:
            tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError, OSError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                doc = (ast.get_docstring(node) or "").strip().split("\n")[0]
                if not with_doc or (len(doc) >= 40 and not node.name.startswith("_")):
                    yield str(file.relative_to(clone)), node.name, doc


def _git(clone: Path, *args: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(["git", *args], cwd=clone, capture_output=True, check=False)
