"""How paths stand to HEAD, by one call to `git status`."""

import os
from collections.abc import Collection, Iterator
from typing import NamedTuple

from memcli.git.index import may_skip, parents, skipped
from memcli.git.run import LITERAL, Git, records

MAX_ARGUMENTS = 100_000  # bytes of paths on a command line; every system takes more (POSIX: ARG_MAX)


class Change(NamedTuple):
    """A line of status: `mark` is two letters (index, work tree) for a tracked path, `?` untracked, `!` ignored."""

    mark: str
    path: str


def changes(git: Git, *options: str | bytes) -> list[Change]:
    """All that differs from HEAD, by `git status` with the options."""
    out = git.run(LITERAL, "status", "--porcelain=v2", "-z", "--no-renames", "--ignore-submodules=dirty", *options)
    return list(_parse(out))


def status(git: Git, git_dir: str, root: str, paths: Collection[str], foreign: Collection[str]) -> dict[str, str]:
    """Each path as clean, dirty, untracked or ignored; a folder is dirty when something tracked below it is.

    What is neither on disk nor tracked is untracked, and so is what lies in a submodule (`foreign` are their paths).
    """
    ours = [path for path in paths if not any(parent in foreign for parent in parents(path))]
    states = dict.fromkeys(paths, "untracked")
    if not ours:
        return states
    names = [os.fsencode(path) for path in ours]
    limited = names if sum(map(len, names)) < MAX_ARGUMENTS and b"." not in names else []
    found = changes(git, "--ignored", "--untracked-files=normal", "--", *limited)
    absent = []
    for path in ours:
        state = _state(path, found)
        states[path] = state or "clean"
        if state is None and not os.path.lexists(os.path.join(root, path)):
            absent.append(path)
    # git is silent about what it does not know, and about what a sparse checkout left out
    known = skipped(git, absent) if absent and may_skip(git_dir) else {}
    return states | {path: "untracked" for path in absent if path not in known}


def _state(path: str, found: list[Change]) -> str | None:
    """What status says of a path; None when it says nothing. Folders are listed with a slash at their end."""
    for change in found:
        listed = change.path.rstrip("/")
        if change.mark in ("?", "!"):
            if path == listed or (change.path.endswith("/") and path.startswith(change.path)):
                return "untracked" if change.mark == "?" else "ignored"
        elif path == listed or path == "." or listed.startswith(path + "/"):
            return "dirty"
    return None


def _parse(out: bytes) -> Iterator[Change]:
    """The lines of porcelain v2 (git-status(1)); renames are switched off, headers passed over."""
    fields = {"1": 8, "u": 10}
    for record in records(out):
        kind, _, rest = record.partition(" ")
        if kind in ("?", "!"):
            yield Change(kind, rest)
        elif kind in fields:
            parts = record.split(" ", fields[kind])
            yield Change(parts[1] if kind == "1" else "UU", parts[-1])
