"""What a sweep leaves in the store about a work tree, and what that tells the next one to look at."""

from collections.abc import Mapping

from memcli.context import Context
from memcli.errors import GitFailed
from memcli.git import RepositoryTree
from memcli.store import Reader, Writer
from memcli.store.databases import digest
from memcli.text import iso

Told = Mapping[str, tuple[float, str] | None]  # id → (confidence, verdict) that was reported; None: its base


def last_sweep(ctx: Context) -> dict[str, object] | None:
    """When this work tree was last swept: {at (ISO), commit, by}, or None."""
    shelf = ctx.shelves.get("workspace")
    raw = shelf.reader.meta(f"swept:{worktree_key(ctx, 'workspace')}") if shelf else None
    return {"at": iso(raw["at"]), "commit": raw["commit"], "by": raw["by"]} if raw else None


def moved_paths(ctx: Context, scope: str, tree: RepositoryTree) -> dict[str, str]:
    """The anchored paths whose content is not the one that the last sweep here saw → what it is now."""
    reader = ctx.shelves[scope].reader
    seen = reader.swept_paths(worktree_key(ctx, scope))
    return {path: now for path, now in _contents(tree, reader).items() if seen.get(path) != now}


def affected(ctx: Context, scope: str, moved: dict[str, str] | None, before: dict[str, tuple[float, str]]) -> list[str]:
    """Ids of the fragments whose confidence may have moved: those at a moved path, those written since the last sweep,
    and those that were not fresh then, whose verdict may hang on other files. All, path by path, where there was none:
    so what is read of a file serves all that is said of it."""
    reader = ctx.shelves[scope].reader
    last = reader.meta(f"swept:{worktree_key(ctx, scope)}") if moved is not None else None
    paths = reader.anchored_paths() if moved is None or last is None else moved
    idents = dict.fromkeys(ident for path in paths for ident in reader.at_path(path))
    if moved is None or last is None:
        return list(idents | dict.fromkeys(reader.newest("active")))
    return list(idents | dict.fromkeys(before) | dict.fromkeys(reader.written_after(last["number"])))


def store(ctx: Context, scope: str, told: Told, moved: dict[str, str] | None, reason: str) -> None:
    """One transaction with everything learned. It writes no fragment, so what others saved meanwhile stays."""
    place, shelf = worktree_key(ctx, scope), ctx.shelves[scope]
    assert ctx.tree is not None
    roots, number = _roots(ctx), shelf.reader.last_number()
    contents = _contents(ctx.tree, shelf.reader) if moved is None else moved
    with ctx.writing(scope) as writer:
        for path, content in contents.items():
            writer.set_swept_path(place, path, content)
        for ident, value in told.items():
            writer.set_swept(place, ident, value)
        shelf.checker.remember(writer, lambda identity: _identity_now(ctx) == identity)
        remember_seen(ctx, writer, scope)
        if roots and scope == "workspace":
            writer.set_meta("roots", roots)
        last = {"at": ctx.now, "commit": ctx.tree.commit, "by": reason, "number": number}
        writer.set_meta(f"swept:{place}", last)


def remember_seen(ctx: Context, writer: Writer, scope: str) -> None:
    """Keep the stats of the files that were looked at, so that the next read needs no git: in the workspace's store."""
    if scope != "user" and ctx.repository is not None and ctx.tree is not None:
        for path, seen in ctx.tree.fresh.items():
            writer.set_seen(ctx.repository.worktree_id, path, seen)


def _contents(tree: RepositoryTree, reader: Reader) -> dict[str, str]:
    entries = tree.entries(list(reader.anchored_paths()))
    return {path: f"{e.kind} {e.blob or ''} {e.disk if e.disk != e.blob else ''}" for path, e in entries.items()}


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


def worktree_key(ctx: Context, scope: str) -> str:
    """Where a sweep's report belongs: this work tree; in the user's store, which serves all, of this repository."""
    if ctx.repository is None:
        return ""
    tree = ctx.repository.worktree_id
    return tree if scope == "workspace" else digest(ctx.repository.common_dir, tree).hex()
