"""The command that makes a block for a prompt: render."""

import json
from contextlib import suppress
from typing import Annotated

from memcli import rendering
from memcli.cli import options
from memcli.cli.declare import Option
from memcli.cli.frame import Answer, Call
from memcli.cli.read import rooted, say_beside
from memcli.context import Context
from memcli.errors import MemError
from memcli.kinds import one_of
from memcli.rendering import Wanted

FORMATS = ("memory", "markdown", "json")

Budget = Annotated[int | None, Option("--budget", "-b", metavar="N", help="Tokens for all of the output.")]
Window = Annotated[int | None, Option("--window", metavar="N", help="Tokens of the model's window instead.")]
Reserve = Annotated[int, Option("--reserve", metavar="N", min=0, help="Tokens of the window to leave free.")]
Prompt = Annotated[str, Option("--prompt", metavar="TEXT", help="What it is for: what fits goes first.")]
About = Annotated[str | None, Option("--path", "-p", metavar="PATH", help="What is about this path goes first.")]
Format = Annotated[str, Option("--format", "-f", metavar="memory|markdown|json", help="The form.")]
Encoding = Annotated[str | None, Option("--encoding", metavar="NAME", help="The tokens' encoding.")]
Rule = Annotated[bool, Option("--rule", help="Say the standing rule with it.")]


def render(
    call: Call,
    budget: Budget = None,
    window: Window = None,
    reserve: Reserve = 0,
    prompt: Prompt = "",
    path: About = None,
    form: Format = "memory",
    encoding: Encoding = None,
    rule: Rule = False,
    session: options.Session = None,
    at: options.At = None,
) -> Answer:
    """Print the memory block for a prompt, in exact tokens within the budget.

    Prints nothing when nothing is known.
    """
    context = call.open(at, session)
    form = "json" if call.options.json or call.options.jsonl else one_of(form, FORMATS, "format")
    about = None if path is None else rooted(context, path)
    wanted = Wanted(budget, window, reserve, prompt, about, form, encoding, rule)
    rendered = rendering.render_block(context, wanted)
    say_beside(call, context)
    text = rendered.text.removesuffix("\n")
    return Answer(
        lambda: json.loads(text),
        lambda style: text.split("\n") if text else [],
        "fragments",
        ready=True,
        after=lambda: _keep_counts(context, rendered),
    )


def _keep_counts(context: Context, rendered: rendering.Rendered) -> None:
    """Store what had to be counted just now, where that is possible: the next render then needs no tokenizer."""
    with suppress(MemError):
        rendering.remember(context, rendered.counter.fresh)
