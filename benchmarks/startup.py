"""How long each command takes, as a multiple of `python -c pass`, on a repository of 5,000 commits.

    make bench                    # 1,000 fragments
    python -m benchmarks.startup --fragments 100000 --runs 9

Every round runs each command once, so that noise falls on all alike; the figures are medians of CPU time (user and
system, children included) of whole processes, and of wall time for git commits. The table holds the limits we keep.
"""

import argparse
import compileall
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import memcli

WORDS = (  # noqa: SIM905 (a quoted list would take a screen)
    "account address alarm archive backup batch branch buffer cache channel client cluster column commit config cookie "
    "cursor daemon deploy device dialog driver editor email encoder engine entity event export factory feature field "
    "filter folder format gateway handler header image import index invoice journal kernel layout ledger limit locale "
    "logger mailer marker matrix memory metric migration mirror module monitor network notifier object option order"
).split()
MEM = [sys.executable, "-m", "memcli"]
Measure = Callable[[], tuple[float, float]]


def main() -> None:
    options = arguments()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    compileall.compile_dir(Path(memcli.__file__).parent, quiet=1)  # as an installed program is
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        os.environ.update(HOME=folder, MEM_NO_BACKGROUND="1", GIT_CONFIG_NOSYSTEM="1", MEM_AUTHOR="Ada")
        repo = make_repository(home / "app", options.commits, options.files)
        fill(repo, options.fragments, options.files)
        time.sleep(2.1)  # a file written less than 2 s before it is looked at is never trusted by its stat
        mem(repo, "_background", "sweep")
        print(f"{options.commits:,} commits, {options.fragments:,} fragments, {options.runs} runs; CPU ms, medians")
        report(rounds(measures(repo), options.runs))
        commit_cost(repo, options.runs)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fragments", type=int, default=1000)
    parser.add_argument("--commits", type=int, default=5000)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=11)
    return parser.parse_args()


def source(number: int, version: int) -> str:
    """A source file's text: twenty functions whose names and bodies follow from its number."""
    dice = random.Random(number)
    lines = []
    for _ in range(20):
        one, two, three = dice.sample(WORDS, 3)
        lines += [f"def {one}_{two}({three}, limit={dice.randint(1, 99)}):", f"    return {three}.{one}(limit)", ""]
    return "\n".join([f"VERSION = {version}", "", *lines])


def make_repository(path: Path, commits: int, files: int) -> Path:
    """A repository with that many commits over that many files, made by one fast-import."""
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    git(path, "config", "user.name", "Ada")
    git(path, "config", "user.email", "ada@example.org")
    stream: list[str] = []
    for commit in range(commits):
        touched = range(files) if commit == 0 else [random.Random(commit).randrange(files)]
        stream.append(
            f"commit refs/heads/main\ncommitter Ada <ada@example.org> {1700000000 + commit} +0000\ndata 4\nwork"
        )
        for number in touched:
            text = source(number, commit)
            stream.append(f"M 100644 inline {path_of(number)}\ndata {len(text)}\n{text}")
    subprocess.run(["git", "fast-import", "--quiet"], cwd=path, input="\n".join(stream).encode() + b"\n", check=True)
    git(path, "reset", "-q", "--hard")
    return path


def path_of(number: int) -> str:
    return f"src/{WORDS[number % len(WORDS)]}/{WORDS[number // len(WORDS) % len(WORDS)]}_{number}.py"


def fill(repo: Path, fragments: int, files: int) -> None:
    """Fragments, each about one file, by an import."""
    dice = random.Random(1)
    lines = []
    for number in range(fragments):
        words = " ".join(dice.choices(WORDS, k=14))
        path = path_of(dice.randrange(files))
        lines.append(json.dumps({"key": f"note:{number}", "text": f"{words} {number}", "anchors": [{"path": path}]}))
    memcli.open(repo).import_lines(lines)


def measures(repo: Path) -> dict[str, tuple[float | None, Measure]]:
    """name → (limit as a multiple of `python -c pass`, what runs it once)."""
    return {
        "python -c pass": (None, lambda: run(repo, sys.executable, "-c", "pass")),
        "mem --help": (7, lambda: mem(repo, "--help")),
        "mem hook claude stop": (3, lambda: mem(repo, "hook", "claude", "stop")),
        "mem search": (7, lambda: mem(repo, "search", "kernel ledger")),
        "mem list": (7, lambda: mem(repo, "list", "--limit", "50")),
        "mem render": (7, lambda: mem(repo, "render")),
        "mem save": (12, lambda: save(repo)),
        "mem sweep, ten files": (25, lambda: sweep(repo)),
    }


def save(repo: Path) -> tuple[float, float]:
    number = time.monotonic_ns()
    return mem(repo, "save", f"the {number} ledger keeps an index", "--path", path_of(number % 50))


def sweep(repo: Path) -> tuple[float, float]:
    """The sweep after a commit of ten files (whose time does not count)."""
    dice = random.Random(time.monotonic_ns())
    for number in dice.sample(range(500), 10):
        (repo / path_of(number)).write_text(source(number, dice.randrange(10**9)))
    git(repo, "commit", "-qam", "ten files")
    taken = mem(repo, "sweep")
    time.sleep(2.1)
    mem(repo, "_background", "sweep")  # what the hook's child would have counted; the next round reads a tree at rest
    return taken


def commit_cost(repo: Path, runs: int) -> None:
    """Wall time of `git commit` with the hook and without, in turn."""
    times: dict[bool, list[float]] = {False: [], True: []}
    environment = {name: value for name, value in os.environ.items() if name != "MEM_NO_BACKGROUND"}
    for _ in range(runs):
        for hooked in (False, True):
            mem(repo, "hooks", "install" if hooked else "uninstall")
            begin = time.perf_counter()
            subprocess.run(["git", "commit", "-qm", "x", "--allow-empty"], cwd=repo, env=environment, check=True)
            times[hooked].append((time.perf_counter() - begin) * 1000)
            time.sleep(0.7)  # let the hook's child end, so that it is not measured as the next commit's noise
    without, with_hook = (statistics.median(times[hooked]) for hooked in (False, True))
    print(
        f"{'git commit':24} {without:7.1f} ms; with the hook {with_hook:.1f} ms: {with_hook - without:+.1f} (limit +10)"
    )


def rounds(table: dict[str, tuple[float | None, Measure]], runs: int) -> dict[str, tuple[float | None, float, float]]:
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in table}
    for _ in range(runs):
        for name, (_, measure) in table.items():
            taken[name].append(measure())
    return {
        name: (table[name][0], *(statistics.median(column) for column in zip(*times, strict=True)))
        for name, times in taken.items()
    }


def report(found: dict[str, tuple[float | None, float, float]]) -> None:
    bare = found["python -c pass"][1]
    print(f"{'':24} {'CPU ms':>7} {'× pass':>7} {'limit':>6} {'wall ms':>8}")
    for name, (limit, cpu, wall) in found.items():
        over = "  OVER" if limit and cpu / bare > limit else ""
        print(f"{name:24} {cpu:7.1f} {cpu / bare:7.1f} {limit or '':>6} {wall:8.1f}{over}")


def run(repo: Path, *command: str) -> tuple[float, float]:
    """(CPU ms, wall ms) of a process and its children."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=repo, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu * 1000, (time.perf_counter() - begin) * 1000


def mem(repo: Path, *args: str) -> tuple[float, float]:
    return run(repo, *MEM, *args)


def git(repo: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=repo, check=True)


if __name__ == "__main__":
    main()
