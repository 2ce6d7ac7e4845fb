"""Searching: what answers a query best on the tree that is asked about, whether a sweep ever ran or not."""

from collections.abc import Iterator
from heapq import heappop, heappush
from operator import mul
from typing import NamedTuple

from memcli import rank
from memcli.context import Context, Shelf
from memcli.focus import Focus
from memcli.hits import Hit as Ranked
from memcli.hits import Ranking
from memcli.labels import labelled
from memcli.model import Fragment, View
from memcli.read import Filter, is_shown, lent_notes, passes, paths_of, viewer_of
from memcli.scopes import Viewer, readable
from memcli.vocabulary import nearest_words

_MAX_WHY = 4  # reasons that are named of one hit
MEANT = 100  # hits whose meaning is compared: reordering these is worth as much as comparing all (.675 both)
_EQUALS = 20_000  # hits that wait for one another: some 40 ms
_DIGITS = 9  # of a score that count, so that equals are equal however they were multiplied


class Hit(NamedTuple):
    """A fragment that a search found: `score` = relevance × confidence × nearness, whether its key answers, and why it
    matched: each reason with its share of the relevance, the greatest first. `near`: the nearness to the path in focus
    (1 for none) and what it is."""

    view: View
    score: float
    key_hit: bool
    reasons: tuple[tuple[str, float], ...] = ()
    near: tuple[float, str] = (1.0, "")

    @property
    def relevance(self) -> float:
        """What the words of the query made of it."""
        return sum(points for _, points in self.reasons)

    @property
    def why(self) -> str:
        """The chief reasons, in words."""
        return ", ".join(reason for reason, _ in self.reasons[:_MAX_WHY])


class Found(NamedTuple):
    """A search's answer, and the terms and texts it was found by. When there is none: how many fragments answer that
    are not shown unasked (below the minimum, superseded, proposed), and the nearest words of the index."""

    hits: tuple[Hit, ...]
    nearest: tuple[str, ...] = ()
    hidden: int = 0
    terms: frozenset[str] = frozenset()
    verbatim: tuple[str, ...] = ()


class _Candidate(NamedTuple):
    """A document that answers, in the order of the best place that it can still take: whether its key answers, its
    relevance × the most it can count, its time and its id."""

    no_key: bool
    bound: float
    time: int
    ident: str
    hit: Ranked


def search(ctx: Context, query: str, wanted: Filter) -> Found:
    """The fragments that answer the query, those whose key does first, then by relevance × confidence, then newest.

    Exact, and bounded: fragments are assessed in the order of the best place that they could take, until none that is
    left could come before those found. So as many are looked at as are shown, and those that fell.
    """
    viewer = viewer_of(ctx, wanted)
    limit = ctx.settings.limit if wanted.limit is None else wanted.limit
    focus = Focus(wanted.near, _here(ctx), lambda path: _text(ctx, path))
    rankings = [(shelf, rank.search(query, shelf.reader)) for shelf in ctx.shelves.values()]
    if ctx.settings.search_semantic:
        rankings = list(_by_meaning(ctx, query, rankings))
    found = [
        (hit, doc, ranking)
        for shelf, ranking in rankings
        for hit, doc in _best(_Asked(shelf, viewer, wanted, focus, ctx.settings.floor), ranking, limit)
    ]
    best = sorted(found, key=lambda item: _order(item[0]))[:limit]
    if not best:
        return _nothing(rankings, query)
    views = labelled(ctx, [hit.view for hit, _, _ in best])
    hits = [
        hit._replace(view=view, reasons=tuple(ranking.why(doc)))
        for (hit, doc, ranking), view in zip(best, views, strict=True)
    ]
    asked = rankings[0][1].asked
    return Found(
        tuple(hits),
        terms=frozenset().union(*(ranking.terms for _, ranking in rankings)),
        verbatim=(asked.literal, *(part.text for part in asked.parts if part.special)),
    )


def _by_meaning(ctx: Context, query: str, rankings: list[tuple[Shelf, Ranking]]) -> Iterator[tuple[Shelf, Ranking]]:
    """The rankings with the best of what words found reordered by meaning, too; as they are without the extra."""
    from memcli import semantic

    embed = semantic.load()
    if embed is None:
        ctx.notes.append("search.semantic is on, but its model is not installed: pip install 'memcli[semantic]'")
        yield from rankings
        return
    for shelf, ranking in rankings:
        idents = {doc: standing[0] for doc in ranking.best(MEANT) if (standing := shelf.reader.standing(doc))}
        texts = {doc: found.text for doc, ident in idents.items() if (found := shelf.reader.fragment(ident))}
        asked, *vectors = embed([query, *texts.values()])
        likeness = (sum(map(mul, asked, vector)) for vector in vectors)
        yield shelf, ranking.with_likeness(dict(zip(texts, likeness, strict=True)))


def _nothing(rankings: list[tuple[Shelf, Ranking]], query: str) -> Found:
    hidden = sum(len(ranking) for _, ranking in rankings)
    if hidden:
        return Found((), (), hidden)
    words = {word for shelf, _ in rankings for word in nearest_words(query, shelf.reader.vocabulary())}
    return Found((), tuple(sorted(words)[:3]))


class _Asked(NamedTuple):
    """One store, and what decides which of its fragments are shown, and where."""

    shelf: Shelf
    viewer: Viewer
    wanted: Filter
    focus: Focus
    floor: float

    def hits(self, batch: list[tuple[_Candidate, Fragment]]) -> Iterator[tuple[Hit, int]]:
        """The candidates that are shown, with their documents, as they are on the tree."""
        assessed = self.shelf.checker.assess_all([fragment for _, fragment in batch])
        for (candidate, fragment), assessment in zip(batch, assessed, strict=True):
            if is_shown(fragment, assessment, self.viewer, self.wanted):
                near = self.focus.factor(paths_of(fragment, assessment))
                confidence = assessment.confidence if fragment.state == "active" else 1.0
                view = View(fragment, assessment, notes=lent_notes(fragment, self.viewer))
                score = candidate.hit.score * confidence * near[0]
                yield Hit(view, score, candidate.hit.key_hit, near=near), candidate.hit.doc


def _best(asked: _Asked, ranking: Ranking, limit: int) -> list[tuple[Hit, int]]:
    """One store's best hits with their documents, at most `limit` of them."""
    best: list[tuple[Hit, int]] = []
    batch: list[tuple[_Candidate, Fragment]] = []
    for candidate in _candidates(asked, ranking) if limit else ():
        if len(best) == limit and candidate[:4] > _order(best[-1][0]):
            break
        fragment = asked.shelf.reader.fragment(candidate.ident)
        if fragment and readable(fragment, asked.viewer) and passes(fragment, asked.wanted):
            batch.append((candidate, fragment))
        if len(batch) >= max(limit, 10):
            best = _with_hits(best, asked, batch)[:limit]
            batch = []
    return _with_hits(best, asked, batch)[:limit]


def _with_hits(
    best: list[tuple[Hit, int]], asked: _Asked, batch: list[tuple[_Candidate, Fragment]]
) -> list[tuple[Hit, int]]:
    return sorted([*best, *asked.hits(batch)], key=lambda item: _order(item[0]))


def _candidates(asked: _Asked, ranking: Ranking) -> Iterator[_Candidate]:
    """The documents found, by the best place that each could take once it is assessed.

    No confidence is above 1, so what is still to come of the ranking can't pass what stands above its relevance. Where
    more than _EQUALS could, those that were written last are taken.
    """
    heap: list[_Candidate] = []
    highest = asked.focus.most
    for hit in ranking:
        while heap and (len(heap) > _EQUALS or heap[0][:2] < (not hit.key_hit, -round(hit.score * highest, _DIGITS))):
            yield heappop(heap)
        standing = asked.shelf.reader.standing(hit.doc)
        if standing:
            ident, most, time = standing
            bound = -round(hit.score * max(most, asked.floor) * highest, _DIGITS)
            heappush(heap, _Candidate(not hit.key_hit, bound, -time, ident, hit))
    while heap:
        yield heappop(heap)


def _here(ctx: Context) -> str:
    """The folder one stands in, from the root of the work tree; empty at the root and where there is none."""
    root = ctx.repository.root if ctx.repository else None
    if root is None or ctx.cwd == root or not ctx.cwd.startswith(f"{root}/"):
        return ""
    return ctx.cwd[len(root) + 1 :]


def _text(ctx: Context, path: str) -> str:
    """A file of the tree, to read its imports; empty where there is none."""
    data = ctx.tree.read(path) if ctx.tree else None
    return (data or b"").decode("utf-8", "replace")


def _order(hit: Hit) -> tuple[bool, float, int, str]:
    fragment = hit.view.fragment
    return (not hit.key_hit, -round(hit.score, _DIGITS), -(fragment.updated or fragment.created), fragment.id)
