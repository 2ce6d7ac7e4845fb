"""The commands that write what somebody claims: save, confirm, supersede, delete."""

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated

from memcli import background_jobs, change, read
from memcli import save as saving
from memcli.cli import documents, options, words
from memcli.cli.declare import Argument, Option
from memcli.cli.frame import Answer, Call
from memcli.cli.show import Style
from memcli.context import Context
from memcli.errors import MemError, Refused, Usage
from memcli.kinds import check_type
from memcli.model import Fragment, View
from memcli.scopes import check_scope
from memcli.shapes import change_json

MAX_STDIN = 256 * 1024  # bytes of a text read at most: beyond what the gate takes, and short enough to refuse at once
MAX_NAMES = 64 << 20  # bytes of names: more than all keys of the largest store
# How each outcome reads; the id follows.
SAID = {
    "confirmed": "seen again, confirmed",
    "unchanged": "seen again",
    "changed": "known, but its code has changed since:",
    "proposed": "proposed, waits for approval:",
}

Words = Annotated[
    list[str], Argument(metavar="[KEY] TEXT", help="The text, after its key if it has one; - reads stdin.")
]
Type = Annotated[str | None, Option("--type", "-t", metavar="TYPE", help="Its type; told from the key otherwise.")]
Scope = Annotated[str, Option("--scope", metavar="SCOPE", help="Where it holds.")]
About = Annotated[
    list[str] | None,
    Option("--path", "-p", metavar="PATH", help="What it is about: P, P:10-40 or P#symbol (repeatable)."),
]
Refs = Annotated[list[str] | None, Option("--ref", metavar="ID", help="What it is derived from (repeatable).")]
Olds = Annotated[list[str] | None, Option("--supersedes", metavar="ID", help="What it replaces (repeatable).")]
Key = Annotated[str | None, Option("--key", "-k", metavar="KEY", help="Its key.")]
Base = Annotated[float | None, Option("--confidence", metavar="X", min=0.0, max=1.0, help="How sure it is, 0 to 1.")]
Propose = Annotated[bool, Option("--propose", help="Leave it for a person's approval.")]
Force = Annotated[bool, Option("--force", help="Confirm a text that its code speaks against.")]
By = Annotated[str | None, Option("--by", metavar="ID", help="The fragment that replaces them.")]
Undo = Annotated[bool, Option("--undo", help="Bring superseded fragments back.")]


def save(
    call: Call,
    text: Words,
    kind: Type = None,
    scope: Scope = "workspace",
    paths: About = None,
    refs: Refs = None,
    supersedes: Olds = None,
    key: Key = None,
    session: options.Session = None,
    confidence: Base = None,
    propose: Propose = False,
    force: Force = False,
    at: options.At = None,
) -> Answer:
    """Remember a text, with the code that it is about.

    Files and names of code that the text mentions become its anchors by themselves. Saving under a key that is taken
    supersedes what had it.
    """
    key, body = _key_and_text(text, key)
    request = saving.Request(
        text=body,
        key=key,
        type=kind and check_type(kind),
        scope=check_scope(scope),
        paths=tuple(paths or ()),
        refs=tuple(refs or ()),
        supersedes=tuple(supersedes or ()),
        session=session,
        confidence=confidence,
        propose=propose,
        force=force,
    )
    context = call.open(at, session)
    saved = saving.save(context, request)
    count_soon(context)
    call.notes += saved.warnings
    return Answer(
        lambda: {
            "outcome": saved.outcome,
            "fragments": [documents.fragment(context, saved.view)],
            "superseded": [old.id for old in saved.superseded],
            "warnings": list(saved.warnings),
        },
        lambda style: _saved_lines(saved, style),
        rows="fragments",
        report=True,
    )


def confirm(call: Call, idents: options.Ids, at: options.At = None, session: options.Session = None) -> Answer:
    """Say that fragments hold for the code as it is now: stamps them anew. `-` reads names from stdin, one a line, as
    `mem list --stale --keys` prints them."""
    context = call.open(at, session)
    idents = _names_from_stdin() if idents == ["-"] else idents
    before = {one.id: one.confidence for one in (read.view(context, read.pick(context, ident)) for ident in idents)}
    views = [read.view(context, one) for one in change.confirm(context, idents)]
    return Answer(
        lambda: {
            "fragments": [documents.fragment(context, view) for view in views],
            "changes": [change_json(view, before[view.id], view.confidence) for view in views],
        },
        lambda style: (_confirmed_line(view, before[view.id], style) for view in views),
        rows="fragments",
        report=True,
    )


def _confirmed_line(view: View, before: float, style: Style) -> str:
    """`confirmed kmnop… key (62% → 100%)`."""
    moved = f" ({words.percent(before)} → {words.percent(view.confidence)})" if before != view.confidence else ""
    return f"confirmed {words.named(view.fragment, style)}{moved}"


def delete(call: Call, idents: options.Ids, session: options.Session = None) -> Answer:
    """Remove fragments for good. To replace one and keep its history, see supersede."""
    return done(call, "deleted", change.delete(call.open(session=session), idents))


def supersede(
    call: Call, olds: options.Ids, by: By = None, undo: Undo = False, session: options.Session = None
) -> Answer:
    """Replace fragments by another one: their confidence becomes 0, and they stay readable. Or undo that."""
    if undo == (by is not None):
        raise Usage("supersede needs either --by NEW or --undo", "for instance mem supersede OLD --by NEW")
    if by is None:
        restored, others = change.unsupersede(call.open(session=session), olds)
        call.notes += [f"{other.id} stays active, without the key" for other in others]
        return done(call, "brought back", restored)
    return done(call, "superseded", change.supersede_by(call.open(session=session), olds, by))


def done(call: Call, verb: str, fragments: tuple[Fragment, ...]) -> Answer:
    """The answer of a command that did one thing to some fragments."""
    context = call.contexts[-1]
    return Answer(
        lambda: {"fragments": [documents.fragment(context, read.view(context, one)) for one in fragments]},
        lambda style: words.done_lines(verb, fragments, style),
        rows="fragments",
        report=True,
    )


def count_soon(context: Context) -> None:
    """Let a child count the tokens of what was just stored; which is stored, whatever becomes of the child."""
    with suppress(MemError):
        background_jobs.count_later(context)


def _saved_lines(saved: saving.Saved, style: Style) -> Iterator[str]:
    fragment = saved.view.fragment
    yield f"{SAID.get(saved.outcome, saved.outcome)} {words.named(fragment, style)}{words.about(fragment, style)}"
    if saved.outcome == "changed":
        yield f"  {words.grade(saved.view, style)}; --force confirms it"
    yield from words.done_lines("  superseded", saved.superseded, style)


def _key_and_text(given: list[str], key: str | None) -> tuple[str | None, str]:
    """One positional is the text, two are key and text; `-` as the text is stdin."""
    if len(given) > 2 or (len(given) == 2 and key is not None):
        raise Usage(f"save takes a key and a text, not {len(given)} arguments", "put the text in quotes")
    body = _text_from_stdin() if given[-1] == "-" else _utf8(given[-1].encode("utf-8", "surrogateescape"), "the text")
    return (given[0] if len(given) == 2 else key), body


def _names_from_stdin() -> list[str]:
    """Ids or keys, one a line; what `mem list --keys` prints after a name is passed over."""
    lines = _from_stdin(MAX_NAMES, Usage("stdin holds more than names", "one id or key a line")).split("\n")
    names = [re.sub(r" \[[a-z_]+\] \d+%$", "", line.strip()) for line in lines]
    if not any(names):
        raise Usage("stdin names no fragment", "for instance mem list --stale --keys | mem confirm -")
    return [name for name in names if name]


def _text_from_stdin() -> str:
    size = MAX_STDIN >> 10
    return _from_stdin(
        MAX_STDIN, Refused(f"stdin holds {size} KiB and more; a fragment holds at most 64 KiB", "save the conclusion")
    )


def _from_stdin(most: int, too_much: MemError) -> str:
    """What stands on stdin, as far as anything could want it. Raises Usage, and the error given when there is more."""
    if sys.stdin is None:
        raise Usage("there is no stdin to read from")
    data = sys.stdin.buffer.read(most)
    if len(data) == most:
        raise too_much
    return _utf8(data, "stdin").removesuffix("\n").removesuffix("\r")


def _utf8(data: bytes, what: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Usage(
            f"{what} is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}", "convert it, as with iconv"
        ) from None
