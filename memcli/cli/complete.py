"""Shell completions, made from the declaration table and the signatures of its commands.

`completions/` holds what this prints, and a test compares them. What changes with the store (ids, keys) is asked of
`mem _complete KIND WORD` while completing; see candidates.
"""

from typing import Any, NamedTuple

from memcli.cli import scripts
from memcli.cli.commands import COMMANDS, GLOBALS, Command, first_words, group_line, verbs
from memcli.cli.frame import build

# What stands for a value in the help, and the kind of candidates that `mem _complete` gives for it. The shells know
# files and folders themselves. Every other value has none.
KINDS = {
    "ID": "ids",
    "KEY": "keys",
    "TYPE": "types",
    "SCOPE": "scopes",
    "STATE": "states",
    "SETTING": "settings",
    "PATH": "files",
    "FILE": "files",
    "DIR": "folders",
}


class Option(NamedTuple):
    """An option as a shell sees it: its spellings, help, and the kind of its value (None: a switch, "": any)."""

    spellings: tuple[str, ...]
    help: str
    value: str | None


class Shape(NamedTuple):
    """What may follow a command: its options, and the kind of its arguments ("" for any)."""

    name: str
    help: str
    options: tuple[Option, ...]
    argument: str


def script(shell: str) -> str:
    """The completion script of bash, zsh or fish."""
    shapes = [shape(command) for command in COMMANDS]
    if shell == "fish":
        return scripts.fish(shapes, global_options(), described(), groups())
    return scripts.fill(
        scripts.BASH if shell == "bash" else scripts.ZSH, shapes, global_options(), described(), groups()
    )


def shape(command: Command) -> Shape:
    """What there is to complete after a command, by its signature."""
    built = build(command)
    options = tuple(_option(param) for param in built.params if param.param_type_name == "option")
    kinds = [kind(param.metavar) for param in built.params if param.param_type_name == "argument"]
    return Shape(command.name, command.help, options, kinds[0] if kinds else "")


def kind(metavar: str | None) -> str:
    """The kind of a value: by the word that stands for it, or its choices when they are spelled out (`a|b`)."""
    word = metavar or ""
    return word if "|" in word else KINDS.get(word, "")


def global_options() -> list[Option]:
    """The options that every command takes."""
    return [Option(switch.spellings, switch.help, kind(switch.value) if switch.value else None) for switch in GLOBALS]


def described() -> list[tuple[str, str]]:
    """What may stand right after `mem`, with its help."""
    single = {command.name: command.help for command in COMMANDS}
    return [(word, single.get(word) or group_line(word)) for word in first_words()]


def groups() -> dict[str, list[str]]:
    """The words that need a verb after them, and their verbs."""
    names = [word for word in first_words() if verbs(word)]
    return {name: [command.name.split()[1] for command in verbs(name)] for name in names}


def _option(param: Any) -> Option:
    spellings = (*param.opts, *param.secondary_opts)
    return Option(spellings, param.help or "", None if param.is_flag else kind(param.metavar))
