"""What is checked out: HEAD read by hand for plain refs, by the git program for anything surprising."""

import os
from typing import NamedTuple

from memcli.errors import GitFailed
from memcli.git.run import Git

HEX = frozenset("0123456789abcdef")
MAX_HOPS = 5  # git's own depth of symbolic refs
BRANCHES = "refs/heads/"
# refs that each work tree has for itself (gitrepository-layout(5)); all others are shared
PER_WORKTREE = ("refs/bisect/", "refs/worktree/", "refs/rewritten/")


class Head(NamedTuple):
    """The commit that is checked out (None: unborn) and the branch (None: detached)."""

    commit: str | None
    branch: str | None


class _SurpriseError(Exception):
    """Not a plain ref."""


def read_head(git_dir: str, common_dir: str, git: Git) -> Head:
    """HEAD of a work tree. Raises GitFailed when not even git can read it."""
    try:
        return _by_hand(git_dir, common_dir)
    except _SurpriseError:
        return _from_git(git)


def is_commit_id(text: str) -> bool:
    """Whether a text is a full object id, of either object format."""
    return len(text) in (40, 64) and HEX.issuperset(text)


def _by_hand(git_dir: str, common_dir: str) -> Head:
    if os.path.islink(f"{git_dir}/HEAD") or os.path.isdir(f"{common_dir}/reftable"):
        raise _SurpriseError
    line = _read(f"{git_dir}/HEAD")
    if line is None:
        raise _SurpriseError
    if not line.startswith("ref:"):
        return Head(_checked(line), None)
    ref = line[4:].strip()
    return Head(_resolve(ref, git_dir, common_dir), ref.removeprefix(BRANCHES))


def _resolve(ref: str, git_dir: str, common_dir: str) -> str | None:
    """The commit id a ref stands for, None when there is no such ref (yet)."""
    for _ in range(MAX_HOPS):
        folder = git_dir if ref.startswith(PER_WORKTREE) else common_dir
        line = _read(f"{folder}/{ref}")
        if line is None:
            return _packed(ref, common_dir)
        if not line.startswith("ref:"):
            return _checked(line)
        ref = line[4:].strip()
    raise _SurpriseError


def _packed(ref: str, common_dir: str) -> str | None:
    try:
        with open(f"{common_dir}/packed-refs", "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _SurpriseError from error
    end = data.find(b" " + os.fsencode(ref) + b"\n")
    if end < 0:
        return None
    return _checked(data[data.rfind(b"\n", 0, end) + 1 : end].decode("ascii", "replace"))


def _read(path: str) -> str | None:
    """A ref file's text; None when there is none. Anything else that can't be read is a surprise."""
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.read(4096)).strip()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise _SurpriseError from error


def _checked(text: str) -> str:
    if not is_commit_id(text):
        raise _SurpriseError
    return text


def _from_git(git: Git) -> Head:
    branch = git.ask("symbolic-ref", "--quiet", "HEAD")
    commit = git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if branch.code and commit.code:
        raise GitFailed("HEAD can't be read", "git status may say more")
    name = os.fsdecode(branch.out).strip().removeprefix(BRANCHES) if not branch.code else None
    return Head(commit.out.decode().strip() if not commit.code else None, name)
