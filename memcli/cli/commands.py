"""The declaration table: every command once. Help, dispatch and completions are made from it.

Only the module of the command that was called is imported; a whole table of typer commands would cost more than most
commands do. A name of two words is a verb of a group (`hooks install`).
"""

from typing import NamedTuple


class Command(NamedTuple):
    """A command: its words, the module and function that declare its options, its help line, its group in the help."""

    name: str
    module: str
    function: str
    help: str
    group: str


_READ = "memcli.cli.read"
_LOOK = "memcli.cli.explain"
_WRITE = "memcli.cli.write"
_APPROVAL = "memcli.cli.approval"
_CODE = "memcli.cli.code"
_SHARE = "memcli.cli.share"
_STORE = "memcli.cli.housekeeping"
_AUDIT = "memcli.cli.audit"

COMMANDS: tuple[Command, ...] = (
    Command("save", _WRITE, "save", "Remember a text, with the code that it is about.", "Write"),
    Command("confirm", _WRITE, "confirm", "Say that fragments hold for the code as it is now.", "Write"),
    Command("supersede", _WRITE, "supersede", "Replace fragments by another one, or undo that.", "Write"),
    Command("delete", _WRITE, "delete", "Remove fragments for good.", "Write"),
    Command("search", _READ, "search", "Find fragments by words, identifiers and substrings, best first.", "Find"),
    Command("list", _READ, "listing", "List fragments, newest first.", "Find"),
    Command("query", "memcli.cli.query", "query", "Ask with an expression: filter, map, join, union.", "Find"),
    Command(
        "render", "memcli.cli.render", "render", "Print the memory block for a prompt, within a token budget.", "Find"
    ),
    Command("show", _READ, "show", "Show a fragment and its stamp.", "Find"),
    Command("why", _LOOK, "why", "Explain a fragment's confidence, anchor by anchor.", "Find"),
    Command("diff", _LOOK, "diff", "Show how the code that fragments are about changed since.", "Find"),
    Command("history", _LOOK, "history", "Plot a fragment's confidence over the commits since its stamp.", "Find"),
    Command("sweep", _CODE, "sweep", "Recompute every confidence and report what fell and why.", "Code"),
    Command("audit", _AUDIT, "audit", "Report which lines of documents fell behind the code they name.", "Code"),
    Command("hooks install", _CODE, "hooks_install", "Sweep after each commit, merge, checkout and rebase.", "Code"),
    Command("hooks uninstall", _CODE, "hooks_uninstall", "Take the git hooks away again.", "Code"),
    Command("hooks status", _CODE, "hooks_status", "Say which git hooks are installed, and where.", "Code"),
    Command("pending", _APPROVAL, "pending", "List the proposals that wait for approval.", "Approve"),
    Command("approve", _APPROVAL, "approve", "Accept proposals.", "Approve"),
    Command("reject", _APPROVAL, "reject", "Turn proposals down.", "Approve"),
    Command("init", _STORE, "init", "Make the store of this repository and offer its hooks.", "Store"),
    Command("seed", _AUDIT, "seed", "Begin with what README, agent files and manifests claim.", "Store"),
    Command("export", _SHARE, "export", "Write all fragments as JSON lines or Markdown.", "Store"),
    Command("import", _SHARE, "import_", "Read fragments that export wrote.", "Store"),
    Command("stats", _STORE, "stats", "Count fragments by state, verdict, type and scope.", "Store"),
    Command("config", _STORE, "config", "Show each setting and where its value comes from.", "Store"),
    Command("completion", _STORE, "completion", "Print the completion script of a shell.", "Store"),
)

OVERVIEW = Command("overview", _STORE, "overview", "The store, what is stale, what waits for approval.", "Store")


class Switch(NamedTuple):
    """A global option: its spellings, what stands for its value ("" when it takes none), its help."""

    spellings: tuple[str, ...]
    value: str
    help: str


GLOBALS: tuple[Switch, ...] = (
    Switch(("-C",), "DIR", "act as if started in DIR"),
    Switch(("--json",), "", "one JSON document"),
    Switch(("--jsonl",), "", "one JSON object a line"),
    Switch(("--no-color",), "", "no colours (as NO_COLOR does)"),
    Switch(("--raw",), "", "angle brackets and line breaks as stored, in a pipe too"),
    Switch(("-q", "--quiet"), "", "no report of what was done, no notes"),
    Switch(("-v", "--verbose"), "", "say more"),
    Switch(("--author",), "NAME", "who asks"),
    Switch(("--version",), "", "the version"),
    Switch(("-h", "--help"), "", "this help, or that of a command"),
)


def find(words: list[str]) -> tuple[Command | None, list[str]]:
    """The command that the first one or two words name, and the words after it."""
    for size in (2, 1):
        name = " ".join(words[:size])
        for command in COMMANDS:
            if command.name == name and len(words) >= size:
                return command, words[size:]
    return None, words


def verbs(group: str) -> list[Command]:
    """The commands `group VERB`."""
    return [command for command in COMMANDS if command.name.startswith(group + " ")]


def first_words() -> list[str]:
    """What may stand right after `mem`, in table order."""
    return list(dict.fromkeys(command.name.split()[0] for command in COMMANDS))


def group_line(group: str) -> str:
    """The help line of a group, in a list of first words."""
    return f"{', '.join(command.name.split()[1] for command in verbs(group))} the {group}"


def help_text() -> str:
    """What `mem --help` prints: the table by groups, without building a single command."""
    lines = ["Usage: mem [OPTIONS] COMMAND …", "", "A memory for coding agents and people that knows git.", ""]
    for group in dict.fromkeys(command.group for command in COMMANDS):
        lines += [f"{group}:", *_columns([(c.name, c.help) for c in COMMANDS if c.group == group]), ""]
    lines += ["Options, before or after the command:", *_columns(_global_rows()), ""]
    return "\n".join(
        [*lines, "`mem` alone shows the state of the memory here; `mem COMMAND --help` a command's options."]
    )


def group_help(group: str) -> str:
    """What `mem GROUP --help` prints."""
    rows = [(command.name, command.help) for command in verbs(group)]
    return "\n".join([f"Usage: mem {group} VERB …", "", *_columns(rows)])


def _global_rows() -> list[tuple[str, str]]:
    return [(" ".join([", ".join(option.spellings), option.value]).strip(), option.help) for option in GLOBALS]


def _columns(rows: list[tuple[str, str]]) -> list[str]:
    return [f"  {left:<17}{right}" for left, right in rows]
