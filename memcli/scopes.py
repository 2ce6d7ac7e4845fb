"""Who is shown what (law 10), in one place for every read; and what is written at once where (law 15)."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from memcli.kinds import RESUMABLE, one_of
from memcli.model import SCOPES, STATES, Fragment

EARLIER = "earlier session"  # marks what a session is shown of the one before it (law 10)
MINIMUM = 0.30  # the least confidence that is returned unasked (DESIGN.md, section 8, "Numbers")
_ROUNDING = 1e-9  # a product of floats that stands for 0.30 may come out a hair below it

# Law 15: what becomes of a write, by who writes and into which scope. `state` are the automatic keys, `supersede` is an
# agent's save over what a person wrote or approved. Every value can be set in the configuration as `approve.…`.
APPROVAL: Mapping[str, str] = {
    "person.session": "accept",
    "person.workspace": "accept",
    "person.user": "accept",
    "agent.session": "accept",
    "agent.workspace": "accept",
    "agent.user": "propose",
    "agent.supersede": "propose",
    "capture.session": "accept",
    "capture.workspace": "propose",
    "capture.user": "propose",
    "capture.state": "accept",
}


class Viewer(NamedTuple):
    """Who reads and what they asked for. `ask` builds one from options.

    `minimum` (0 to 1) binds active fragments, and those of every state when the reader named it himself (`named`): a
    superseded fragment has confidence 0, and whoever asks for that state means to see it. `lent` are the ids of the
    earlier session's fragments that this session is shown.
    """

    session: str | None = None
    minimum: float = MINIMUM
    states: tuple[str, ...] = ("active",)
    every_session: bool = False
    named: bool = False
    lent: Collection[str] = ()


def ask(
    session: str | None = None,
    *,
    default: float = MINIMUM,
    minimum: float | None = None,
    states: Collection[str] = (),
    all: bool = False,
    below: bool = False,
    lent: Collection[str] = (),
) -> Viewer:
    """The viewer that these options mean: `--min-confidence` (minimum), `--state`, `--all`.

    `default` is the configured minimum; `below` asks for what stands under it too (`--stale`, `--unverified`, show,
    why).
    """
    effective = minimum if minimum is not None else 0.0 if all or below else default
    wanted = tuple(states) or (STATES if all else ("active",))
    return Viewer(session, effective, wanted, all, minimum is not None, lent)


def readable(fragment: Fragment, viewer: Viewer) -> bool:
    """The part of law 10 that needs no confidence: the state, and whose session it is. Checked before any drift."""
    if fragment.state not in viewer.states:
        return False
    if fragment.scope != "session" or viewer.every_session:
        return True
    return fragment.session == viewer.session or fragment.id in viewer.lent


def visible(fragment: Fragment, confidence: float, viewer: Viewer) -> bool:
    """Law 10: whether a read returns this fragment, whose confidence (0 to 1) is that of the tree it is asked about."""
    return readable(fragment, viewer) and confident(fragment, confidence, viewer)


def confident(fragment: Fragment, confidence: float, viewer: Viewer) -> bool:
    """The part of law 10 that needs the confidence: the minimum."""
    unbound = fragment.state != "active" and not viewer.named
    return unbound or confidence >= viewer.minimum - _ROUNDING


def earlier_session(
    fragments: Iterable[Fragment],
    session: str | None,
    branch: str | None,
    unfinished: Callable[[Fragment], bool],
) -> frozenset[str]:
    """Ids of the unfinished progress, result and status that a session inherits (law 10), usually none.

    Only a session with no unfinished work of its own inherits, and from one session: the newest on this branch that
    kept a record of its work and began before this one. Reads of no session inherit nothing.
    """
    if session is None:
        return frozenset()
    kept = [f for f in fragments if f.state == "active" and f.session is not None]
    own = [f for f in kept if f.session == session]
    if any(f.type in RESUMABLE and unfinished(f) for f in own):
        return frozenset()
    work = _work_of_newest([f for f in kept if f.session != session], branch, _began(own))
    return frozenset(f.id for f in work if unfinished(f))


def share_keys(one: Fragment, other: Fragment) -> bool:
    """Whether two fragments stand where a key means one fragment: in the same scope, a session's own in its session."""
    return one.scope == other.scope and (one.scope != "session" or one.session == other.session)


def check_scope(name: str) -> str:
    """The scope of this name. Raises Usage with the nearest one."""
    return one_of(name, SCOPES, "scope")


def check_state(name: str) -> str:
    """The state of this name. Raises Usage with the nearest one."""
    return one_of(name, STATES, "state")


def _began(fragments: Collection[Fragment]) -> float:
    return min((f.created for f in fragments), default=float("inf"))


def _work_of_newest(others: Collection[Fragment], branch: str | None, before: float) -> list[Fragment]:
    """The session-scope work of the newest other session on the branch that began before that time."""
    began: dict[str | None, int] = {}
    for f in others:
        began[f.session] = min(f.created, began.get(f.session, f.created))
    work = [f for f in others if _is_work(f, branch) and began[f.session] < before]
    newest = max(work, key=lambda f: (f.updated, f.created, f.id), default=None)
    return [f for f in work if newest and f.session == newest.session]


def _is_work(fragment: Fragment, branch: str | None) -> bool:
    return fragment.scope == "session" and fragment.type in RESUMABLE and fragment.stamp.branch == branch
