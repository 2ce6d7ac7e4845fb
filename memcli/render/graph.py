"""The graph of references among the fragments of one block: order, ancestors, descendants.

Edges to fragments that are not in it, to oneself, and doubled ones do not count. Cycles are harmless.
"""

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

from memcli.model import TYPES, Fragment, View

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

        Only a parent that is also derived from its child, through a cycle, may stand below it.
        """
        order = self._sorted(self.parents)
        if len(order) < len(self.views):
            loop = self._loops()
            order = self._sorted({i: tuple(p for p in ps if loop[p] != loop[i]) for i, ps in self.parents.items()})
        return order

    def _sorted(self, parents: Mapping[str, tuple[str, ...]]) -> list[str]:
        """Kahn's algorithm over these edges; what is in a cycle or below one is missing."""
        waiting = {ident: len(above) for ident, above in parents.items()}
        free = [self._place(ident) for ident, count in waiting.items() if not count]
        heapify(free)
        order: list[str] = []
        while free:
            *_, ident = heappop(free)
            order.append(ident)
            for child in self.children[ident]:
                waiting[child] -= ident in parents[child]
                if not waiting[child] and ident in parents[child]:
                    heappush(free, self._place(child))
        return order

    def _loops(self) -> dict[str, str]:
        """A label for each id, the same for two that are derived from each other (Kosaraju's algorithm)."""
        labels: dict[str, str] = {}
        for root in reversed(self._finished()):
            stack = [root]
            while stack:
                ident = stack.pop()
                if ident not in labels:
                    labels[ident] = root
                    stack.extend(self.parents[ident])
        return labels

    def _finished(self) -> list[str]:
        """The ids in the order in which a depth-first walk over the children leaves them."""
        order: list[str] = []
        seen: set[str] = set()
        stack = [(ident, False) for ident in self.views]
        while stack:
            ident, left = stack.pop()
            if left:
                order.append(ident)
            elif ident not in seen:
                seen.add(ident)
                stack.append((ident, True))
                stack.extend((child, False) for child in self.children[ident])
        return order

    def _place(self, ident: str) -> tuple[int, int, str]:
        fragment = self.views[ident].fragment
        return rank(fragment.type), fragment.created, ident
