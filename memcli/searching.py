"""Searching: what answers a query best on the tree that is asked about, whether a sweep ever ran or not."""

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import islice
from typing import NamedTuple

from memcli import rank
from memcli.context import Context, Shelf
from memcli.labels import labelled
from memcli.model import View
from memcli.read import Filter, is_shown, lent_notes, passes, viewer_of
from memcli.scopes import Viewer, readable
from memcli.vocabulary import nearest_words

_MAX_WHY = 4  # reasons that are named of one hit


class Hit(NamedTuple):
    """A fragment that a search found: `score` = relevance × confidence, whether its key answers, and why it matched:
    each reason with its share of the relevance, the greatest first."""

    view: View
    score: float
    key_hit: bool
    reasons: tuple[tuple[str, float], ...]

    @property
    def why(self) -> str:
        """The chief reasons, in words."""
        return ", ".join(reason for reason, _ in self.reasons[:_MAX_WHY])


class Found(NamedTuple):
    """A search's answer, and the terms it was found by. When there is none: how many fragments answer that are not
    shown unasked (below the minimum, superseded, proposed), and the nearest words of the index."""

    hits: tuple[Hit, ...]
    nearest: tuple[str, ...] = ()
    hidden: int = 0
    terms: frozenset[str] = frozenset()


class _Candidate(NamedTuple):
    """A document that answers, in the order of the best place that it can still take: whether its key answers, its
    relevance × the most it can count, its time and its id."""

    no_key: bool
    bound: float
    time: int
    ident: str
    hit: rank.Hit


def search(ctx: Context, query: str, wanted: Filter) -> Found:
    """The fragments that answer the query, those whose key does first, then by relevance × confidence, then newest.

    Exact, and bounded: fragments are assessed in the order of the best place that they could take, until none that is
    left could come before those found. So as many are looked at as are shown, and those that fell.
    """
    viewer = viewer_of(ctx, wanted)
    limit = ctx.settings.limit if wanted.limit is None else wanted.limit
    rankings = [(shelf, rank.search(query, shelf.reader)) for shelf in ctx.shelves.values()]
    found = [
        (hit, doc, ranking)
        for shelf, ranking in rankings
        for hit, doc in _best(ctx, shelf, ranking, viewer, wanted, limit)
    ]
    best = sorted(found, key=lambda item: _order(item[0]))[:limit]
    if best:
        views = labelled(ctx, [hit.view for hit, _, _ in best])
        hits = [
            hit._replace(view=view, reasons=tuple(ranking.why(doc)))
            for (hit, doc, ranking), view in zip(best, views, strict=True)
        ]
        return Found(tuple(hits), terms=frozenset().union(*(ranking.terms for _, ranking in rankings)))
    hidden = sum(len(ranking) for _, ranking in rankings)
    words = (
        () if hidden else {word for shelf, _ in rankings for word in nearest_words(query, shelf.reader.vocabulary())}
    )
    return Found((), tuple(sorted(words)[:3]), hidden)


def _best(
    ctx: Context, shelf: Shelf, ranking: rank.Ranking, viewer: Viewer, wanted: Filter, limit: int
) -> list[tuple[Hit, int]]:
    """One store's best hits with their documents, at least `limit` of them if there are so many."""
    candidates = (
        (candidate, fragment)
        for candidate in _candidates(shelf, ranking, ctx.settings.floor)
        if (fragment := shelf.reader.fragment(candidate.ident))
        and readable(fragment, viewer)
        and passes(fragment, wanted)
    )
    best: list[tuple[Hit, int]] = []
    while batch := list(islice(candidates, max(limit, 10))):
        if len(best) == limit and batch[0][0][:4] > _order(best[-1][0]):
            break
        assessed = shelf.checker.assess_all([fragment for _, fragment in batch])
        for (candidate, fragment), assessment in zip(batch, assessed, strict=True):
            if is_shown(fragment, assessment, viewer, wanted):
                score = candidate.hit.score * (assessment.confidence if fragment.state == "active" else 1.0)
                view = View(fragment, assessment, notes=lent_notes(fragment, viewer))
                best.append((Hit(view, score, candidate.hit.key_hit, ()), candidate.hit.doc))
        best = sorted(best, key=lambda item: _order(item[0]))[:limit]
        if not limit:
            break
    return best


def _candidates(shelf: Shelf, ranking: rank.Ranking, floor: float) -> Iterator[_Candidate]:
    """The documents found, by the best place that each could take once it is assessed.

    No confidence is above 1, so what is still to come of the ranking can't pass what stands above its relevance.
    """
    heap: list[_Candidate] = []
    for hit in ranking:
        while heap and heap[0][:2] < (not hit.key_hit, -hit.score):
            yield heappop(heap)
        standing = shelf.reader.standing(hit.doc)
        if standing:
            ident, most, time = standing
            heappush(heap, _Candidate(not hit.key_hit, -hit.score * max(most, floor), -time, ident, hit))
    while heap:
        yield heappop(heap)


def _order(hit: Hit) -> tuple[bool, float, int, str]:
    return (not hit.key_hit, -hit.score, -hit.view.fragment.updated, hit.view.fragment.id)
