"""A block under construction: what it holds, what it costs, and whether one more fragment fits.

The cost is kept as a sum over pieces (see `lines`). A fragment that comes in changes lines that are there already: its
children gain an edge, the later of two equal texts becomes `(same as K)`, the map counts it. So a fragment is put in,
the lines it touches are counted again, and it goes out again if the whole is over the budget.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

from memcli.model import View
from memcli.render import lines
from memcli.render.graph import Graph, rank, when
from memcli.render.ranking import Marks
from memcli.text import normal

# Every word of a text begins a token, and `k [t]:` has four, `(same as K)` five.
_LEAST_HEAD, _LEAST_SAME = 4, 9
_SHORTER_MAP = 2  # tokens that the map can lose when one more comes in (1000 left out, 999 left out)
# The last fragment to come in takes the note of those left out away, at most so many tokens.
_LEFT_OUT_NOTE = 12


class Form(NamedTuple):
    """What stands around the lines: pieces before and after, the mark that each line begins with, and whether the map
    tells ages (a file that is kept should not)."""

    opening: tuple[str, ...]
    mark: str = ""
    closing: tuple[str, ...] = ()
    ages: bool = True


class Asked(Protocol):
    """What a page asks of the options: see `render.Options`."""

    @property
    def now(self) -> int: ...
    @property
    def unseen(self) -> int: ...
    @property
    def proposals(self) -> int: ...
    @property
    def counted(self) -> Callable[[View], int | None] | None: ...


class Page:
    """The fragments chosen so far. `count` gives the tokens of a piece; `marked` are the ids that the map names."""

    def __init__(self, graph: Graph, marked: Marks, form: Form, asked: Asked, count: Callable[[str], int]) -> None:
        self.graph, self.marked, self.form, self.now = graph, marked, form, asked.now
        self._count, self._proposals, self._unseen = count, asked.proposals, asked.unseen
        # what was counted are lines without a mark
        self._counted = (not form.mark and asked.counted) or (lambda _: None)
        self._place = {ident: place for place, ident in enumerate(graph.order())}
        self._lines: dict[str, lines.Line] = {}
        self._names: dict[str, str] = {}
        self._costs: dict[str, int] = {}
        self._types: dict[str, int] = {}
        self._twins: dict[str, list[str]] = {}  # by the normal form of the text, the ids that are in
        self.wrapper = self._tokens([*form.opening, *form.closing])
        self.cost = self.wrapper + self._tokens(self._map())

    @property
    def shown(self) -> tuple[str, ...]:
        """The ids chosen, in the order of the block."""
        return tuple(sorted(self._costs, key=self._place.__getitem__))

    def offer(self, ident: str, budget: int) -> bool:
        """Put the fragment in if the whole block stays within `budget` tokens; says whether it did."""
        if not self._may_fit(ident, budget - self.cost):
            return False
        twins = self._twins.setdefault(normal(self.graph.views[ident].fragment.text), [])
        touched = [ident, *(child for child in self.graph.children[ident] if child in self._costs)]
        if twins and self._place[ident] < self._place[self._first(twins)]:
            touched += twins
        before = {known: self._costs.get(known) for known in touched}
        spent = self.cost
        self._put(ident, twins)
        self._recount(touched)
        if self.cost <= budget:
            return True
        self._take(ident, twins)
        self._costs.update({known: cost for known, cost in before.items() if cost is not None})
        self.cost = spent
        return False

    def _may_fit(self, ident: str, room: int) -> bool:
        """False where the line is too long by its words alone, or by the count it is known by: most of a large store is
        turned away without being put together."""
        if len(self._costs) + 1 == len(self._place):
            room += _LEFT_OUT_NOTE
        view = self.graph.views[ident]
        text = view.fragment.text
        if len(text.split()) + _LEAST_HEAD <= room:
            known = self._counted(view)
            if known is None or known <= room + _SHORTER_MAP:
                return True
        return room >= _LEAST_SAME and bool(self._twins.get(normal(text)))

    def text(self) -> str:
        """The block, every line ended."""
        rows = [self.form.opening, self._map(), *map(self._pieces, self.shown), self.form.closing]
        return "".join(piece for row in rows for piece in row)

    def _put(self, ident: str, twins: list[str]) -> None:
        kind = self.graph.views[ident].fragment.type
        self._types[kind] = self._types.get(kind, 0) + 1
        self._costs[ident] = 0
        twins.append(ident)

    def _take(self, ident: str, twins: list[str]) -> None:
        self._types[self.graph.views[ident].fragment.type] -= 1
        del self._costs[ident]
        twins.remove(ident)

    def _recount(self, touched: Iterable[str]) -> None:
        self._costs.update({ident: self._tokens(self._pieces(ident)) for ident in touched})
        self.cost = self.wrapper + sum(self._costs.values()) + self._tokens(self._map())

    def _tokens(self, pieces: Iterable[str]) -> int:
        return sum(map(self._count, pieces))

    def _line(self, ident: str) -> lines.Line:
        if ident not in self._lines:
            self._lines[ident] = lines.line(self.graph.views[ident], self.now, self.form.mark)
        return self._lines[ident]

    def _name(self, ident: str) -> str:
        if ident not in self._names:
            self._names[ident] = lines.name(self.graph.views[ident].fragment)
        return self._names[ident]

    def _first(self, idents: Iterable[str]) -> str:
        return min(idents, key=self._place.__getitem__)

    def _pieces(self, ident: str) -> list[str]:
        """A fragment's line beside the others that are in the block now."""
        own = self._line(ident)
        first = self._first(self._twins[normal(self.graph.views[ident].fragment.text)])
        body = [own.body] if first == ident else lines.same_as(self._name(first))
        parents = [self._name(parent) for parent in self.graph.parents[ident] if parent in self._costs]
        end = [lines.RESUME] if ident == self.marked.resume else []
        return lines.ended([own.head, *filter(None, body), *own.notes, *lines.derived(parents), *end])

    def _map(self) -> list[str]:
        """The line that says what the block holds, where to go on, what failed, and what is not in it."""
        kinds = sorted((kind for kind, number in self._types.items() if number), key=lambda kind: (rank(kind), kind))
        left = len(self._place) - len(self._costs) + self._unseen
        parts = [
            ", ".join(f"{self._types[kind]} {lines.word(kind)}" for kind in kinds),
            self._resume(),
            f"unresolved: {self._name(self.marked.error)}" if self.marked.error else "",
            f"{left} left out (mem list)" if left else "",
            f"{self._proposals} await approval" if self._proposals else "",
        ]
        return lines.sentence(f"{self.form.mark}map: {' | '.join(filter(None, parts))}")

    def _resume(self) -> str:
        if not self.marked.resume:
            return ""
        told = f"resume: {self._name(self.marked.resume)}"
        if self.form.ages:
            told += f" ({lines.age(self.now - when(self.graph.views[self.marked.resume].fragment))})"
        dependants = [self._name(ident) for ident in self.marked.dependants if ident in self._costs]
        if dependants and self.marked.more:
            dependants.append("…")
        return f"{told}, then {', '.join(dependants)}" if dependants else told
