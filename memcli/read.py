"""Finding fragments: by words, as a list, by id or key. Every answer is checked against the tree it is asked about."""

from collections.abc import Callable, Collection, Iterable, Iterator
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memcli import scopes
from memcli.context import Context, Shelf
from memcli.errors import AmbiguousId, UnknownId
from memcli.labels import labelled
from memcli.model import STATES, Assessment, Fragment, View
from memcli.scopes import Viewer
from memcli.text import unescape

T = TypeVar("T")
_BATCH = 50  # fragments assessed together: one pass over the tree serves them all

if TYPE_CHECKING:  # searching alone needs it
    from memcli import rank


class Filter(NamedTuple):
    """What a read is narrowed to. Empty and None mean no limit; `minimum` None means the configured one.

    `all`: every state, session and confidence. `stale`: below the base. `unverified`: what can't be compared.
    `paths`: relative to the root; an anchor at or below one of them. `limit`: at most so many.
    """

    types: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    minimum: float | None = None
    all: bool = False
    stale: bool = False
    unverified: bool = False
    author: str | None = None
    source: str | None = None
    session: str | None = None
    limit: int | None = None


class Hit(NamedTuple):
    """A fragment that a search found: `score` = relevance × confidence, and why it matched."""

    view: View
    score: float
    why: str
    key_hit: bool


class Found(NamedTuple):
    """A search's answer. When there is none: how many fragments answer that are not shown unasked (below the minimum,
    superseded, proposed), and the nearest words of the index."""

    hits: tuple[Hit, ...]
    nearest: tuple[str, ...] = ()
    hidden: int = 0


def listing(ctx: Context, wanted: Filter) -> tuple[View, ...]:
    """The fragments that the filter lets through, the most recently written or confirmed first."""
    viewer = viewer_of(ctx, wanted)
    streams = [_views(ctx, shelf, viewer, wanted) for shelf in ctx.shelves.values()]
    return tuple(islice(_newest_first(streams, lambda view: view.fragment), wanted.limit))


def search(ctx: Context, query: str, wanted: Filter) -> Found:
    """The fragments that answer the query, those whose key does first, then by relevance × confidence, then newest.

    Exact: hits are assessed in the order of their relevance until no later one could still come before those found.
    """
    from memcli import rank

    viewer = viewer_of(ctx, wanted)
    limit = ctx.settings.limit if wanted.limit is None else wanted.limit
    hits = [hit for shelf in ctx.shelves.values() for hit in _ranked(shelf, query, viewer, wanted, limit)]
    hits.sort(key=_order)
    if hits:
        views = labelled(ctx, [hit.view for hit in hits[:limit]])
        return Found(tuple(hit._replace(view=view) for hit, view in zip(hits, views, strict=False)))
    hidden = sum(len(rank.search(query, shelf.reader)) for shelf in ctx.shelves.values())
    if hidden:
        return Found((), (), hidden)
    words = {word for shelf in ctx.shelves.values() for word in rank.nearest_words(query, shelf.reader.vocabulary())}
    return Found((), tuple(sorted(words)[:3]))


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
            if _shown(fragment, assessment, viewer, wanted):
                shown.append(View(fragment, assessment, notes=_lent(fragment, viewer)))
        yield from labelled(ctx, shown)


def _lent(fragment: Fragment, viewer: Viewer) -> tuple[str, ...]:
    return (scopes.EARLIER,) if fragment.id in viewer.lent else ()


def _newest_first(streams: list[Iterator[T]], fragment: Callable[[T], Fragment]) -> Iterator[T]:
    """The streams as one, each newest first already; a single one, the usual case, as it is."""
    if len(streams) == 1:
        return streams[0]

    def order(item: T) -> tuple[int, str]:
        found = fragment(item)
        return -found.updated, found.id

    return merge(*streams, key=order)


def _ranked(shelf: Shelf, query: str, viewer: Viewer, wanted: Filter, limit: int) -> list[Hit]:
    """One store's best hits, at least `limit` of them if there are so many."""
    candidates = _candidates(shelf, query, viewer, wanted)
    best: list[Hit] = []
    while batch := list(islice(candidates, max(limit, 10))):
        kept = sorted(best, key=_order)[:limit]
        if len(kept) == limit and limit and _bound(batch[0][1]) > _order(kept[-1])[:2]:
            break
        assessed = shelf.checker.assess_all([fragment for fragment, _ in batch])
        for (fragment, hit), assessment in zip(batch, assessed, strict=True):
            if _shown(fragment, assessment, viewer, wanted):
                score = hit.score * (assessment.confidence if fragment.state == "active" else 1.0)
                view = View(fragment, assessment, notes=_lent(fragment, viewer))
                best.append(Hit(view, score, ", ".join(hit.why), hit.key_hit))
        if not limit:
            break
    return best


def _candidates(shelf: Shelf, query: str, viewer: Viewer, wanted: Filter) -> Iterator[tuple[Fragment, "rank.Hit"]]:
    from memcli import rank

    for hit in rank.search(query, shelf.reader):
        fragment = shelf.reader.fragment(shelf.reader.id_of(hit.doc) or "")
        if fragment is not None and scopes.readable(fragment, viewer) and passes(fragment, wanted):
            yield fragment, hit


def _bound(hit: "rank.Hit") -> tuple[bool, float]:
    """The best place that this hit, and any after it, could still take: no confidence is above 1."""
    return (not hit.key_hit, -hit.score)


def _order(hit: Hit) -> tuple[bool, float, int, str]:
    return (not hit.key_hit, -hit.score, -hit.view.fragment.updated, hit.view.fragment.id)


def passes(fragment: Fragment, wanted: Filter) -> bool:
    """The part of a filter that needs no confidence."""
    return (
        (not wanted.types or fragment.type in wanted.types)
        and (not wanted.scopes or fragment.scope in wanted.scopes)
        and wanted.author in (None, fragment.author)
        and wanted.source in (None, fragment.source)
        and (wanted.session is None or fragment.session == wanted.session or fragment.scope != "session")
    )


def _shown(fragment: Fragment, assessment: Assessment, viewer: Viewer, wanted: Filter) -> bool:
    if wanted.paths and not any(under(path, wanted.paths) for path in _paths(fragment, assessment)):
        return False
    if wanted.stale and assessment.confidence >= fragment.base:
        return False
    if wanted.unverified and assessment.verdict != "unverifiable":
        return False
    return scopes.confident(fragment, assessment.confidence, viewer)


def _paths(fragment: Fragment, assessment: Assessment) -> set[str]:
    """Where a fragment's anchors were and where they are: it is found under either name."""
    return {anchor.path for anchor in fragment.anchors} | {drift.path for drift in assessment.anchors}


def _means_first(fragment: Fragment) -> tuple[bool, int, int]:
    return (fragment.state != "active", ("session", "workspace", "user").index(fragment.scope), -fragment.updated)


def _several(idents: list[str]) -> str:
    shown = ", ".join(ident[:12] for ident in idents[:3])
    return f"{shown} and more" if len(idents) > 3 else shown
