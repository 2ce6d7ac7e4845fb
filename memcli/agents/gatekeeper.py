"""The git hooks that may say no: what a commit or a push makes stale is told, and stops it.

Somebody asked for exactly that (`mem hooks install --pre-push`). Only what fell stops anything: where there is nothing
to compare with, where we fail, and where it takes too long, git goes on.
"""

import os
import sys
import time
from collections.abc import Mapping, Sequence
from threading import Timer

from memcli import background
from memcli.cli import show, words
from memcli.cli.globals import Globals
from memcli.context import Context
from memcli.errors import MemError, UnknownRevision
from memcli.sweep import Change, SweepRequest, sweep

BOUND = 10.0  # seconds; git goes on then
EVENTS = {"pre-commit": "commit", "pre-push": "push"}
_SHOWN = 10


def main(event: str, args: Sequence[str], env: Mapping[str, str], cwd: str) -> int:
    """1 when what git is about to do makes a fragment stale, else 0. What there is to say goes to stdout, where the
    hook takes it from: a program that fails to start says nothing there, and stops nothing."""
    timer = Timer(BOUND, _give_up, [event])
    timer.daemon = True  # it keeps nobody from ending
    timer.start()
    try:
        fallen = _fallen(event, args, background.without_repository(env), cwd)
    except MemError as error:
        _say(f"mem did not check this {EVENTS[event]}: {error.message}")
        return 0
    finally:
        timer.cancel()
    for line in _lines(event, fallen, env):
        _say(line)
    return 1 if fallen else 0


def bases(event: str, args: Sequence[str]) -> list[str]:
    """What to compare with, in the order in which to try it: HEAD for a commit; for a push what the remote has of this
    branch, else the remote's own branch."""
    if event == "pre-commit":
        return ["HEAD"]
    remote = args[0] if args and args[0] else "origin"
    return ["@{upstream}", *(f"refs/remotes/{remote}/{branch}" for branch in ("HEAD", "main", "master"))]


def _fallen(event: str, args: Sequence[str], env: Mapping[str, str], cwd: str) -> list[Change]:
    """What is pushed are commits, so a push is judged by HEAD, and a commit by the work tree."""
    at = "HEAD" if event == "pre-push" else None
    with Context.open(cwd, env, time.time_ns() // 1_000_000, at=at) as ctx:
        if not (
            ctx.settings.enabled and ctx.store("workspace").exists and ctx.repository and ctx.repository.head().commit
        ):
            return []
        for rev in bases(event, args):
            try:
                ctx.history.resolve(rev)
            except UnknownRevision:
                continue
            swept = sweep(ctx, SweepRequest(since=rev, keep=lambda view: False))
            return [change for change in swept.changes if change.fell]
    return []


def _lines(event: str, fallen: Sequence[Change], env: Mapping[str, str]) -> list[str]:
    if not fallen:
        return []
    style = show.style(Globals(), env, sys.stdout)
    what = EVENTS[event]
    lines = [f"mem: this {what} makes {words.count(len(fallen), 'fragment')} less true:"]
    lines += [f"  {words.change_line(c.view, c.before, c.after, style)}" for c in fallen[:_SHOWN]]
    if len(fallen) > _SHOWN:
        lines.append(f"  and {len(fallen) - _SHOWN} more")
    return [
        *lines,
        f"`mem confirm ID` where it still holds, `mem save` what holds now; `git {what} --no-verify` goes past",
    ]


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def _give_up(event: str) -> None:
    _say(f"mem did not check this {EVENTS[event]}: it took longer than {BOUND:g} s")
    sys.stdout.flush()
    os._exit(0)
