"""What a search found, as a ranking: put in order as far as it is asked for, each hit with its reasons. Pure."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from heapq import nlargest
from typing import NamedTuple

from memcli.asked import Query

MEANING = 0.35  # the share of likeness in meaning, where that is asked for; best on conversations between 0.3 and 0.5
AT_FIRST = 200  # hits that are put in order before anybody asks for more


class Hit(NamedTuple):
    """A document found: its score (above 0; comparable within one search) and whether its key answers."""

    doc: int
    score: float
    key_hit: bool


class Reason(NamedTuple):
    """Something that the query was found by: what it is called, the term it stands for, if any, and what it adds to a
    document's score (0 where it is not found)."""

    why: str
    term: str | None
    points: Callable[[int], float]


class Ranking:
    """What a search found. Iterating gives the hits, best first: those whose key answers, then by score, then the
    newest; of many only as many are put in order as are asked for."""

    def __init__(
        self, asked: Query, scores: dict[int, float], key_hits: Collection[int], reasons: Sequence[Reason]
    ) -> None:
        self.asked = asked
        self._scores = scores
        self._key_hits = key_hits
        self._reasons = reasons

    def __len__(self) -> int:
        return len(self._scores)

    def __iter__(self) -> Iterator[Hit]:
        first = [(self._scores[doc], doc) for doc in self._key_hits]
        # the newest first: of equal ones later comers then move nobody
        rest = [(score, doc) for doc, score in reversed(self._scores.items()) if doc not in self._key_hits]
        for key_hit, group in ((True, first), (False, rest)):
            best = nlargest(AT_FIRST, group)
            yield from (Hit(doc, score, key_hit) for score, doc in best)
            if len(best) < len(group):
                later = sorted(group, reverse=True)[AT_FIRST:]
                yield from (Hit(doc, score, key_hit) for score, doc in later)

    def why(self, doc: int) -> list[tuple[str, float]]:
        """What the document was found by, each with its share of the score, the greatest first."""
        shares: dict[str, float] = {}
        for reason in self._reasons:
            points = reason.points(doc)
            if points:
                shares[reason.why] = shares.get(reason.why, 0.0) + points
        return sorted(shares.items(), key=lambda share: -share[1])

    def best(self, most: int) -> list[int]:
        """The documents that come first, at most so many."""
        return [hit.doc for hit, _ in zip(self, range(most), strict=False)]

    def with_likeness(self, likeness: Mapping[int, float]) -> "Ranking":
        """The ranking with the likeness in meaning (a cosine) of some of its documents to the query counted in: a
        convex sum of that and of the relevance as a share of the highest one, up to a factor."""
        unit = max(self._scores.values(), default=0.0) * MEANING / (1 - MEANING)
        points = {doc: unit * max(0.0, like) for doc, like in likeness.items()}
        scores = {doc: score + points.get(doc, 0.0) for doc, score in self._scores.items()}
        reason = Reason("meaning", None, lambda doc: points.get(doc, 0.0))
        return Ranking(self.asked, scores, self._key_hits, [*self._reasons, reason])

    @property
    def terms(self) -> frozenset[str]:
        """The terms that the query was found by: what to mark in a text."""
        return frozenset(reason.term for reason in self._reasons if reason.term)
