"""Saving: text → gate → anchors and stamp → store. Every write path ends in `save` (law 15)."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from memcli import asker as asking
from memcli import fingerprint, gate, kinds, scopes
from memcli.anchoring import find_anchors, restamped
from memcli.contents import is_content_of, salt_of
from memcli.context import Context
from memcli.errors import Refused, UnknownId
from memcli.model import Anchor, Assessment, Fragment, Stamp, View
from memcli.store import Reader, Writer
from memcli.sweep import remember_seen

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
    """What became of it. `outcome`: saved, confirmed (an active fragment had the text), replaced (an automatic key),
    proposed, or changed (an agent's repeat of a text whose code has changed: nothing was done)."""

    view: View
    outcome: str
    superseded: tuple[Fragment, ...] = ()
    warnings: tuple[str, ...] = ()


def save(ctx: Context, request: Request) -> Saved:
    """Save a text, durably, or raise and change nothing.

    Raises Refused (the gate), Usage, UnknownId, AmbiguousId, OutsideRepository, NoRepository, and the store's errors.
    """
    request = _with_defaults(ctx, request)
    passed = gate.pass_gate(_candidate(ctx, request), ctx.settings.approve)
    if passed.error:
        raise passed.error
    request = request._replace(text=passed.text, key=passed.key, confidence=passed.base)
    anchored = find_anchors(ctx, request.text, request.paths)
    anchors, stamp = stamped(ctx, anchored.anchors, request.scope)
    olds = _named(ctx, request.supersedes)
    parents = tuple(old.id for old in _named(ctx, request.refs))
    with ctx.writing(request.scope) as writer:
        twin = _twin(writer, request)
        if twin is not None:
            saved = _again(ctx, writer, twin, request, anchors, stamp)
        else:
            saved = _anew(ctx, writer, request, anchors, stamp, olds, parents)
        keep_contents(ctx, writer, saved.view.fragment.anchors)
        remember_seen(ctx, writer)
    return saved._replace(warnings=anchored.warnings + passed.warnings)


def stamped(ctx: Context, anchors: Sequence[Anchor], scope: str) -> tuple[tuple[Anchor, ...], Stamp]:
    """The anchors with what git knows of them, and the stamp of this moment on this context's tree."""
    repository, tree = ctx.repository, ctx.tree
    if repository is None or tree is None:
        return tuple(anchors), Stamp(None, None, False, ctx.now)
    roots = ctx.roots if scope == "user" and anchors else ()
    if ctx.at is not None:
        return tuple(anchors), Stamp(tree.commit, None, False, ctx.now, roots)
    head = repository.head()
    states = repository.status([anchor.path for anchor in anchors if anchor.kind != "missing"])
    known = tuple(anchor._replace(tracked=states.get(anchor.path) in ("clean", "dirty")) for anchor in anchors)
    dirty = any(state in ("dirty", "untracked") for state in states.values())
    return known, Stamp(head.commit, head.branch, dirty, ctx.now, roots)


def keep_contents(ctx: Context, writer: Writer, anchors: Sequence[Anchor]) -> None:
    """Keep a fingerprint of each anchor's content: its text if git tracks it and it holds no secret, else hashes."""
    if ctx.tree is None:
        return
    for anchor in anchors:
        if anchor.blob is None or anchor.kind == "submodule" or writer.has_blob(anchor.blob):
            continue
        data = ctx.tree.read(anchor.path)
        if data is not None and is_content_of(data, anchor.blob):
            writer.set_blob(anchor.blob, packed(data, anchor, salt_of(writer)))


def packed(data: bytes, anchor: Anchor, salt: bytes) -> bytes:
    """The form in which a content may be kept (law 17)."""
    from memcli import secrets

    plain = anchor.tracked and not fingerprint.is_binary(data) and not secrets.scan(data.decode("utf-8", "replace"))
    return fingerprint.pack_text(data) if plain else fingerprint.pack_hashes(data, anchor.path, salt)


def new_id() -> str:
    """Sixteen random letters from k to z."""
    return "".join(_LETTERS[byte >> 4] + _LETTERS[byte & 15] for byte in os.urandom(8))


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
    """The active (or proposed) fragment that already says this in the same scope; under another explicit key it is
    another one."""
    for fragment in writer.with_text(request.text):
        here = fragment.scope == request.scope and (request.scope != "session" or fragment.session == request.session)
        if here and fragment.state in ("active", "proposed") and request.key in (None, fragment.key):
            return fragment
    return None


def _again(
    ctx: Context, writer: Writer, twin: Fragment, request: Request, anchors: tuple[Anchor, ...], stamp: Stamp
) -> Saved:
    """The text is known: an explicit save confirms it (law 8), unless an agent repeats what has changed since."""
    found = ctx.checker(writer).assess(twin)
    if request.propose or twin.state == "proposed" or not ctx.checker(writer).is_here(twin):
        return Saved(View(twin, found), "proposed" if twin.state == "proposed" else "unchanged")
    if ctx.asker.is_agent and found.verdict in ("changed", "gone") and not request.force:
        return Saved(View(twin, found), "changed")
    if drawn := () if request.paths else _drawn_again(ctx, writer, twin):
        there = {anchor.path for anchor in drawn}
        rest = (anchor for anchor in anchors if anchor.path not in there)
        anchors, stamp = stamped(ctx, (*drawn, *rest), twin.scope)
    confirmed = twin._replace(stamp=stamp, anchors=anchors, updated=ctx.now)
    writer.put(confirmed)
    return Saved(View(confirmed, ctx.checker(writer).assess(confirmed)), "confirmed")


def _drawn_again(ctx: Context, writer: Reader, twin: Fragment) -> tuple[Anchor, ...]:
    """The places that the author drew at the first time, where they are now."""
    if ctx.tree is None:
        return ()
    contents = ctx.checker(writer).contents
    return tuple(restamped(anchor, twin.text, ctx.tree, contents) for anchor in twin.anchors if anchor.drawn)


def _anew(
    ctx: Context,
    writer: Writer,
    request: Request,
    anchors: tuple[Anchor, ...],
    stamp: Stamp,
    olds: Sequence[Fragment],
    parents: tuple[str, ...],
) -> Saved:
    """A new fragment, which supersedes what it names and what had its key."""
    fragment = Fragment(
        id=new_id(),
        key=request.key,
        type=request.type or "note",
        scope=request.scope,
        state="active",
        text=request.text,
        base=1.0 if request.confidence is None else request.confidence,
        stamp=stamp,
        anchors=anchors,
        parents=parents or _parents(writer, request),
        source=request.source,
        author=ctx.asker.name,
        session=request.session,
        created=ctx.now,
        updated=ctx.now,
    )
    replaced = _replaced(writer, fragment, olds)
    fragment = fragment._replace(supersedes=tuple(old.id for old in replaced))
    over_person = any(old.approved or not asking.is_agent(old.author) for old in replaced)
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


def _replaced(reader: Reader, fragment: Fragment, olds: Sequence[Fragment]) -> list[Fragment]:
    """What a new fragment supersedes: what was named, and the active one that has its key."""
    found = {}
    for old in olds:
        current = reader.fragment(old.id)
        if current is None:
            raise UnknownId(
                f"{old.name} is not in the store of {fragment.scope} scope", "supersede it in its own scope"
            )
        found[old.id] = current
    found.update((old.id, old) for old in with_its_key(reader, fragment))
    return list(found.values())


def _parents(writer: Reader, request: Request) -> tuple[str, ...]:
    """The newest fragment of the nearest earlier type in the session, else in the workspace (DESIGN.md, section 1)."""
    wanted = kinds.parent_types(request.type or "note")
    if not wanted or request.scope == "user":
        return ()
    best: dict[tuple[bool, str], str] = {}
    for fragment in writer.fragments(writer.newest("active")):
        mine = fragment.session == request.session and request.session is not None
        if fragment.type in wanted and (mine or fragment.scope == "workspace"):
            best.setdefault((mine, fragment.type), fragment.id)
            if (True, wanted[0]) in best or (request.session is None and (False, wanted[0]) in best):
                break
    return next(((best[mine, kind],) for mine in (True, False) for kind in wanted if (mine, kind) in best), ())


def _view(ctx: Context, writer: Reader, fragment: Fragment) -> View:
    found: Assessment = ctx.checker(writer).assess(fragment)
    return View(fragment, found)
