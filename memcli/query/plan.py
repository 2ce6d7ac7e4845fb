"""Syntax tree → plan: what is to be done, with the calls turned into operators on lists of rows.

The scalar nodes of the tree stay as they are; only calls and names become nodes of their own. A plan is only made of a
tree that `check` has passed.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias, TypeVar

from memcli.query import tree
from memcli.query.functions import DIRECTIONS, FOLDS
from memcli.query.place import Span


class Scan(NamedTuple):
    """The rows of a relation."""

    relation: str
    at: Span


class Filter(NamedTuple):
    """The rows of `source` for which `test` holds."""

    source: "Plan"
    test: "Plan"
    at: Span


class Map(NamedTuple):
    """`body` worked out for each row of `source`."""

    source: "Plan"
    body: "Plan"
    at: Span


class Join(NamedTuple):
    """Pairs of rows with equal fields, in the order of the left side; a missing field equals nothing here."""

    left: "Plan"
    right: "Plan"
    left_field: str
    right_field: str
    at: Span


class Union(NamedTuple):
    """The distinct rows of all sources, in their order; with a single source, its distinct rows."""

    sources: tuple["Plan", ...]
    at: Span


class Sort(NamedTuple):
    """The rows of `source` by `by`, equal ones in their order, rows without a value last."""

    source: "Plan"
    by: "Plan"
    descending: bool
    at: Span


class Limit(NamedTuple):
    """The first `size` rows."""

    source: "Plan"
    size: "Plan"
    at: Span


class Fold(NamedTuple):
    """One value from the rows of `source`, by a function of `functions.FOLDS`."""

    name: str
    source: "Plan"
    at: Span


class Apply(NamedTuple):
    """A function of `functions.SCALARS`, applied to a value."""

    name: str
    value: "Plan"
    at: Span


class Once(NamedTuple):
    """A list or Fold that hangs on no row outside it: worked out when first used, then kept. `simplify` makes these."""

    source: "Plan"
    at: Span


Scalar: TypeAlias = (
    tree.Literal
    | tree.Element
    | tree.Field
    | tree.Index
    | tree.Unary
    | tree.Binary
    | tree.Chain
    | tree.Conditional
    | tree.ListOf
    | tree.ObjectOf
)
Operator: TypeAlias = Scan | Filter | Map | Join | Union | Sort | Limit | Fold | Apply | Once
Plan: TypeAlias = Any  # Operator | Scalar with Plans below: the tree's own types say Node there
OPERATORS = (Scan, Filter, Map, Join, Union, Sort, Limit, Fold, Apply, Once)
BODIES = {Filter: "test", Map: "body", Sort: "by"}  # the part that sees each row of the source as its element

T = TypeVar("T")


def plan(node: tree.Node) -> Plan:
    """The plan of a checked tree."""
    match node:
        case tree.Name(name, at):
            return Scan(name, at)
        case tree.Call():
            return _CALLS[node.name](node, [plan(argument) for argument in node.arguments])
    return rebuild(node, plan)


def rebuild(node: T, change: Callable[[Plan], Plan]) -> T:
    """The node with `change` applied to each node right below it."""
    parts = []
    for part in node:  # type: ignore[attr-defined]  # every node is a NamedTuple
        if is_node(part):
            part = change(part)
        elif isinstance(part, tuple) and part and is_node(part[0]):
            part = tuple(change(item) for item in part)
        parts.append(part)
    return type(node)(*parts)


def below(node: Plan) -> Iterator[Plan]:
    """The nodes right below this one."""
    for part in node:
        if is_node(part):
            yield part
        elif isinstance(part, tuple) and part and is_node(part[0]):
            yield from part


def is_node(part: object) -> bool:
    """True for a node of a plan or a tree; spans and literal values are none."""
    return isinstance(part, OPERATORS + tree.NODES)


def is_list(node: Plan) -> bool:
    """True for a node that always gives a list of rows."""
    return isinstance(node, Scan | Filter | Map | Join | Union | Sort | Limit)


def size(node: Plan) -> int:
    """The number of nodes of a plan: what it costs at most to work it out once, lists inside it aside."""
    return 1 + sum(size(part) for part in below(node))


def _sort(call: tree.Call, parts: list[Plan]) -> Plan:
    source, *rest = parts
    descending = bool(rest) and rest[-1].value == "desc" if _is_direction(rest) else False
    keys = rest[:-1] if _is_direction(rest) else rest
    return Sort(source, keys[0] if keys else tree.Element(call.at), descending, call.at)


def _is_direction(rest: list[Plan]) -> bool:
    return bool(rest) and isinstance(rest[-1], tree.Literal) and rest[-1].value in DIRECTIONS


def _fold(call: tree.Call, parts: list[Plan]) -> Plan:
    source = parts[0] if len(parts) == 1 else Filter(parts[0], parts[1], call.at)
    return Fold(call.name, source, call.at)


_CALLS: dict[str, Callable[[tree.Call, list[Plan]], Plan]] = {
    "filter": lambda call, parts: Filter(parts[0], parts[1], call.at),
    "map": lambda call, parts: Map(parts[0], parts[1], call.at),
    "join": lambda call, parts: Join(parts[0], parts[1], parts[2].value, parts[3].value, call.at),
    "union": lambda call, parts: Union(tuple(parts), call.at),
    "unique": lambda call, parts: Union(tuple(parts), call.at),
    "sort": _sort,
    "limit": lambda call, parts: Limit(parts[0], parts[1], call.at),
    "len": lambda call, parts: Apply(call.name, parts[0], call.at),
    "lower": lambda call, parts: Apply(call.name, parts[0], call.at),
    "upper": lambda call, parts: Apply(call.name, parts[0], call.at),
    **dict.fromkeys(FOLDS, _fold),
}
