"""What the values of a query are and how they compare, add up and are looked into.

A value is nil (None), a boolean, a number (int or float), a text, a list (list or tuple) or an object (mapping with
text keys). Nothing else of Python shows: a field is a key of a mapping, never an attribute.
"""

import math
from collections.abc import Hashable, Mapping
from typing import TypeGuard

from memcli.query.place import Fault

MAX_INTEGER = 2**63 - 1  # whole numbers stay within 64 bits, as in expr-lang, so that none grows without bound

_PLAIN = frozenset((type(None), str, int, float))  # these are their own identity; asked first, since most are such
_KINDS = {
    type(None): "nil",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "text",
    list: "list",
    tuple: "list",
    dict: "object",
}


def kind(value: object) -> str:
    """The word for what a value is: nil, boolean, number, text, list, object."""
    known = _KINDS.get(type(value))
    return known or ("object" if isinstance(value, Mapping) else "list" if isinstance(value, tuple) else "value")


def is_number(value: object) -> TypeGuard[int | float]:
    """True for an int or a float; a boolean is no number here."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def identity(value: object) -> Hashable:
    """A hashable stand-in: two values are equal exactly if theirs are. 1 equals 1.0, but true is not 1."""
    if value is None or isinstance(value, str | float):
        return value
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, list | tuple):
        return ("list", *[identity(item) for item in value])
    if isinstance(value, Mapping):
        return frozenset([(name, item if type(item) in _PLAIN else identity(item)) for name, item in value.items()])
    return value if isinstance(value, Hashable) else id(value)


def equal(left: object, right: object) -> bool:
    """Equality of values. Values of different kinds are not equal, and that is no mistake."""
    if type(left) is type(right) and isinstance(left, str | int | float | None):
        return left == right
    return identity(left) == identity(right)


def less(left: object, right: object) -> bool:
    """left < right, for two texts or two numbers. Raises Fault for other kinds; nil must not come here."""
    if isinstance(left, str) and isinstance(right, str):
        return left < right
    if is_number(left) and is_number(right):
        return left < right
    raise Fault(f"can't order {kind(left)} and {kind(right)}")


def truth(value: object) -> bool:
    """A condition's outcome; nil counts as false. Raises Fault for what is no boolean."""
    if value is True or value is False:
        return value
    if value is None:
        return False
    raise Fault(f"expected true or false, not {kind(value)}")


def member(value: object, name: object) -> object:
    """`value.name` or `value[name]`: nil where there is none. Raises Fault where there can't be one."""
    if value is None:
        return None
    if isinstance(value, Mapping) and isinstance(name, str):
        return value.get(name)
    if isinstance(value, list | tuple) and isinstance(name, int) and not isinstance(name, bool):
        return value[name] if -len(value) <= name < len(value) else None
    if isinstance(name, str):
        raise Fault(f"{kind(value)} has no fields, so no {name}")
    raise Fault(f"can't look up {kind(name)} in {kind(value)}")


def cell(row: object, name: str) -> object:
    """A field of a row. A row that is no object, such as one of map(memory, .key), has the one field `value`."""
    if name == "value" and not isinstance(row, Mapping):
        return row
    return member(row, name)


def as_row(value: object) -> Mapping[str, object]:
    """A value as a row of a result."""
    return value if isinstance(value, Mapping) else {"value": value}


def number(value: int | float) -> int | float:
    """A number that arithmetic takes or gave, if it is within bounds. Raises Fault otherwise."""
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise Fault("the number is too large: whole numbers end at 9223372036854775807")
    elif not math.isfinite(value):
        raise Fault("the number is too large")
    return value


def remainder(left: int | float, right: int | float) -> int | float:
    """left % right with the sign of left, as in expr-lang."""
    if isinstance(left, int) and isinstance(right, int):
        rest = abs(left) % abs(right)
        return -rest if left < 0 else rest
    return math.fmod(left, right)
