"""The functions a query can call. A new one is an entry here, and a plan node in `plan` if it makes rows."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from memcli.query import values
from memcli.query.place import Fault


class Function(NamedTuple):
    """How a function is called. `body` is the argument, counted from 0, that is worked out for each row of the first.

    `most` None is without bound: then all are lists. `texts` are arguments that must be written as texts, since columns
    hang on them; `lists` are those that must be lists.
    """

    usage: str
    least: int
    most: int | None
    body: int | None = None
    texts: tuple[int, ...] = ()
    lists: tuple[int, ...] = (0,)


FUNCTIONS: dict[str, Function] = {
    "filter": Function("filter(list, condition)", 2, 2, body=1),
    "map": Function("map(list, value)", 2, 2, body=1),
    "join": Function('join(left, right, "left field", "right field")', 4, 4, texts=(2, 3), lists=(0, 1)),
    "union": Function("union(list, list, …)", 2, None),
    "sort": Function('sort(list, value, "asc" or "desc")', 1, 3, body=1, texts=(2,)),
    "limit": Function("limit(list, number)", 2, 2),
    "unique": Function("unique(list)", 1, 1),
    "count": Function("count(list, condition)", 1, 2, body=1),
    "first": Function("first(list)", 1, 1),
    "last": Function("last(list)", 1, 1),
    "len": Function("len(text, list or object)", 1, 1, lists=()),
    "lower": Function("lower(text)", 1, 1, lists=()),
    "upper": Function("upper(text)", 1, 1, lists=()),
}
DIRECTIONS = ("asc", "desc")


def _length(value: object) -> object:
    if value is None:
        return 0
    if isinstance(value, str | list | tuple | dict):
        return len(value)
    raise Fault(f"len wants a text, a list or an object, not {values.kind(value)}")


def _on_text(name: str, change: Callable[[str], str]) -> Callable[[object], object]:
    def apply(value: object) -> object:
        if value is None:
            return None
        if isinstance(value, str):
            return change(value)
        raise Fault(f"{name} wants a text, not {values.kind(value)}")

    return apply


def _last(rows: Iterator[object]) -> object:
    found = None
    for row in rows:
        found = row
    return found


SCALARS: dict[str, Callable[[object], object]] = {
    "len": _length,
    "lower": _on_text("lower", str.lower),
    "upper": _on_text("upper", str.upper),
}
FOLDS: dict[str, Callable[[Iterator[object]], object]] = {
    "count": lambda rows: sum(1 for _ in rows),
    "first": lambda rows: next(rows, None),
    "last": _last,
}
