"""The commands around the store: overview, init, stats, config, completion."""

import os
import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from memcli import background, githooks, overview as counting, settings
from memcli.cli import words
from memcli.cli.code import hooks_place
from memcli.cli.frame import Answer, Call, Document
from memcli.cli.show import Style
from memcli.context import Context
from memcli.errors import Usage
from memcli.kinds import one_of
from memcli.overview import Overview

SHELLS = ("bash", "zsh", "fish")

Shell = Annotated[str, typer.Argument(metavar="bash|zsh|fish", help="Which shell.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Install the git hooks without asking.")]
Hooks = Annotated[bool, typer.Option("--hooks", help="Install the git hooks.")]
Here = Annotated[bool, typer.Option("--here", help="Make a store for this folder, which is in no repository.")]
Key = Annotated[str | None, typer.Argument(metavar="NAME", help="A setting's name; all without one.")]
Value = Annotated[str | None, typer.Argument(metavar="VALUE", help="The value to set it to.")]
User = Annotated[bool, typer.Option("--user", help="Set it for this user instead of this repository.")]
Unset = Annotated[bool, typer.Option("--unset", help="Take the setting out again.")]


def init(ctx: typer.Context, yes: Yes = False, hooks: Hooks = False, here: Here = False) -> Answer:
    """Make the store of this repository, and offer to install its git hooks. Doing it again changes nothing.

    The store lies in the git directory, never in the work tree.
    """
    call: Call = ctx.obj
    context = call.open()
    if here:
        _make_here(context)
    made = not context.store("workspace").exists
    with context.writing("workspace"):
        pass
    folder = context.store("workspace").folder
    installed = context.repository is not None and (yes or hooks or _asked(call)) and _install(call, context)
    return Answer(
        lambda: {"store": folder, "made": made, "hooks": installed},
        lambda style: [f"{'made' if made else 'there already:'} {style.path(folder)}", *(["hooks installed"] if installed else [])],
        report=True,
    )


def overview(ctx: typer.Context) -> Answer:
    """The store, what is stale, what waits for approval, the last sweep, the hooks."""
    call: Call = ctx.obj
    context = call.open()
    found = counting.overview(context)
    return Answer(lambda: overview_json(found), lambda style: overview_lines(found, style))
