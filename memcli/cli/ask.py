"""The commands that make something of what is found: query, render."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Annotated

import typer

from memcli import querying, rendering
from memcli.cli import options
from memcli.cli.frame import Answer, Call
from memcli.cli.read import rooted, say_beside
from memcli.cli.show import Style
from memcli.context import Context
from memcli.errors import MemError
from memcli.kinds import one_of
from memcli.query import Result
from memcli.rendering import Wanted

FORMATS = ("memory", "markdown", "json")
WIDEST = 60  # characters of a column in a table

Expression = Annotated[str, typer.Argument(metavar="EXPR", help='As filter(memory, .type == "error").')]
Rows = Annotated[int | None, typer.Option("--limit", "-n", metavar="N", min=0, help="At most N rows: 50, up to 500.")]
Table = Annotated[bool, typer.Option("--table", help="A table instead of a JSON object a line.")]

Budget = Annotated[int | None, typer.Option("--budget", "-b", metavar="N", help="Tokens for all of the output.")]
Window = Annotated[int | None, typer.Option("--window", metavar="N", help="Tokens of the model's window instead.")]
Reserve = Annotated[int, typer.Option("--reserve", metavar="N", min=0, help="Tokens of the window to leave free.")]
Prompt = Annotated[str, typer.Option("--prompt", metavar="TEXT", help="What it is for: what fits goes first.")]
About = Annotated[str | None, typer.Option("--path", "-p", metavar="PATH", help="What is about this path goes first.")]
Format = Annotated[str, typer.Option("--format", "-f", metavar="memory|markdown|json", help="The form.")]
Encoding = Annotated[str | None, typer.Option("--encoding", metavar="NAME", help="The tokens' encoding.")]
Rule = Annotated[bool, typer.Option("--rule", help="Say the standing rule with it.")]


def query(
    ctx: typer.Context,
    expression: Expression,
    limit: Rows = None,
    table: Table = False,
    session: options.Session = None,
    at: options.At = None,
) -> Answer:
    """Ask with an expression over the relation memory: filter, map, join, union, freely nested.

    Prints a JSON object a line. A mistake is shown with its place.
    """
    call: Call = ctx.obj
    context = call.open(at, session)
    result = querying.run(context, expression, limit)
    say_beside(call, context)
    call.notes += result.notes
    return Answer(
        lambda: {"rows": result.rows, "count": result.count, "truncated": result.truncated},
        lambda style: _table(result, style) if table else _objects(result, style),
        rows="rows",
    )


def render(
    ctx: typer.Context,
    budget: Budget = None,
    window: Window = None,
    reserve: Reserve = 0,
    prompt: Prompt = "",
    path: About = None,
    form: Format = "memory",
    encoding: Encoding = None,
    rule: Rule = False,
    session: options.Session = None,
    at: options.At = None,
) -> Answer:
    """Print the memory block for a prompt, in exact tokens within the budget.

    Prints nothing when nothing is known.
    """
    call: Call = ctx.obj
    context = call.open(at, session)
    form = "json" if call.options.json or call.options.jsonl else one_of(form, FORMATS, "format")
    about = None if path is None else rooted(context, path)
    wanted = Wanted(budget, window, reserve, prompt, about, form, encoding, rule)
    rendered = rendering.render_block(context, wanted)
    say_beside(call, context)
    _keep_counts(context, rendered)
    text = rendered.text.removesuffix("\n")
    return Answer(lambda: json.loads(text), lambda style: text.split("\n") if text else [], "fragments", ready=True)


def _keep_counts(context: Context, rendered: rendering.Rendered) -> None:
    """Store what had to be counted just now, where that is possible: the next render then needs no tokenizer."""
    with suppress(MemError):
        rendering.remember(context, rendered.counter.fresh)


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
