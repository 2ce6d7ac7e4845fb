"""Where a repository is: found by hand from a folder upwards, as git itself does it (setup.c), without starting git.

What counts: a `.git` folder, a `.git` file (linked work tree, submodule), a bare repository around the folder, GIT_DIR,
GIT_WORK_TREE, GIT_COMMON_DIR, GIT_CEILING_DIRECTORIES, core.worktree and core.bare.
"""

import os
from collections.abc import Mapping
from typing import NamedTuple

from memcli.errors import GitFailed, NoRepository
from memcli.git import config
from memcli.git.configfile import Config

HEX = frozenset("0123456789abcdef")


class Layout(NamedTuple):
    """A repository's places, all absolute and free of links.

    `root`: the work tree, None when bare. `git_dir`: this work tree's own; `common_dir`: the one that all share.
    `prefix`: the folder asked from, relative to the root (empty at it, or outside it). `owned`: what must belong to
    this user. `named`: the environment names it. `implicit`: a bare repository that was met, not named. `own`: its own
    settings.
    """

    root: str | None
    git_dir: str
    common_dir: str
    prefix: str
    owned: tuple[str, ...]
    named: bool
    implicit: bool
    own: Config


class _Met(NamedTuple):
    """A git folder met on the way up: beside which work folder (None: it was the folder itself), through which file."""

    folder: str | None
    git_dir: str
    file: str | None = None


def locate(cwd: str, env: Mapping[str, str], explicit: bool = False) -> Layout | None:
    """The repository that a folder belongs to, or None.

    A repository whose work tree is the home folder counts only at its root, or when `explicit` (DESIGN.md, law 16).
    Raises NoRepository when GIT_DIR names none, GitFailed when a `.git` file leads nowhere.
    """
    here = os.path.realpath(cwd)
    if env.get("GIT_DIR"):
        git_dir = os.path.realpath(os.path.join(here, env["GIT_DIR"]))
        if os.path.isfile(git_dir):
            git_dir = _through_file(git_dir)
        if not is_git_dir(git_dir, env):
            raise NoRepository(f"GIT_DIR names no repository: {env['GIT_DIR']}", "unset it, or correct it")
        return _lay_out(_Met(here, git_dir), here, env)
    met = _walk_up(here, env)
    layout = _lay_out(met, here, env) if met else None
    if layout and layout.root == _home(env) and here != layout.root and not explicit:
        return None
    return layout


def is_git_dir(path: str, env: Mapping[str, str]) -> bool:
    """Whether git would take a folder for a repository: a HEAD that makes sense, objects and refs."""
    if not _has_head(path):
        return False
    common = common_dir(path, env)
    objects = env.get("GIT_OBJECT_DIRECTORY") or f"{common}/objects"
    return os.path.isdir(objects) and os.path.isdir(f"{common}/refs")


def common_dir(git_dir: str, env: Mapping[str, str]) -> str:
    """The folder that all work trees of a repository share; the git folder itself for the main one."""
    if env.get("GIT_COMMON_DIR"):
        return os.path.realpath(env["GIT_COMMON_DIR"])
    shared = _first_line(f"{git_dir}/commondir")
    return os.path.realpath(os.path.join(git_dir, shared)) if shared else git_dir


def git_dir_of(folder: str, env: Mapping[str, str]) -> str | None:
    """The git folder of a work tree's root, through a `.git` file if need be; None when there is none."""
    met = _beside(folder, env)
    return met.git_dir if met else None


def _walk_up(here: str, env: Mapping[str, str]) -> _Met | None:
    ceilings = _ceilings(env)
    across = bool(env.get("GIT_DISCOVERY_ACROSS_FILESYSTEM"))
    folder = here
    while True:
        met = _beside(folder, env) or (_Met(None, folder) if is_git_dir(folder, env) else None)
        if met:
            return met
        parent = os.path.dirname(folder)
        if parent == folder or parent in ceilings or not (across or _same_device(folder, parent)):
            return None
        folder = parent


def _beside(folder: str, env: Mapping[str, str]) -> _Met | None:
    """The repository whose `.git` lies in the folder."""
    path = os.path.join(folder, ".git")
    if os.path.isfile(path):
        git_dir = _through_file(path)
        if not is_git_dir(git_dir, env):
            raise GitFailed(f"{path} leads to {git_dir}, which is no repository", "git worktree repair may help")
        return _Met(folder, git_dir, path)
    if os.path.isdir(path) and is_git_dir(path, env):
        return _Met(folder, os.path.realpath(path))
    return None


def _lay_out(met: _Met, here: str, env: Mapping[str, str]) -> Layout:
    common = common_dir(met.git_dir, env)
    own = config.own(met.git_dir, common)
    root = _work_tree(met, common, own, here, env)
    inside = root is not None and (here + "/").startswith(root.rstrip("/") + "/")
    prefix = here[len(root.rstrip("/")) + 1 :] if root is not None and inside else ""
    named = bool(env.get("GIT_DIR"))
    owned = tuple(path for path in (met.file, met.folder, met.git_dir) if path)
    implicit = met.folder is None and not named and os.path.basename(met.git_dir) != ".git"
    return Layout(root, met.git_dir, common, prefix, owned, named, implicit, own)


def _work_tree(met: _Met, common: str, own: Config, here: str, env: Mapping[str, str]) -> str | None:
    """The root of the work tree by git's order: the environment, core.worktree, core.bare, where it was met."""
    if env.get("GIT_WORK_TREE"):
        return os.path.realpath(os.path.join(here, env["GIT_WORK_TREE"]))
    linked = common != met.git_dir
    # a linked work tree has its own root, whatever the shared configuration says of the main one
    settings = Config([s for s in own.settings if not linked or s.origin.endswith("/config.worktree")])
    placed = settings.get("core.worktree")
    if placed:
        return os.path.realpath(os.path.join(met.git_dir, placed))
    if settings.flag("core.bare"):
        return None
    return met.folder if met.folder is not None else _root_around(met.git_dir, linked)


def _root_around(git_dir: str, linked: bool) -> str | None:
    """The work tree that belongs to a git folder which we stand in."""
    if linked:
        back = _first_line(f"{git_dir}/gitdir")
        return os.path.realpath(os.path.dirname(os.path.join(git_dir, back))) if back else None
    return os.path.dirname(git_dir) if os.path.basename(git_dir) == ".git" else None


def _through_file(path: str) -> str:
    """Where a `.git` file leads."""
    line = _first_line(path) or ""
    if not line.startswith("gitdir:"):
        raise GitFailed(f"{path} is no git file: it does not begin with gitdir:")
    return os.path.realpath(os.path.join(os.path.dirname(path), line.removeprefix("gitdir:").strip()))


def _has_head(git_dir: str) -> bool:
    """A HEAD that is a link or reference into refs/, or a commit id."""
    path = f"{git_dir}/HEAD"
    if os.path.islink(path):
        return os.readlink(path).startswith("refs/")
    line = _first_line(path) or ""
    if line.startswith("ref:"):
        return line[4:].strip().startswith("refs/")
    return len(line) >= 40 and HEX.issuperset(line[:40])


def _first_line(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.readline(8192)).rstrip("\r\n")
    except (OSError, ValueError):
        return None


def _ceilings(env: Mapping[str, str]) -> set[str]:
    """The folders at which the search ends; after an empty entry links in them are not resolved."""
    ceilings: set[str] = set()
    resolve = True
    for entry in env.get("GIT_CEILING_DIRECTORIES", "").split(":"):
        if not entry:
            resolve = False
        elif os.path.isabs(entry):
            ceilings.add(os.path.realpath(entry) if resolve else os.path.normpath(entry))
    return ceilings


def _same_device(folder: str, parent: str) -> bool:
    try:
        return os.stat(folder).st_dev == os.stat(parent).st_dev
    except OSError:
        return True


def _home(env: Mapping[str, str]) -> str | None:
    return os.path.realpath(env["HOME"]) if env.get("HOME") else None
