"""The commands that carry fragments elsewhere and back: export, import."""

import json
import os
import sys
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Annotated

from memcli import transfer
from memcli.cli import options
from memcli.cli.declare import Argument, Option
from memcli.cli.frame import Answer, Call
from memcli.cli.write import count_soon
from memcli.errors import Usage
from memcli.kinds import one_of
from memcli.model import STATES
from memcli.scopes import check_scope, check_state
from memcli.shapes import fragment_markdown

FORMATS = ("jsonl", "markdown")

Format = Annotated[str, Option("--format", "-f", metavar="jsonl|markdown", help="The form.")]
Scope = Annotated[str | None, Option("--scope", metavar="SCOPE", help="Only this scope.")]
File = Annotated[str, Argument(metavar="FILE", help="What export wrote; - is stdin.")]
Propose = Annotated[bool, Option("--propose", help="Leave what is new for a person's approval.")]


def export(call: Call, form: Format = "jsonl", states: options.States = None, scope: Scope = None) -> Answer:
    """Write all fragments, oldest first: one JSON object a line, or Markdown for people.

    The same store gives the same bytes. JSON lines can be imported again.
    """
    wanted = tuple(map(check_state, states or STATES))
    found = transfer.export(call.open(), wanted, scope and check_scope(scope))
    write = transfer.export_line if one_of(form, FORMATS, "format") == "jsonl" else fragment_markdown
    return Answer(
        lambda: {"fragments": [json.loads(transfer.export_line(fragment)) for fragment in found]},
        lambda style: map(write, found),
        rows="fragments",
    )


def import_(call: Call, file: File, propose: Propose = False, at: options.At = None) -> Answer:
    """Read fragments from JSON lines, as export wrote them. A line needs only `text`.

    What is known already stays; older never overwrites newer. Exits with 1 when lines were refused; the rest is stored.
    """
    context = call.open(at)
    done = transfer.import_lines(context, lines_of(file), propose)
    count_soon(context)
    call.notes += [f"line {number}: {reason}" for number, reason in done.refused]
    tally = {name: getattr(done, name) for name in ("added", "updated", "unchanged", "proposed")}
    return Answer(
        lambda: {**tally, "refused": [{"line": number, "reason": reason} for number, reason in done.refused]},
        lambda style: [
            ", ".join(f"{number} {name}" for name, number in [*tally.items(), ("refused", len(done.refused))])
        ],
        code=1 if done.refused else 0,
        report=True,
    )


def lines_of(file: str, folder: str = "") -> Iterator[str]:
    """The lines of a file, or of stdin (`-`); `folder` is where a relative path begins. A line that is not UTF-8 comes
    as one that is no JSON either."""
    try:
        if file == "-":
            if sys.stdin is None:
                raise Usage("there is no stdin to read the lines from", "name the file")
            yield from map(_decoded, sys.stdin.buffer)
            return
        with open(os.path.join(folder, file), "rb") as opened:
            yield from map(_decoded, opened)
    except OSError as error:
        raise Usage(f"can't read {file}: {error.strerror}") from None


def _decoded(line: bytes) -> str:
    try:
        return line.removeprefix(BOM_UTF8).decode("utf-8")  # some editors, and shells of Windows, begin a file with it
    except UnicodeDecodeError:
        return "\N{REPLACEMENT CHARACTER}"
