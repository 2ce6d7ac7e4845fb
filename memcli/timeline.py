"""The confidence of a fragment over the commits since its stamp, and what it replaced. It stores nothing.

The line is the way from the stamp to the tree that is asked about, so that no parallel branch makes it jump. It is
asked at the commits that touched the fragment's paths; where two of them differ and the later one does not explain it
(a name that was lost elsewhere), the commits between them are searched by halves.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from memcli import read
from memcli.check import Checker
from memcli.context import Context
from memcli.explain import age, moves
from memcli.git.log import MOST, Commit
from memcli.model import Assessment, Fragment, View

if TYPE_CHECKING:
    from memcli.drift import Change

_ASKED = 400  # trees that are assessed at most
_LINKS = 100  # fragments of a supersession chain


class Point(NamedTuple):
    """The confidence at one place of the line. `commit`: None for the work tree. `position`: how many commits of the
    line came before it. `label`: stamp, or empty."""

    commit: Commit | None
    position: int
    assessment: Assessment
    label: str = ""


class Link(NamedTuple):
    """A fragment of the supersession chain: how it stands to the one that was asked for, `supersedes` (it was replaced)
    or `superseded_by`."""

    relation: str
    fragment: Fragment


class Timeline(NamedTuple):
    """A fragment's confidence over time, oldest first. `remarks`: what the line lacks, in words."""

    view: View
    points: tuple[Point, ...]
    chain: tuple[Link, ...]
    remarks: tuple[str, ...] = ()

    def steps(self) -> list[tuple[float, Point]]:
        """The points at which the confidence is another than before, each with that one."""
        moved = [(before.assessment.confidence, point) for before, point in pairwise(self.points)]
        return [(before, point) for before, point in moved if _differ(before, point.assessment.confidence)]


def timeline(ctx: Context, ident: str) -> Timeline:
    """The history of the fragment that an id or key means. Raises UnknownId, AmbiguousId."""
    view = read.view(ctx, read.pick(ctx, ident))
    fragment = view.fragment
    line, remarks = _line(ctx, view)
    walk = _Walk(ctx, fragment, line)
    points = walk.points(_paths(ctx, view)) if line else []
    if not points:
        points = [Point(None, 0, Assessment(fragment.base, "fresh"), "stamp")]
    if ctx.at is None:
        points.append(Point(None, max(len(line), points[-1].position + 1), view.assessment))
    return Timeline(view, tuple(points), tuple(_chain(ctx, fragment)), (*remarks, *walk.remarks))


class _Walk:
    """The assessments of one fragment along a line of commits; each tree is asked once."""

    def __init__(self, ctx: Context, fragment: Fragment, line: Sequence[str]) -> None:
        self._ctx = ctx
        self._line = line
        # what it would be worth were it not replaced: the line is about the code
        self._fragment = fragment._replace(state="active") if fragment.state == "superseded" else fragment
        self._known: dict[int, Assessment] = {}
        self._fresh: dict[tuple[str, str], Change] = {}
        self.remarks: list[str] = []

    def points(self, paths: set[str]) -> list[Point]:
        """The line's points: the stamp, each commit that touched the paths or changed the confidence, the last one."""
        where = {commit: place for place, commit in enumerate(self._line)}
        touched = [where[commit.id] for commit in self._ctx.history.along(self._line, paths)]
        if len(touched) > MOST:
            self.remarks.append(f"of {len(touched)} commits that touched it the newest {MOST} are shown")
            touched = touched[-MOST:]
        stamp = self._fragment.stamp
        at_stamp = self._line[0] == stamp.commit
        shown = {*touched, len(self._line) - 1, 0}
        if at_stamp and stamp.dirty:  # no commit held what the author saw before the first that touched it
            self._known[0] = Assessment(self._fragment.base, "fresh")
            shown = {0, *touched, *([len(self._line) - 1] if touched else [])}
            first = touched[:1]
        else:
            first = []
        order = sorted(shown)
        for one, other in pairwise(order):
            if other not in first:
                shown |= self._between(one, other)
        return self._named(sorted(shown), at_stamp)

    def _named(self, places: Sequence[int], at_stamp: bool) -> list[Point]:
        names = self._ctx.history.named([self._line[place] for place in places])
        return [
            Point(
                names.get(self._line[place]) or Commit(self._line[place], "", 0),
                place,
                self._at(place),
                "stamp" if place == 0 and at_stamp else "",
            )
            for place in places
        ]

    def _at(self, place: int) -> Assessment:
        if place not in self._known:
            ctx, reader = self._ctx, self._ctx.shelf(self._fragment).reader
            checker = Checker(ctx.history.tree(self._line[place]), reader, ctx.settings.floor, lambda: ctx.roots)
            # what one tree's contents told holds for the next
            checker.scene.contents.fresh = self._fresh
            self._known[place] = checker.assess(self._fragment)
        return self._known[place]

    def _between(self, one: int, other: int) -> set[int]:
        """The places after `one`, up to `other`, at which the confidence changed."""
        if not _differ(self._at(one).confidence, self._at(other).confidence):
            return set()
        if other - one <= 1 or not _differ(self._at(one).confidence, self._at(other - 1).confidence):
            return {other}
        if len(self._known) >= _ASKED:
            self.remarks.append("too many commits to tell which of them changed it each time")
            return {other}
        middle = (one + other) // 2
        return self._between(one, middle) | self._between(middle, other)


def _line(ctx: Context, view: View) -> tuple[list[str], list[str]]:
    """The commits from the stamp to the tree that is asked about, and what is to be said of them."""
    fragment = view.fragment
    tip = ctx.tree.commit if ctx.tree else None
    if tip is None or not fragment.anchors or not ctx.shelf(fragment).checker.is_here(fragment):
        return [], []
    stamp, since = fragment.stamp.commit, age(ctx, fragment)
    here = "history" if since.commits is not None else "clone"
    if stamp and since.within:
        line = ctx.history.line(stamp, tip)
        return (line, []) if line else ([tip], ["too many commits since the stamp: only the newest is shown"])
    start, told = _start(ctx, fragment, tip)
    missing = "no commit was there when it was stamped"
    if stamp:
        missing = f"the commit it was stamped at, {stamp[:10]}, is not in this {here}"
    return (ctx.history.line(start, tip) if start else []) or [tip], [f"{missing}; {told}"]


def _start(ctx: Context, fragment: Fragment, tip: str) -> tuple[str | None, str]:
    """Where the line begins without the stamp's commit: at the newest commit that brought a stamped content, else where
    the two histories part."""
    history = ctx.history
    for commit in history.log(tip, {anchor.path for anchor in fragment.anchors}):
        if any(touch.new == anchor.blob for touch in commit.touches for anchor in fragment.anchors if anchor.blob):
            return commit.id, f"it begins at {commit.short}, which brought that content"
    base = history.merge_base(fragment.stamp.commit, tip) if fragment.stamp.commit else None
    return base, f"it begins where they part, at {base[:10]}" if base else "only the newest is shown"


def _paths(ctx: Context, view: View) -> set[str]:
    """All the names that the fragment's files had."""
    found = set()
    for anchor, drift in zip(view.fragment.anchors, view.assessment.anchors, strict=False):
        found |= {anchor.path, drift.path}
        if drift.was and ctx.tree and ctx.tree.commit:
            found |= {move.was for move in moves(ctx.history, drift.was, drift.path, ctx.tree.commit, None)}
    return found


def _chain(ctx: Context, fragment: Fragment) -> list[Link]:
    """What it replaced, oldest first, and what replaced it, newest last; each once, whatever the references say."""
    reader, seen = ctx.shelf(fragment).reader, {fragment.id}
    olds: list[Link] = []
    wanted = list(fragment.supersedes)
    while wanted and len(olds) < _LINKS:
        old = reader.fragment(wanted.pop())
        if old and old.id not in seen:
            seen.add(old.id)
            olds.append(Link("supersedes", old))
            wanted += old.supersedes
    newer, news = fragment, list[Link]()
    while newer.superseded_by and newer.superseded_by not in seen and len(news) < _LINKS:
        seen.add(newer.superseded_by)
        found = reader.fragment(newer.superseded_by)
        if found is None:
            break
        newer = found
        news.append(Link("superseded_by", newer))
    return [*reversed(olds), *news]


def _differ(one: float, other: float) -> bool:
    return abs(one - other) >= 0.00005
