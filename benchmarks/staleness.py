"""How well the program's confidence tells lines that went stale from those that stayed true, on real histories.

    python -m benchmarks.staleness DEV.jsonl REPOSITORIES PRED.tsv [--only owner/name]

DEV.jsonl holds the examples, REPOSITORIES a folder with one clone for each repository (`owner+name/repo`, `owner/name`
or `name`). Every line is imported as a fragment stamped at the commit that brought it, and its confidence asked for at
the commit of the next edit, without a checkout. PRED.tsv gets `id<TAB>confidence` for the scorer beside the examples.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import memcli
from memcli.model import View

Example = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("examples", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("predictions", type=Path)
    parser.add_argument("--only", metavar="OWNER/NAME")
    options = parser.parse_args()
    by_repository: dict[str, list[Example]] = defaultdict(list)
    for line in options.examples.read_text().splitlines():
        example = json.loads(line)
        by_repository[example["repo"]].append(example)
    with options.predictions.open("w") as out, tempfile.TemporaryDirectory() as home:
        os.environ.update(HOME=home, MEM_NO_BACKGROUND="1", GIT_CONFIG_NOSYSTEM="1", MEM_AUTHOR="Ada")
        for name, examples in sorted(by_repository.items()):
            clone = find(options.repositories, name)
            if clone is None or options.only not in (None, name):
                continue
            for ident, confidence in predictions(clone, examples, Path(home)):
                out.write(f"{ident}\t{confidence}\n")
            print(f"{name}: {len(examples)} examples", file=sys.stderr, flush=True)


def find(folder: Path, name: str) -> Path | None:
    """The clone of a repository, bare or not."""
    places = (folder / name.replace("/", "+") / "repo", folder / name, folder / name.split("/")[1])
    return next((place for place in places if place.is_dir()), None)


def predictions(clone: Path, examples: Iterable[Example], home: Path) -> Iterator[tuple[str, float]]:
    """(id, confidence) of each example, asked of a store that is made for it and thrown away."""
    bare = home / "repo.git"
    shutil.rmtree(bare, ignore_errors=True)
    bare.mkdir()
    # the clone's objects are shared; nothing is written to it
    (bare / "objects/info").mkdir(parents=True)
    source = clone / ".git" if (clone / ".git").is_dir() else clone
    (bare / "objects/info/alternates").write_text(f"{source.resolve()}/objects\n")
    (bare / "refs").mkdir()
    (bare / "HEAD").write_text("ref: refs/heads/main\n")
    (bare / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
    lines = [json.dumps(fragment(example)) for example in examples]
    done = memcli.open(bare).import_lines(lines)
    if done.refused:
        print(f"{len(done.refused)} refused, the first: {done.refused[0]}", file=sys.stderr)
    by_edit: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
        by_edit[example["eval"]].append(example)
    for edit, wanted in by_edit.items():
        views = {view.key: view for view in memcli.open(bare, at=edit).list(all=True)}
        for example in wanted:
            if view := views.get(f"sb:{example['id']}"):
                yield example["id"], believed(example, view)


def fragment(example: Example) -> dict[str, Any]:
    """The line as a fragment, with its paths as anchors."""
    return {
        "key": f"sb:{example['id']}",
        "type": "note",
        "text": example["text"],
        "stamp": {"commit": example["birth"]},
        "anchors": [{"path": path["path"]} for path in example["paths"]],
    }


def believed(example: Example, view: View) -> float:
    """The confidence; halved where the fragment followed a rename, because the line itself names the old path."""
    renamed = any(anchor.was and anchor.was in example["text"] for anchor in view.assessment.anchors)
    return view.confidence / 2 if renamed else view.confidence


if __name__ == "__main__":
    main()
