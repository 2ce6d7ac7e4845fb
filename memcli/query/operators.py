"""The operators: how tightly each binds and what it does.

Precedences follow expr-lang, except that `not` takes a whole comparison: `not .key == "a"` is what a reader expects.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from memcli.query import values
from memcli.query.place import Fault

CONDITIONAL = 0  # test ? then : other binds loosest
NOT = 18
TIGHT = 90  # the operand of - and !

Apply = Callable[[object, object], object]


class Operator(NamedTuple):
    """A binary operator. `apply` is None where the right side is not always worked out, or has a machine of its own."""

    precedence: int
    apply: Apply | None = None


def _arithmetic(word: str, compute: Callable[[int | float, int | float], int | float]) -> Apply:
    def apply(left: object, right: object) -> object:
        if values.is_number(left) and values.is_number(right):
            return values.number(compute(values.number(left), values.number(right)))
        raise Fault(f"can't {word} {values.kind(left)} and {values.kind(right)}")

    return apply


def _nonzero(compute: Callable[[int | float, int | float], int | float]) -> Callable[..., int | float]:
    def checked(left: int | float, right: int | float) -> int | float:
        if right == 0:
            raise Fault("division by zero")
        return compute(left, right)

    return checked


_sum = _arithmetic("add", lambda left, right: left + right)


def _add(left: object, right: object) -> object:
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    return _sum(left, right)


def _ordering(compare: Callable[[object, object], bool]) -> Apply:
    def apply(left: object, right: object) -> object:
        return left is not None and right is not None and compare(left, right)

    return apply


def within(left: object, right: object) -> object:
    """left in right: an item of a list, or a field of an object."""
    if right is None:
        return False
    if isinstance(right, list | tuple):
        return any(values.equal(left, item) for item in right)
    if isinstance(right, Mapping):
        return isinstance(left, str) and left in right
    raise Fault(f"in wants a list or an object on its right, not {values.kind(right)}; for a part of a text, contains")


def _contains(left: object, right: object) -> object:
    """left contains right: a part of a text, or an item of a list."""
    if isinstance(left, list | tuple):
        return within(right, left)
    return _texts("contains", lambda text, part: part in text)(left, right)


def _texts(name: str, test: Callable[[str, str], bool]) -> Apply:
    def apply(left: object, right: object) -> object:
        if isinstance(left, str) and isinstance(right, str):
            return test(left, right)
        if left is None or right is None:
            return False
        raise Fault(f"{name} wants texts, not {values.kind(left)} and {values.kind(right)}")

    return apply


BINARY: dict[str, Operator] = {
    "or": Operator(10),
    "and": Operator(15),
    "==": Operator(20, values.equal),
    "!=": Operator(20, lambda left, right: not values.equal(left, right)),
    "<": Operator(20, _ordering(values.less)),
    ">": Operator(20, _ordering(lambda left, right: values.less(right, left))),
    "<=": Operator(20, _ordering(lambda left, right: not values.less(right, left))),
    ">=": Operator(20, _ordering(lambda left, right: not values.less(left, right))),
    "in": Operator(20, within),
    "contains": Operator(20, _contains),
    "startsWith": Operator(20, _texts("startsWith", str.startswith)),
    "endsWith": Operator(20, _texts("endsWith", str.endswith)),
    "matches": Operator(20),
    "+": Operator(30, _add),
    "-": Operator(30, _arithmetic("subtract", lambda left, right: left - right)),
    "*": Operator(60, _arithmetic("multiply", lambda left, right: left * right)),
    "/": Operator(60, _arithmetic("divide", _nonzero(lambda left, right: left / right))),
    "%": Operator(60, _arithmetic("divide", _nonzero(values.remainder))),
    "??": Operator(500),
}
SPELLINGS = {"&&": "and", "||": "or", "!": "not"}
WORDS = frozenset(name for name in BINARY if name.isalpha())
NEGATABLE = WORDS - {"and", "or"}  # `not in`, `not contains` …


def negate(value: object) -> object:
    """-value. Raises Fault for what is no number."""
    if values.is_number(value):
        return values.number(-value)
    raise Fault(f"can't negate {values.kind(value)}")
