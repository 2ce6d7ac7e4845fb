"""The graph of references among the fragments of one block: order, ancestors, descendants.

Edges to fragments that are not in it, to oneself, and doubled ones do not count. Cycles are harmless.
"""

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

from memcli.model import TYPES, Fragment, View

CHAIN = TYPES[:6]  # prompt → purpose → progress → tool_result → result → status

_RANK = {name: rank for rank, name in enumerate(TYPES)}


def when(fragment: Fragment) -> int:
    """The time that a fragment's age counts from: when it was last written, in ms."""
    return fragment.updated or fragment.created


def rank(kind: str) -> int:
    """The place of a type in the chain's order; unknown ones (of a later version) come last."""
    return _RANK.get(kind, len(TYPES))


class Graph:
    """The views by id, with the edges between them in both directions (id → ids, in the order given)."""

    def __init__(self, views: Sequence[View]) -> None:
        self.views = {view.fragment.id: view for view in views}
        self.parents: dict[str, tuple[str, ...]] = {}
        self.children: dict[str, list[str]] = {ident: [] for ident in self.views}
        for ident, view in self.views.items():
            parents = dict.fromkeys(view.fragment.parents)
            self.parents[ident] = tuple(p for p in parents if p in self.views and p != ident)
            for parent in self.parents[ident]:
                self.children[parent].append(ident)

    def ancestors(self, ident: str) -> list[str]:
        """What a fragment is derived from, the nearest first, without itself."""
        return self._reach(ident, self.parents)

    def descendants(self, ident: str) -> list[str]:
        """What is derived from a fragment, the nearest first, without itself."""
        return self._reach(ident, self.children)

    def _reach(self, start: str, edges: dict[str, tuple[str, ...]] | dict[str, list[str]]) -> list[str]:
        seen, front = {start: None}, [start]
        while front:
            found = {ident for known in front for ident in edges[known] if ident not in seen}
            front = sorted(found, key=lambda ident: (-when(self.views[ident].fragment), ident))
            seen.update(dict.fromkeys(front))
        return list(seen)[1:]

    def order(self) -> list[str]:
        """All ids, parents before children; among those free to come next by type (the chain's order), age and id.

        Kahn's algorithm; where only cycles are left, the first by that same rule is taken as if it were free.
        """
        waiting = {ident: len(parents) for ident, parents in self.parents.items()}
        free = [self._place(ident) for ident, count in waiting.items() if not count]
        heapify(free)
        spare = iter(sorted(map(self._place, waiting)))
        order: list[str] = []
        while waiting:
            ident = heappop(free)[-1] if free else next(spare)[-1]
            if waiting.pop(ident, None) is None:
                continue
            order.append(ident)
            self._release(self.children[ident], waiting, free)
        return order

    def _release(self, children: Iterable[str], waiting: dict[str, int], free: list[tuple[int, int, str]]) -> None:
        for child in children:
            if child in waiting:
                waiting[child] -= 1
                if not waiting[child]:
                    heappush(free, self._place(child))

    def _place(self, ident: str) -> tuple[int, int, str]:
        fragment = self.views[ident].fragment
        return rank(fragment.type), fragment.created, ident
