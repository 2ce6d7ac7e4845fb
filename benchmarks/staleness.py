"""How well the program's confidence tells lines that went stale from those that stayed true, on real histories.

    python -m benchmarks.staleness DEV.jsonl REPOSITORIES [--jobs N] [--only OWNER/NAME]… [--weak] [--repos]
                                   [--predictions FILE] [--features FILE.jsonl]

DEV.jsonl holds the examples, REPOSITORIES a folder with one clone for each repository (`owner+name/repo`, `owner/name`
or `name`). Every line is imported as a fragment stamped at the commit that brought it, and its confidence asked for at
the commit of the next edit, without a checkout. The table shows the program beside what other tools go by, on the
same lines. --predictions gets `id<TAB>confidence`, --features what the program saw of each line.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median_high
from typing import Any, NamedTuple

import memcli
from benchmarks.scores import HEADER, Scored, calibration, row
from memcli.errors import MemError
from memcli.model import View

Example = dict[str, Any]

# the formula that DRIFT.md starts from, on the features of the examples; the base is their share of true lines
_BASE, _PATH_GONE, _LITERAL_GONE, _WORDS_DELETED = 0.80, 0.23, 0.20, 0.20


class Answers(NamedTuple):
    """What the program said of one repository's examples: by id the assessment as a record, and why others got none."""

    repo: str
    features: dict[str, dict[str, Any]]
    refused: list[str]


def main() -> None:
    options = _options()
    lines = options.examples.read_text(encoding="utf-8").splitlines()
    examples = [example for line in lines if line.strip() for example in [json.loads(line)]]
    examples = [example for example in examples if not options.only or example["repo"] in options.only]
    clones = {name: find(options.repositories, name) for name in sorted({example["repo"] for example in examples})}
    present = [example for example in examples if clones[example["repo"]]]
    features: dict[str, dict[str, Any]] = {}
    for answers in ask_all(present, clones, options.jobs):
        features.update(answers.features)
        refused = f", {len(answers.refused)} refused" if answers.refused else ""
        print(f"{answers.repo}: {len(answers.features)} lines{refused}", file=sys.stderr, flush=True)
        for reason in answers.refused:
            print(f"  {reason}", file=sys.stderr)
    if options.predictions:
        written = "".join(f"{ident}\t{found['believed']}\n" for ident, found in features.items())
        options.predictions.write_text(written, encoding="utf-8")
    if options.features:
        _dump(options.features, present, features)
    counted = [example for example in present if options.weak or not example["weak"]]
    report(counted, {ident: found["believed"] for ident, found in features.items()}, options.repos)
    missing = [name for name, clone in clones.items() if clone is None]
    if missing:
        print(f"\n{len(examples) - len(present)} of {len(examples)} lines are in repositories that are not there:")
        print("  " + "\n  ".join(missing))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("examples", type=Path, metavar="DEV.jsonl")
    parser.add_argument("repositories", type=Path, metavar="REPOSITORIES")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="repositories at a time (2)")
    parser.add_argument("--only", action="append", metavar="OWNER/NAME", help="this repository; may be repeated")
    parser.add_argument("--weak", action="store_true", help="count the lines whose edit was of mere wording too")
    parser.add_argument("--repos", action="store_true", help="also a row for each repository")
    parser.add_argument("--predictions", type=Path, metavar="FILE", help="write id<TAB>confidence")
    parser.add_argument("--features", type=Path, metavar="FILE.jsonl", help="write the assessment of each line")
    return parser.parse_args()


def find(folder: Path, name: str) -> Path | None:
    """The clone of a repository, bare or not."""
    places = (folder / name.replace("/", "+") / "repo", folder / name, folder / name.split("/")[1])
    return next((place for place in places if place.is_dir()), None)


# what the program says


def ask_all(examples: Iterable[Example], clones: Mapping[str, Path | None], jobs: int) -> Iterator[Answers]:
    """The answers for each repository, `jobs` of them at a time; those with the most lines go first."""
    by_repository: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
        by_repository[example["repo"]].append(example)
    names = sorted(by_repository, key=lambda name: -len(by_repository[name]))
    with ProcessPoolExecutor(max_workers=max(1, jobs)) as pool:
        yield from pool.map(ask, names, [clones[name] for name in names], [by_repository[name] for name in names])


def ask(name: str, clone: Path, examples: Sequence[Example]) -> Answers:
    """The answers for one repository, from stores that are made for it and thrown away: one for each edit, because a
    listing at a commit assesses all that its store holds."""
    answers = Answers(name, {}, [])
    by_edit: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
        by_edit[example["eval"]].append(example)
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(HOME=home, MEM_NO_BACKGROUND="1", GIT_CONFIG_NOSYSTEM="1", MEM_AUTHOR="Ada")
        bare = _share(clone, Path(home) / "repo.git")
        for edit, wanted in by_edit.items():
            shutil.rmtree(bare / "mem", ignore_errors=True)
            _ask_at(bare, edit, wanted, answers)
    return answers


def _ask_at(bare: Path, edit: str, wanted: Sequence[Example], answers: Answers) -> None:
    """Add what the program says of these examples at the commit of their edit."""
    done = memcli.open(bare).import_lines([json.dumps(fragment(example)) for example in wanted])
    answers.refused.extend(f"{wanted[number - 1]['id']}: {reason}" for number, reason in done.refused)
    try:
        views = {view.key: view for view in memcli.open(bare, at=edit).list(all=True)}
    except MemError as error:
        answers.refused.extend(f"{example['id']}: {error.message}" for example in wanted)
        return
    for example in wanted:
        view = views.get(f"sb:{example['id']}")
        if view is not None:
            answers.features[example["id"]] = seen(example, view)


def _share(clone: Path, bare: Path) -> Path:
    """A bare repository of its own that shares the clone's objects; nothing is written to the clone."""
    (bare / "objects/info").mkdir(parents=True)
    source = clone / ".git" if (clone / ".git").is_dir() else clone
    (bare / "objects/info/alternates").write_text(f"{source.resolve()}/objects\n")
    (bare / "refs").mkdir()
    (bare / "HEAD").write_text("ref: refs/heads/main\n")
    (bare / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
    return bare


def fragment(example: Example) -> dict[str, Any]:
    """The line as a fragment, with its paths as anchors."""
    return {
        "key": f"sb:{example['id']}",
        "type": "note",
        "text": example["text"],
        "stamp": {"commit": example["birth"]},
        "anchors": [{"path": path["path"]} for path in example["paths"]],
    }


def seen(example: Example, view: View) -> dict[str, Any]:
    """The assessment of a line as a record, with what is believed of the line in the end."""
    found = view.assessment
    anchors = [
        {**drift._asdict(), "kind": anchor.kind, "identifiers": anchor.identifiers}
        for drift, anchor in zip(found.anchors, view.fragment.anchors, strict=False)
    ]
    return {"believed": believed(example, view), **found._asdict(), "base": view.fragment.base, "anchors": anchors}


def believed(example: Example, view: View) -> float:
    """The confidence; halved where the fragment followed a rename, because the line itself names the old path."""
    renamed = any(anchor.was and anchor.was in example["text"] for anchor in view.assessment.anchors)
    return view.confidence / 2 if renamed else view.confidence


def _dump(path: Path, examples: Iterable[Example], features: Mapping[str, dict[str, Any]]) -> None:
    """Write each example with what the program saw of it, as a line of JSON."""
    with path.open("w", encoding="utf-8") as out:
        for example in examples:
            out.write(json.dumps({**example, "mem": features.get(example["id"])}) + "\n")


# what others go by


def rule(ref: Mapping[str, Any]) -> float:
    """DRIFT.md's formula as a staleness. A literal missing only because its file is gone does not count twice."""
    literal = ref["lit_repo_gone"] if ref["missing_any"] else ref["lit_gone"]
    paths = _PATH_GONE if ref["missing_any"] else 1 - _WORDS_DELETED * ref["wocc_del"]
    return float(1 - _BASE * paths * (_LITERAL_GONE if literal else 1))


REFERENCES = {
    "age in days": "age",
    "commits touching the paths": "commits_max",
    "any referenced blob changed": "changed_any",
    "proportional diff, worst path": "lines_max",
    "any referenced path missing": "missing_any",
    "code literal gone": "lit_gone",
    "word-occurrence deletion (wod)": "wocc_del",
}


def report(examples: Sequence[Example], predicted: Mapping[str, float], repos: bool = False) -> None:
    """Print the tables. A line without a prediction gets the median of the others, as the examples' scorer does it."""
    given = [predicted[example["id"]] for example in examples if example["id"] in predicted]
    if not given:
        print("no line could be asked about")
        return
    fill = median_high(given)
    confidence = {example["id"]: predicted.get(example["id"], fill) for example in examples}
    print(f"{len(examples) - len(given)} of {len(examples)} lines without an answer (taken as {fill:.3f})\n\n{HEADER}")
    for name, field in REFERENCES.items():
        print(row(name, [_scored(example, example["ref"][field]) for example in examples]))
    print(row("RULE (DRIFT.md's formula)", [_scored(example, rule(example["ref"])) for example in examples]))
    ours = [(example, _scored(example, -confidence[example["id"]])) for example in examples]
    there = [pair for pair in ours if not pair[0]["ref"]["missing_any"]]
    folders = [pair for pair in there if not pair[0]["ref"]["has_file"]]
    by_name = {name: [p for p in ours if p[0]["repo"] == name] for name in sorted({e["repo"] for e in examples})}
    parts = {"mem": ours, "  every path exists": there, "  .. and is a directory": folders}
    for name, pairs in {**parts, **({f"  {n}": p for n, p in by_name.items()} if repos else {})}.items():
        if pairs:
            print(row(name, [scored for _, scored in pairs]))
    print("\nconfidence       n   mean  still true")
    for tenth in calibration([example["label"] for example in examples], [confidence[e["id"]] for e in examples]):
        low = tenth.tenth / 10
        print(f"{low:.1f} to {low + 0.1:.1f}{tenth.lines:7}{tenth.said:7.3f}{tenth.true:12.3f}")


def _scored(example: Example, score: float) -> Scored:
    return Scored(example["repo"], example["event"], example["label"], score)


if __name__ == "__main__":
    main()
