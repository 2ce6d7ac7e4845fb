"""Saving: text → gate → anchors and stamp → store. Every write path ends in `save` (law 15)."""

import os
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from memcli import asker as asking
from memcli import fingerprint, gate, kinds, scopes
from memcli.anchoring import find_anchors, restamped
from memcli.contents import is_content_of, pack_folder, salt_of
from memcli.context import Context
from memcli.errors import Refused, UnknownId
from memcli.git import Tree
from memcli.model import Anchor, Assessment, Fragment, Stamp, View
from memcli.remembered import remember_seen
from memcli.store import Reader, Writer

_SAYS_IT = ("active", "proposed", "rejected")  # states in which a text counts as said already, the strongest first
_RECENT = 100  # fragments of a type among which a parent is looked for
_LETTERS = "klmnopqrstuvwxyz"  # an id never looks like a commit's


class Request(NamedTuple):
    """What to save. `paths`: places as `--path` takes them. `refs`: ids of parents. `supersedes`: ids or keys.

    `scope` session, user or workspace; `confidence` the base, 0 to 1. `propose`: let a person decide. `force`: confirm
    an agent's repeat of a text whose code has changed. `source`: which way it came.
    """

    text: str
    key: str | None = None
    type: str | None = None
    scope: str = "workspace"
    paths: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    session: str | None = None
    confidence: float | None = None
    propose: bool = False
    force: bool = False
    source: str = "save"


class Saved(NamedTuple):
    """What became of it.

    `outcome`: saved, confirmed (an active fragment had the text), replaced (an automatic key), proposed, approved (a
    person said what was proposed), unchanged, or changed (an agent's repeat of a text whose code has changed: nothing
    was done).
    """

    view: View
    outcome: str
    superseded: tuple[Fragment, ...] = ()
    warnings: tuple[str, ...] = ()


class _New(NamedTuple):
    """A request that passed the gate, with its anchors and stamp, what it supersedes and what it is derived from."""

    request: Request
    anchors: tuple[Anchor, ...]
    stamp: Stamp
    olds: list[Fragment]
    parents: tuple[str, ...]


def save(ctx: Context, request: Request) -> Saved:
    """Save a text, durably, or raise and change nothing.

    Raises Refused (the gate), Usage, UnknownId, AmbiguousId, OutsideRepository, NoRepository, and the store's errors.
    """
    request = _with_defaults(ctx, request)
    if ctx.repository is not None and request.scope != "user":
        ctx.require_worktree(at=True)
    passed = gate.pass_gate(_candidate(ctx, request), ctx.settings.approve)
    if passed.error:
        raise passed.error
    request = request._replace(text=passed.text, key=passed.key, confidence=passed.base)
    anchored = find_anchors(ctx, request.text, request.paths)
    anchors, stamp = stamped(ctx, anchored.anchors, request.scope)
    olds = _named(ctx, request.supersedes)
    parents = tuple(old.id for old in _named(ctx, request.refs))
    with ctx.writing(request.scope) as writer:
        new = _New(request, anchors, stamp, _current(writer, olds, request.scope), parents)
        twin = _twin(writer, request)
        saved = (_again(ctx, writer, twin, new) if twin is not None else None) or _anew(ctx, writer, new)
        keep_contents(ctx, writer, saved.view.fragment.anchors)
        remember_seen(ctx, writer, request.scope)
    return saved._replace(warnings=anchored.warnings + passed.warnings)


def stamped(
    ctx: Context, anchors: Sequence[Anchor], scope: str, known: dict[str, str] | None = None
) -> tuple[tuple[Anchor, ...], Stamp]:
    """The anchors with what git knows of them, and the stamp of this moment on this context's tree. `known` are the
    paths whose state git told already, which are not asked about again; those that are asked about come in."""
    repository, tree = ctx.repository, ctx.tree
    if repository is None or tree is None:
        return tuple(anchors), Stamp(None, None, False, ctx.now)
    roots = ctx.roots if scope == "user" and anchors else ()
    if ctx.at is not None:
        return tuple(anchors), Stamp(tree.commit, None, False, ctx.now, roots)
    head = repository.head()
    paths = [anchor.path for anchor in anchors if anchor.kind != "missing"]
    known = {} if known is None else known
    known |= repository.status([path for path in paths if path not in known])
    states = {path: known.get(path) for path in paths}
    there = tuple(anchor._replace(tracked=states.get(anchor.path) in ("clean", "dirty")) for anchor in anchors)
    dirty = any(state in ("dirty", "untracked") for state in states.values())
    return there, Stamp(head.commit, head.branch, dirty, ctx.now, roots)


def keep_contents(ctx: Context, writer: Writer, anchors: Sequence[Anchor]) -> None:
    """Keep a fingerprint of each anchor's content: its text if git tracks it and it holds no secret, else hashes."""
    if ctx.tree is None:
        return
    for anchor in anchors:
        if anchor.blob is None or anchor.kind == "submodule" or writer.has_blob(anchor.blob):
            continue
        if anchor.kind == "dir":
            keep_folder(writer, anchor, ctx.tree)
            continue
        data = ctx.tree.read(anchor.path)
        if data is None and not ctx.tree.lacks(anchor.path):
            writer.set_blob(anchor.blob, fingerprint.pack_opaque(anchor.blob))
        elif data is not None and is_content_of(data, anchor.blob):
            writer.set_blob(anchor.blob, packed(data, anchor, salt_of(writer)))


def keep_folder(writer: Writer, anchor: Anchor, tree: Tree) -> None:
    """Keep the listing that a folder was stamped with, if it is still that one."""
    listing = pack_folder(tree, anchor.path)
    if listing is not None and fingerprint.listing_id(listing) == anchor.blob:
        writer.set_blob(anchor.blob, listing)


def packed(data: bytes, anchor: Anchor, salt: bytes) -> bytes:
    """The form in which a content may be kept (law 17)."""
    from memcli import secrets

    plain = anchor.tracked and not fingerprint.is_binary(data) and not secrets.scan(data.decode("utf-8", "replace"))
    return fingerprint.pack_text(data) if plain else fingerprint.pack_hashes(data, anchor.path, salt)


def new_id() -> str:
    """Sixteen random letters from k to z."""
    return "".join(_LETTERS[byte >> 4] + _LETTERS[byte & 15] for byte in os.urandom(8))


def by_person(fragment: Fragment) -> bool:
    """Whether a person wrote or approved it."""
    return fragment.approved is not None or not asking.is_agent(fragment.author)


def with_its_key(reader: Reader, fragment: Fragment) -> list[Fragment]:
    """The other active fragments that have the key of this one where it stands: one at most, as long as all is well."""
    named = reader.with_key(fragment.key) if fragment.key else []
    return [f for f in named if f.id != fragment.id and f.state == "active" and scopes.share_keys(f, fragment)]


def supersede(writer: Writer, old: Fragment, new: str, now: int) -> Fragment:
    """Store the old fragment as superseded by the new one's id; its text and base stay."""
    done = old._replace(state="superseded", superseded_by=new, updated=now)
    writer.put(done)
    return done


def _with_defaults(ctx: Context, request: Request) -> Request:
    """The request with type, scope and session filled in. Raises Usage for unknown ones, Refused without a session."""
    kind = kinds.check_type(request.type) if request.type else kinds.infer(request.key)
    scope = scopes.check_scope(request.scope)
    session = request.session or ctx.session
    if scope == "session" and session is None:
        raise Refused("there is no session to save into", "name one with --session, or set MEM_SESSION")
    gate.check_name(session, "session")
    gate.check_name(ctx.asker.name, "author")
    return request._replace(type=kind, scope=scope, session=session)


def _candidate(ctx: Context, request: Request, over_person: bool = False) -> gate.Candidate:
    return gate.Candidate(
        text=request.text,
        key=request.key,
        type=request.type or "note",
        scope=request.scope,
        paths=request.paths,
        is_agent=ctx.asker.is_agent,
        source=request.source,
        supersedes_person=over_person,
        propose=request.propose,
        confidence=request.confidence,
    )


def _named(ctx: Context, idents: Sequence[str]) -> list[Fragment]:
    from memcli.read import pick

    return [pick(ctx, ident) for ident in idents]


def _twin(writer: Reader, request: Request) -> Fragment | None:
    """What already says this in the same scope: an active fragment, else a proposal, else what a person turned down.
    Under another explicit key it is another one."""
    found = [
        fragment
        for fragment in writer.with_text(request.text)
        if fragment.scope == request.scope
        and (request.scope != "session" or fragment.session == request.session)
        and fragment.state in _SAYS_IT
        and request.key in (None, fragment.key)
    ]
    return min(found, key=lambda fragment: _SAYS_IT.index(fragment.state), default=None)


def _again(ctx: Context, writer: Writer, twin: Fragment, new: "_New") -> Saved | None:
    """The text is known: an explicit save confirms it (law 8), unless an agent repeats what has changed since, and a
    person's accepts a proposal. None when a person says what was turned down: that is a save of its own."""
    found = ctx.checker(writer).assess(twin)
    by_person = not ctx.asker.is_agent and not new.request.propose
    if twin.state != "active":
        if by_person:
            return _accepted(ctx, writer, twin, new) if twin.state == "proposed" else None
        if twin.state == "rejected":
            raise Refused(f"{twin.name} said this and was rejected", "a person can still save it")
        return Saved(View(twin, found), "proposed")
    if new.request.propose or not ctx.checker(writer).is_here(twin):
        return Saved(View(twin, found), "unchanged")
    if ctx.asker.is_agent and found.verdict in ("changed", "gone") and not new.request.force:
        return Saved(View(twin, found), "changed")
    anchors, stamp = stamped(ctx, _together(ctx, writer, twin, new), twin.scope)
    olds = [old for old in new.olds if old.id != twin.id]
    confirmed = twin._replace(
        stamp=stamp,
        anchors=anchors,
        updated=ctx.now,
        parents=tuple(dict.fromkeys((*twin.parents, *new.parents))),
        supersedes=tuple(dict.fromkeys((*twin.supersedes, *(old.id for old in olds)))),
    )
    writer.put(confirmed)
    done = tuple(supersede(writer, old, twin.id, ctx.now) for old in olds)
    return Saved(View(confirmed, ctx.checker(writer).assess(confirmed)), "confirmed", done)


def _together(ctx: Context, writer: Reader, twin: Fragment, new: "_New") -> tuple[Anchor, ...]:
    """The anchors of a text that is said again: those it had, where they are now, and those it names now. Whoever draws
    places that are there draws anew what was drawn; a place that is not there replaces none."""
    if ctx.tree is None:
        return new.anchors
    scene = ctx.checker(writer).scene
    there = [anchor for anchor in new.anchors if anchor.kind != "missing"]
    redrawn = any(anchor.drawn for anchor in there)
    kept = [restamped(a, twin.text, scene) for a in twin.anchors if not (a.drawn and redrawn)]
    paths = {anchor.path for anchor in kept if anchor.drawn}
    fresh = [anchor for anchor in there if anchor.path not in paths]
    known = {anchor.path for anchor in fresh}
    return (*(anchor for anchor in kept if anchor.path not in known), *fresh)


def _accepted(ctx: Context, writer: Writer, twin: Fragment, new: "_New") -> Saved:
    """A person said what was proposed: that approves it, for the code as it is now."""
    fragment = approved(writer, twin._replace(stamp=new.stamp, anchors=new.anchors), new.olds, ctx.now)
    return Saved(_view(ctx, writer, fragment), "approved", tuple(new.olds))


def approved(writer: Writer, proposal: Fragment, olds: Sequence[Fragment], now: int) -> Fragment:
    """Store a proposal as accepted by a person; what it would supersede, what has its key and `olds` are superseded."""
    named = [old for ident in proposal.supersedes if (old := writer.fragment(ident))]
    replaced = {old.id: old for old in (*named, *with_its_key(writer, proposal), *olds)}
    for old in replaced.values():
        if old.state == "active":
            supersede(writer, old, proposal.id, now)
    accepted = proposal._replace(
        state="active", base=gate.PERSON_BASE, approved=now, updated=now, supersedes=tuple(replaced)
    )
    writer.put(accepted)
    return accepted


def _anew(ctx: Context, writer: Writer, new: "_New") -> Saved:
    """A new fragment, which supersedes what it names and what had its key."""
    request, olds = new.request, new.olds
    fragment = Fragment(
        id=new_id(),
        key=request.key,
        type=request.type or "note",
        scope=request.scope,
        state="active",
        text=request.text,
        base=1.0 if request.confidence is None else request.confidence,
        stamp=new.stamp,
        anchors=new.anchors,
        parents=new.parents or _parents(writer, request),
        source=request.source,
        author=ctx.asker.name,
        session=request.session,
        created=ctx.now,
        updated=ctx.now,
    )
    replaced = _replaced(writer, fragment, olds)
    fragment = fragment._replace(supersedes=tuple(old.id for old in replaced))
    over_person = any(by_person(old) for old in replaced)
    approval = gate.policy(_candidate(ctx, request, over_person), ctx.settings.approve)
    if approval.outcome == "propose":
        fragment = fragment._replace(state="proposed")
        writer.put(fragment)
        return Saved(_view(ctx, writer, fragment), "proposed")
    if kinds.is_automatic(request.key) and len(replaced) == 1 and not olds:
        fragment = fragment._replace(id=replaced[0].id, created=replaced[0].created, supersedes=())
        writer.put(fragment)
        return Saved(_view(ctx, writer, fragment), "replaced")
    writer.put(fragment)
    done = tuple(supersede(writer, old, fragment.id, ctx.now) for old in replaced)
    return Saved(_view(ctx, writer, fragment), "saved", done)


def _current(reader: Reader, olds: Sequence[Fragment], scope: str) -> list[Fragment]:
    """The fragments to supersede, as they are under the lock. Raises UnknownId, Refused."""
    found = []
    for old in olds:
        current = reader.fragment(old.id)
        if current is None:
            raise UnknownId(f"{old.name} is not in the store of {scope} scope", "supersede it in its own scope")
        if current.state != "active":  # its undoing would make it active
            raise Refused(f"{old.name} is {current.state}", "only active fragments can be replaced")
        found.append(current)
    return found


def _replaced(reader: Reader, fragment: Fragment, olds: Sequence[Fragment]) -> list[Fragment]:
    """What a new fragment supersedes: what was named, and the active one that has its key."""
    return list({old.id: old for old in (*olds, *with_its_key(reader, fragment))}.values())


def _parents(reader: Reader, request: Request) -> tuple[str, ...]:
    """The newest fragment of the nearest earlier type in the session, else in the workspace (DESIGN.md, section 1)."""
    wanted = () if request.scope == "user" else kinds.parent_types(request.type or "note")
    newest = {kind: list(reader.fragments(islice(reader.newest(f"active:{kind}"), _RECENT))) for kind in wanted}
    if request.session is not None:
        for kind in wanted:
            for fragment in newest[kind]:
                if fragment.session == request.session:
                    return (fragment.id,)
    for kind in wanted:
        for fragment in newest[kind]:
            if fragment.scope == "workspace":
                return (fragment.id,)
    return ()


def _view(ctx: Context, writer: Reader, fragment: Fragment) -> View:
    found: Assessment = ctx.checker(writer).assess(fragment)
    return View(fragment, found)
