"""The global options, taken from the arguments once, wherever they stand (DESIGN.md, section 8).

They are not typer options of each command: that costs every command, and would allow them on one side of the verb only.
"""

from collections.abc import Collection, Iterator
from itertools import islice

from memcli.errors import Usage

SWITCHES = {
    "--json": "json",
    "--jsonl": "jsonl",
    "--no-color": "no_color",
    "--raw": "raw",
    "-q": "quiet",
    "--quiet": "quiet",
    "-v": "verbose",
    "--verbose": "verbose",
    "--version": "version",
}
VALUES = {"-C": "folders", "--author": "authors"}


class Globals:
    """What the global options of one call say. Repeated `-C` add up, as git's do; the last author counts."""

    def __init__(self) -> None:
        self.json = self.jsonl = self.no_color = self.raw = False
        self.quiet = self.verbose = self.version = False
        self.folders: list[str] = []
        self.authors: list[str] = []

    @property
    def author(self) -> str | None:
        """The name given with `--author`."""
        return self.authors[-1] if self.authors else None

    def take_leading(self, args: list[str]) -> list[str]:
        """Take the global options before the verb; gives the rest, beginning with the verb."""
        waiting = iter(args)
        for arg in waiting:
            if arg == "--" or not self._take(arg, waiting):
                return [arg, *waiting]
        return []

    def take(self, args: list[str], valued: Collection[str]) -> list[str]:
        """Take the global options out of a command's arguments; gives the rest.

        `valued` are the command's own options that take a value: what follows one is that value, whatever it looks
        like. After `--` everything is text.
        """
        rest: list[str] = []
        waiting = iter(args)
        for arg in waiting:
            if arg == "--":
                return [*rest, arg, *waiting]
            if self._take(arg, waiting):
                continue
            rest.append(arg)
            if arg in valued:
                rest += islice(waiting, 1)
        return rest

    def _take(self, arg: str, waiting: Iterator[str]) -> bool:
        """Take one global option, with its value from those that wait; False when it is none."""
        name, equals, value = arg.partition("=")
        together = [f"-{letter}" for letter in arg[1:]] if arg[:1] == "-" != arg[1:2] else []  # -qv
        if arg in SWITCHES:
            setattr(self, SWITCHES[arg], True)
        elif together and all(one in SWITCHES for one in together):
            for one in together:
                setattr(self, SWITCHES[one], True)
        elif name in VALUES and (not equals or name.startswith("--")):
            getattr(self, VALUES[name]).append(value if equals else _value_of(name, waiting))
        else:
            return False
        return True


def _value_of(name: str, waiting: Iterator[str]) -> str:
    for value in waiting:
        return value
    raise Usage(f"option {name} needs a value")


def wants_json(args: list[str]) -> bool:
    """Whether an error of a call with these arguments goes out as JSON: told from the arguments alone, because the
    error may be that they can't be parsed."""
    before = args[: args.index("--")] if "--" in args else args
    return "--json" in before or "--jsonl" in before
