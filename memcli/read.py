"""Finding fragments: as a list, by id or key. Every answer is checked against the tree it is asked about."""

from collections.abc import Callable, Collection, Iterable, Iterator
from heapq import merge
from itertools import islice
from typing import NamedTuple, TypeVar

from memcli import scopes
from memcli.context import Context, Shelf
from memcli.errors import AmbiguousId, UnknownId
from memcli.labels import labelled
from memcli.model import STATES, Assessment, Fragment, View
from memcli.scopes import Viewer
from memcli.text import unescape

T = TypeVar("T")
_BATCH = 50  # fragments assessed together: one pass over the tree serves them all


class Filter(NamedTuple):
    """What a read is narrowed to. Empty and None mean no limit; `minimum` None means the configured one.

    `all`: every state, session and confidence. `stale`: below the base. `unverified`: what can't be compared.
    `paths`: relative to the root; an anchor at or below one of them. `near`: what a search prefers, paths as well.
    `limit`: at most so many.
    """

    types: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    minimum: float | None = None
    all: bool = False
    stale: bool = False
    unverified: bool = False
    author: str | None = None
    source: str | None = None
    session: str | None = None
    limit: int | None = None


def listing(ctx: Context, wanted: Filter) -> tuple[View, ...]:
    """The fragments that the filter lets through, the most recently written or confirmed first."""
    viewer = viewer_of(ctx, wanted)
    streams = [_views(ctx, shelf, viewer, wanted) for shelf in ctx.shelves.values()]
    return tuple(islice(_newest_first(streams, lambda view: view.fragment), wanted.limit))


def pick(ctx: Context, ident: str, state: str = "active") -> Fragment:
    """The fragment that an id, a unique prefix of one, or a key means. A key means one in `state` before others, then
    the session's before the workspace's before the user's.

    A key is accepted as it was printed, with `&lt;` and `&gt;` too. Raises UnknownId, AmbiguousId.
    """
    ident = unescape(ident)
    keyed = [fragment for shelf in ctx.shelves.values() for fragment in shelf.reader.with_key(ident)]
    keyed = [fragment for fragment in keyed if fragment.scope != "session" or fragment.session == ctx.session] or keyed
    if keyed:
        return min(keyed, key=lambda fragment: (fragment.state != state, *_means_first(fragment)))
    idents = (
        [found for shelf in ctx.shelves.values() for found in shelf.reader.with_prefix(ident.lower())] if ident else []
    )
    if len(idents) > 1 and ident not in idents:
        raise AmbiguousId(f"{ident} is the beginning of {_several(idents)}", "write more of the id")
    for shelf in ctx.shelves.values():
        fragment = shelf.reader.fragment(idents[0]) if idents else None
        if fragment is not None:
            return fragment
    raise UnknownId(f"no fragment has the id or key {ident!r}", "`mem list --all` shows every one")


def view(ctx: Context, fragment: Fragment) -> View:
    """The fragment as it reads on this context's tree."""
    found = View(fragment, named(ctx, fragment, ctx.shelf(fragment).checker.assess(fragment)))
    return labelled(ctx, [found])[0]


def viewer_of(ctx: Context, wanted: Filter) -> Viewer:
    """Who reads, and what the filter asks for beyond the usual (law 10)."""
    session = wanted.session or ctx.session
    return scopes.ask(
        session,
        default=ctx.settings.minimum,
        minimum=wanted.minimum,
        states=wanted.states,
        all=wanted.all,
        below=wanted.stale or wanted.unverified,
        lent=lent(ctx, session),
    )


def lent(ctx: Context, session: str | None) -> Collection[str]:
    """Ids of the unfinished work of the newest earlier session that this one is shown (law 10)."""
    shelf = ctx.shelves.get("workspace")
    if shelf is None or session is None:
        return ()
    from memcli.render.reading import finished

    branch = ctx.repository.head().branch if ctx.repository else None
    kept = shelf.reader.fragments(shelf.reader.in_sessions())
    return scopes.earlier_session(kept, session, branch, lambda fragment: not finished(fragment.text))


def named(ctx: Context, fragment: Fragment, assessment: Assessment) -> Assessment:
    """The assessment of a superseded fragment, saying by which one it was replaced."""
    if fragment.state != "superseded" or not fragment.superseded_by:
        return assessment
    newer = ctx.shelf(fragment).reader.fragment(fragment.superseded_by)
    return assessment._replace(evidence=f"superseded by {newer.name if newer else fragment.superseded_by}")


def under(path: str, folders: Iterable[str]) -> bool:
    """True when the path is one of the folders (or files), or below one."""
    return any(folder in ("", ".", path) or path.startswith(f"{folder}/") for folder in folders)


def _views(ctx: Context, shelf: Shelf, viewer: Viewer, wanted: Filter) -> Iterator[View]:
    """The visible fragments of one store, newest first."""
    states = [state for state in STATES if state in viewer.states]
    streams = [shelf.reader.fragments(shelf.reader.newest(state)) for state in states]
    newest = _newest_first(streams, lambda fragment: fragment)
    candidates = (f for f in newest if scopes.readable(f, viewer) and passes(f, wanted))
    size = _BATCH
    while batch := list(islice(candidates, size)):
        size *= 2  # few are asked for, or all
        shown = []
        for fragment, assessment in zip(batch, shelf.checker.assess_all(batch), strict=True):
            if is_shown(fragment, assessment, viewer, wanted):
                shown.append(View(fragment, assessment, notes=lent_notes(fragment, viewer)))
        yield from labelled(ctx, shown)


def lent_notes(fragment: Fragment, viewer: Viewer) -> tuple[str, ...]:
    """What marks a fragment that the session is shown of an earlier one."""
    return (scopes.EARLIER,) if fragment.id in viewer.lent else ()


def _newest_first(streams: list[Iterator[T]], fragment: Callable[[T], Fragment]) -> Iterator[T]:
    """The streams as one, each newest first already; a single one, the usual case, as it is."""
    if len(streams) == 1:
        return streams[0]

    def order(item: T) -> tuple[int, str]:
        found = fragment(item)
        return -found.updated, found.id

    return merge(*streams, key=order)


def passes(fragment: Fragment, wanted: Filter) -> bool:
    """The part of a filter that needs no confidence."""
    return (
        (not wanted.types or fragment.type in wanted.types)
        and (not wanted.scopes or fragment.scope in wanted.scopes)
        and wanted.author in (None, fragment.author)
        and wanted.source in (None, fragment.source)
        and (wanted.session is None or fragment.session == wanted.session or fragment.scope != "session")
    )


def is_shown(fragment: Fragment, assessment: Assessment, viewer: Viewer, wanted: Filter) -> bool:
    """The part of a filter, and of law 10, that needs the confidence or where anchors are now."""
    if wanted.paths and not any(under(path, wanted.paths) for path in paths_of(fragment, assessment)):
        return False
    if wanted.stale and assessment.confidence >= fragment.base:
        return False
    if wanted.unverified and assessment.verdict != "unverifiable":
        return False
    return scopes.confident(fragment, assessment.confidence, viewer)


def paths_of(fragment: Fragment, assessment: Assessment) -> set[str]:
    """Where a fragment's anchors were and where they are: it is found under either name."""
    return {anchor.path for anchor in fragment.anchors} | {drift.path for drift in assessment.anchors}


def _means_first(fragment: Fragment) -> tuple[bool, int, int]:
    return (fragment.state != "active", ("session", "workspace", "user").index(fragment.scope), -fragment.updated)


def _several(idents: list[str]) -> str:
    shown = ", ".join(ident[:12] for ident in idents[:3])
    return f"{shown} and more" if len(idents) > 3 else shown
