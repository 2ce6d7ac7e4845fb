"""Putting an answer on stdout: as JSON, as JSON lines, or as text for a person or a pipe; and the notes on stderr."""

import json
import sys
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import IO, TYPE_CHECKING, TextIO

from memcli.text import escape, quoted, unescape

if TYPE_CHECKING:
    from memcli.cli.frame import Answer, Call
    from memcli.cli.globals import Globals

COLOURS = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


class Style:
    """How text goes to where stdout leads.

    To a pipe, which an agent may read, stored words go with `<` and `>` escaped and on one line (law 13), unless
    `--raw`; to a terminal as they are. Neither ever gets a control character. Colours only where a person looks.
    """

    def __init__(self, terminal: bool, raw: bool = False, colour: bool = False, verbose: bool = False) -> None:
        self.escaped = not (terminal or raw)
        self.terminal = terminal
        self.colour = colour
        self.verbose = verbose

    def clean(self, text: str) -> str:
        """Stored words as one line."""
        shown = escape(text)
        return shown if self.escaped else unescape(shown)

    def block(self, text: str) -> list[str]:
        """Stored words on lines of their own: one line to a pipe, else as they were written."""
        if self.escaped:
            return [self.clean(text)]
        return [line[: len(line) - len(line.lstrip(" "))] + self.clean(line) for line in text.splitlines()] or [""]

    def path(self, path: str) -> str:
        """A path; an odd one in git's quoted form."""
        return self.clean(quoted(path))

    def paint(self, text: str, colour: str) -> str:
        """Our own or cleaned words in a colour of `COLOURS`."""
        return f"\x1b[{COLOURS[colour]}m{text}\x1b[0m" if self.colour and text else text

    def mark(self, text: str, spans: Iterable[tuple[int, int]]) -> str:
        """A cleaned text with these stretches of it underlined, where a person looks."""
        if not self.colour:
            return text
        out, last = "", 0
        for begin, end in spans:
            out += f"{text[last:begin]}\x1b[4m{text[begin:end]}\x1b[24m"
            last = end
        return out + text[last:]


def style(options: "Globals", env: Mapping[str, str], stream: TextIO) -> Style:
    """The style for this call's stdout."""
    terminal = stream.isatty()
    plain = options.no_color or bool(env.get("NO_COLOR")) or env.get("TERM") == "dumb"
    return Style(terminal, options.raw, terminal and not plain, options.verbose)


def put(answer: "Answer", name: str, call: "Call") -> None:
    """Print an answer in the form that the call asked for, then what there is to say about it."""
    options = call.options
    out = sys.stdout
    if options.jsonl or (options.json and not answer.ready):
        _put_json(answer, name, options.jsonl, out)
    elif not (options.quiet and answer.report):
        with _stream(answer, call) as stream:
            for line in answer.text(style(options, call.env, out)):
                stream.write(line + "\n")
    out.flush()
    _put_notes(call)


def _stream(answer: "Answer", call: "Call") -> AbstractContextManager[IO[str]]:
    """Where the text goes: stdout, or the pager before it."""
    repository = call.contexts[-1].repository if answer.paged and sys.stdout.isatty() else None
    if repository is None:
        return nullcontext(sys.stdout)
    from memcli.cli import pager

    return pager.through(repository.pager(), call.env)


def _put_json(answer: "Answer", name: str, by_line: bool, out: TextIO) -> None:
    """One document, or each of its rows on a line. ASCII: a path that is not UTF-8 is a `\\udcXX` escape."""
    document = answer.document()
    if by_line and answer.rows is not None:
        for row in document[answer.rows]:
            out.write(json.dumps(row) + "\n")
        return
    indent = 2 if out.isatty() else None
    out.write(json.dumps({"mem": 1, "command": name, **document}, indent=indent) + "\n")


def _put_notes(call: "Call") -> None:
    """What the command and its contexts have to say beside the answer: on stderr, unless `-q`."""
    if call.options.quiet:
        return
    notes = [*call.notes, *(note for context in call.contexts for note in context.notes)]
    for note in dict.fromkeys(notes):
        sys.stderr.write(f"mem: {escape(note)}\n")
