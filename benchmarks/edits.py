"""Edits of known meaning on real code, and what the program says of them.

    python -m benchmarks.edits [REPOSITORIES] [--sample N] [--seed S] [--only KIND]… [--jobs N] [--misses] [--json]

REPOSITORIES is a folder of clones (`owner+name/repo`, `owner+name` or `owner/name`); without one the program's own
code is edited. Of each, N functions and classes are drawn. About each, four fragments are saved: one that points at the
symbol, one at the lines of its body, one whose text names file and identifier, one that names the identifier alone.
Then one edit at a time is made, and verdict and confidence asked for in the work tree and again when it is committed.
What is right stands in `benchmarks.expectations`. The same seed gives the same edits.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random

import memcli
from benchmarks.drawing import Source, draw
from benchmarks.edit_kinds import EDITS, made
from benchmarks.editing import Change
from benchmarks.edits_report import Observation, print_report, record
from benchmarks.expectations import TABLE
from benchmarks.samples import Sample, definitions
from memcli.model import Assessment

_GIT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in
       (("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", "2024-01-01T00:00:00Z"))},
}  # fmt: skip


def main() -> None:
    options = _options()
    sources = sources_in(options.repositories)
    if not sources:
        sys.exit(f"no clone in {options.repositories}")
    kinds = [kind for kind in TABLE if not options.only or kind in options.only]
    seen: list[Observation] = []
    with ProcessPoolExecutor(max_workers=max(1, options.jobs)) as pool:
        runs = [pool.submit(run, source, options.sample, options.seed, kinds) for source in sources]
        for source, done in zip(sources, runs, strict=True):
            seen.extend(done.result())
            print(f"{source.name}: done", file=sys.stderr, flush=True)
    if options.json:
        print(json.dumps({"seed": options.seed, "observations": [record(one) for one in seen]}, indent=1))
    else:
        print_report(seen, options.misses)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path, nargs="?", metavar="REPOSITORIES")
    parser.add_argument("--sample", type=int, default=6, metavar="N", help="functions and classes of each (6)")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--only", action="append", choices=list(TABLE), metavar="KIND", help="this kind of edit")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="repositories at a time (2)")
    parser.add_argument("--misses", action="store_true", help="list each wrong answer, the worst first")
    parser.add_argument("--json", action="store_true", help="every answer as JSON")
    return parser.parse_args()


def sources_in(folder: Path | None) -> list[Source]:
    """The clones in a folder, by name; without one, the program's own code."""
    if folder is None:
        return [Source("this repository", Path(memcli.__file__).resolve().parent.parent, is_clone=False)]
    found = {}
    for place in sorted([*folder.glob("*"), *folder.glob("*/*")]):
        if (place / "HEAD").is_file() or (place / ".git").exists():
            name = place.parent.name if place.name == "repo" else place.relative_to(folder).as_posix()
            found[name.replace("+", "/")] = Source(name.replace("+", "/"), place, is_clone=True)
    return list(found.values())


def run(source: Source, count: int, seed: int, kinds: Sequence[str]) -> list[Observation]:
    """All answers about one source's samples."""
    seen: list[Observation] = []
    for number, sample in enumerate(draw(source, count, Random(f"{seed} {source.name}"))):
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder) / "home"
            home.mkdir()
            os.environ.update(_GIT, HOME=str(home), MEM_NO_BACKGROUND="1", MEM_AUTHOR="Ada")
            bench = Bench(Path(folder) / "code", sample)
            seen.extend(Observation("nothing", sample, "commit", *pair) for pair in bench.unfit.items())
            for kind in kinds:
                dice = Random(f"{seed} {source.name} {number} {kind}")
                for when, answers in HISTORIES.get(kind, _plain)(bench, kind, dice):
                    seen.extend(Observation(kind, sample, when, *pair) for pair in answers.items())
                bench.reset()
    return seen


class Bench:
    """A repository of a sample's files, with one fragment for each kind of anchor.

    `unfit`: the kinds whose fragment found no anchor at the start. That counts once, as a miss of "nothing".
    """

    def __init__(self, path: Path, sample: Sample) -> None:
        self.path, self.sample = path, sample
        path.mkdir()
        self.git("init", "-q", "-b", "main")
        self.git("config", "gc.auto", "0")
        self.git("config", "core.fsync", "none")  # it is thrown away
        self.write(dict(sample.files))
        self.commit("start")
        self.start = self.git("rev-parse", "HEAD")
        self.unfit: dict[str, Assessment] = {}
        self.saved = self.save(sample)
        self.unfit = {anchor: found for anchor, found in self.ask().items() if found.verdict != "fresh"}

    def git(self, *args: str) -> str:
        """What git says."""
        done = subprocess.run(["git", *args], cwd=self.path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def write(self, change: Change) -> None:
        """Make a change in the work tree."""
        for name, text in change.items():
            place = self.path / name
            if text is None:
                place.unlink()
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(text.encode())

    def commit(self, message: str) -> None:
        """Commit all that is there."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def reset(self) -> None:
        """Bring the first commit back."""
        self.git("reset", "-q", "--hard", self.start)
        self.git("clean", "-fdqx")

    def save(self, sample: Sample, remark: str = "") -> dict[str, str]:
        """Save a fragment for each kind of anchor; gives kind → id. The remark tells a second set from the first."""
        target, path, ids = sample.target, sample.path, {}
        about = " and ".join(sample.words) or "its callers"
        wanted = {
            "symbol": (f"Mind the order in which this happens{remark}", f"{path}#{target.name}"),
            "lines": (f"These lines belong together{remark}", f"{path}:{target.body_first}-{target.body_last}"),
            "file": (f"`{target.name}` in {path} rests on {about}{remark}", ()),
            "name": (f"`{target.name}` rests on {about}{remark}", ()),
        }
        for anchor, (text, drawn) in wanted.items():
            ids[anchor] = memcli.open(self.path).save(text, path=drawn).view.id
        return ids

    def ask(self, ids: Mapping[str, str] | None = None) -> dict[str, Assessment]:
        """Kind of anchor → what the program says now."""
        views = {view.id: view.assessment for view in memcli.open(self.path).list(all=True)}
        return {anchor: views[ident] for anchor, ident in (ids or self.saved).items() if anchor not in self.unfit}


Answers = Iterator[tuple[str, dict[str, Assessment]]]


def _plain(bench: Bench, kind: str, dice: Random) -> Answers:
    """The edit in the work tree, then committed."""
    change = made(kind, bench.sample, dice)
    if change is not None:
        bench.write(change)
        yield "work tree", bench.ask()
        bench.commit(kind)
        yield "commit", bench.ask()


# what needs more than one change


def _reverted(bench: Bench, kind: str, dice: Random) -> Answers:
    change = made("body rewritten", bench.sample, dice)
    if change is not None:
        bench.write(change)
        bench.commit("edit")
        bench.ask()
        bench.git("revert", "--no-edit", "HEAD")
        yield "commit", bench.ask()


def _amended(bench: Bench, kind: str, dice: Random) -> Answers:
    """The stamped commit is replaced by one of the same content, and nothing of it is left in the repository."""
    bench.git("commit", "-q", "--amend", "--allow-empty", "-m", "start, said better")
    old, bench.start = bench.start, bench.git("rev-parse", "HEAD")
    bench.git("reflog", "expire", "--expire=now", "--all")
    bench.git("gc", "-q", "--prune=now")
    if subprocess.run(["git", "cat-file", "-e", old], cwd=bench.path, capture_output=True, check=False).returncode:
        yield "commit", bench.ask()


def _dirty(bench: Bench, kind: str, dice: Random) -> Answers:
    change = made("body rewritten", bench.sample, dice)
    if change is None:
        return
    bench.write(change)
    edited = _anew(bench.sample, change)
    if edited is not None:
        ids = bench.save(edited, " since today")
        yield "work tree", bench.ask(ids)
        bench.commit("edit")
        yield "commit", bench.ask(ids)
        memcli.open(bench.path).delete(*ids.values())


def _anew(sample: Sample, change: Change) -> Sample | None:
    """The sample as it is after an edit that kept the target's name."""
    text = change[sample.path] or ""
    found = [one for one in definitions(text, sample.language) if one.name == sample.target.name]
    return sample._replace(files={**sample.files, sample.path: text}, target=found[0]) if found else None


def _twins(edit_twin: bool) -> Callable[[Bench, str, Random], Answers]:
    def answers(bench: Bench, kind: str, dice: Random) -> Answers:
        """An identical copy of the definition stands at the end of its file from the start; one of the two changes."""
        sample, target = bench.sample, bench.sample.target
        if target.indent or target.is_class:
            return
        text = "\n".join([*sample.lines, "", *sample.lines[target.first - 1 : target.last], ""])
        down = len(sample.lines) + 2 - target.first
        twin = target._replace(
            first=target.first + down,
            last=target.last + down,
            body_first=target.body_first + down,
            body_last=target.body_last + down,
        )
        both = sample._replace(files={**sample.files, sample.path: text})
        change = made("one line changed", both._replace(target=twin) if edit_twin else both, dice)
        if change is not None:
            bench.write({sample.path: text})
            bench.commit("twins")
            ids = bench.save(both, " of both")
            bench.write(change)
            yield "work tree", bench.ask(ids)
            bench.commit("edit")
            yield "commit", bench.ask(ids)
            memcli.open(bench.path).delete(*ids.values())

    return answers


HISTORIES: dict[str, Callable[[Bench, str, Random], Answers]] = {
    "reverted": _reverted,
    "amended away, gc": _amended,
    "saved dirty, then committed": _dirty,
    "twin edited": _twins(edit_twin=True),
    "twin left, region edited": _twins(edit_twin=False),
}
assert set(EDITS) | set(HISTORIES) == set(TABLE), "each kind has an edit and an expectation"


if __name__ == "__main__":
    main()
