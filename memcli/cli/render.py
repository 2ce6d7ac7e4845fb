"""The command that makes a block for a prompt: render."""

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated

from memcli import rendering
from memcli.cli import documents, options, words
from memcli.cli.declare import Option
from memcli.cli.frame import Answer, Call
from memcli.cli.read import rooted, say_beside
from memcli.cli.show import Style
from memcli.context import Context
from memcli.errors import MemError, Usage
from memcli.kinds import one_of
from memcli.rendering import Rendered, Wanted

FORMATS = ("memory", "markdown", "json")

Budget = Annotated[int | None, Option("--budget", "-b", metavar="N", help="Tokens for all of the output.")]
Window = Annotated[int | None, Option("--window", metavar="N", help="Tokens of the model's window instead.")]
Reserve = Annotated[int, Option("--reserve", metavar="N", min=0, help="Tokens of the window to leave free.")]
Prompt = Annotated[str, Option("--prompt", metavar="TEXT", help="What it is for: what fits goes first; - is stdin.")]
About = Annotated[str | None, Option("--path", "-p", metavar="PATH", help="What is about this path goes first.")]
Format = Annotated[str | None, Option("--format", "-f", metavar="memory|markdown|json", help="The form.")]
Encoding = Annotated[str | None, Option("--encoding", metavar="NAME", help="The tokens' encoding.")]
Rule = Annotated[bool, Option("--rule", help="Say the standing rule with it.")]
Into = Annotated[
    str | None, Option("--into", metavar="FILE", help="Write it as Markdown into the file, between two marks.")
]
Explain = Annotated[bool, Option("--explain", help="Say of each fragment why it is in or out.")]


def render(
    call: Call,
    budget: Budget = None,
    window: Window = None,
    reserve: Reserve = 0,
    prompt: Prompt = "",
    path: About = None,
    form: Format = None,
    encoding: Encoding = None,
    rule: Rule = False,
    into: Into = None,
    explain: Explain = False,
    session: options.Session = None,
    at: options.At = None,
) -> Answer:
    """Print the memory block for a prompt, in exact tokens within the budget.

    Prints nothing when nothing is known.
    """
    context = call.open(at, session)
    form = _form(call, form, into, explain)
    about = None if path is None else rooted(context, path)
    prompt = _from_stdin() if prompt == "-" else prompt
    rendered = rendering.render_block(context, Wanted(budget, window, reserve, prompt, about, form, encoding, rule))
    say_beside(call, context)
    if explain:
        answer = _explained(context, rendered)
    elif into is not None:
        answer = _written(context, rendered, into)
    else:
        text = rendered.text.removesuffix("\n")
        answer = Answer(
            lambda: json.loads(text), lambda style: text.split("\n") if text else [], "fragments", ready=True
        )
    return answer._replace(after=lambda: _keep_counts(context, rendered))


def _from_stdin() -> str:
    """A prompt of any length; what is no text in it fits nothing. Raises Usage."""
    if sys.stdin is None:
        raise Usage("there is no stdin to read the prompt from")
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def _form(call: Call, form: str | None, into: str | None, explain: bool) -> str:
    """The form to render in. Raises Usage where the options contradict each other."""
    if form is not None:
        form = one_of(form, FORMATS, "format")
    if into is None:
        as_json = (call.options.json or call.options.jsonl) and not explain
        return "json" if as_json else form or "memory"
    if explain or form not in (None, "markdown"):
        raise Usage(f"--into writes Markdown, so it does not go with {'--explain' if explain else f'--format {form}'}")
    return "markdown"


def _written(context: Context, rendered: Rendered, into: str) -> Answer:
    """Write the section, and say what was done."""
    from memcli import section

    changed = section.write(context, into, rendered.text)
    shown = len(rendered.block.shown)
    return Answer(
        lambda: {"file": into, "changed": changed, "shown": shown, "left_out": rendered.block.left_out},
        lambda style: [
            f"{'wrote' if changed else 'unchanged:'} {words.count(shown, 'fragment')} "
            f"in {style.path(into)}, {rendered.block.tokens} tokens"
        ],
        report=True,
    )


def _explained(context: Context, rendered: Rendered) -> Answer:
    """Of each fragment why it is in or out, then how much of the budget is used."""
    told, unseen = list(rendered.told()), rendered.found.unseen

    def lines(style: Style) -> Iterator[str]:
        for one in told:
            yield f"{'in ' if one.shown else 'out'} {words.key_line(one.view, style)}: {style.clean(one.reason)}"
        if unseen:
            yield f"out {words.count(unseen, 'further fragment')}: not looked at, the budget is full before them"
        yield f"{rendered.block.tokens} of {rendered.budget} tokens"

    return Answer(
        lambda: {
            "fragments": [
                {**documents.fragment(context, one.view), "in": one.shown, "reason": one.reason} for one in told
            ],
            "unseen": unseen,
            "used": rendered.block.tokens,
            "budget": rendered.budget,
        },
        lines,
        "fragments",
    )


def _keep_counts(context: Context, rendered: Rendered) -> None:
    """Store what had to be counted just now, where that is possible: the next render then needs no tokenizer."""
    with suppress(MemError):
        rendering.remember(context, rendered.counter.fresh)
