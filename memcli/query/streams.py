"""How each list operator of a plan becomes a closure: row → rows, one by one, each paid for."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

from memcli.query import plan
from memcli.query.machine import ROW, Machine, Stream
from memcli.query.place import Fault, Span
from memcli.query.scalars import condition
from memcli.query.values import as_row, cell, identity, kind


def _scan(machine: Machine, node: plan.Scan) -> Stream:
    def rows(element: object) -> Iterator[object]:
        for row in machine.scan(node.relation):
            machine.spend(1)
            yield row

    return rows


def _filter(machine: Machine, node: plan.Filter) -> Stream:
    source, test = machine.stream(node.source), machine.value(node.test)
    cost, at = plan.size(node.test), node.test.at

    def rows(element: object) -> Iterator[object]:
        for row in source(element):
            machine.spend(cost)
            if condition(test(row), at):
                yield row

    return rows


def _map(machine: Machine, node: plan.Map) -> Stream:
    source, body, cost = machine.stream(node.source), machine.value(node.body), plan.size(node.body)

    def rows(element: object) -> Iterator[object]:
        for row in source(element):
            machine.spend(cost)
            yield body(row)

    return rows


def _join(machine: Machine, node: plan.Join) -> Stream:
    left, right = machine.stream(node.left), machine.stream(node.right)

    def mark(row: object, field: str) -> Hashable:
        value = cell(row, field)
        machine.weigh(value)
        return identity(value)

    def rows(element: object) -> Iterator[object]:
        partners: dict[Hashable, list[object]] = {}
        for row in right(element):
            partners.setdefault(mark(row, node.right_field), []).append(row)
        partners.pop(None, None)
        left_names, right_names = _Prefixed("left_"), _Prefixed("right_")
        for row in left(element):
            for other in partners.get(mark(row, node.left_field), ()):
                mine, theirs = as_row(row), as_row(other)
                machine.spend(ROW + len(mine) + len(theirs))
                joined = {left_names[name]: value for name, value in mine.items()}
                joined.update({right_names[name]: value for name, value in theirs.items()})
                yield joined

    return rows


class _Prefixed(dict[str, str]):
    """Names with a prefix; each made once, since a join makes the same ones for every row."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self.prefix = prefix

    def __missing__(self, name: str) -> str:
        return self.setdefault(name, self.prefix + name)


def _union(machine: Machine, node: plan.Union) -> Stream:
    sources = [machine.stream(source) for source in node.sources]

    def rows(element: object) -> Iterator[object]:
        seen: set[Hashable] = set()
        for source in sources:
            for row in source(element):
                machine.weigh(row)
                mark = identity(row)
                if mark not in seen:
                    seen.add(mark)
                    yield row

    return rows


def _sort(machine: Machine, node: plan.Sort) -> Stream:
    source, by, cost = machine.stream(node.source), machine.value(node.by), 2 + plan.size(node.by)

    def rows(element: object) -> Iterator[object]:
        keyed: list[tuple[Any, object]] = []
        without: list[object] = []
        for row in source(element):
            machine.spend(cost)
            key = by(row)
            if key is None:
                without.append(row)
            else:
                keyed.append((key, row))
        _check_sortable({kind(key) for key, _ in keyed}, node.by.at)
        keyed.sort(key=lambda pair: pair[0], reverse=node.descending)
        yield from (row for _, row in keyed)
        yield from without

    return rows


def _check_sortable(kinds: set[str], at: Span) -> None:
    """Rows are sorted by texts, by numbers or by booleans, never by a mixture."""
    if len(kinds) > 1:
        raise Fault(f"can't order {' and '.join(sorted(kinds))}", at)
    if kinds - {"text", "number", "boolean"}:
        raise Fault(f"can't sort by {kinds.pop()}", at)


def _limit(machine: Machine, node: plan.Limit) -> Stream:
    source, size, at = machine.stream(node.source), machine.value(node.size), node.size.at

    def rows(element: object) -> Iterator[object]:
        most = size(element)
        if not isinstance(most, int) or isinstance(most, bool) or most < 0:
            raise Fault("limit wants a whole number from 0 up", at)
        if most:
            for count, row in enumerate(source(element), 1):
                yield row
                if count == most:
                    return

    return rows


BUILD: Mapping[type, Callable[[Machine, Any], Stream]] = {
    plan.Scan: _scan,
    plan.Filter: _filter,
    plan.Map: _map,
    plan.Join: _join,
    plan.Union: _union,
    plan.Sort: _sort,
    plan.Limit: _limit,
}
