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

    What is neither on disk nor tracked is untracked, and so is what lies in a submodule (`foreign` are their paths) or
    in a repository that nobody registered, of which git says nothing.
    """
    ours = [path for path in paths if not any(parent in foreign or _is_own(root, parent) for parent in parents(path))]
    states = dict.fromkeys(paths, "untracked")
    if not ours:
        return states
    names = [os.fsencode(path) for path in ours]
    limited = names if sum(map(len, names)) < MAX_ARGUMENTS and b"." not in names else []
    found = changes(git, "--ignored", "--untracked-files=normal", "--", *limited)
    states |= {path: _state(path, found) or "clean" for path in ours}
    silent = [path for path in ours if _state(path, found) is None]
    absent = [path for path in silent if not os.path.lexists(os.path.join(root, path))]
    return states | dict.fromkeys(_unknown(git, git_dir, absent) | _without_tracked(git, silent, found), "untracked")


def _is_own(root: str, folder: str) -> bool:
    """Whether a folder is a repository of its own."""
    return os.path.lexists(os.path.join(root, folder, ".git"))


def _unknown(git: Git, git_dir: str, absent: Collection[str]) -> set[str]:
    """What is not there and not tracked: git says as little about it as about what a sparse checkout left out."""
    return set(absent) - (skipped(git, absent).keys() if absent and may_skip(git_dir) else set())


def _without_tracked(git: Git, silent: Collection[str], found: Collection[Change]) -> set[str]:
    """The folders that hold untracked files and may hold nothing else; git is asked only if there are such."""
    mixed = {parent for change in found for parent in parents(change.path)} & set(silent)
    if not mixed:
        return set()
    tracked = records(git.run(LITERAL, "ls-files", "-z", "--", *map(os.fsencode, mixed)))
    return mixed - {parent for path in tracked for parent in parents(path)}


def _state(path: str, found: Collection[Change]) -> str | None:
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
