"""When a document's claims were written: the commit that `git blame` names, unless that one only gave the same words
another form (wrapped them anew, made them a bullet, moved them): then the one before, and so on."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memcli.claims import Claim, Document
from memcli.errors import GitFailed
from memcli.git.tree import MAX_BYTES

if TYPE_CHECKING:
    from memcli.git.blame import Origin
    from memcli.git.objects import History

_MOST_BLAMES = 40  # of one document beyond the first; a claim that was given more forms than that stays at the last

_Place = tuple[str | None, str]  # a commit (None: the work tree) and what the document is called in it


class Birth(NamedTuple):
    """A claim of a document and the commit that wrote it, None when that is not committed yet. `at`: the path and the
    line that it speaks about in the tree of then, where it speaks about its own place (a script in a manifest)."""

    claim: Claim
    commit: str | None
    at: tuple[str, int] | None = None


def births(history: "History", path: str, document: Document) -> list[Birth]:
    """The birth of each claim of a document as it lies in the work tree, in their order. Raises GitFailed."""
    return _Search(history).births(path, document)


class _Search:
    def __init__(self, history: "History") -> None:
        self._history = history
        self._versions: dict[_Place, Document | None] = {}
        self._blames = 0

    def births(self, path: str, document: Document) -> list[Birth]:
        found: dict[Claim, str | None] = {}
        self._versions[None, path] = document
        places: dict[_Place, dict[Claim, tuple[int, int]]] = {}
        places[None, path] = {claim: (claim.first, claim.last) for claim in document.claims}
        while places:
            place, spans = places.popitem()
            for claim, origin in self._origins(place, spans):
                before = self._before(origin, claim)
                if before is None or self._blames > _MOST_BLAMES:
                    found[claim] = origin.commit
                else:
                    places.setdefault(before[0], {})[claim] = before[1]
        return [Birth(claim, found.get(claim)) for claim in document.claims]

    def _origins(self, place: _Place, spans: dict[Claim, tuple[int, int]]) -> Iterable[tuple[Claim, "Origin"]]:
        """What last wrote each claim as it stood at a place."""
        commit, path = place
        lines = self._history.blame(path, commit, list(spans.values()) if commit else ())
        self._blames += 1
        for claim, (first, last) in spans.items():
            origins = {lines[number].commit: lines[number] for number in range(first, last + 1) if number in lines}
            if origins:
                yield claim, self._newest(list(origins.values()), claim)

    def _newest(self, origins: Sequence["Origin"], claim: Claim) -> "Origin":
        """Of the commits that wrote a claim's lines the one that made it whole: by what stood there, because a date is
        what somebody's clock said; by the date only to choose among several."""
        origins = sorted(origins, key=lambda one: (one.commit is None, one.time), reverse=True)
        if len(origins) == 1 or origins[0].commit is None:
            return origins[0]
        whole = (one for one in origins if self._says((one.commit, one.path), claim))
        return next(whole, origins[0])

    def _before(self, origin: "Origin", claim: Claim) -> tuple[_Place, tuple[int, int]] | None:
        """Where the claim stood before that commit, if it said the same then."""
        if origin.previous is None:
            return None
        span = self._says(origin.previous, claim)
        return (origin.previous, span) if span else None

    def _says(self, place: _Place, claim: Claim) -> tuple[int, int] | None:
        if place not in self._versions:
            self._versions[place] = self._version(*place)
        version = self._versions[place]
        return version.place_of(claim) if version else None

    def _version(self, commit: str | None, path: str) -> Document | None:
        try:
            blob = self._history.look(commit or "", path).blob
        except GitFailed:
            return None
        data = self._history.blob(blob, MAX_BYTES) if blob else None
        return None if data is None else Document(data.decode("utf-8", "surrogateescape"))
