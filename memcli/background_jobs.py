"""What the detached child does: the sweep after a commit, and the counting of tokens. It talks to nobody."""

import os
import time
from collections.abc import Mapping
from typing import NamedTuple

from memcli import background
from memcli.context import Context
from memcli.git import Repository

LOG = "hook.log"  # in the store's folder: faults of hooks and of this, where `mem doctor` looks
_LOG_BYTES = 64 * 1024


class Job(NamedTuple):
    """What to do, in which work tree (its id), and who asked. One worker takes up the jobs of all work trees that share
    its store, so a job carries what it needs: it is a file's name while it waits."""

    name: str
    worktree: str
    reason: str

    def spelt(self) -> str:
        """The job as a file name. `parse` reads it."""
        from urllib.parse import quote  # 2 ms that a save, which imports this module, can do without

        return "@".join(quote(part, safe="") for part in self)

    @classmethod
    def parse(cls, text: str) -> "Job":
        """The job behind a file name. Raises ValueError."""
        from urllib.parse import unquote

        name, worktree, reason = map(unquote, text.split("@"))
        return cls(name, worktree, reason)


def main(args: list[str], env: Mapping[str, str]) -> int:
    """`mem _background JOB [--reason WHY]`: sweep (then count) or count, one child a store at a time. Always 0."""
    name = args[0] if args else ""
    reason = args[2] if args[1:2] == ["--reason"] and len(args) > 2 else "background"
    folder, cwd = None, os.getcwd()
    try:
        with _open(env, cwd) as ctx:
            store, repository = ctx.store("workspace"), ctx.repository
            if not ctx.settings.enabled or not store.exists:
                return 0
            folder = store.folder
        own = Job(name, repository.worktree_id if repository else "", reason)
        for turn in background.turns(folder, own.spelt()):
            job = Job.parse(turn)
            place = cwd if job.worktree == own.worktree else worktree_folder(repository, job.worktree)
            if place is not None:
                _do(job, env, place)
    except Exception as error:  # whatever it is: the user is not there, and the next one must find the store as it was
        _log(folder, f"{name}: {type(error).__name__}: {error}")
    return 0


def worktree_folder(repository: Repository | None, worktree: str) -> str | None:
    """The folder of another work tree of the repository; None when it is gone."""
    if repository is None:
        return None
    if worktree == "main":
        return os.path.dirname(repository.common_dir)
    try:
        with open(f"{repository.common_dir}/{worktree}/gitdir", encoding="utf-8", errors="surrogateescape") as link:
            return os.path.dirname(link.read().strip())
    except OSError:
        return None


def _do(job: Job, env: Mapping[str, str], cwd: str) -> None:
    if job.name == "sweep":
        from memcli.sweep import SweepRequest, sweep
        from memcli.transfer import keep_copy

        with _open(env, cwd) as ctx:
            sweep(ctx, SweepRequest(keep=lambda view: False, reason=job.reason))
            keep_copy(ctx)
    if job.name in ("sweep", "count"):
        from memcli.rendering import count_all

        with _open(env, cwd) as ctx:
            count_all(ctx)


def count_later(ctx: Context) -> None:
    """Have a detached child count what was just saved, so that no render has to. Never makes a store."""
    store = ctx.store("workspace")
    if ctx.settings.background and store.exists:
        background.start(["count"], background.without_repository(ctx.env), ctx.cwd)


def _open(env: Mapping[str, str], cwd: str) -> Context:
    return Context.open(cwd, env, time.time_ns() // 1_000_000)


def _log(folder: str | None, line: str) -> None:
    """Append a line to the log, which is begun anew when it has grown."""
    if folder is None or not os.path.isdir(folder):
        return
    path = os.path.join(folder, LOG)
    try:
        grown = os.path.exists(path) and os.path.getsize(path) >= _LOG_BYTES
        flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if grown else os.O_APPEND)
        with open(os.open(path, flags, 0o600), "w", encoding="utf-8", errors="replace") as file:
            file.write(f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {' '.join(line.split())}\n")
    except OSError:
        return
