"""Whose repository it is. Git refuses one that belongs to somebody else (safe.directory); so do we, in git's words."""

import os
from collections.abc import Mapping

from memcli.errors import ForeignRepository
from memcli.git.layout import Layout
from memcli.git.run import Git


def ensure_ours(layout: Layout, cwd: str, env: Mapping[str, str]) -> None:
    """Raise ForeignRepository, with git's message and hint, when git would refuse the repository.

    Costs a few stats where all is ours; git is asked for a foreign one, and for a bare one that was only met on the
    way up (safe.bareRepository). A repository that the environment names is the user's own choice, as with git.
    """
    if layout.named or (not layout.implicit and all(_is_ours(path, env) for path in layout.owned)):
        return
    answer = Git(cwd, env).ask("rev-parse", "--git-dir")
    if answer.code:
        raise ForeignRepository(answer.first_error(), _advice(answer.err))


def _is_ours(path: str, env: Mapping[str, str]) -> bool:
    """Git's rule (compat/posix.h): the effective user, and for root also the user who called sudo."""
    try:
        owner = os.lstat(path).st_uid
    except OSError:
        return False
    me = os.geteuid()
    return owner == me or (me == 0 and str(owner) == env.get("SUDO_UID"))


def _advice(err: bytes) -> str | None:
    """The command that git proposes, from its message."""
    lines = (line.strip() for line in err.decode("utf-8", "replace").splitlines())
    return next((line for line in lines if line.startswith("git config")), None)
