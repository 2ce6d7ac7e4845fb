"""From a query's text to its result, through all stages."""

from itertools import islice
from typing import NamedTuple

from memcli.query import evaluate
from memcli.query.check import Schema, check, columns
from memcli.query.machine import Relations
from memcli.query.parser import parse
from memcli.query.place import Fault, bad_query
from memcli.query.plan import plan
from memcli.query.simplify import simplify
from memcli.query.values import as_row

LIMIT = 50
MAX_LIMIT = 500


class Result(NamedTuple):
    """The first rows up to the limit; `count` is how many there are before it, `truncated` that some are left out.

    `columns` are the rows' fields in their order; `notes` are for the reader, not part of the data.
    """

    rows: list[dict[str, object]]
    count: int  # type: ignore[assignment]  # the contract's word; it hides tuple.count, which nobody needs here
    truncated: bool
    columns: tuple[str, ...]
    notes: tuple[str, ...] = ()


def run(source: str, relations: Relations, schema: Schema, limit: int = LIMIT) -> Result:
    """Answer a query over relations whose fields `schema` names; a relation that isn't provided has no rows.

    Raises BadQuery, with the place in its message and a picture of it as its hint, for whatever is wrong with the
    query, and when it would take too many steps. A limit over 500 is cut, with a note; one below 0 counts as 0.
    """
    try:
        tree = parse(source)
        shape = check(tree, schema)
        return _collect(simplify(plan(tree)), relations, columns(shape), limit)
    except Fault as fault:
        raise bad_query(source, fault) from None
    except RecursionError:  # the query's own depth is bounded, that of values in the relations is not
        raise bad_query(source, Fault("a value in these rows is nested too deeply")) from None


def _collect(plan: object, relations: Relations, known: tuple[str, ...] | None, limit: int) -> Result:
    notes = (f"the limit {limit} was cut to {MAX_LIMIT}",) if limit > MAX_LIMIT else ()
    limit = max(0, min(limit, MAX_LIMIT))
    found = evaluate.rows(plan, relations)
    rows = [dict(as_row(row)) for row in islice(found, limit)]
    count = len(rows) + sum(1 for _ in found)
    names = dict.fromkeys((*(known or ()), *(name for row in rows for name in row)))
    return Result(rows, count, count > len(rows), tuple(names), notes)
