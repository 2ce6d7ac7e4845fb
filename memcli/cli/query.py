"""The command that asks with an expression: query."""

import json
from collections.abc import Iterator, Mapping
from typing import Annotated

from memcli import querying
from memcli.cli import options
from memcli.cli.declare import Argument, Option
from memcli.cli.frame import Answer, Call
from memcli.cli.read import say_beside
from memcli.cli.show import Style
from memcli.query import Result

WIDEST = 60  # characters of a column in a table

Expression = Annotated[str, Argument(metavar="EXPR", help='As filter(memory, .type == "error").')]
Rows = Annotated[int | None, Option("--limit", "-n", metavar="N", min=0, help="At most N rows: 50, up to 500.")]
Table = Annotated[bool, Option("--table", help="A table instead of a JSON object a line.")]


def query(
    call: Call,
    expression: Expression,
    limit: Rows = None,
    table: Table = False,
    session: options.Session = None,
    at: options.At = None,
) -> Answer:
    """Ask with an expression over the relation memory: filter, map, join, union, freely nested.

    Prints a JSON object a line. A mistake is shown with its place.
    """
    context = call.open(at, session)
    result = querying.run(context, expression, limit)
    say_beside(call, context)
    call.notes += result.notes
    return Answer(
        lambda: {"rows": result.rows, "count": result.count, "truncated": result.truncated},
        lambda style: _table(result, style) if table else _objects(result, style),
        rows="rows",
    )


def _objects(result: Result, style: Style) -> Iterator[str]:
    """Each row as a JSON object on a line, its stored words as safe as everywhere in text."""
    for row in result.rows:
        yield style.clean(json.dumps(row, ensure_ascii=False))


def _table(result: Result, style: Style) -> Iterator[str]:
    """Rows and columns, the wide ones cut, with a heading."""
    cells = [[_cell(row, name, style) for name in result.columns] for row in result.rows]
    widths = [max(map(len, column)) for column in zip(result.columns, *cells, strict=True)]
    for line in ([style.clean(name) for name in result.columns], *cells):
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def _cell(row: Mapping[str, object], name: str, style: Style) -> str:
    value = row.get(name)
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    shown = style.clean(text)
    return shown if len(shown) <= WIDEST else shown[: WIDEST - 1] + "…"
