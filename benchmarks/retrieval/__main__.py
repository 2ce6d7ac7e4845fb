"""What search finds: recall at 5, 10 and 20 and the mean reciprocal rank, beside FTS5, rapidfuzz and grep.

    make bench-retrieval CONVERSATIONS=locomo REPOSITORIES=clones
    python -m benchmarks.retrieval --conversations locomo --repositories clones --stale

`--conversations`: a folder with LoCoMo's JSON (a document a turn; its questions). `--repositories`: a folder of clones
(a document a paragraph of their Markdown; the question is its heading; then with typos, and pieces cut out of texts).
`--stale`: what decay keeps out of the answers, on the same clones. Neither data set is kept in this repository.
"""

import argparse
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from benchmarks.retrieval import stale
from benchmarks.retrieval.methods import METHODS
from benchmarks.retrieval.questions import Corpus, conversations, documentation, misspelt, substrings

DEPTHS = (5, 10, 20)
DEEPEST = 100  # a first answer beyond it counts as not found


def main() -> None:
    options = arguments()
    if options.conversations:
        table("conversations", list(conversations(options.conversations)), options.only)
    if options.repositories:
        corpora = list(documentation(options.repositories))
        table("documentation", corpora, options.only)
        table("one word with a typo", map(partial(misspelt, words=1), corpora), options.only)
        table("two words with a typo", map(partial(misspelt, words=2), corpora), options.only)
        table("pieces of texts", map(substrings, corpora), options.only)
        if options.stale:
            stale.report(options.repositories)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=Path)
    parser.add_argument("--repositories", type=Path)
    parser.add_argument("--stale", action="store_true")
    parser.add_argument("--only", action="append", choices=METHODS, help="only this method (repeatable)")
    return parser.parse_args()


def table(title: str, corpora: Iterable[Corpus], only: Sequence[str] | None) -> None:
    """Print how each method does on all questions of the corpora."""
    held = list(corpora)
    asked, texts = (
        sum(len(part) for part in parts) for parts in zip(*((c.questions, c.documents) for c in held), strict=True)
    )
    print(f"\n{title}: {asked:,} questions to {texts:,} texts in {len(held)} sets")
    print(f"{'':10} {'@5':>6} {'@10':>6} {'@20':>6} {'MRR':>6} {'ms':>7}")
    for name in only or METHODS:
        begin = time.process_time()
        scores = [score for corpus in held for score in scored(corpus, name)]
        took = (time.process_time() - begin) * 1000 / max(1, len(scores))
        means = [sum(column) / len(scores) for column in zip(*scores, strict=True)]
        print(f"{name:10} {' '.join(f'{mean:6.3f}' for mean in means)} {took:7.2f}")


def scored(corpus: Corpus, name: str) -> Iterator[tuple[float, ...]]:
    """For each question: the share of its answers among the first 5, 10 and 20, and 1 / the rank of the first."""
    with ExitStack() as use:
        search = METHODS[name](corpus, use)
        for question in corpus.questions:
            found = search(question.query, DEEPEST)
            recalls = (len(question.answers.intersection(found[:depth])) / len(question.answers) for depth in DEPTHS)
            first = next((1 / place for place, doc in enumerate(found, 1) if doc in question.answers), 0.0)
            yield (*recalls, first)


if __name__ == "__main__":
    main()
