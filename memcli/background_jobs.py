"""What the detached child does: the sweep after a commit, and the counting of tokens. It talks to nobody."""

import os
import time
from collections.abc import Mapping

from memcli import background
from memcli.context import Context

LOG = "hook.log"  # in the store's folder: faults of hooks and of this, where `mem doctor` looks
_LOG_BYTES = 64 * 1024


def main(args: list[str], env: Mapping[str, str]) -> int:
    """`mem _background JOB [--reason WHY]`: sweep (then count) or count, one child a store at a time. Always 0."""
    job = args[0] if args else ""
    reason = args[2] if args[1:2] == ["--reason"] and len(args) > 2 else "background"
    folder, cwd = None, os.getcwd()
    try:
        with _open(env, cwd) as ctx:
            store = ctx.store("workspace")
            if not ctx.settings.enabled or not store.exists:
                return 0
            folder = store.folder
        for turn in background.turns(folder, job):
            _do(turn, reason, env, cwd)
    except Exception as error:  # whatever it is: the user is not there, and the next one must find the store as it was
        _log(folder, f"{job}: {type(error).__name__}: {error}")
    return 0


def _do(job: str, reason: str, env: Mapping[str, str], cwd: str) -> None:
    if job == "sweep":
        from memcli.sweep import SweepRequest, sweep
        from memcli.transfer import keep_copy

        with _open(env, cwd) as ctx:
            sweep(ctx, SweepRequest(reason=reason))
            keep_copy(ctx)
    if job in ("sweep", "count"):
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
