"""The commands around the store: overview, init, stats, config, completion."""

import os
import sys
from collections.abc import Iterator
from typing import Annotated

from memcli import background, githooks, settings
from memcli import overview as counting
from memcli.cli import words
from memcli.cli.code import hooks_place
from memcli.cli.declare import Argument, Option
from memcli.cli.frame import Answer, Call, Document
from memcli.cli.show import Style
from memcli.context import Context
from memcli.errors import MemError, Usage
from memcli.kinds import one_of
from memcli.overview import Overview

SHELLS = ("bash", "zsh", "fish")
MOST_STALE = 8  # lines of the overview

Shell = Annotated[str, Argument(metavar="bash|zsh|fish", help="Which shell.")]
Yes = Annotated[bool, Option("--yes", "-y", help="Install the git hooks without asking.")]
Hooks = Annotated[bool, Option("--hooks", help="Install the git hooks.")]
Here = Annotated[bool, Option("--here", help="Make a store for this folder, which is in no repository.")]
Key = Annotated[str | None, Argument(metavar="SETTING", help="A setting's name; all without one.")]
Value = Annotated[str | None, Argument(metavar="VALUE", help="The value to set it to.")]
User = Annotated[bool, Option("--user", help="Set it for this user instead of this repository.")]
Unset = Annotated[bool, Option("--unset", help="Take the setting out again.")]


def init(call: Call, yes: Yes = False, hooks: Hooks = False, here: Here = False) -> Answer:
    """Make the store of this repository, and offer to install its git hooks. Doing it again changes nothing.

    The store lies in the git directory, never in the work tree.
    """
    context = call.open()
    if here:
        _make_place(context)
    made = not context.store("workspace").exists
    with context.writing("workspace"):
        folder = context.store("workspace").folder
    rows = _offer_hooks(call, context, yes or hooks)
    return Answer(
        lambda: {"store": folder, "made": made, "hooks": {row.hook: row.action for row in rows}},
        lambda style: _init_lines(folder, made, rows, style),
        report=True,
    )


def overview(call: Call) -> Answer:
    """The store, what is stale, what waits for approval, the last sweep, the hooks."""
    context = call.open()
    found, hooks = counting.overview(context), _hooks_of(context)
    return Answer(
        lambda: {**_counts_json(found), "last_sweep": found.last_sweep, "hooks": hooks, "agents": {}},
        lambda style: _overview_lines(found, hooks, style),
    )


def stats(call: Call) -> Answer:
    """Count fragments: all by state; the active ones by verdict, type and scope."""
    found = counting.overview(call.open())
    tables = {"state": found.states, "verdict": found.verdicts, "type": found.types, "scope": found.scopes}
    return Answer(
        lambda: {**_counts_json(found), "types": found.types, "scopes": found.scopes},
        lambda style: (f"{name}: {_counted(table)}" for name, table in tables.items()),
    )


def config(call: Call, name: Key = None, value: Value = None, user: User = False, unset: Unset = False) -> Answer:
    """Show each setting and where its value comes from; or set one, in this repository's file or the user's."""
    context = call.open()
    if value is not None or unset:
        if name is None or (unset and value is not None):
            raise Usage("config takes a NAME and a VALUE, or --unset and a NAME")
        settings.set_value(_config_file(context, user), name, value)
        context = call.open()
    keys = [settings.known_key(name)] if name is not None else [option.key for option in settings.OPTIONS]
    rows = _config_rows(context, keys)
    return Answer(
        lambda: {"settings": rows},
        lambda style: (f"{row['name']} = {_shown(row['value'], style)}  ({style.path(row['origin'])})" for row in rows),
        rows="settings",
    )


def completion(call: Call, shell: Shell) -> Answer:
    """Print the completion script of a shell; its first lines say where it goes."""
    from memcli.cli import complete

    name = one_of(shell, SHELLS, "shell")
    text = complete.script(name)
    return Answer(lambda: {"shell": name, "script": text}, lambda style: text.splitlines())


def _make_place(context: Context) -> None:
    """The folder of a store outside any repository, which `Context.store` then finds."""
    if context.repository is not None:
        raise Usage(
            "--here is for folders outside a repository", f"this one has its store in {context.repository.store_dir}"
        )
    try:
        os.makedirs(os.path.join(context.cwd, ".mem"), mode=0o700, exist_ok=True)
    except OSError as error:
        raise Usage(f"can't make a store in {context.cwd}: {error.strerror}") from None


def _offer_hooks(call: Call, context: Context, wanted: bool) -> tuple[githooks.Done, ...]:
    """Install the git hooks when they are wanted, or a person at a terminal agrees."""
    if context.repository is None:
        return ()
    folder, roots = hooks_place(context)
    if wanted or _agreed(call, folder):
        return githooks.install(folder, background.program(), roots)
    if not wanted and any(row.state == "missing" for row in githooks.status(folder, background.program())):
        call.notes.append("git hooks keep confidences current by themselves: `mem hooks install`")
    return ()


def _agreed(call: Call, folder: str) -> bool:
    """Ask, where somebody can answer."""
    if call.options.json or call.options.jsonl or not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    import typer

    return bool(typer.confirm(f"Install git hooks in {folder}, to sweep after each commit?", default=True))


def _init_lines(folder: str, made: bool, rows: tuple[githooks.Done, ...], style: Style) -> Iterator[str]:
    yield f"{'made' if made else 'there already:'} {style.path(folder)}"
    for row in rows:
        yield f"{row.action} {row.hook}" + (f" ({style.clean(row.note)})" if row.note else "")


def _hooks_of(context: Context) -> dict[str, str]:
    """The state of each git hook; empty outside a repository, or where that can't be told."""
    try:
        return {row.hook: row.state for row in githooks.status(hooks_place(context)[0], background.program())}
    except MemError:
        return {}


def _counts_json(found: Overview) -> Document:
    return {
        "store": found.store,
        "branch": found.branch,
        "states": found.states,
        "verdicts": found.verdicts,
        "below_minimum": found.below,
        "stale": len(found.stale),
        "pending": found.states.get("proposed", 0),
    }


def _overview_lines(found: Overview, hooks: dict[str, str], style: Style) -> Iterator[str]:
    """One screen."""
    if found.store is None and not found.states:
        yield "nothing is remembered here yet: `mem save TEXT` begins"
    else:
        yield f"store: {style.path(found.store) if found.store else 'none here, only user scope'}"
        yield f"fragments: {_counted(found.states) or 'none'}"
    if found.verdicts:
        yield f"code: {_counted(found.verdicts)}; {found.below} below the minimum"
    for view in found.stale[:MOST_STALE]:
        yield f"  {style.clean(view.fragment.name)} {words.grade(view, style)}"
    if len(found.stale) > MOST_STALE:
        yield f"  and {len(found.stale) - MOST_STALE} more: `mem list --stale`"
    if waiting := found.states.get("proposed", 0):
        yield f"{waiting} await approval: `mem pending`"
    yield f"last sweep: {_sweep_line(found)}"
    yield f"hooks: {_hooks_line(hooks)}"


def _sweep_line(found: Overview) -> str:
    last = found.last_sweep
    return f"{last['at']} at {str(last['commit'])[:12]}, by {last['by']}" if last else "never"


def _hooks_line(hooks: dict[str, str]) -> str:
    wrong = [f"{hook} {state}" for hook, state in hooks.items() if state != "installed"]
    if not hooks:
        return "none, this is no repository"
    if len(wrong) == len(hooks) and set(hooks.values()) == {"missing"}:
        return "not installed: `mem hooks install`"
    return ", ".join(wrong) if wrong else "installed"


def _counted(table: dict[str, int]) -> str:
    return ", ".join(f"{number} {word}" for word, number in table.items())


def _config_file(context: Context, user: bool) -> str:
    """The file that a setting goes to: the repository's own, which no commit can bring, or the user's."""
    if user or context.repository is None:
        return settings.user_config_file(context.env)
    return os.path.join(context.repository.store_dir, "config.toml")


def _config_rows(context: Context, keys: list[str]) -> list[Document]:
    own, user = (_config_file(context, user) for user in (False, True))
    values, origins = settings.load(user, own if own != user else None, context.env)
    return [{"name": key, "value": settings.value_of(values, key), "origin": origins[key]} for key in keys]


def _shown(value: object, style: Style) -> str:
    """A value as the file has it."""
    if value is None:
        return "not set"
    return str(value).lower() if isinstance(value, bool) else style.clean(str(value))
