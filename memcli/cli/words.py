"""Answers in words: the lines that people and pipes read. Stored words go through the style, always."""

from collections.abc import Callable, Iterable, Iterator

from memcli.cli.show import Style
from memcli.model import SHORT_ID, Fragment, View
from memcli.shapes import place
from memcli.text import iso

COLOUR_OF_VERDICT = {"changed": "yellow", "gone": "red", "unverifiable": "dim", "superseded": "dim"}


def percent(confidence: float) -> str:
    """A confidence as people read it. Rounded down, so that only what is certain reads 100%."""
    return f"{int(confidence * 100 + 1e-9)}%"


def count(number: int, thing: str) -> str:
    """`1 fragment`, `2 fragments`."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def grade(view: View, style: Style) -> str:
    """`(62%: why)`, or `(100%)` where there is nothing to explain."""
    reason = style.clean(view.assessment.evidence)
    text = percent(view.assessment.confidence) + (f": {reason}" if reason else "")
    notes = "".join(f" ({style.clean(note)})" for note in view.notes)
    return style.paint(f"({text})", COLOUR_OF_VERDICT.get(view.assessment.verdict, "green")) + notes


def line(view: View, style: Style, mark: Callable[[str], str] = str) -> str:
    """One fragment on one line: `- key: text (62%: why)`, words of key and text marked by `mark`."""
    fragment = view.fragment
    name = style.paint(mark(style.clean(fragment.name)), "bold")
    more = f" [{fragment.id} {fragment.type} {fragment.scope}]" if style.verbose else ""
    return f"- {name}{style.paint(more, 'dim')}: {mark(style.clean(fragment.text))} {grade(view, style)}"


def typed_line(view: View, style: Style) -> str:
    """One fragment of a list: `- key [type]: text (62%: why)`, with its state when it is not active."""
    fragment = view.fragment
    name = style.paint(style.clean(fragment.name), "bold")
    kind = fragment.type if fragment.state == "active" else f"{fragment.type}, {fragment.state}"
    more = f" {fragment.id} {fragment.scope}" if style.verbose else ""
    mark = style.paint(f"[{kind}]{more}", "dim")
    return f"- {name} {mark}: {style.clean(fragment.text)} {grade(view, style)}"


def proposal_line(view: View, replaced: Iterable[Fragment], style: Style) -> str:
    """A proposal with what is needed to decide on it: its id, who made it, and what it would replace."""
    fragment = view.fragment
    name = style.paint(fragment.id[:SHORT_ID], "bold") + (f" {style.clean(fragment.key)}" if fragment.key else "")
    over = ", ".join(style.clean(old.name) for old in replaced)
    mark = (
        f"[{fragment.type}, {fragment.scope}, by {style.clean(fragment.author)}{f', replaces {over}' if over else ''}]"
    )
    return f"- {name} {style.paint(mark, 'dim')}: {style.clean(fragment.text)} {grade(view, style)}"


def about(fragment: Fragment, style: Style) -> str:
    """` (about src/users.py#create_user)`, or nothing where it names no place in the code."""
    places = [style.path(place(anchor.path, anchor.lines, anchor.symbol)) for anchor in fragment.anchors]
    return f" (about {', '.join(places)})" if places else ""


def key_line(view: View, style: Style) -> str:
    """A fragment without its text: key or short id, type, confidence."""
    return f"{style.clean(view.fragment.name)} [{view.fragment.type}] {percent(view.assessment.confidence)}"


def fragment_lines(view: View, style: Style) -> Iterator[str]:
    """A whole fragment: `mem show`."""
    fragment = view.fragment
    yield f"{style.paint(style.clean(fragment.name), 'bold')} [{fragment.type}] {style.paint(fragment.id, 'dim')}"
    yield from (f"  {text}" for text in style.block(fragment.text))
    yield f"confidence: {percent(view.assessment.confidence)} of {percent(fragment.base)}, {_verdict(view, style)}"
    yield f"state: {fragment.state}, {fragment.scope} scope{_session(fragment, style)}"
    yield f"stamp: {stamped(fragment, style)}"
    for anchor in _anchor_lines(view, style):
        yield f"about: {anchor}"
    for name, ids in (("from", fragment.parents), ("supersedes", fragment.supersedes)):
        if ids:
            yield f"{name}: {' '.join(ids)}"
    if fragment.superseded_by:
        yield f"superseded by: {fragment.superseded_by}"
    yield f"by: {style.clean(fragment.author)} ({style.clean(fragment.source)}), {iso(fragment.created)}"


def standing(view: View, style: Style) -> str:
    """How a fragment stands, in a line: `key: 62% of 100%, changed: why`."""
    fragment, assessment = view.fragment, view.assessment
    name = style.paint(style.clean(fragment.name), "bold")
    return f"{name}: {percent(assessment.confidence)} of {percent(fragment.base)}, {_verdict(view, style)}"


def change_line(view: View, before: float, after: float, style: Style) -> str:
    """What a sweep moved: `fell 100% → 62% key: why`."""
    verb = style.paint("fell", "yellow") if after < before else style.paint("rose", "green")
    reason = style.clean(view.assessment.evidence) or view.assessment.verdict
    return f"{verb} {percent(before)} → {percent(after)} {style.clean(view.fragment.name)}: {reason}"


def done_lines(verb: str, fragments: Iterable[Fragment], style: Style) -> Iterator[str]:
    """What was done to which fragments: `confirmed kmnop… key`."""
    for fragment in fragments:
        yield f"{verb} {named(fragment, style)}"


def named(fragment: Fragment, style: Style) -> str:
    """A fragment by its id and its key, if it has one."""
    return fragment.id + (f" {style.clean(fragment.key)}" if fragment.key else "")


def _verdict(view: View, style: Style) -> str:
    verdict = style.paint(view.assessment.verdict, COLOUR_OF_VERDICT.get(view.assessment.verdict, "green"))
    evidence = style.clean(view.assessment.evidence)
    if evidence.startswith(f"{view.assessment.verdict}: "):  # moved: src/a.py → src/b.py
        return style.paint(evidence, COLOUR_OF_VERDICT.get(view.assessment.verdict, "green"))
    return f"{verdict}: {evidence}" if evidence else verdict


def _anchor_lines(view: View, style: Style) -> Iterator[str]:
    """Each anchor with its drift and evidence, or as it was stamped when the tree was not asked."""
    drifts = view.assessment.anchors
    for position, anchor in enumerate(view.fragment.anchors):
        drift = drifts[position] if position < len(drifts) else None
        where = style.path(place(drift.path if drift else anchor.path, anchor.lines, anchor.symbol))
        others = [style.clean(name) for name in anchor.identifiers if name != (anchor.symbol or "").split(".")[-1]]
        names = f" ({', '.join(others)})" if others else ""
        if drift is None:
            yield f"{where}{names}"
            continue
        moved = f", was {style.path(drift.was)}" if drift.was else ""
        evidence = f": {style.clean(drift.evidence)}" if drift.evidence else ""
        yield f"{where}{names}{moved}: {drift.verdict}, drift {drift.drift:.2f}{evidence}"


def stamped(fragment: Fragment, style: Style) -> str:
    """When and where a fragment was stamped."""
    stamp = fragment.stamp
    commit = f"at commit {stamp.commit[:12]}" if stamp.commit else "before any commit"
    branch = f" on {style.clean(stamp.branch)}" if stamp.branch else ""
    return f"{iso(stamp.at)} {commit}{branch}{', with uncommitted changes' if stamp.dirty else ''}"


def _session(fragment: Fragment, style: Style) -> str:
    return f", session {style.clean(fragment.session)}" if fragment.session else ""
