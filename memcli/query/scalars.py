"""How each scalar node of a plan becomes a closure: row → value."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from memcli.query import plan, tree
from memcli.query.automaton import Automaton
from memcli.query.functions import FOLDS, SCALARS
from memcli.query.machine import ROW, Machine, Value
from memcli.query.operators import BINARY, negate, within
from memcli.query.place import Fault, Span
from memcli.query.values import cell, identity, kind, member, truth

MAX_PATTERNS = 100  # patterns that come from rows and are kept compiled
COMPILE = 50  # steps for a part of a pattern that is compiled
_LIGHT = frozenset(("<", "<=", ">", ">=", "-", "*", "/", "%"))  # their time hangs on no operand's length


def condition(value: object, at: Span) -> bool:
    """A condition's outcome. Raises Fault at the condition's place for what is no boolean."""
    if value is True or value is False:
        return value
    return bool(_placed(at, truth, value))


def _placed(at: Span, compute: Callable[..., object], *operands: object) -> object:
    try:
        return compute(*operands)
    except Fault as fault:
        raise fault.placed(at) from None


def _literal(machine: Machine, node: tree.Literal) -> Value:
    value = node.value
    return lambda element: value


def _element(machine: Machine, node: tree.Element) -> Value:
    return lambda element: element


def _field(machine: Machine, node: tree.Field) -> Value:
    name, at = node.name, node.at
    if not isinstance(node.of, tree.Element):
        of = machine.value(node.of)
        return lambda element: _placed(at, member, of(element), name)

    def value(element: object) -> object:
        return element.get(name) if type(element) is dict else _placed(at, cell, element, name)

    return value


def _index(machine: Machine, node: tree.Index) -> Value:
    of, key, at = machine.value(node.of), machine.value(node.key), node.at
    return lambda element: _placed(at, member, of(element), key(element))


def _unary(machine: Machine, node: tree.Unary) -> Value:
    operand, at = machine.value(node.operand), node.operand.at
    if node.op == "not":
        return lambda element: not condition(operand(element), at)
    return lambda element: _placed(at, negate, operand(element))


def _binary(machine: Machine, node: tree.Binary) -> Value:
    if node.op == "??":
        return _otherwise(machine, node)
    if node.op == "matches":
        return _matches(machine, node)
    if node.op == "in":
        return _within(machine, node)
    left, right, at = machine.value(node.left), machine.value(node.right), node.at
    apply = BINARY[node.op].apply
    assert apply is not None, node.op  # the two without stand above
    if node.op in _LIGHT:
        return lambda element: _placed(at, apply, left(element), right(element))

    def value(element: object) -> object:
        first, second = left(element), right(element)
        machine.weigh(first)
        machine.weigh(second)
        found = _placed(at, apply, first, second)
        machine.weigh(found)
        return found

    return value


def _otherwise(machine: Machine, node: tree.Binary) -> Value:
    left, right = machine.value(node.left), machine.value(node.right)

    def value(element: object) -> object:
        found = left(element)
        return right(element) if found is None else found

    return value


def _within(machine: Machine, node: tree.Binary) -> Value:
    """`left in right`: a look-up in a set that is kept as long as the list on the right is the same for each row."""
    left, right, at = machine.value(node.left), machine.value(node.right), node.at
    last: list[object] | tuple[object, ...] = ()
    known: frozenset[Hashable] = frozenset()

    def value(element: object) -> object:
        nonlocal last, known
        item, found = left(element), right(element)
        machine.weigh(item)
        if not isinstance(found, list | tuple):
            return _placed(at, within, item, found)
        if found is not last:
            machine.weigh(found)
            last, known = found, frozenset(map(identity, found))
        return identity(item) in known

    return value


def _matches(machine: Machine, node: tree.Binary) -> Value:
    left, right = machine.value(node.left), machine.value(node.right)
    known: dict[str, Automaton] = {}

    def compiled(pattern: str) -> Automaton:
        if pattern not in known:
            if len(known) >= MAX_PATTERNS:
                known.clear()
            known[pattern] = Automaton(pattern)
            machine.spend(COMPILE * known[pattern].emitted)
        return known[pattern]

    def search(text: object, pattern: object) -> object:
        if text is None or pattern is None:
            return False
        if not isinstance(text, str) or not isinstance(pattern, str):
            raise Fault(f"matches wants texts, not {kind(text)} and {kind(pattern)}")
        return compiled(pattern).search(text, machine.spend)

    return lambda element: _placed(node.at, search, left(element), right(element))


def _chain(machine: Machine, node: tree.Chain) -> Value:
    """and, or: from left to right, and no further than needed."""
    operands = [(machine.value(operand), operand.at) for operand in node.operands]
    settled = node.op == "or"

    def value(element: object) -> object:
        for operand, at in operands:
            if condition(operand(element), at) is settled:
                return settled
        return not settled

    return value


def _conditional(machine: Machine, node: tree.Conditional) -> Value:
    test, then, other = machine.value(node.test), machine.value(node.then), machine.value(node.other)
    at = node.test.at
    return lambda element: then(element) if condition(test(element), at) else other(element)


def _list(machine: Machine, node: tree.ListOf) -> Value:
    items = [machine.value(item) for item in node.items]

    def value(element: object) -> object:
        found = [item(element) for item in items]
        machine.weigh(found)
        return found

    return value


def _object(machine: Machine, node: tree.ObjectOf) -> Value:
    fields = [(name, machine.value(part)) for name, part in zip(node.names, node.values, strict=True)]

    def value(element: object) -> object:
        found = {name: part(element) for name, part in fields}
        machine.spend(ROW)
        machine.weigh(found)
        return found

    return value


def _apply(machine: Machine, node: plan.Apply) -> Value:
    value, function, at = machine.value(node.value), SCALARS[node.name], node.at

    def applied(element: object) -> object:
        found = _placed(at, function, value(element))
        machine.weigh(found)
        return found

    return applied


def _fold(machine: Machine, node: plan.Fold) -> Value:
    rows, function = machine.stream(node.source), FOLDS[node.name]
    return lambda element: function(rows(element))


def _once(machine: Machine, node: plan.Once) -> Value:
    source = machine.value(node.source)
    kept: list[object] = []

    def value(element: object) -> object:
        if not kept:
            kept.append(source(None))
        return kept[0]

    return value


BUILD: Mapping[type, Callable[[Machine, Any], Value]] = {
    tree.Literal: _literal,
    tree.Element: _element,
    tree.Field: _field,
    tree.Index: _index,
    tree.Unary: _unary,
    tree.Binary: _binary,
    tree.Chain: _chain,
    tree.Conditional: _conditional,
    tree.ListOf: _list,
    tree.ObjectOf: _object,
    plan.Apply: _apply,
    plan.Fold: _fold,
    plan.Once: _once,
}
