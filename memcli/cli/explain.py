"""The commands that look into one fragment: why, diff, history."""

import sys
from typing import Annotated

from memcli import comparing, timeline
from memcli import explain as explaining
from memcli.cli import accounts, documents, options
from memcli.cli.declare import Option
from memcli.cli.frame import Answer, Call
from memcli.cli.show import Style

Full = Annotated[bool, Option("--full", help="The whole files, not only what the fragment is about.")]


def why(call: Call, ident: options.Id, at: options.At = None, session: options.Session = None) -> Answer:
    """Explain a fragment's confidence: the drift of each place it speaks about, with its evidence."""
    context = call.open(at, session)
    found = explaining.explain(context, ident)
    return Answer(
        lambda: {
            "fragments": [
                {
                    **documents.fragment(context, found.view),
                    "why": accounts.why_json(found),
                    "age": accounts.age_json(found.age),
                }
            ]
        },
        lambda style: accounts.why_lines(found, style),
        "fragments",
    )


def diff(
    call: Call, idents: options.Ids, full: Full = False, at: options.At = None, session: options.Session = None
) -> Answer:
    """Show the change since the stamp of what fragments are about, as git shows a diff.

    It needs no old commit: the store has what the code was.
    """
    context = call.open(at, session)
    found = [comparing.difference(context, ident, full) for ident in idents]
    unchanged = [one.view.fragment.name for one in found if not one.files]
    call.notes += [f"nothing changed since the stamp of {name}" for name in unchanged]
    return Answer(
        lambda: {"files": [{"id": one.view.id, **accounts.diff_json(file)} for one in found for file in one.files]},
        lambda style: accounts.diff_lines(found, style),
        "files",
        paged=True,
    )


def history(call: Call, ident: options.Id, at: options.At = None, session: options.Session = None) -> Answer:
    """Show a fragment's confidence over the commits since its stamp, and what it replaced."""
    context = call.open(at, session)
    found = timeline.timeline(context, ident)
    return Answer(
        lambda: {"id": found.view.id, "key": found.view.key, **accounts.history_json(found)},
        lambda style: accounts.history_lines(found, style, *_screen(call, style)),
        "points",
    )


def _screen(call: Call, style: Style) -> tuple[int, bool]:
    """How wide the output may be, and whether it can show block characters."""
    from shutil import get_terminal_size

    plain = call.env.get("TERM") == "dumb" or (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    return get_terminal_size((80, 24)).columns if style.terminal else 80, not plain
