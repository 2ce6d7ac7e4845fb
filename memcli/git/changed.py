"""What a work tree was at an earlier look, and which of its paths may hold something else since."""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from memcli.errors import GitFailed
from memcli.git.run import Git, records
from memcli.git.status import Change
from memcli.git.tree import RACY_NS

MAX_CHANGED = 2000  # paths; with more of them everything is looked at anew, which costs as much
_CONVERTED = ".gitattributes"  # decides what a content is, of files that did not change

#: path → the marks that status gives it, and its stat: None where a later write might not show, [] where there is none
Dirty = dict[str, tuple[str, list[int] | None]]


def dirty(changes: Iterable[Change], lstat: Callable[[str], os.stat_result | None]) -> Dirty:
    """What differs from HEAD, as a snapshot keeps it."""
    found: Dirty = {}
    for change in changes:
        stat, now = lstat(change.path.rstrip("/")), time.time_ns()
        marks = f"{found[change.path][0]} {change.mark}" if change.path in found else change.mark
        found[change.path] = (marks, _stat(stat, now))
    return found


def changed(git: Git, then: Mapping[str, Any], commit: str | None, now: Dirty) -> dict[str, bool] | None:
    """The paths that may hold something else than at an earlier look → whether there was a file then and is one now,
    for certain. None when that can't be told, or they are too many.

    `then` is {commit, dirty} of that look, as JSON gives it back; `commit` and `now` are those of this one.
    """
    letters = _between(git, then["commit"], commit)
    if letters is None:
        return None
    before: Dirty = {path: (marks, stat) for path, (marks, stat) in then["dirty"].items()}
    moved = {path for path in before.keys() | now.keys() if before.get(path) != now.get(path) or now[path][1] is None}
    paths = moved | letters.keys()
    marks = {path: [side[path][0] for side in (before, now) if path in side] for path in paths}
    if len(paths) > MAX_CHANGED or any(path.endswith(_CONVERTED) for path in paths) or ["UU"] in marks.values():
        return None
    return {
        path: letters.get(path, "M") == "M" and all(set(mark) <= {".", "M"} for mark in marks[path]) for path in paths
    }


def _between(git: Git, old: str | None, new: str | None) -> dict[str, str] | None:
    """The paths that differ between two commits → git's letter for how; None when a commit is not here."""
    if old == new:
        return {}
    if old is None or new is None:
        return None
    try:
        parts = list(records(git.run("diff-tree", "-r", "-z", "--name-status", "--no-renames", old, new)))
    except GitFailed:
        return None
    return dict(zip(parts[1::2], parts[::2], strict=True))


def _stat(stat: os.stat_result | None, now: int) -> list[int] | None:
    if stat is None:
        return []
    if max(stat.st_mtime_ns, stat.st_ctime_ns) + RACY_NS > now:
        return None
    return [stat.st_mode, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino]
