"""The commands for proposals: pending, approve, reject."""

from typing import Annotated

from memcli import change, read
from memcli.cli import documents, options, words
from memcli.cli.declare import Argument, Option
from memcli.cli.frame import Answer, Call
from memcli.cli.show import Style
from memcli.cli.write import count_soon, done
from memcli.context import Context
from memcli.errors import Usage
from memcli.model import View

SomeIds = Annotated[list[str] | None, Argument(metavar="ID", help="An id, a unique prefix of one, or a key.")]
Everything = Annotated[bool, Option("--all", "-a", help="All that wait.")]
Source = Annotated[str | None, Option("--source", metavar="NAME", help="With --all: only those from this source.")]


def pending(call: Call, limit: options.Limit = None) -> Answer:
    """List the proposals that wait for approval, newest first."""
    context = call.open()
    views = read.listing(context, read.Filter(states=("proposed",), all=True, limit=limit))
    return Answer(
        lambda: {"fragments": [documents.fragment(context, view) for view in views]},
        lambda style: [_proposal(context, view, style) for view in views],
        rows="fragments",
    )


def _proposal(context: Context, view: View, style: Style) -> str:
    return words.proposal_line(view, change.would_replace(context, view.fragment), style)


def approve(call: Call, idents: SomeIds = None, everything: Everything = False, source: Source = None) -> Answer:
    """Accept proposals: they are found and rendered from now on."""
    if everything == bool(idents) or (source and not everything):
        raise Usage("approve needs either ids or --all", "`mem pending` lists what waits; --source goes with --all")
    context = call.open()
    approved = change.approve(context, idents or (), everything, source)
    count_soon(context)
    return done(call, "approved", approved)


def reject(call: Call, idents: options.Ids) -> Answer:
    """Turn proposals down: they are shown to nobody, and the same text is not proposed again."""
    return done(call, "rejected", change.reject(call.open(), idents))
