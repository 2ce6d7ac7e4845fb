"""What a fragment is derived from and what is derived from it, some steps far: `mem show --graph`."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from memcli import read
from memcli.context import Context
from memcli.model import Fragment, View
from memcli.shortlist import children

DEPTH = 3  # steps from the fragment, in both directions
MOST = 12  # children of one fragment, the last written first


class Neighbourhood(NamedTuple):
    """A fragment (`root`, an id) among its relatives.

    `views`: all of them by id, whatever their state. `parents` and `children`: id → ids, for those whose relatives were
    looked at; a parent that is in no store here has no view. `more`: id → how many children were passed over.
    """

    root: str
    views: dict[str, View]
    parents: dict[str, tuple[str, ...]]
    children: dict[str, tuple[str, ...]]
    more: dict[str, int]

    def edges(self) -> list[tuple[str, str]]:
        """Every reference once: (parent, child)."""
        up = [(parent, child) for child, parents in self.parents.items() for parent in parents]
        down = [(parent, child) for parent, children in self.children.items() for child in children]
        return list(dict.fromkeys((*up, *down)))

    def missing(self) -> list[str]:
        """The ids that are referred to and are in no store here."""
        return list(dict.fromkeys(parent for parent, _ in self.edges() if parent not in self.views))


def around(ctx: Context, fragment: Fragment) -> Neighbourhood:
    """The neighbourhood of a fragment, in all scopes that this context sees. Cycles end, ids of nothing are kept."""
    more: dict[str, int] = {}

    def above(one: Fragment) -> tuple[tuple[str, ...], list[Fragment]]:
        idents = tuple(dict.fromkeys(one.parents))
        return idents, list(_by_id(ctx, idents))

    def below(one: Fragment) -> tuple[tuple[str, ...], list[Fragment]]:
        born = [child for shelf in ctx.shelves.values() for child in children(shelf, one.id)]
        more[one.id] = max(0, len(born) - MOST)
        return tuple(child.id for child in born[:MOST]), born[:MOST]

    up, ancestors = _walk(fragment, above)
    down, descendants = _walk(fragment, below)
    views = {ident: read.view(ctx, one) for ident, one in (ancestors | descendants).items()}
    return Neighbourhood(fragment.id, views, up, down, more)


def _walk(
    start: Fragment, step: Callable[[Fragment], tuple[tuple[str, ...], list[Fragment]]]
) -> tuple[dict[str, tuple[str, ...]], dict[str, Fragment]]:
    """`DEPTH` steps from a fragment in one direction: the ids that each leads to, and the fragments that were met."""
    edges: dict[str, tuple[str, ...]] = {}
    met, front = {start.id: start}, [start]
    for _ in range(DEPTH):
        reached: dict[str, Fragment] = {}
        for one in front:
            edges[one.id], next_ones = step(one)
            reached.update((other.id, other) for other in next_ones if other.id not in met)
        met.update(reached)
        front = list(reached.values())
    return edges, met


def _by_id(ctx: Context, idents: Iterable[str]) -> Iterator[Fragment]:
    for ident in idents:
        yield from islice((f for shelf in ctx.shelves.values() for f in shelf.reader.fragments([ident])), 1)
