"""The syntax tree of a query: what was written, and where each part stands."""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from memcli.query.place import Span


class Literal(NamedTuple):
    """A text, number, true, false or nil; also a constant that was worked out."""

    value: object
    at: Span


class Name(NamedTuple):
    """A bare word: a relation."""

    name: str
    at: Span


class Element(NamedTuple):
    """`#`, the row that filter, map … look at; also what stands unwritten before the dot of `.field`."""

    at: Span


class Field(NamedTuple):
    """`.field`, or `of.field`."""

    of: "Node"
    name: str
    at: Span


class Index(NamedTuple):
    """`of[key]`: an item of a list, a field of an object."""

    of: "Node"
    key: "Node"
    at: Span


class Unary(NamedTuple):
    """`not operand`, `-operand`."""

    op: str
    operand: "Node"
    at: Span


class Binary(NamedTuple):
    """`left op right`, for all operators but and, or."""

    op: str
    left: "Node"
    right: "Node"
    at: Span


class Chain(NamedTuple):
    """`a and b and c …` or `a or b or c …`: flat, so that a long one is not deep."""

    op: str
    operands: tuple["Node", ...]
    at: Span


class Conditional(NamedTuple):
    """`test ? then : other`."""

    test: "Node"
    then: "Node"
    other: "Node"
    at: Span


class ListOf(NamedTuple):
    """`[item, …]`."""

    items: tuple["Node", ...]
    at: Span


class ObjectOf(NamedTuple):
    """`{name: value, …}`; names and values stand in the same order."""

    names: tuple[str, ...]
    values: tuple["Node", ...]
    at: Span


class Call(NamedTuple):
    """`name(argument, …)`; `name_at` is where the function's name stands."""

    name: str
    arguments: tuple["Node", ...]
    name_at: Span
    at: Span


Node: TypeAlias = (
    Literal | Name | Element | Field | Index | Unary | Binary | Chain | Conditional | ListOf | ObjectOf | Call
)
NODES = (Literal, Name, Element, Field, Index, Unary, Binary, Chain, Conditional, ListOf, ObjectOf, Call)


def children(node: Node) -> Iterator[Node]:
    """The nodes right below this one, in the order they were written."""
    for part in node:
        if isinstance(part, NODES):
            yield part
        elif isinstance(part, tuple):
            yield from (item for item in part if isinstance(item, NODES))
