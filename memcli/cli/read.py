"""The commands that find: search, list, show."""

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

from memcli import read
from memcli.cli import documents, options, words
from memcli.cli.declare import Argument, Option
from memcli.cli.frame import Answer, Call
from memcli.cli.show import Style
from memcli.context import Context
from memcli.errors import Usage
from memcli.kinds import check_type, one_of
from memcli.model import View
from memcli.scopes import check_scope, check_state
from memcli.shapes import fragment_json

if TYPE_CHECKING:
    from memcli.searching import Found, Hit

Wanted = Annotated[list[str], Argument(metavar="QUERY", help="Words, identifiers, parts of them.")]
Near = Annotated[list[str] | None, Option("--path", "-p", metavar="PATH", help="Prefer what is about it (repeatable).")]
Explain = Annotated[bool, Option("--explain", help="Say how each score came about.")]
Keys = Annotated[bool, Option("--keys", help="Key or id, type and confidence only.")]

GRAPHS = ("tree", "dot", "mermaid")
Graph = Annotated[bool, Option("--graph", help="Draw what it is derived from and what is derived from it.")]
Drawn = Annotated[str | None, Option("--format", "-f", metavar="tree|dot|mermaid", help="The form of the graph.")]


def search(
    call: Call,
    query: Wanted,
    limit: options.Limit = None,
    types: options.Types = None,
    scopes: options.Scopes = None,
    paths: Near = None,
    states: options.States = None,
    minimum: options.Minimum = None,
    everything: options.All = False,
    explained: Explain = False,
    at: options.At = None,
    session: options.Session = None,
) -> Answer:
    """Find fragments by words, identifiers and their parts, substrings; best first.

    Exits with 1 when nothing is found.
    """
    context = call.open(at, session)
    from memcli import searching

    about = tuple(rooted(context, path) for path in paths or ())
    wanted = _filter(context, types, scopes, None, states, minimum, everything)._replace(limit=limit, near=about)

    found = searching.search(context, " ".join(query), wanted)
    say_beside(call, context)
    if not found.hits:
        near = f"; did you mean {', '.join(found.nearest)}?" if found.nearest else ""
        hidden = f"; {words.count(found.hidden, 'fragment')} not shown: see --all" if found.hidden else ""
        call.notes.append(f"nothing found{hidden}{near}")
    heading = f"Found {words.count(len(found.hits), 'fragment')}:"
    return Answer(
        lambda: {
            "fragments": [_hit(context, hit, explained) for hit in found.hits],
            "nearest": list(found.nearest),
            "hidden": found.hidden,
        },
        lambda style: [heading, *_hit_lines(found, explained, style)] if found.hits else [],
        rows="fragments",
        code=0 if found.hits else 1,
    )


def listing(
    call: Call,
    limit: options.Limit = None,
    types: options.Types = None,
    scopes: options.Scopes = None,
    paths: options.Paths = None,
    states: options.States = None,
    minimum: options.Minimum = None,
    everything: options.All = False,
    stale: options.Stale = False,
    unverified: options.Unverified = False,
    keys: Keys = False,
    at: options.At = None,
    session: options.Session = None,
) -> Answer:
    """List fragments, newest first."""
    context = call.open(at, session)
    wanted = _filter(context, types, scopes, paths, states, minimum, everything)
    views = read.listing(context, wanted._replace(limit=limit, stale=stale, unverified=unverified))
    if unverified:
        views = _with_ages(context, views)
    say_beside(call, context)
    one_line = words.key_line if keys else words.typed_line
    return Answer(
        lambda: {"fragments": [_named(view) if keys else documents.fragment(context, view) for view in views]},
        lambda style: [one_line(view, style) for view in views],
        rows="fragments",
    )


def show(
    call: Call,
    ident: options.Id,
    graph: Graph = False,
    form: Drawn = None,
    at: options.At = None,
    session: options.Session = None,
) -> Answer:
    """Show a fragment whole: text, confidence, stamp, and what it is about."""
    context, view = _view(call, ident, at, session)
    if graph or form is not None:
        return _graph(context, view, one_of(form or "tree", GRAPHS, "format"))
    return Answer(
        lambda: {"fragments": [documents.fragment(context, view)]},
        lambda style: words.fragment_lines(view, style),
        "fragments",
    )


def _graph(context: Context, view: View, form: str) -> Answer:
    """What the fragment is derived from and what is derived from it."""
    from memcli import neighbourhood
    from memcli.cli import graph

    near = neighbourhood.around(context, view.fragment)
    return Answer(
        lambda: {
            "fragments": [documents.fragment(context, one) for one in near.views.values()],
            "edges": [{"from": parent, "to": child} for parent, child in near.edges()],
            "missing": near.missing(),
        },
        lambda style: graph.tree(near, style) if form == "tree" else getattr(graph, form)(near),
        "fragments",
    )


def say_beside(call: Call, context: Context) -> None:
    """Note what a reader should know beside the answer: where it comes from, what could not be read, what waits."""
    shelves = context.shelves
    if context.repository is None and "workspace" not in shelves:
        call.notes.append("not in a git repository: this is user scope alone")
    damaged = sum(len(shelf.reader.damaged) for shelf in shelves.values())
    if damaged:
        call.notes.append(f"{words.count(damaged, 'record')} of the store can't be read, and was passed over")
    waiting = sum(shelf.reader.count("proposed") for shelf in shelves.values())
    if waiting and sys.stderr.isatty():
        call.notes.append(f"{words.count(waiting, 'proposal')} wait for approval: `mem pending`")


def rooted(context: Context, path: str) -> str:
    """A path as the user writes it, from the root of the repository; as it is where there is no work tree."""
    repository = context.repository
    return repository.relative(path, context.cwd) if repository and repository.root else path


def _view(call: Call, ident: str, at: str | None, session: str | None) -> tuple[Context, View]:
    context = call.open(at, session)
    return context, read.view(context, read.pick(context, ident))


def _filter(
    context: Context,
    types: list[str] | None,
    scopes: list[str] | None,
    paths: list[str] | None,
    states: list[str] | None,
    minimum: float | None,
    everything: bool,
) -> read.Filter:
    if minimum is not None and not 0.0 <= minimum <= 1.0:  # typer lets nan by
        raise Usage(f"a confidence lies between 0 and 1, not {minimum:g}", "for instance --min-confidence 0.5")
    return read.Filter(
        types=tuple(map(check_type, types or ())),
        scopes=tuple(map(check_scope, scopes or ())),
        paths=tuple(rooted(context, path) for path in paths or ()),
        states=tuple(map(check_state, states or ())),
        minimum=minimum,
        all=everything,
    )


def _with_ages(context: Context, views: Iterable[View]) -> tuple[View, ...]:
    """Fragments that can't be compared, each noting for how long (law 6: never in silence)."""
    from memcli import explain
    from memcli.cli.accounts import unchecked

    return tuple(view._replace(notes=(*view.notes, unchecked(age))) for view, age in explain.unverified(context, views))


def _hit(context: Context, hit: "Hit", explained: bool) -> dict[str, object]:
    document = {**documents.fragment(context, hit.view), "score": round(hit.score, 4), "why": hit.why}
    if explained:
        reasons = [{"why": why, "points": round(points, 4)} for why, points in hit.reasons]
        near, nearness = hit.near
        document["explain"] = {
            "relevance": round(hit.relevance, 4),
            "reasons": reasons,
            "confidence": hit.view.confidence,
            "near": near,
            "nearness": nearness,
            "key_hit": hit.key_hit,
        }
    return document


def _hit_lines(found: "Found", explained: bool, style: Style) -> Iterator[str]:
    """Each hit on a line, its matching words marked on a terminal; with `explained` how its score came about."""
    from memcli.highlight import spans

    for hit in found.hits:
        yield words.line(hit.view, style, lambda text: style.mark(text, spans(text, found.terms, found.verbatim)))
        if explained:
            yield f"    {_score(hit, style)}"


def _score(hit: "Hit", style: Style) -> str:
    """`9.61 = relevance 12.4 (ledger 7.3, "kernel ledger" 5.1) × confidence 62% × 1.25 (about src/a.py)`."""
    shares = ", ".join(f"{style.clean(why)} {points:.2f}" for why, points in hit.reasons)
    near = f" × {hit.near[0]:g} ({style.clean(hit.near[1])})" if hit.near[1] else ""
    first = ", key hits first" if hit.key_hit else ""
    confidence = words.percent(hit.view.confidence) if hit.view.fragment.state == "active" else "1"
    return f"{hit.score:.2f} = relevance {hit.relevance:.2f} ({shares}) × confidence {confidence}{near}{first}"


def _named(view: View) -> dict[str, object]:
    whole = fragment_json(view)
    return {name: whole[name] for name in ("id", "key", "type", "confidence")}
