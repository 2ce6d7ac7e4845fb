"""The commands about texts that people keep: audit, seed."""

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from memcli import audit as auditing
from memcli import seed as seeding
from memcli.annotations import github
from memcli.audit import Audited, Line, Rewrite
from memcli.cli import words
from memcli.cli.declare import Argument, Option
from memcli.cli.frame import Answer, Call, Document
from memcli.cli.progress import progress
from memcli.cli.show import Style, style
from memcli.cli.write import count_soon
from memcli.context import Context
from memcli.kinds import one_of
from memcli.seed import Seeded, Seedling
from memcli.shapes import anchors_json

FORMATS = ("text", "github")
# above it less than half of what a line speaks about was deleted, which says next to nothing: of such lines 19 to 25 %
# turned out stale, of lines whose code had not changed at all 19 % (DRIFT.md)
WORTH_SHOWING = 0.9
_WIDTH = 120  # characters of a line that are shown

Files = Annotated[
    list[str] | None, Argument(metavar="FILE", help="Documents, or folders of them; AGENTS.md, CLAUDE.md and READMEs.")
]
Since = Annotated[
    str | None, Option("--since", metavar="REV", help="Only what fell since the merge base of REV and HEAD.")
]
Check = Annotated[bool, Option("--check", help="Exit 1 if a line is below the minimum (with --since: fell below it).")]
Fix = Annotated[bool, Option("--fix", help="Rewrite the paths that moved, after showing the diff.")]
Yes = Annotated[bool, Option("--yes", "-y", help="Do not ask before rewriting.")]
Every = Annotated[bool, Option("--all", "-a", help="Show every line that names code, the fresh ones too.")]
Format = Annotated[str, Option("--format", "-f", metavar="text|github", help="The form; github: annotations.")]
Accept = Annotated[bool, Option("--yes", "-y", help="Accept them, without asking.")]
DryRun = Annotated[bool, Option("--dry-run", help="List them only; store nothing.")]


def audit(
    call: Call,
    files: Files = None,
    since: Since = None,
    check: Check = False,
    fix: Fix = False,
    yes: Yes = False,
    every: Every = False,
    form: Format = "text",
) -> Answer:
    """Report which lines of documents have fallen behind the code that they name, worst first. Stores nothing.

    Each line is compared with the code as it was in the commit that last wrote it. Without FILE: AGENTS.md, CLAUDE.md,
    GEMINI.md and the READMEs at the root.
    """
    one_of(form, FORMATS, "format")
    context = call.open()
    found = auditing.audit(context, files or [], since, progress("auditing", call.options.quiet))
    call.notes += [f"{path} is not committed: there is nothing older to compare it with" for path in found.uncommitted]
    if context.history.is_shallow:
        call.notes.append("in a shallow clone lines are at most as old as it reaches: git fetch --unshallow")
    changes = auditing.rewrites(context, found.lines) if fix else []
    written, shown = _fixed(call, context, changes, yes)
    below = [line for line in found.lines if line.confidence < context.settings.minimum]
    return Answer(
        lambda: _document(found, below) | (_fix_document(changes, written) if fix else {}),
        lambda style: (
            *_lines(context, found, below, every, form, style),
            *(_fix_lines(changes, written, shown, style) if fix else ()),
        ),
        rows="lines",
        code=1 if check and below else 0,
    )


def seed(call: Call, accept: Accept = False, dry_run: DryRun = False) -> Answer:
    """Begin a memory with what the repository says about itself: what README, CLAUDE.md, AGENTS.md and other files for
    agents, manifests, and an agent's own memory files claim about code, each stamped at the commit that wrote it.

    A person accepts them with --yes, or when asked; else they wait as proposals. Doing it again adds nothing.
    """
    context = call.open()
    found = seeding.seedlings(context, progress("reading", call.options.quiet))
    shown = not dry_run and not accept and bool(found.lines) and _asks(call)
    if shown:
        for line in _seed_lines(found, style(call.options, call.env, sys.stdout)):
            sys.stdout.write(line + "\n")
        accept = _yes(f"Accept {words.count(len(found.lines), 'claim')}? Otherwise they wait as proposals.")
    if not dry_run and found.lines:
        found = seeding.store(context, found, accept)
        count_soon(context)
    call.notes += [f"{place}: {reason}" for place, reason in found.refused]
    tally = {name: getattr(found, name) for name in ("added", "proposed", "known")}
    return Answer(
        lambda: {
            **tally,
            "refused": [{"place": place, "reason": reason} for place, reason in found.refused],
            "lines": [_seedling_json(one) for one in found.lines],
            "fallen": [_seedling_json(one) for one in found.fallen],
        },
        lambda style: (*(() if shown else _seed_lines(found, style)), _seed_summary(found, tally, dry_run)),
        rows="lines",
        code=1 if found.refused else 0,
    )


def _seed_lines(found: Seeded, style: Style) -> Iterator[str]:
    for one in found.lines:
        yield f"{style.path(one.place)} ({words.percent(one.confidence)}) {style.clean(one.fragment.text)}"
    for one in found.fallen:
        grade = f"({words.percent(one.confidence)}: {style.clean(one.reason)})"
        yield f"left out: {style.path(one.place)} {grade} {style.clean(one.fragment.text)}"


def _seed_summary(found: Seeded, tally: dict[str, int], dry_run: bool) -> str:
    said = f"{words.count(len(found.lines), 'claim')} about code, {len(found.fallen)} left out as no longer true"
    if dry_run or not found.lines:
        return said
    counts = {"added": "accepted", "proposed": "proposed (`mem pending`)", "known": "known already"}
    rest = [f"{tally[name]} {word}" for name, word in counts.items() if tally[name]]
    return "; ".join([said, ", ".join([*rest, *([f"{len(found.refused)} refused"] if found.refused else [])])])


def _seedling_json(one: Seedling) -> dict[str, Any]:
    return {
        "place": one.place,
        "text": one.fragment.text,
        "type": one.fragment.type,
        "confidence": round(one.confidence, 4),
        "paths": [anchor.path for anchor in one.fragment.anchors],
        "reason": one.reason,
        "commit": one.fragment.stamp.commit,
    }


def _yes(question: str) -> bool:
    import typer

    return bool(typer.confirm(question, default=False))


def _fixed(call: Call, context: Context, changes: Sequence[Rewrite], yes: bool) -> tuple[bool, bool]:
    """Write the documents anew where that is wanted: whether they were, and whether the diff was shown already."""
    shown = False
    if changes and not yes:
        shown = _asks(call)
        yes = shown and _agreed(call, changes)
    if yes:
        auditing.write(context, changes)
    return yes and bool(changes), shown


def _asks(call: Call) -> bool:
    """Whether somebody is there to answer."""
    machine = call.options.json or call.options.jsonl
    return not machine and bool(sys.stdin and sys.stdin.isatty() and sys.stdout.isatty())


def _agreed(call: Call, changes: Sequence[Rewrite]) -> bool:
    for line in _diff_lines(changes, style(call.options, call.env, sys.stdout)):
        sys.stdout.write(line + "\n")
    return _yes("Rewrite?")


def _document(found: Audited, below: Sequence[Line]) -> Document:
    return {
        "files": list(found.files),
        "since": found.since,
        "claims": found.claims,
        "named": found.named,
        "drifted": sum(line.confidence < 1 for line in found.lines),
        "below_minimum": len(below),
        "lines": [_line_json(line) for line in found.lines],
    }


def _line_json(line: Line) -> dict[str, Any]:
    fragment = line.claimed.fragment
    return {
        "file": line.file,
        "line": line.line,
        "end_line": line.last,
        "text": line.text,
        "verdict": line.assessment.verdict,
        "confidence": round(line.confidence, 4),
        "before": round(line.before, 4),
        "anchors": anchors_json(fragment, line.assessment.anchors),
        "moves": [{"was": was, "path": now} for was, now in line.moves],
        "reason": line.assessment.evidence,
        "commit": fragment.stamp.commit,
    }


def _lines(
    context: Context, found: Audited, below: Sequence[Line], every: bool, form: str, style: Style
) -> Iterator[str]:
    """What fell, worst first, each with its place and the reason; then how many there are in all."""
    for line in found.lines:
        if not (every or line.confidence < WORTH_SHOWING):
            continue
        if form == "github":
            level = "warning" if line in below or line.moves else "notice"
            title = f"{words.percent(line.confidence)} sure: {line.assessment.verdict}"
            yield github(level, line.file, line.line, line.last, title, line.assessment.evidence or "fresh")
        else:
            yield _line_text(context, line, style)
    yield _summary(found, below, every)


def _line_text(context: Context, line: Line, style: Style) -> str:
    repository = context.repository
    root = repository.root if repository and repository.root else ""
    place = f"{style.path(os.path.relpath(f'{root}/{line.file}', context.cwd))}:{line.line}"
    reason = style.clean(line.assessment.evidence) or line.assessment.verdict
    colour = words.COLOUR_OF_VERDICT.get(line.assessment.verdict, "green")
    text = line.text if len(line.text) <= _WIDTH else f"{line.text[: _WIDTH - 1]}…"
    grade = style.paint(f"({words.percent(line.confidence)}: {reason})", colour)
    return f"{style.paint(place, 'bold')} {grade} {style.clean(text)}"


def _summary(found: Audited, below: Sequence[Line], every: bool) -> str:
    little = sum(WORTH_SHOWING <= line.confidence < 1 for line in found.lines)
    drifted = sum(line.confidence < WORTH_SHOWING for line in found.lines)
    verb = "fell" if found.since else "drifted"
    said = (
        f"{words.count(found.named, 'line')} of {words.count(len(found.files), 'document')} name code: {drifted} {verb}"
    )
    said += f", {len(below)} below the minimum" if below else ""
    return said + (f"; {little} more changed a little{'' if every else ' (--all shows them)'}" if little else "")


def _fix_document(changes: Sequence[Rewrite], written: bool) -> Document:
    diff = "".join(f"{line}\n" for change in changes for line in _diff(change))
    return {"diff": diff, "written": [change.path for change in changes] if written else []}


def _fix_lines(changes: Sequence[Rewrite], written: bool, shown: bool, style: Style) -> Iterator[str]:
    if not changes:
        yield "no path to rewrite"
        return
    if not shown:
        yield from _diff_lines(changes, style)
    names = ", ".join(style.path(change.path) for change in changes)
    yield f"rewrote {names}" if written else f"left {names} as it is{'' if shown else ': --yes rewrites'}"


def _diff_lines(changes: Sequence[Rewrite], style: Style) -> Iterator[str]:
    """The diff; its words are the document's, so they are shown as stored words are."""
    colours = {"-": "red", "+": "green", "@": "cyan"}
    for change in changes:
        for line in _diff(change):
            rest = line[1:]
            indent = rest[: len(rest) - len(rest.lstrip(" "))]
            yield style.paint(f"{line[:1]}{indent}{style.clean(rest)}", colours.get(line[:1], "dim"))


def _diff(change: Rewrite) -> Iterator[str]:
    from difflib import unified_diff

    before, after = (text.split("\n") for text in (change.before, change.after))
    return unified_diff(before, after, f"a/{change.path}", f"b/{change.path}", lineterm="", n=0)
