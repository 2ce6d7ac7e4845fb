"""The shortlist: the fragments that a block can be made of, found without reading all that there are.

A store may hold many thousands while a block shows some dozens. So what a block asks for is looked up where the store
keeps it by type, by word, by path, by time; what is looked at is checked against the tree, and the next one takes the
place of what fell (law 9). How much is looked at depends on the budget alone: the answer is the same whether a sweep
came before or not.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from heapq import merge
from itertools import islice
from typing import NamedTuple

from memcli import read, scopes
from memcli.context import Context, Shelf
from memcli.kinds import RESUMABLE
from memcli.labels import labelled
from memcli.model import Fragment, View
from memcli.render import DEPENDANTS, finished, handled, when
from memcli.text import fold
from memcli.vocabulary import LABEL, storable

# What is looked at would fill the budget so many times: enough for confidence to choose among.
SPREAD = 4
# Every word of a text is a token or more, and every line has so many beside.
_LINE = 4
# Unfinished work and unresolved errors are looked for among so many of the newest of their type.
LOOK_BACK = 1000
_BATCH = 50  # fragments that are checked together: one pass over the tree serves them all
_NEWEST = 64  # of what depends on one fragment, so many are looked at


Fits = dict[int, tuple[bool, float]]  # document → whether its key fits, score


class Shortlist(NamedTuple):
    """`views` may be shown; `hidden` were looked at too, and are below the minimum; `unseen` were not looked at.

    `relevance`: of those that fit the prompt, id → (whether the key does, score).
    """

    views: tuple[View, ...]
    hidden: tuple[View, ...]
    relevance: Mapping[str, tuple[bool, float]]
    unseen: int


def shortlist(ctx: Context, budget: int, prompt: str = "", path: str | None = None) -> Shortlist:
    """What a block of this budget (tokens) is chosen from, for a prompt and a path in focus."""
    desk = _Desk(ctx, budget)
    desk.look_for_work()
    if path is not None:
        desk.look_under(path)
    fits = desk.look_for_words(prompt) if prompt else {}
    desk.look_at_newest()
    relevance = {ident: fit for ident in desk.views if (fit := desk.fit_of(ident, fits))}
    return Shortlist(
        tuple(labelled(ctx, list(desk.views.values()))), tuple(desk.hidden.values()), relevance, desk.unseen()
    )


def children(shelf: Shelf, ident: str) -> Iterator[Fragment]:
    """What is derived from a fragment, in one store, the last written first."""
    for number, _, _ in reversed([*shelf.reader.postings(storable(LABEL + fold(ident)))]):
        child = shelf.reader.fragment(shelf.reader.id_of(number) or "")
        if child is not None and ident in child.parents:
            yield child


class _Desk:
    """What was looked at so far: each fragment once, visible or hidden."""

    def __init__(self, ctx: Context, budget: int) -> None:
        self.ctx, self.budget, self.room = ctx, budget, SPREAD * budget
        self.shelves = tuple(ctx.shelves.values())
        self.viewer = read.viewer_of(ctx, read.Filter())
        self.views: dict[str, View] = {}
        self.hidden: dict[str, View] = {}

    def look_at(self, fragments: Iterable[Fragment]) -> list[View]:
        """The visible ones of these, in their order, checked against the tree."""
        readable = {f.id: f for f in fragments if scopes.readable(f, self.viewer)}
        by_shelf: dict[str, list[Fragment]] = {}
        for ident, fragment in readable.items():
            if ident not in self.views and ident not in self.hidden:
                by_shelf.setdefault("user" if fragment.scope == "user" else "workspace", []).append(fragment)
        for name, new in by_shelf.items():
            for fragment, found in zip(new, self.ctx.shelves[name].checker.assess_all(new), strict=True):
                lent = (scopes.EARLIER,) if fragment.id in self.viewer.lent else ()
                shown = scopes.confident(fragment, found.confidence, self.viewer)
                (self.views if shown else self.hidden)[fragment.id] = View(fragment, found, notes=lent)
        return [self.views[ident] for ident in readable if ident in self.views]

    def look_until_full(self, fragments: Iterator[Fragment], room: int) -> int:
        """Look at these in their order until those that may be shown take so many tokens; gives how many are left."""
        while room > 0 and (batch := list(islice(fragments, _BATCH))):
            for view in self.look_at(batch):
                least = len(view.text.split()) + _LINE
                room -= least if least <= self.budget else 0  # what can't fit takes no one's place
        return room

    def look_for_work(self) -> None:
        """The newest unfinished work, what it is derived from, what depends on it; the newest unresolved error."""
        work = [found for kind in sorted(RESUMABLE) for found in self._newest_open(kind)]
        for fragment in sorted(work, key=lambda f: (-when(f), f.id))[:1]:
            self.look_until_full(self._ancestors(fragment), self.room)
            self._look_at_dependants(fragment)
        for _ in self._newest_open("error"):
            pass

    def look_for_words(self, prompt: str) -> dict[str, Fits]:
        """What shares words with the prompt, best first, which leaves less room for the newest; scope → how well each
        document fits."""
        from memcli import rank

        fits = {name: rank.fitting(prompt, shelf.reader) for name, shelf in self.ctx.shelves.items()}
        best = sorted(
            (not key, -score, -doc, name) for name, docs in fits.items() for doc, (key, score) in docs.items()
        )
        readers = {name: shelf.reader for name, shelf in self.ctx.shelves.items()}
        idents = ((readers[name], readers[name].id_of(-doc)) for _, _, doc, name in sorted(best))
        fragments = (fragment for reader, ident in idents for fragment in reader.fragments(filter(None, [ident])))
        self.room = self.look_until_full(fragments, self.room)
        return fits

    def fit_of(self, ident: str, fits: Mapping[str, Fits]) -> tuple[bool, float] | None:
        """How well a visible fragment fits the prompt; None when it does not."""
        name = "user" if self.views[ident].fragment.scope == "user" else "workspace"
        document = self.ctx.shelves[name].reader.document_of(ident) if name in fits else None
        return fits[name].get(document) if document is not None else None

    def look_under(self, path: str) -> None:
        """What is about a path or what lies below it, where that is now."""
        folder = path.rstrip("/") or "."
        for shelf in self.shelves:
            known = list(shelf.reader.anchored_paths())
            inside = [place for place in known if read.under(place, [folder])]
            left = set(known).difference(inside)
            entries = self.ctx.tree.entries(left) if self.ctx.tree else {}
            moved = [place for place in left if place in entries and entries[place].kind == "missing"]
            idents = {ident for place in (*inside, *moved) for ident in shelf.reader.at_path(place)}
            newest = sorted(shelf.reader.fragments(idents), key=lambda f: (-when(f), f.id))
            self.look_until_full(iter(newest), self.room)

    def look_at_newest(self) -> None:
        """The newest of all."""
        self.look_until_full(self._newest("active"), self.room)

    def unseen(self) -> int:
        """How many more may be read, as far as that can be told without looking at them."""
        known = self.views.keys() | self.hidden.keys()
        foreign = {
            fragment.id
            for shelf in self.shelves
            for fragment in shelf.reader.fragments(shelf.reader.in_sessions())
            if fragment.state == "active" and not scopes.readable(fragment, self.viewer)
        }
        damaged = sum(len(shelf.reader.damaged) for shelf in self.shelves)
        active = sum(shelf.reader.count("active") for shelf in self.shelves)
        return max(0, active - len(known) - len(foreign) - damaged)

    def _newest(self, state: str) -> Iterator[Fragment]:
        """The fragments of a state (and type) in all stores, newest first."""
        streams = [shelf.reader.fragments(shelf.reader.newest(state)) for shelf in self.shelves]
        return streams[0] if len(streams) == 1 else merge(*streams, key=lambda f: (-when(f), f.id))

    def _newest_open(self, kind: str) -> Iterator[Fragment]:
        """The newest fragment of a type that is neither finished nor handled, if there is one."""
        over = handled if kind == "error" else finished
        for fragment in islice(self._newest(f"active:{kind}"), LOOK_BACK):
            if not over(fragment.text) and self.look_at([fragment]):
                yield fragment
                return

    def _ancestors(self, fragment: Fragment) -> Iterator[Fragment]:
        """What a fragment is derived from, the nearest first; through what is hidden no way leads."""
        seen, front = {fragment.id}, [fragment]
        while front:
            parents = {ident: None for one in front for ident in one.parents if ident not in seen}
            seen.update(parents)
            front = [view.fragment for view in self.look_at(self._fragments(parents))]
            yield from front

    def _look_at_dependants(self, fragment: Fragment) -> None:
        """The nearest and newest of what is derived from a fragment: those that the map names, and one more."""
        seen, front, found = {fragment.id}, [fragment], 0
        while front and found <= DEPENDANTS:
            below = [
                child for one in front for shelf in self.shelves for child in islice(children(shelf, one.id), _NEWEST)
            ]
            front = [view.fragment for view in self.look_at(one for one in below if one.id not in seen)]
            seen.update(one.id for one in front)
            found += len(front)

    def _fragments(self, idents: Collection[str]) -> Iterator[Fragment]:
        for ident in idents:
            yield from islice((f for shelf in self.shelves for f in shelf.reader.fragments([ident])), 1)
