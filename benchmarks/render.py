"""What a block makes of its budget, and what it costs, on the history of real repositories.

    make bench-render [REPOSITORIES="clone …"] [OPTIONS="--notes 1500 --tasks 100"]

The memory of a repository: of each of its last commits but the newest ones, the subject and the first sentence of the
body, about the files that it changed. The tasks: the newest commits, whose subject is the prompt. Relevant to a task
are the notes about a file that its commit changes, where at most `FEW` notes are about that file; a task without any
is passed over. Told for each budget: the tokens used of it, and the share of the relevant notes in the block, for the
prompt alone, with the first of the changed files in focus, and (what tools without search do) for the newest notes.
`at most` is what would be there if the relevant ones alone had the room.

Then the CPU time of whole processes as multiples of `python -c pass`, on the store of benchmarks.startup.
"""

import argparse
import compileall
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import memcli
from benchmarks import startup
from memcli import rendering, tokens

BUDGETS = (500, 1500, 4000)
SIZES = (1000, 10_000, 100_000)
LIMITS = {10_000: 8}  # × `python -c pass`, for a prompt
FEW = 8
MOST_FILES = 10  # a commit that changes more is about none of them
PROMPT = "why does the kernel ledger keep an index of the cursor"


class Commit(NamedTuple):
    """A commit: its subject, the first sentence of its body, when (s), the files that it changed."""

    subject: str
    body: str
    at: int
    paths: tuple[str, ...]


class Measured(NamedTuple):
    """One block for one task: shares of the budget used, of the relevant notes shown, and of those that have room."""

    used: float
    shown: float
    possible: float


def main() -> None:
    options = arguments()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    compileall.compile_dir(Path(memcli.__file__).parent, quiet=1)  # as an installed program is
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(HOME=folder, MEM_NO_BACKGROUND="1", GIT_CONFIG_NOSYSTEM="1", MEM_AUTHOR="Ada")
        for number, repository in enumerate(options.repositories):
            history(repository.resolve(), Path(folder) / f"clone{number}", options)
        for size in [size for size in SIZES if size <= options.most]:
            speed(Path(folder) / f"store{size}", size, options.runs)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path, nargs="*", default=[Path()])
    parser.add_argument("--notes", type=int, default=1500, help="commits that become notes")
    parser.add_argument("--tasks", type=int, default=100, help="commits that become tasks")
    parser.add_argument("--most", type=int, default=10_000, help="the most fragments to take times with")
    parser.add_argument("--runs", type=int, default=7)
    return parser.parse_args()


# what survives


def history(repository: Path, clone: Path, options: argparse.Namespace) -> None:
    """The table for one repository."""
    git("clone", "-q", "--shared", "--no-checkout", str(repository), str(clone))
    there = set(git("-C", str(clone), "ls-tree", "-r", "--name-only", "HEAD").splitlines())
    known = list(commits(clone, options.notes + options.tasks, there))
    number = min(options.tasks, len(known) // 4)
    tasks, notes = known[:number], known[number:]
    memory = memcli.open(clone, at="HEAD", now=known[0].at * 1000)
    memory.import_lines(line(number, note) for number, note in enumerate(notes))
    with memory._context() as ctx:
        rendering.count_all(ctx)
    heard = Counter(path for note in notes for path in note.paths)
    asked = [(task, relevant(task, notes, heard)) for task in tasks]
    asked = [(task, found) for task, found in asked if found]
    print(f"\n{repository.parent.name}/{repository.name}: {len(notes):,} notes, {len(asked)} tasks with "
          f"{statistics.mean(len(found) for _, found in asked):.1f} relevant notes each")  # fmt: skip
    print(f"{'budget':>8} {'':24} {'used':>6} {'relevant shown':>15} {'at most':>8}")
    for budget in BUDGETS:
        for name in ("for the prompt", "for the prompt and path", "the newest"):
            found = [measure(memory, task, keys, notes, budget, name) for task, keys in asked]
            used, shown, possible = (statistics.mean(column) for column in zip(*found, strict=True))
            print(f"{budget:8,} {name:24} {used:6.1%} {shown:15.1%} {possible:8.1%}", flush=True)


def measure(
    memory: memcli.Memory, task: Commit, keys: set[str], notes: Sequence[Commit], budget: int, name: str
) -> Measured:
    prompt = "" if name == "the newest" else task.subject
    path = task.paths[0] if name.endswith("path") else None
    text = memory.render(budget, prompt=prompt, path=path)
    found = set(re.findall(r"^(note:\d+) \[", text, re.MULTILINE))
    costs = sorted(tokens.count(f"{key} [note]: {said(notes[int(key[5:])])}\n") for key in keys)
    room, fitting = budget - 90, 0  # what the legend and a map take
    for cost in costs:
        room -= cost
        fitting += room >= 0
    return Measured(tokens.count(text) / budget, len(found & keys) / len(keys), fitting / len(keys))


def relevant(task: Commit, notes: Sequence[Commit], heard: Counter[str]) -> set[str]:
    """The keys of the notes about a file of the task that few are about."""
    rare = {path for path in task.paths if heard[path] <= FEW}
    return {f"note:{number}" for number, note in enumerate(notes) if rare.intersection(note.paths)}


def line(number: int, note: Commit) -> str:
    anchors = [{"path": path} for path in note.paths]
    return json.dumps({"key": f"note:{number}", "text": said(note), "created": note.at * 1000, "anchors": anchors})


def said(note: Commit) -> str:
    return f"{note.subject}: {note.body}" if note.body else note.subject


def commits(clone: Path, number: int, there: set[str]) -> Iterator[Commit]:
    """The last commits that change a few files which are still there, the newest first."""
    log = git(
        "-C",
        str(clone),
        "-c",
        "core.quotePath=false",
        "log",
        "--no-merges",
        "--no-renames",
        "--name-only",
        "--format=%x00%ct%n%s%n%b%x01",
    )
    for entry in log.split("\0")[1:]:
        head, _, names = entry.partition("\1")
        at, subject, *body = head.split("\n")
        paths = tuple(path for path in names.split("\n") if path in there)
        prose = " ".join(row for row in body if row and not re.match(r"[\w-]+: |\W", row))
        if paths and len(paths) <= MOST_FILES and number > 0:
            number -= 1
            yield Commit(subject, re.split(r"(?<=[.!?]) ", prose)[0][:300], int(at), paths)


def git(*args: str) -> str:
    return subprocess.run(["git", *args], check=True, capture_output=True).stdout.decode("utf-8", "replace")


# what it costs


def speed(folder: Path, size: int, runs: int) -> None:
    """The times for one number of fragments."""
    repo = startup.make_repository(folder, 500, 2000)
    startup.fill(repo, size, 2000)
    startup.mem(repo, "_background", "sweep")
    limit = LIMITS.get(size)
    table: dict[str, tuple[float | None, startup.Measure]] = {
        "python -c pass": (None, lambda: startup.run(repo, sys.executable, "-c", "pass")),
        "mem render": (limit, lambda: startup.mem(repo, "render")),
        "mem render --prompt": (limit, lambda: startup.mem(repo, "render", "--prompt", PROMPT)),
        "mem render --explain": (None, lambda: startup.mem(repo, "render", "--explain", "--prompt", PROMPT)),
    }
    print(f"\n{size:,} fragments, {runs} runs; CPU ms, medians")
    startup.report(startup.rounds(table, runs))


if __name__ == "__main__":
    main()
