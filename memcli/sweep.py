"""The sweep: recompute confidences, store what was compared, and report what moved and why.

Reads never need it (law 9); it makes them cheap, and it is what tells people that something fell. Its cost grows with
what changed: one stat for each anchored path, and a comparison for each content that is new.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memcli import landing, remembered
from memcli.check import Checker
from memcli.context import Context
from memcli.model import Fragment, View

if TYPE_CHECKING:
    from memcli.contents import Kept

Item = TypeVar("Item")
Progress = Callable[[int, int], None]
_BATCH = 1000  # each looks through the tree once for the names that it misses


class SweepRequest(NamedTuple):
    """What to sweep.

    `since`: compare with the merge base of this revision and HEAD. `everything`: look at each fragment, not only at
    those that what changed could have moved. `scope`: only the store of this scope (user, or workspace with its
    sessions). `given`: these fragments instead of those of the stores. `keep`: which of the views to give back (all
    of a large store are a lot of memory). `reason`: who asked. `progress` is told (done, of).
    """

    dry_run: bool = False
    since: str | None = None
    everything: bool = False
    scope: str | None = None
    given: tuple[Fragment, ...] | None = None
    keep: Callable[[View], bool] = lambda view: True
    reason: str = "mem sweep"
    progress: Progress | None = None


class Change(NamedTuple):
    """A fragment whose confidence moved."""

    view: View
    before: float
    after: float

    @property
    def fell(self) -> bool:
        """Whether it is less believed than before."""
        return self.after < self.before


class Swept(NamedTuple):
    """What a sweep found: the changes, what fell most first; those it looked at that were to be kept, and how many it
    looked at; how many are active; the commit."""

    changes: tuple[Change, ...]
    views: tuple[View, ...]
    looked: int
    active: int
    commit: str | None


class _Part(NamedTuple):
    """What was found in one store. `told`: id → (confidence, verdict) to report the next change from, None for its
    base; without those that stay at theirs."""

    changes: list[Change]
    views: list[View]
    looked: int
    active: int
    told: dict[str, tuple[float, str] | None]


def sweep(ctx: Context, request: SweepRequest) -> Swept:
    """Assess the active fragments and report what moved since the last sweep of this work tree (or since `since`).

    Stores nothing with `dry_run`, `since`, `given`, or a context at a commit. Raises NoRepository outside of one,
    unless only user scope is asked for, and with `since` what `landing.base_of` raises.
    """
    if request.scope != "user" or request.given is not None:
        ctx.store("workspace")
        if ctx.repository is not None:
            ctx.require_worktree(at=True)
    base = landing.base_of(ctx, request.since) if request.since is not None else None
    if request.given is not None:
        parts = [_given(ctx, request, request.given, base)]
    else:
        scopes = [scope for scope in ctx.shelves if request.scope in (None, scope)]
        parts = [_stored(ctx, scope, request, base) for scope in scopes]
    return Swept(
        tuple(sorted((change for part in parts for change in part.changes), key=_fell_most)),
        tuple(view for part in parts for view in part.views),
        sum(part.looked for part in parts),
        sum(part.active for part in parts),
        ctx.tree.commit if ctx.tree else None,
    )


def _stored(ctx: Context, scope: str, request: SweepRequest, base: str | None) -> _Part:
    """The sweep of one store."""
    reader, checker = ctx.shelves[scope]
    lasting, tree = ctx.at is None and base is None, ctx.tree
    moved = remembered.moved_paths(ctx, scope, tree) if lasting and tree and not request.everything else None
    told = reader.swept(remembered.worktree_key(ctx, scope)) if lasting else {}
    idents = remembered.affected(ctx, scope, moved, told)
    looked = _Looked(request, len(idents), told)
    batches = ([f for f in reader.fragments(some) if f.state == "active"] for some in _batches(idents))
    if base is not None:
        _since(ctx, reader, checker, batches, base, looked)
    else:
        for batch in batches:
            looked.take(_views(checker, batch), lambda fragment: told.get(fragment.id, (fragment.base, ""))[0])
    part = looked.part(reader.count("active"))
    if lasting and tree and not request.dry_run:
        remembered.store(ctx, scope, part.told, moved, request.reason)
    return part


def _given(ctx: Context, request: SweepRequest, fragments: Sequence[Fragment], base: str | None) -> _Part:
    """The sweep of fragments that no store holds; what they were stamped with comes from git."""
    from memcli.loose import Loose

    wanted = [f for f in fragments if f.state == "active" and request.scope in (None, _shelf_of(f))]
    kept = Loose(ctx.history)
    for fragment in wanted:
        kept.keep_folders(fragment)
    checker, looked = ctx.checker(kept), _Looked(request, len(wanted))
    if base is not None:
        _since(ctx, kept, checker, _batches(wanted), base, looked)
    else:
        for batch in _batches(wanted):
            looked.take(_views(checker, batch), lambda fragment: fragment.base)
    return looked.part(len(wanted))


def _since(
    ctx: Context, kept: "Kept", checker: Checker, batches: Iterable[Sequence[Fragment]], base: str, looked: "_Looked"
) -> None:
    """What moved between a commit and here."""
    then = Checker(ctx.history.tree(base), kept, ctx.settings.floor, lambda: ctx.roots)
    for batch in batches:
        here, there = _views(checker, batch), _views(then, batch)
        looked.take(here, landing.before(ctx, base, here, there))


def _batches(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    return (items[start : start + _BATCH] for start in range(0, len(items), _BATCH))


def _views(checker: Checker, batch: Sequence[Fragment]) -> list[View]:
    return list(map(View, batch, checker.assess_all(batch)))


class _Looked:
    """What was found so far: the changes, and the views where they are wanted. A store may hold more fragments than
    should be in memory at once. `known` are the ids that the last sweep told of."""

    def __init__(self, request: SweepRequest, of: int, known: Collection[str] = ()) -> None:
        self._request = request
        self._of = of
        self._known = known
        self._done = 0
        self._changes: list[Change] = []
        self._views: list[View] = []
        self._told: dict[str, tuple[float, str] | None] = {}

    def take(self, views: Sequence[View], before: Callable[[Fragment], float]) -> None:
        """Compare some more with what they were before."""
        for view in views:
            change = Change(view, before(view.fragment), view.confidence)
            if abs(change.after - change.before) >= 0.00005:
                self._changes.append(change)
            # one whose anchors have something to tell may hang on other files than its own: look at it again next time
            if any(anchor.evidence for anchor in view.assessment.anchors):
                self._told[view.id] = (view.confidence, view.verdict)
            elif view.id in self._known:
                self._told[view.id] = None
        self._views += filter(self._request.keep, views)
        self._done += len(views)
        self._tell(self._done)

    def part(self, active: int) -> _Part:
        """All of it."""
        self._tell(self._of)
        return _Part(self._changes, self._views, self._done, active, self._told)

    def _tell(self, done: int) -> None:
        if self._request.progress:
            self._request.progress(done, self._of)


def _fell_most(change: Change) -> tuple[float, str]:
    return (change.after - change.before, change.view.fragment.name)


def _shelf_of(fragment: Fragment) -> str:
    """The scope whose store would hold it."""
    return "user" if fragment.scope == "user" else "workspace"
