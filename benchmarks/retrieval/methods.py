"""Ways of ranking documents for a query: mem's own, and those that people would reach for instead."""

import re
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from heapq import nlargest
from operator import mul

from rapidfuzz import fuzz, process, utils

from benchmarks.retrieval.questions import Corpus
from memcli import rank, semantic
from memcli.model import Fragment, Stamp
from memcli.searching import MEANT
from memcli.store import Store
from memcli.text import parse_time

Ranker = Callable[[str, int], list[int]]  # query, how many → numbers of documents, best first


def mem(corpus: Corpus, use: ExitStack, embed: semantic.Embed | None = None) -> Ranker:
    """The index of a real store; every document is a fragment saved on its day."""
    store = Store(use.enter_context(tempfile.TemporaryDirectory()))
    with store.writing() as writer:
        for number, (text, day) in enumerate(zip(corpus.documents, corpus.days, strict=True)):
            time = parse_time(day) if day else 1
            writer.put(
                Fragment(
                    f"{number:016}",
                    None,
                    "note",
                    "workspace",
                    "active",
                    text,
                    1.0,
                    Stamp(None, None, False, time),
                    created=time,
                    updated=time,
                )
            )
    reader = use.enter_context(store.reading())
    assert reader is not None

    def search(query: str, most: int) -> list[int]:
        ranking = rank.search(query, reader)
        if embed is not None:
            best = ranking.best(MEANT)
            asked, *vectors = embed([query, *(corpus.documents[place(doc)] for doc in best)])
            likeness = (sum(map(mul, asked, vector)) for vector in vectors)
            ranking = ranking.with_likeness(dict(zip(best, likeness, strict=True)))
        return [place(doc) for doc in ranking.best(most)]

    def place(doc: int) -> int:
        return int(reader.id_of(doc) or -1)

    return search


def mem_by_meaning(corpus: Corpus, use: ExitStack) -> Ranker:
    """The same with `search.semantic`."""
    return mem(corpus, use, semantic.load())


def fts5(corpus: Corpus, use: ExitStack) -> Ranker:
    """SQLite's FTS5: porter stems, bm25, any of the words."""
    base = use.enter_context(sqlite3.connect(":memory:"))
    base.execute("create virtual table docs using fts5(text, tokenize = 'porter unicode61')")
    base.executemany("insert into docs (rowid, text) values (?, ?)", enumerate(corpus.documents))

    def search(query: str, most: int) -> list[int]:
        words = re.findall(r"\w+", query)
        asked = " OR ".join(f'"{word}"' for word in words)
        found = (
            base.execute("select rowid from docs where docs match ? order by bm25(docs) limit ?", (asked, most))
            if words
            else ()
        )
        return [row[0] for row in found]

    return search


def fuzzy(corpus: Corpus, use: ExitStack) -> Ranker:
    """rapidfuzz's token_set_ratio over every document."""
    prepared = [utils.default_process(text) for text in corpus.documents]

    def search(query: str, most: int) -> list[int]:
        found = process.extract(utils.default_process(query), prepared, scorer=fuzz.token_set_ratio, limit=most)
        return [place for _, _, place in found]

    return search


def grep(corpus: Corpus, use: ExitStack) -> Ranker:
    """What `grep -ic` of each word tells: documents by how many of the query's words stand in them; the first first."""
    folded = [text.lower() for text in corpus.documents]

    def search(query: str, most: int) -> list[int]:
        words = set(query.lower().split())
        counts = ((sum(word in text for word in words), -place) for place, text in enumerate(folded))
        return [-place for count, place in nlargest(most, counts) if count]

    return search


METHODS: dict[str, Callable[[Corpus, ExitStack], Ranker]] = {
    "mem": mem,
    **({"meaning": mem_by_meaning} if semantic.load() else {}),
    "FTS5": fts5,
    "rapidfuzz": fuzzy,
    "grep": grep,
}
