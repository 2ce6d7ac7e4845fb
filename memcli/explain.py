"""How a fragment comes to its confidence: each anchor's share in it, and the commits that moved its code.

Commits are labels (law 2): they say when and by whom, and change no figure.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from memcli import read
from memcli.context import Context
from memcli.errors import GitFailed
from memcli.git.log import MOST, Commit
from memcli.model import Anchor, AnchorDrift, Fragment, View

if TYPE_CHECKING:
    from memcli.fingerprint import Fingerprint
    from memcli.git.objects import History

_COMPARED = 50  # contents of a file's history that are compared to tell which commits changed the region
_MOVES = 20  # renames that are followed back
_AGED = 100  # different stamps whose distance in commits is looked up for a list: a git call each
_DAY = 24 * 3600 * 1000


class Age(NamedTuple):
    """How long ago a fragment was stamped. `commits`: how many came since, None where the clone doesn't know its
    commit or git can't be asked; `within`: whether that commit is in this history. `days`: whole ones."""

    commits: int | None
    within: bool
    days: int


class Move(NamedTuple):
    """A step of a file's way: from where to where, and the commit that moved it (None: not committed)."""

    was: str
    path: str
    commit: Commit | None


class Reason(NamedTuple):
    """One anchor's share. `factor`, 0 to 1: what it alone would leave of the base; `counts`: whether it did.

    `changes`: the commits since the stamp that changed what the fragment speaks about there (`exact`), or else the
    file, newest first; `more`: there are others, beyond the bound. `uncommitted`: the work tree differs from HEAD.
    """

    anchor: Anchor
    drift: AnchorDrift
    factor: float
    counts: bool
    changes: tuple[Commit, ...] = ()
    exact: bool = False
    more: bool = False
    uncommitted: bool = False
    moves: tuple[Move, ...] = ()


class Explanation(NamedTuple):
    """A fragment as it reads, and the reasons for it, in the order of its anchors."""

    view: View
    reasons: tuple[Reason, ...]
    age: Age

    @property
    def factor(self) -> float:
        """What is left of the base, 0 to 1."""
        base = self.view.fragment.base
        return self.view.assessment.confidence / base if base else 1.0


def explain(ctx: Context, ident: str) -> Explanation:
    """Explain the confidence of the fragment that an id or key means. Raises UnknownId, AmbiguousId."""
    view = read.view(ctx, read.pick(ctx, ident))
    fragment, drifts = view.fragment, view.assessment.anchors
    tip = ctx.tree.commit if ctx.tree else None
    since = age(ctx, fragment)
    start = fragment.stamp.commit if since and since.within else None
    counting = _counting(view)
    reasons = []
    for place, (anchor, drift) in enumerate(zip(fragment.anchors, drifts, strict=False)):
        reason = Reason(anchor, drift, round(1 - drift.drift, 4), place in counting)
        moved = drift.verdict not in ("fresh", "unverifiable", "superseded")
        reasons.append(_with_commits(ctx, fragment, reason, start, tip) if moved and tip else reason)
    return Explanation(view, tuple(reasons), since)


def age(ctx: Context, fragment: Fragment) -> Age:
    """How long ago a fragment was stamped, as the tree that is asked about counts."""
    days = max(0, ctx.now - fragment.stamp.at) // _DAY
    tip = ctx.tree.commit if ctx.tree else None
    commit = fragment.stamp.commit
    if tip is None or commit is None:
        return Age(None, False, days)
    try:
        return Age(ctx.history.distance(commit, tip), ctx.history.is_ancestor(commit, tip), days)
    except GitFailed:  # there is no git program here: the answer itself needs none
        return Age(None, True, days)


def unverified(ctx: Context, views: Iterable[View]) -> Iterator[tuple[View, Age]]:
    """Fragments that can't be compared, each with its age: nothing decays in silence (law 6)."""
    known: dict[str | None, Age] = {}
    for view in views:
        stamp = view.fragment.stamp
        if stamp.commit not in known and len(known) < _AGED:
            known[stamp.commit] = age(ctx, view.fragment)
        days = max(0, ctx.now - stamp.at) // _DAY
        found = known.get(stamp.commit)
        yield view, found._replace(days=days) if found else Age(None, False, days)


def commits_since(history: "History", anchor: Anchor, paths: set[str], start: str | None, tip: str) -> list[Commit]:
    """The commits up to `tip` that touched an anchor's paths since they last held the stamped content, newest first:
    since the stamp's commit, or, where that is not in this history, since its content was there; none if never."""
    found = history.log(tip, paths, start)
    for place, commit in enumerate(found):
        if any(touch.new == anchor.blob for touch in commit.touches):
            return found[:place]
    return found if start else []


def moves(history: "History", was: str, path: str, tip: str, start: str | None) -> tuple[Move, ...]:
    """The steps on which a file came from one path to another, oldest first; empty when no commit tells."""
    steps: list[Move] = []
    while path != was and len(steps) < _MOVES:
        came = next((c for c in history.log(tip, {path, was}, start) if _arrived(c, path)), None)
        if came is None:
            break
        before = next((t.was for t in came.touches if t.path == path and t.was), None)
        before = before or history.renames(came.id).get(path) or was
        steps.append(Move(before, path, came))
        path, tip = before, came.id
    return tuple(reversed(steps))


def _arrived(commit: Commit, path: str) -> bool:
    """Whether a commit put a file at the path."""
    return any(touch.path == path and touch.status in "AR" for touch in commit.touches)


def _with_commits(ctx: Context, fragment: Fragment, reason: Reason, start: str | None, tip: str) -> Reason:
    anchor, drift, history = reason.anchor, reason.drift, ctx.history
    steps: tuple[Move, ...] = ()
    if drift.was:
        steps = moves(history, drift.was, drift.path, tip, start) or (Move(drift.was, drift.path, None),)
    paths = {anchor.path, drift.path, *(move.path for move in steps)}
    found = commits_since(history, anchor, paths, start, tip)
    now = ctx.tree.entry(drift.path).blob if ctx.tree else None
    reason = reason._replace(
        changes=tuple(found),
        more=len(found) >= MOST,
        uncommitted=now != history.look(tip, drift.path).blob,
        moves=steps,
    )
    return _narrowed(ctx, fragment, reason)


def _narrowed(ctx: Context, fragment: Fragment, reason: Reason) -> Reason:
    """The reason with those of its commits alone that changed lines which the fragment speaks about; as it is where too
    many contents would have to be compared, or some that are not there."""
    from memcli import fingerprint

    anchor, shelf = reason.anchor, ctx.shelf(fragment)
    packed = shelf.reader.blob(anchor.blob) if anchor.blob and anchor.kind != "dir" else None
    if packed is None or fingerprint.is_hashed(packed) or len(reason.changes) > _COMPARED:
        return reason
    stamped = fingerprint.unpack(packed, anchor.path)
    lines = _spoken_of(fragment, anchor, stamped)
    changed, before = [], frozenset[int]()
    for commit in reversed(reason.changes):
        blob = next((touch.new for touch in commit.touches if touch.new), None)
        data = ctx.history.blob(blob, fingerprint.MAX_BYTES) if blob else b""
        if data is None:
            return reason
        lost = _lost(stamped, lines, data, anchor.path)
        if lost != before:
            changed.append(commit)
        before = lost
    now = (ctx.tree.read(reason.drift.path) if ctx.tree else None) or b""
    uncommitted = reason.uncommitted and _lost(stamped, lines, now, reason.drift.path) != before
    return reason._replace(changes=tuple(reversed(changed)), exact=True, uncommitted=uncommitted)


def _spoken_of(fragment: Fragment, anchor: Anchor, stamped: "Fingerprint") -> frozenset[int]:
    """The stamped lines that a fragment speaks about: its author's region, or those that hold its words."""
    from memcli.findings import about

    if anchor.lines:
        return frozenset(range(anchor.lines[0], anchor.lines[1] + 1))
    return frozenset(line for word in about(fragment, anchor) for line in stamped.words.get(word, ()))


def _lost(stamped: "Fingerprint", lines: frozenset[int], data: bytes, path: str) -> frozenset[int]:
    """Which of the stamped lines a content lacks."""
    from memcli import drift, fingerprint

    return lines.intersection(drift.compare(stamped, fingerprint.of_content(data, path)).deleted)


def _counting(view: View) -> set[int]:
    """Which anchors made the confidence what it is: the worst, and where that alone does not explain it, the one that
    does together with it (a place and a literal of different anchors)."""
    factors = [1 - drift.drift for drift in view.assessment.anchors]
    order = sorted((place for place, factor in enumerate(factors) if factor < 1), key=factors.__getitem__)
    base, confidence = view.fragment.base, view.assessment.confidence
    if not order or confidence >= base or view.assessment.verdict == "superseded":
        return set()
    worst = order[0]
    rest = (place for place in order[1:] if abs(base * factors[worst] * factors[place] - confidence) < _CLOSE)
    return {worst} if abs(base * factors[worst] - confidence) < _CLOSE else {worst, *islice(rest, 1)}


_CLOSE = 0.0002  # both are rounded to four places
