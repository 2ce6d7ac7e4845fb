"""The sweep: recompute confidences, store what was compared, and report what moved and why.

Reads never need it (law 9); it makes them cheap, and it is what tells people that something fell. Its cost grows with
what changed: one stat for each anchored path, and a comparison for each content that is new.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from memcli.check import Checker
from memcli.context import Context
from memcli.errors import GitFailed, Usage
from memcli.git import RepositoryTree
from memcli.model import Fragment, View
from memcli.store import Reader, Writer
from memcli.store.databases import digest
from memcli.text import iso

Progress = Callable[[int, int], None]
_BATCH = 200


class SweepRequest(NamedTuple):
    """What to sweep.

    `since`: compare with the merge base of this revision and HEAD. `everything`: look at each fragment, not only at
    those that what changed could have moved. `scope`: only the store of this scope (user, or workspace with its
    sessions). `reason`: who asked. `progress` is told (done, of).
    """

    dry_run: bool = False
    since: str | None = None
    everything: bool = False
    scope: str | None = None
    reason: str = "mem sweep"
    progress: Progress | None = None


class Change(NamedTuple):
    """A fragment whose confidence moved."""

    view: View
    before: float
    after: float


class Swept(NamedTuple):
    """What a sweep found: the changes, what fell most first; all it looked at; how many are active; the commit."""

    changes: tuple[Change, ...]
    views: tuple[View, ...]
    active: int
    commit: str | None


def sweep(ctx: Context, request: SweepRequest) -> Swept:
    """Assess the active fragments and report what moved since the last sweep of this work tree (or since `since`).

    Stores nothing with `dry_run`, `since`, or a context at a commit. Raises NoRepository outside of one, unless only
    user scope is asked for.
    """
    if request.scope != "user":
        ctx.store("workspace")
        if ctx.repository is not None:
            ctx.require_worktree()
    scopes = [scope for scope in ctx.shelves if request.scope in (None, scope)]
    parts = [_sweep(ctx, scope, request) if request.since is None else _since(ctx, scope, request) for scope in scopes]
    changes = sorted((change for part in parts for change in part.changes), key=_fell_most)
    return Swept(
        tuple(changes),
        tuple(view for part in parts for view in part.views),
        sum(part.active for part in parts),
        ctx.tree.commit if ctx.tree else None,
    )


def _sweep(ctx: Context, scope: str, request: SweepRequest) -> Swept:
    shelf, tree = ctx.shelves[scope], ctx.tree
    stored = ctx.at is None
    moved = _moved_paths(ctx, scope, tree) if stored and tree and not request.everything else None
    before = shelf.reader.swept(_place(ctx, scope)) if stored else {}
    fragments = _affected(ctx, scope, moved, before)
    views = _assess(shelf.checker, fragments, request.progress)
    changes = _changes(views, lambda fragment: before.get(fragment.id, (fragment.base, ""))[0])
    swept = Swept(changes, tuple(views), shelf.reader.count("active"), tree.commit if tree else None)
    if stored and tree and not request.dry_run:
        _store(ctx, scope, swept, moved, request.reason)
    return swept


def last_sweep(ctx: Context) -> dict[str, object] | None:
    """When this work tree was last swept: {at (ISO), commit, by}, or None."""
    shelf = ctx.shelves.get("workspace")
    raw = shelf.reader.meta(f"swept:{_place(ctx, 'workspace')}") if shelf else None
    return {"at": iso(raw["at"]), "commit": raw["commit"], "by": raw["by"]} if raw else None


def _since(ctx: Context, scope: str, request: SweepRequest) -> Swept:
    """What fell between the merge base of a revision and HEAD, and here."""
    assert request.since is not None
    history, shelf = ctx.history, ctx.shelves[scope]
    if ctx.tree is None or ctx.tree.commit is None:
        raise Usage("there is no commit here yet to compare with", "commit first")
    base = history.merge_base(history.resolve(request.since), ctx.tree.commit)
    if base is None:
        raise GitFailed(
            f"{request.since} and HEAD have no commit in common here",
            "in a shallow clone fetch more: fetch-depth: 0, or git fetch --unshallow",
        )
    fragments = list(shelf.reader.fragments(shelf.reader.newest("active")))
    views = _assess(shelf.checker, fragments, request.progress)
    then = Checker(history.tree(base), shelf.reader, ctx.settings.floor, lambda: ctx.roots)
    confidences = {f.id: found.confidence for f, found in zip(fragments, then.assess_all(fragments), strict=True)}
    return Swept(_changes(views, lambda fragment: confidences[fragment.id]), tuple(views), len(fragments), base)


def _moved_paths(ctx: Context, scope: str, tree: RepositoryTree) -> dict[str, str]:
    """The anchored paths whose content is not the one that the last sweep here saw → what it is now."""
    reader = ctx.shelves[scope].reader
    seen = reader.swept_paths(_place(ctx, scope))
    return {path: now for path, now in _contents(tree, reader).items() if seen.get(path) != now}


def _contents(tree: RepositoryTree, reader: Reader) -> dict[str, str]:
    entries = tree.entries(list(reader.anchored_paths()))
    return {path: f"{e.kind} {e.blob or ''} {e.disk if e.disk != e.blob else ''}" for path, e in entries.items()}


def _affected(
    ctx: Context, scope: str, moved: dict[str, str] | None, before: dict[str, tuple[float, str]]
) -> list[Fragment]:
    """The active fragments whose confidence may have moved, newest first: those at a moved path, those written since
    the last sweep, and those that were not fresh then, whose verdict may hang on other files."""
    reader = ctx.shelves[scope].reader
    last = reader.meta(f"swept:{_place(ctx, scope)}") if moved is not None else None
    if moved is None or last is None:
        return list(reader.fragments(reader.newest("active")))
    idents = dict.fromkeys(ident for path in moved for ident in reader.at_path(path))
    idents.update(dict.fromkeys(before))
    idents.update(dict.fromkeys(reader.written_after(last["number"])))
    return [fragment for fragment in reader.fragments(idents) if fragment.state == "active"]


def _assess(checker: Checker, fragments: Sequence[Fragment], progress: Progress | None) -> list[View]:
    views: list[View] = []
    for start in range(0, len(fragments), _BATCH):
        batch = fragments[start : start + _BATCH]
        views += [View(fragment, found) for fragment, found in zip(batch, checker.assess_all(batch), strict=True)]
        if progress:
            progress(len(views), len(fragments))
    return views


def _changes(views: Sequence[View], before: Callable[[Fragment], float]) -> tuple[Change, ...]:
    moved = [Change(view, before(view.fragment), view.assessment.confidence) for view in views]
    moved = [change for change in moved if abs(change.after - change.before) >= 0.00005]
    return tuple(sorted(moved, key=_fell_most))


def _fell_most(change: Change) -> tuple[float, str]:
    return (change.after - change.before, change.view.fragment.name)


def _store(ctx: Context, scope: str, swept: Swept, moved: dict[str, str] | None, reason: str) -> None:
    """One transaction with everything learned. It writes no fragment, so what others saved meanwhile stays."""
    place, shelf = _place(ctx, scope), ctx.shelves[scope]
    assert ctx.tree is not None
    roots, number = _roots(ctx), shelf.reader.last_number()
    contents = _contents(ctx.tree, shelf.reader) if moved is None else moved
    with ctx.writing(scope) as writer:
        for path, content in contents.items():
            writer.set_swept_path(place, path, content)
        for view in swept.views:
            found = view.assessment
            # one whose anchors have something to tell may hang on other files than its own: look at it again next time
            plain = not any(anchor.evidence for anchor in found.anchors)
            value = None if plain else (found.confidence, found.verdict)
            writer.set_swept(place, view.fragment.id, value)
        shelf.checker.remember(writer, lambda identity: _identity_now(ctx) == identity)
        remember_seen(ctx, writer, scope)
        if roots and scope == "workspace":
            writer.set_meta("roots", roots)
        writer.set_meta(f"swept:{place}", {"at": ctx.now, "commit": swept.commit, "by": reason, "number": number})


def _identity_now(ctx: Context) -> str | None:
    """The work tree's identity, looked at anew."""
    try:
        return ctx.repository.worktree().identity() if ctx.repository else None
    except GitFailed:
        return None


def _roots(ctx: Context) -> dict[str, object] | None:
    """The root commits to remember for user scope, with those of this branch; None when there is nothing to add."""
    branch = ctx.repository.head().branch if ctx.repository else None
    _, branches = ctx.remembered_roots
    if "user" not in ctx.shelves or branch is None or branch in branches:
        return None
    return {"roots": ctx.roots, "branches": [*branches, branch]}


def remember_seen(ctx: Context, writer: Writer, scope: str) -> None:
    """Keep the stats of the files that were looked at, so that the next read needs no git: in the workspace's store."""
    if scope != "user" and ctx.repository is not None and ctx.tree is not None:
        for path, seen in ctx.tree.fresh.items():
            writer.set_seen(ctx.repository.worktree_id, path, seen)


def _place(ctx: Context, scope: str) -> str:
    """Where a sweep's report belongs: this work tree; in the user's store, which serves all, of this repository."""
    if ctx.repository is None:
        return ""
    tree = ctx.repository.worktree_id
    return tree if scope == "workspace" else digest(ctx.repository.common_dir, tree).hex()
