"""What sweeps cost: over a distance of 300 commits, again, after k changed files, and with 100,000 fragments.

    make bench                                 # after the table of benchmarks.startup
    python -m benchmarks.sweeping --most 10000 --runs 3

CPU time (user and system, children included) of whole processes as multiples of `python -c pass` in the same run,
medians; peak memory of the process. In the distance 30 % of the files are edited, 2 % renamed (half of them with an
edit), 2 % deleted, and each fragment names a file and a function of it. The table holds the limits we keep.
"""

import argparse
import compileall
import contextlib
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import memcli
from benchmarks.startup import MEM, WORDS, git, path_of, source

FILES, COMMITS, DISTANCE = 2000, 2000, 300
SIZES = (1000, 10_000, 100_000)
CHANGED = (1, 10, 100, 1000)
FULL, AGAIN, READ = 60, 12, 12  # limits at 1,000 fragments, × `python -c pass`
SECONDS, MEGABYTES = 60, 200  # limits at 100,000 fragments


class Cost(NamedTuple):
    """What a process took: CPU ms with its children's, wall ms, its peak of memory of its own in MB. Pages of the
    store's file that it has mapped are the page cache's, shared and given back at need."""

    cpu: float
    wall: float
    peak: float


def main() -> None:
    options = arguments()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    compileall.compile_dir(Path(memcli.__file__).parent, quiet=1)  # as an installed program is
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(HOME=folder, MEM_NO_BACKGROUND="1", GIT_CONFIG_NOSYSTEM="1", MEM_AUTHOR="Ada")
        repo = make_repository(Path(folder) / "app")
        print(f"{COMMITS:,} commits, {FILES:,} files, {options.runs} runs; CPU ms, medians")
        for size in [size for size in SIZES if size <= options.most]:
            measure(repo, size, options.runs)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=SIZES[-1], help="the most fragments to measure with")
    parser.add_argument("--runs", type=int, default=5)
    return parser.parse_args()


def measure(repo: Path, size: int, runs: int) -> None:
    """Print the rows for one number of fragments."""
    shutil.rmtree(repo / ".git/mem", ignore_errors=True)
    subprocess.run(
        [*MEM, "import", "-q", "-"], cwd=repo, input="\n".join(lines(repo, size)).encode(), check=True
    )  # a process of its own: what it holds is not this one's peak
    kept = repo.parent / "kept"
    shutil.copytree(repo / ".git/mem", kept)
    bare = statistics.median(run(repo, sys.executable, "-c", "pass").cpu for _ in range(11))
    print(f"\n{size:,} fragments (python -c pass {bare:.1f} ms){'':8} CPU ms       ×  limit  wall ms  peak MB")
    few = size == SIZES[0]
    row("full sweep over 300 commits", [afresh(repo, kept) for _ in range(runs)], bare, FULL if few else None)
    settle(repo)
    row("second sweep, nothing new", [mem(repo, "sweep") for _ in range(runs)], bare, AGAIN if few else None)
    for words in (("search", "kernel ledger"), ("list", "--limit", "50"), ("render",)):
        settle(repo)
        change(repo, 1)
        time.sleep(2.1)
        taken = [mem(repo, *words) for _ in range(runs)]
        row(f"{words[0]} after a commit of one file", taken, bare, READ if few else None)
    for number in CHANGED:
        row(f"sweep after {number:,} changed files", [after(repo, number) for _ in range(runs)], bare, None)
    shutil.rmtree(kept)


def settle(repo: Path) -> None:
    """A tree at rest, swept, and what is rendered counted, as the hook's child does."""
    time.sleep(2.1)  # a file written less than 2 s before it is looked at is never trusted by its stat
    mem(repo, "_background", "sweep")


def afresh(repo: Path, kept: Path) -> Cost:
    """The first sweep of a store that knows nothing of the work tree."""
    shutil.rmtree(repo / ".git/mem")
    shutil.copytree(kept, repo / ".git/mem")
    return mem(repo, "sweep")


def after(repo: Path, number: int) -> Cost:
    settle(repo)
    change(repo, number)
    return mem(repo, "sweep")


def row(name: str, taken: list[Cost], bare: float, limit: float | None) -> None:
    cpu, wall, peak = (statistics.median(column) for column in zip(*taken, strict=True))
    over = limit is not None and cpu / bare > limit
    over = over or peak > MEGABYTES or cpu > SECONDS * 1000
    print(
        f"{name:38}{cpu:10.1f} {cpu / bare:7.1f}  {limit or '':>5} {wall:8.0f} {peak:8.0f}{'  OVER' * over}", flush=True
    )


# what is measured on


def make_repository(path: Path) -> Path:
    """A repository whose last DISTANCE commits edit, rename and delete, made by one fast-import."""
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    for name, value in (("user.name", "Ada"), ("user.email", "ada@example.org"), ("gc.auto", "0")):
        git(path, "config", name, value)
    stream = "\n".join(commits()).encode() + b"\n"
    subprocess.run(["git", "fast-import", "--quiet"], cwd=path, input=stream, check=True)
    git(path, "reset", "-q", "--hard")
    return path


def commits() -> Iterator[str]:
    """The lines of the stream."""
    dice = random.Random(1)
    order = dice.sample(range(FILES), FILES)
    renamed, deleted, edited = order[:40], order[40:80], order[80:680]
    work = [*(("rename", one) for one in renamed), *(("delete", one) for one in deleted)]
    work += [("edit", one) for one in edited]
    dice.shuffle(work)
    for number in range(COMMITS):
        stamp = 1700000000 + number
        yield f"commit refs/heads/main\ncommitter Ada <ada@example.org> {stamp} +0000\ndata 4\nwork"
        if number == 0:
            yield from (modified(path_of(one), one, 0) for one in range(FILES))
        elif number < COMMITS - DISTANCE:
            one = dice.randrange(FILES)
            yield modified(path_of(one), one, 0, number)
        else:
            share = number - (COMMITS - DISTANCE)
            yield from (told(*one) for one in work[share::DISTANCE])


def told(what: str, number: int) -> str:
    if what == "delete":
        return f"D {path_of(number)}"
    if what == "edit":
        return modified(path_of(number), number, 4)
    rename = f"R {path_of(number)} {moved(number)}"
    return rename if number % 2 else f"{rename}\n{modified(moved(number), number, 4)}"


def modified(path: str, number: int, edits: int, version: int = 0) -> str:
    """A file's new text under a path."""
    text = edited(number, edits, version)
    return f"M 100644 inline {path}\ndata {len(text)}\n{text}"


def edited(number: int, edits: int, version: int = 0) -> str:
    """The text of a file of which so many functions were rewritten."""
    text, dice = source(number, version).split("\n"), random.Random(number)
    for place in dice.sample(range(20), edits):
        text[2 + 3 * place + 1] = f"    return {dice.choice(WORDS)}({dice.randrange(10**6)})"
    return "\n".join(text)


def moved(number: int) -> str:
    return path_of(number).replace("src/", "lib/", 1)


def lines(repo: Path, size: int) -> Iterator[str]:
    """Fragments as import reads them, stamped where the distance begins."""
    dice = random.Random(2)
    at = subprocess.run(
        ["git", "rev-parse", f"HEAD~{DISTANCE}"], cwd=repo, check=True, capture_output=True, text=True
    ).stdout.strip()
    for number in range(size):
        file = dice.randrange(FILES)
        name = source(file, 0).split("\n")[2 + 3 * dice.randrange(20)].removeprefix("def ").partition("(")[0]
        text = f"`{name}` wants {' '.join(dice.choices(WORDS, k=12))} {number}"
        yield json.dumps(
            {"key": f"n:{number}", "text": text, "stamp": {"commit": at}, "anchors": [{"path": path_of(file)}]}
        )


def change(repo: Path, number: int) -> None:
    """Commit so many changed files, and let their times grow old enough to be trusted."""
    dice = random.Random(time.monotonic_ns())
    there = [one for one in range(FILES) if (repo / path_of(one)).exists()]
    for one in dice.sample(there, number):
        (repo / path_of(one)).write_text(edited(one, 3, dice.randrange(10**9)))
    git(repo, "commit", "-qam", "work")


def mem(repo: Path, *args: str) -> Cost:
    return run(repo, *MEM, *args)


def run(repo: Path, *command: str) -> Cost:
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=repo, stdout=subprocess.DEVNULL)
    peak = [0]
    watcher = Thread(target=watch, args=(process.pid, peak))
    watcher.start()
    _, status, usage = os.wait4(process.pid, 0)
    wall = (time.perf_counter() - begin) * 1000
    watcher.join()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} failed")
    return Cost((usage.ru_utime + usage.ru_stime) * 1000, wall, peak[0] / 1024)


def watch(pid: int, peak: list[int]) -> None:
    """Look at a process's anonymous memory (kB) until it ends. Linux; elsewhere it stays 0."""
    with contextlib.suppress(OSError):
        while True:
            found = re.search(r"RssAnon:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
            if not found:
                return
            peak[0] = max(peak[0], int(found[1]))
            time.sleep(0.01)


if __name__ == "__main__":
    main()
