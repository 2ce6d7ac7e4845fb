"""Changing what is stored: confirm, delete, supersede and its undoing, approve, reject. One transaction each."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack

from memcli.anchoring import restamped
from memcli.context import Context
from memcli.errors import Refused, UnknownId
from memcli.model import Fragment
from memcli.read import pick
from memcli.remembered import remember_seen
from memcli.save import approved, by_person, keep_contents, stamped, supersede, with_its_key
from memcli.store import Writer

Step = Callable[[Writer, Fragment], Fragment]


def confirm(ctx: Context, idents: Sequence[str]) -> tuple[Fragment, ...]:
    """Stamp fragments anew, as the code is now: whoever confirms has looked (law 8). Raises UnknownId, AmbiguousId."""
    picked = _picked(ctx, idents)
    paths = {anchor.path for fragment in picked for anchor in fragment.anchors if anchor.kind != "missing"}
    states = ctx.repository.status(paths) if ctx.repository and ctx.tree else {}  # one call to git for all of them

    def step(writer: Writer, fragment: Fragment) -> Fragment:
        if fragment.state != "active":
            raise Refused(f"{fragment.name} is {fragment.state}", "only active fragments can be confirmed")
        checker, tree = ctx.checker(writer), ctx.tree
        if tree is None and ctx.repository is not None and fragment.scope != "user":
            ctx.require_worktree()
        if not checker.is_here(fragment):
            raise Refused(f"{fragment.name} speaks about another repository", "confirm it there")
        here = [restamped(a, fragment.text, checker.scene) for a in fragment.anchors] if tree else ()
        anchors, stamp = stamped(ctx, here, fragment.scope, states)
        ctx.notes += [
            f"{a.path} is not there: nothing to compare with from now on" for a in anchors if a.kind == "missing"
        ]
        keep_contents(ctx, writer, anchors)
        remember_seen(ctx, writer, fragment.scope)
        return _put(writer, fragment._replace(stamp=stamp, anchors=anchors, updated=ctx.now))

    return _each(ctx, picked, step)


def delete(ctx: Context, idents: Sequence[str]) -> tuple[Fragment, ...]:
    """Remove fragments for good. Raises UnknownId, AmbiguousId."""

    def step(writer: Writer, fragment: Fragment) -> Fragment:
        writer.delete(fragment.id)
        return fragment

    return _each(ctx, _picked(ctx, idents), step)


def supersede_by(ctx: Context, olds: Sequence[str], new: str) -> tuple[Fragment, ...]:
    """Let one fragment replace others: their confidence is 0 from now on. Raises UnknownId, AmbiguousId, Refused."""
    newer = pick(ctx, new)
    if newer.state != "active":
        raise Refused(f"{newer.name} is {newer.state}", "only an active fragment can replace others")

    def step(writer: Writer, fragment: Fragment) -> Fragment:
        if fragment.id == newer.id:
            raise Refused(f"{fragment.name} can't replace itself", "name two fragments")
        if fragment.state != "active":  # its undoing would make it active
            raise Refused(f"{fragment.name} is {fragment.state}", "only active fragments can be replaced")
        if ctx.asker.is_agent and by_person(fragment) and ctx.settings.approve["agent.supersede"] == "propose":
            raise Refused(
                f"a person wrote or approved {fragment.name}, so replacing it waits for approval",
                "save the new text with --supersedes: that makes a proposal",
            )
        current = writer.fragment(newer.id)
        if current is not None and fragment.id not in current.supersedes:
            writer.put(current._replace(supersedes=(*current.supersedes, fragment.id)))
        return supersede(writer, fragment, newer.id, ctx.now)

    return _each(ctx, _picked(ctx, olds), step)


def unsupersede(ctx: Context, olds: Sequence[str]) -> tuple[tuple[Fragment, ...], tuple[Fragment, ...]]:
    """Take a supersession back: the old fragments are active again, and what took their key over stays, without it.

    Gives both. Raises UnknownId, Refused.
    """
    without_key: list[Fragment] = []

    def step(writer: Writer, fragment: Fragment) -> Fragment:
        if fragment.state != "superseded":
            raise Refused(
                f"{fragment.name} is {fragment.state}, not superseded", "`mem list --state superseded` shows which are"
            )
        newer = writer.fragment(fragment.superseded_by or "")
        if newer is not None:
            writer.put(newer._replace(supersedes=tuple(ident for ident in newer.supersedes if ident != fragment.id)))
        without_key.extend(_put(writer, other._replace(key=None)) for other in with_its_key(writer, fragment))
        return _put(writer, fragment._replace(state="active", superseded_by=None, updated=ctx.now))

    restored = _each(ctx, _picked(ctx, olds, "superseded"), step)
    return restored, tuple(without_key)


def pending(ctx: Context) -> tuple[Fragment, ...]:
    """The proposals that wait, newest first."""
    found = [f for shelf in ctx.shelves.values() for f in shelf.reader.fragments(shelf.reader.newest("proposed"))]
    return tuple(sorted(found, key=lambda fragment: -fragment.updated))


def would_replace(ctx: Context, proposal: Fragment) -> tuple[Fragment, ...]:
    """What would be superseded if the proposal were approved now."""
    reader = ctx.shelf(proposal).reader
    named = (old for ident in proposal.supersedes if (old := reader.fragment(ident)) and old.state == "active")
    return tuple({old.id: old for old in (*named, *with_its_key(reader, proposal))}.values())


def approve(
    ctx: Context, idents: Sequence[str], everything: bool = False, source: str | None = None
) -> tuple[Fragment, ...]:
    """Accept proposals: base 1.0, and what they would supersede is superseded. Raises UnknownId, Refused."""

    def step(writer: Writer, fragment: Fragment) -> Fragment:
        if fragment.state != "proposed":
            raise Refused(f"{fragment.name} is {fragment.state}, not proposed", "`mem pending` lists what waits")
        return approved(writer, fragment, (), ctx.now)

    return _each(ctx, _proposals(ctx, idents, everything, source), step)


def reject(
    ctx: Context, idents: Sequence[str], everything: bool = False, source: str | None = None
) -> tuple[Fragment, ...]:
    """Turn proposals down; they are kept, so that the same text is not proposed again. Raises UnknownId, Refused."""

    def step(writer: Writer, fragment: Fragment) -> Fragment:
        if fragment.state != "proposed":
            raise Refused(f"{fragment.name} is {fragment.state}, not proposed", "`mem pending` lists what waits")
        return _put(writer, fragment._replace(state="rejected", updated=ctx.now))

    return _each(ctx, _proposals(ctx, idents, everything, source), step)


def _proposals(ctx: Context, idents: Sequence[str], everything: bool, source: str | None) -> list[Fragment]:
    if ctx.asker.is_agent:
        raise Refused("proposals wait for a person's approval", "ask the person to run `mem pending`")
    if not everything:
        return _picked(ctx, idents, "proposed")
    return [fragment for fragment in pending(ctx) if source in (None, fragment.source)]


def _picked(ctx: Context, idents: Iterable[str], state: str = "active") -> list[Fragment]:
    found = [pick(ctx, ident, state) for ident in idents]
    return list({fragment.id: fragment for fragment in found}.values())


def _each(ctx: Context, fragments: Sequence[Fragment], step: Step) -> tuple[Fragment, ...]:
    """Do the step for every fragment as it is now: all of them, or on any error none, whichever store they are in."""
    done: list[Fragment] = []
    with ExitStack() as stack:
        writers: dict[str, Writer] = {}
        for fragment in fragments:
            scope = "user" if fragment.scope == "user" else "workspace"
            if scope not in writers:
                writers[scope] = stack.enter_context(ctx.writing(scope))
            current = writers[scope].fragment(fragment.id)
            if current is None:
                raise UnknownId(f"{fragment.name} is not there any more", "another process removed it")
            done.append(step(writers[scope], current))
    return tuple(done)


def _put(writer: Writer, fragment: Fragment) -> Fragment:
    writer.put(fragment)
    return fragment
