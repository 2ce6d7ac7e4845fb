"""What builds closures from a plan and what they share while they run: the relations and the budget.

Closures, and not a walk over the nodes for each row: over 10,000 rows that is some four times quicker.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from memcli.query.place import Fault
from memcli.query.plan import Plan
from memcli.query.values import kind

Value = Callable[[object], object]  # row → value
Stream = Callable[[object], Iterator[object]]  # row → rows
Relations = Mapping[str, Callable[[], Iterable[Mapping[str, object]]]]

STEPS = 10_000_000  # a step is a node worked out, a field looked at …: about 0.2 µs, and memory of at most 64 bytes
ROW = 8  # steps for a new row, beside its fields
TEXT = 8  # two to this power characters of a text make a step
_LIGHT = frozenset((type(None), bool, int, float))


class Machine:
    """Makes closures of plan nodes with two tables: how to build a value, how to build a stream of rows.

    `shared` are the relations that a plan names more than once: they are read once and kept.
    """

    def __init__(
        self,
        values: Mapping[type, Callable[["Machine", Any], Value]],
        streams: Mapping[type, Callable[["Machine", Any], Stream]],
        relations: Relations,
        shared: frozenset[str] = frozenset(),
        steps: int = STEPS,
    ) -> None:
        self._values = values
        self._streams = streams
        self._relations = relations
        self._shared = shared
        self._read: dict[str, list[Mapping[str, object]]] = {}
        self._steps = self._left = steps

    def value(self, node: Plan) -> Value:
        """The closure that gives a node's value for a row; for a list operator that is a list."""
        build = self._values.get(type(node))
        if build:
            return build(self, node)
        rows = self.stream(node)
        return lambda element: list(rows(element))

    def stream(self, node: Plan) -> Stream:
        """The closure that gives a node's rows, one by one; nil has none. What is no list is a Fault."""
        build = self._streams.get(type(node))
        if build:
            return build(self, node)
        value = self.value(node)

        def rows(element: object) -> Iterator[object]:
            found = value(element)
            if found is not None and not isinstance(found, list | tuple):
                raise Fault(f"expected a list, not {kind(found)}", node.at)
            for row in found or ():
                self.spend(1)
                yield row

        return rows

    def scan(self, relation: str) -> Iterable[Mapping[str, object]]:
        """The rows of a relation; one that nobody provides here has none."""
        read = self._relations.get(relation, tuple)
        if relation not in self._shared:
            return read()
        if relation not in self._read:
            self._read[relation] = list(read())
        return self._read[relation]

    def spend(self, steps: int) -> None:
        """Take steps from the budget. Raises Fault when it is used up."""
        self._left -= steps
        if self._left < 0:
            raise Fault(f"too costly: it takes more than {self._steps:,} steps; filter before join, sort and map")

    def weigh(self, value: object) -> None:
        """Spend what it costs to go through a value. As it goes, since one list can stand in another many times."""
        if isinstance(value, str):
            self.spend(len(value) >> TEXT)
        elif isinstance(value, list | tuple):
            self._weigh_all(value)
        elif isinstance(value, Mapping):
            self._weigh_all(value.values())

    def _weigh_all(self, items: Collection[object]) -> None:
        self.spend(2 * len(items) + 1)
        for item in items:
            if type(item) not in _LIGHT and (type(item) is not str or len(item) >> TEXT):
                self.weigh(item)
