"""A plan at work: its rows, or the value of a constant."""

from collections import Counter
from collections.abc import Iterator

from memcli.query import plan, scalars, streams
from memcli.query.machine import STEPS, Machine, Relations
from memcli.query.plan import Plan


def rows(node: Plan, relations: Relations, steps: int = STEPS) -> Iterator[object]:
    """The result's rows, one by one: those of a list, else the one value; nil is no row. Raises Fault."""
    machine = Machine(scalars.BUILD, streams.BUILD, relations, _shared(node), steps)
    if type(node) in streams.BUILD:
        yield from machine.stream(node)(None)
        return
    machine.spend(plan.size(node))
    found = machine.value(node)(None)
    if isinstance(found, list | tuple):
        yield from found
    elif found is not None:
        yield found


def constant(node: Plan) -> object:
    """The value of a node that hangs on no row and no relation. Raises Fault."""
    return Machine(scalars.BUILD, streams.BUILD, {}).value(node)(None)


def _shared(node: Plan) -> frozenset[str]:
    """The relations that are named more than once."""
    found: Counter[str] = Counter()
    todo = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, plan.Scan):
            found[part.relation] += 1
        todo += plan.below(part)
    return frozenset(name for name, count in found.items() if count > 1)
