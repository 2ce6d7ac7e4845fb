"""Plan → cheaper plan with the same rows: tests of STYLE's law run both and compare.

A simplified plan may give rows where the plain one would find a mistake in a row it need not look at, never otherwise.
"""

from typing import TypeGuard

from memcli.query import evaluate, plan, tree
from memcli.query.place import Fault
from memcli.query.plan import BODIES, Filter, Once, Plan, Union, rebuild

_CONSTANT = (tree.Index, tree.Field, tree.Unary, tree.Binary, tree.ListOf, tree.ObjectOf, plan.Apply)


def simplify(node: Plan) -> Plan:
    """The plan rewritten from the leaves up."""
    node = rebuild(node, simplify)
    match node:
        case tree.Chain():
            return _chain(node)
        case tree.Conditional(tree.Literal(bool() as holds), then, other, _):
            return then if holds else other
        case Filter():
            return _keep(_filter(node))
        case plan.Map() | plan.Sort():
            return _keep(node)
    return _fold(node)


def _fold(node: Plan) -> Plan:
    """A node of constants only becomes the constant; one that fails stays, to fail where rows reach it."""
    if not isinstance(node, _CONSTANT) or not all(isinstance(part, tree.Literal) for part in plan.below(node)):
        return node
    try:
        return tree.Literal(evaluate.constant(node), node.at)
    except Fault:
        return node


def _chain(node: tree.Chain) -> Plan:
    """Constants in front either settle the chain or drop out. A lone rest stays a chain: it must be a boolean."""
    settling = node.op == "or"
    operands = list(node.operands)
    while operands and _is_boolean(operands[0]):
        if operands[0].value is settling:
            return tree.Literal(settling, node.at)
        operands.pop(0)
    return node._replace(operands=tuple(operands)) if operands else tree.Literal(not settling, node.at)


def _is_boolean(node: Plan) -> TypeGuard[tree.Literal]:
    return isinstance(node, tree.Literal) and isinstance(node.value, bool)


def _filter(node: Filter) -> Plan:
    """A constant test is settled; filters in a row become one, and go below a union, so that it compares fewer rows."""
    match node:
        case Filter(source, tree.Literal(bool() as holds), _):
            return tree.Literal([], node.at) if not holds else source if plan.is_list(source) else node
        case Filter(Filter(source, first, _), second, at):
            return _filter(Filter(source, tree.Chain("and", (*_terms(first), *_terms(second)), first.at), at))
        case Filter(Union(sources, _) as union, test, at):
            return union._replace(sources=tuple(_keep(_filter(Filter(source, test, at))) for source in sources))
    return node


def _terms(test: Plan) -> tuple[Plan, ...]:
    return test.operands if isinstance(test, tree.Chain) and test.op == "and" else (test,)


def _keep(node: Plan) -> Plan:
    """Lists in a body, and what is counted in them, are worked out once if they hang on no row of it."""
    name = BODIES.get(type(node))
    return node._replace(**{name: _hoist(getattr(node, name))}) if name else node


def _hoist(node: Plan) -> Plan:
    if (plan.is_list(node) or isinstance(node, plan.Fold)) and _is_closed(node):
        return Once(node, node.at)
    return rebuild(node, _hoist)


def _is_closed(node: Plan) -> bool:
    """True if no `#` in the node means a row from outside: those in its own bodies mean its own rows."""
    body = BODIES.get(type(node))
    own = getattr(node, body) if body else None
    return not isinstance(node, tree.Element) and all(_is_closed(part) for part in plan.below(node) if part is not own)
