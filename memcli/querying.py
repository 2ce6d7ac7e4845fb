"""Queries: the relations of this context for the query language."""

from collections.abc import Iterator, Mapping

from memcli import query, read
from memcli.context import Context
from memcli.query import Result
from memcli.read import Filter
from memcli.shapes import fragment_json

#: the relations that there are; `query.SCHEMA` describes later ones too. Nothing captures tool calls or tasks yet, so
#: those two are empty, as they are without a session or goal.
RELATIONS = ("memory", "files", "tool_calls", "tasks")


def run(ctx: Context, expression: str, limit: int | None = None, wanted: Filter | None = None) -> Result:
    """The rows of an expression over what this context sees. Raises BadQuery."""
    wanted = wanted or Filter()
    schema = {name: query.SCHEMA[name] for name in RELATIONS}
    counted = "tokens" in expression  # counting costs as much as all the rest of a row
    relations = {"memory": lambda: _memory(ctx, wanted, counted), "files": lambda: _files(ctx, wanted)}
    return query.run(expression, relations, schema, ctx.settings.query_limit if limit is None else limit)


def _memory(ctx: Context, wanted: Filter, counted: bool) -> Iterator[Mapping[str, object]]:
    """A row for each fragment, newest first, with its tokens if they are asked for."""
    from memcli.rendering import token_count

    for view in read.listing(ctx, wanted):
        known = view._replace(tokens=token_count(ctx, view)) if counted else view
        yield query.memory_row(fragment_json(known))


def _files(ctx: Context, wanted: Filter) -> Iterator[Mapping[str, object]]:
    """A row for each path that fragments speak about: how many do, and the worst drift among them."""
    count: dict[str, int] = {}
    drift: dict[str, float] = {}
    for view in read.listing(ctx, wanted):
        for found in {anchor.path: anchor for anchor in view.assessment.anchors}.values():
            count[found.path] = count.get(found.path, 0) + 1
            drift[found.path] = max(drift.get(found.path, 0.0), found.drift)
    for path in sorted(count):
        yield {"path": path, "fragments": count[path], "drift": drift[path]}
