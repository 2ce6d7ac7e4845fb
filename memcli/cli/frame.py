"""From arguments to an answer: find the command, build that one, run it, show what it answers.

A command is a plain function whose signature declares its options (see `declare`), whose body opens a context through
its `Call`, does one deed and returns an `Answer`. Nothing prints inside a command: printing happens here, so that
typer's handling of closed pipes and exits never meets ours.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.cli import commands, declare
from memcli.cli.commands import Command
from memcli.cli.globals import Globals
from memcli.cli.show import Style, put
from memcli.errors import Usage

if TYPE_CHECKING:
    from memcli.context import Context

Document = dict[str, Any]

EPILOG = "Global options (--json, -C DIR, …) go before or after the command: see `mem --help`."


class Answer(NamedTuple):
    """What a command found.

    `document`: the fields of the JSON document. `text`: the lines for people and pipes. `rows`: the document's list
    that `--jsonl` prints one a line (the whole document when None). `report`: the text tells what was done, so that
    `-q` leaves it out. `ready`: with `--json` the text is the document already. `said`: everything was printed already.
    `paged`: on a terminal the text goes through git's pager.
    `code` as in law 18. Both functions are called only if asked for. `after` is done when the answer is out.
    """

    document: Callable[[], Document]
    text: Callable[[Style], Iterable[str]]
    rows: str | None = None
    code: int = 0
    report: bool = False
    ready: bool = False
    said: bool = False
    paged: bool = False
    after: Callable[[], None] | None = None


class Call:
    """One call of `mem`: its global options, environment, clock and the contexts that the command opened.

    It is a command's first argument.
    """

    def __init__(self, options: Globals, env: Mapping[str, str]) -> None:
        self.options = options
        self.env = env
        self.cwd = _folder(options.folders)
        self.contexts: list[Context] = []
        self.notes: list[str] = []
        self.now = _now()

    def open(self, at: str | None = None, session: str | None = None) -> "Context":
        """The context of this call: this folder, environment and time, and who asks."""
        from memcli.context import Context

        explicit = bool(self.options.folders)
        context = Context.open(
            self.cwd, self.env, self.now, at=at, author=self.options.author, session=session, explicit=explicit
        )
        self.contexts.append(context)
        return context

    def renew(self) -> None:
        """Let go of what is open; what is opened next opens at that time. Only a resident process goes on after it."""
        for context in self.contexts:
            context.close()
        self.contexts, self.notes, self.now = [], [], _now()


def run(args: list[str], env: Mapping[str, str]) -> int:
    """Run the command that the arguments name, and show its answer; gives the exit code."""
    options = Globals()
    words = options.take_leading(args)
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    if not words and not options.version:
        return answer(commands.OVERVIEW, [], options, env)
    if options.version or words[0] in ("-h", "--help"):
        return _say_itself(options)
    if commands.verbs(words[0]):  # mem hooks --json status
        words = [words[0], *options.take_leading(words[1:])]
    command, rest = commands.find(words)
    if command is None:
        return _group_or_unknown(words)
    return answer(command, rest, options, env)


def answer(command: Command, args: list[str], options: Globals, env: Mapping[str, str]) -> int:
    """Run one command on its arguments, print its answer and the notes; gives the exit code."""
    function = load(command)
    own = options.take(args, declare.valued(function))
    if options.version:
        return _say_itself(options)
    call = Call(options, env)
    try:
        values = declare.parse(function, own)
        found = function(call, **values) if values is not None else _ask_typer(command, own, call)
        if isinstance(found, int):  # typer printed the help
            return found
        if not found.said:
            put(found, command.name, call)
        if found.after:
            sys.stdout.flush()
            found.after()
        return int(found.code)
    finally:
        call.renew()


def load(command: Command) -> Any:
    """The function of one row of the table."""
    return getattr(import_module(command.module), command.function)


def build(command: Command) -> Any:
    """The typer command (its click class is private to typer, hence Any) of one row of the table."""
    import typer

    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    settings = {"help_option_names": ["-h", "--help"]}
    app.command(command.name, epilog=EPILOG, context_settings=settings)(declare.for_typer(load(command)))
    return typer.main.get_command(app)


def _ask_typer(command: Command, args: list[str], call: Call) -> Any:
    """Let typer parse the arguments and run the command, or say what is wrong; its usage errors become ours."""
    from typer import TyperException

    try:
        return build(command).main(args, prog_name=f"mem {command.name}", standalone_mode=False, obj=call)
    except TyperException as error:
        raise Usage(_sentence(error.format_message()), _usage_hint(error, command)) from None


def _sentence(message: str) -> str:
    """typer's message in our form: one line, no capital, no full stop, no angle brackets of its own."""
    text = " ".join(message.split()).rstrip(".").replace("<=", "≤").replace(">=", "≥")
    return text[:1].lower() + text[1:]


def _usage_hint(error: Exception, command: Command) -> str:
    if getattr(error, "option_name", "").startswith("-"):
        return f"`mem {command.name} --help` lists its options; after -- everything is text"
    return f"`mem {command.name} --help` shows how it is used"


def _group_or_unknown(words: list[str]) -> int:
    """Help for a group (`mem hooks`), else the error that names the nearest command."""
    group = words[0]
    if commands.verbs(group):
        if words[1:2] in (["-h"], ["--help"]):
            print(commands.group_help(group))  # noqa: T201
            return 0
        known = [command.name.split()[1] for command in commands.verbs(group)]
        said = f"mem {group} needs a verb" if len(words) == 1 else f"mem {group} knows no verb {words[1]!r}"
        raise Usage(said, f"one of: {', '.join(known)}")
    if group.startswith("-"):
        raise Usage(f"no such option: {group}", "`mem --help` lists them")
    from memcli.text import nearest

    near = nearest(group, commands.first_words())
    raise Usage(
        f"unknown command: {group}", f"did you mean `mem {near}`?" if near else "`mem --help` lists the commands"
    )


def _say_itself(options: Globals) -> int:
    """`mem --help` and `mem --version`."""
    from memcli import __version__

    print(f"mem {__version__}" if options.version else commands.help_text())  # noqa: T201
    return 0


def _now() -> int:
    return time.time_ns() // 1_000_000


def _folder(changes: list[str]) -> str:
    """The folder that the call is about, after each `-C`, as git reads it. The process goes there too, so that file
    arguments mean the same to everything below."""
    try:
        for folder in filter(None, changes):  # an empty one changes nothing, as with git
            os.chdir(folder)
        return os.getcwd()
    except OSError as error:
        where = f"to {changes[-1]!r}" if changes else "in this folder: it is gone"
        raise Usage(f"can't go {where} ({error.strerror})") from None
