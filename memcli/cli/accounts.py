"""What why, diff and history say, in lines for people and as JSON. Stored words go through the style, always."""

from collections.abc import Iterable, Iterator
from typing import Any

from memcli.cli.plot import plot
from memcli.cli.show import Style
from memcli.cli.words import count, named, percent, stamped, standing
from memcli.comparing import Difference, FileDiff
from memcli.explain import Age, Explanation, Move, Reason
from memcli.git.log import Commit
from memcli.git.patch import Hunk
from memcli.shapes import place
from memcli.text import iso, quoted, visible
from memcli.timeline import Link, Point, Timeline

# ---- why


def why_lines(found: Explanation, style: Style) -> Iterator[str]:
    """How a fragment comes to its confidence, anchor by anchor."""
    view = found.view
    yield standing(view, style)
    for reason in found.reasons:
        yield from _reason_lines(reason, style)
    if not view.fragment.anchors:
        yield "  it names no place in the code, so nothing can speak against it; --path P gives it one"
    if any(reason.factor < 1 for reason in found.reasons) and view.fragment.state != "superseded":
        yield f"  {_product(found)}"
    if view.assessment.verdict == "unverifiable":
        yield f"  {unchecked(found.age)}: it keeps its confidence, because nothing speaks against it"
    yield f"  stamped {stamped(view.fragment, style)}{_ago(found.age, view.fragment.stamp.commit)}"


def _reason_lines(reason: Reason, style: Style) -> Iterator[str]:
    anchor, drift = reason.anchor, reason.drift
    where = style.path(place(drift.path, drift.lines or anchor.lines, anchor.symbol))
    others = [style.clean(name) for name in anchor.identifiers if name != (anchor.symbol or "").split(".")[-1]]
    names = f" ({', '.join(others)})" if others else ""
    yield f"  {where}{names}: {drift.verdict}, drift {drift.drift:.2f}"
    yield from (f"    {_move(move, style)}" for move in reason.moves)
    said = style.clean(_evidence(reason))
    if said and not (reason.moves and said.startswith("moved: ")):
        yield f"    {said}"
    if reason.drift.verdict == "unverifiable" and anchor.kind != "missing":
        yield "    it can be compared again when its content can be read here"
    if reason.factor < 1:
        yield f"    × {reason.factor:.2f}{'' if reason.counts else ', counts not: a worse one decides'}"


def _evidence(reason: Reason) -> str:
    """The evidence of an anchor, with the commits that made it."""
    said = reason.drift.evidence
    if not reason.changes:
        return f"{said}; in the work tree, not committed" if reason.uncommitted and said else said
    newest = reason.changes[0]
    number = f"{len(reason.changes)}{' and more' if reason.more else ''}"
    what = "it" if reason.exact else "the file"
    if said.endswith("changed") and reason.exact:
        said += f" in {count(len(reason.changes), 'commit')}, last {_name(newest)}"
    else:
        said += (
            f"{'; ' if said else ''}{number} commit{'' if number == '1' else 's'} changed {what}, last {_name(newest)}"
        )
    return f"{said}; and in the work tree, not committed" if reason.uncommitted else said


def _move(move: Move, style: Style) -> str:
    by = f"in {style.clean(_name(move.commit))}" if move.commit else "in the work tree, not committed"
    return f"moved from {style.path(move.was)} {by}"


def _name(commit: Commit) -> str:
    return f"{commit.short}, {commit.subject}"


def _product(found: Explanation) -> str:
    """`100% × 0.94 = 94%`."""
    base, confidence = found.view.fragment.base, found.view.assessment.confidence
    factors = sorted(reason.factor for reason in found.reasons if reason.counts)
    product = base
    for factor in factors:
        product *= factor
    floored = f", floored at {percent(confidence)}" if confidence - product > 0.0005 else ""
    shown = percent(product) if floored else percent(confidence)
    return " × ".join([percent(base), *(f"{factor:.2f}" for factor in factors)]) + f" = {shown}{floored}"


def unchecked(age: Age) -> str:
    """`not checked for 42 commits, 12 days`."""
    parts = [count(age.commits, "commit")] if age.commits is not None else []
    return f"not checked for {', '.join([*parts, count(age.days, 'day')])}"


def _ago(age: Age, commit: str | None) -> str:
    """How far the stamp is away, as a label."""
    if commit is None or age.within:
        return f", {count(age.commits, 'commit')} and {count(age.days, 'day')} ago" if age.commits is not None else ""
    return f", {count(age.days, 'day')} ago; that commit is not in this {'clone' if age.commits is None else 'history'}"


def why_json(found: Explanation) -> list[dict[str, Any]]:
    """Each anchor's reasons: `[{path, was, lines, verdict, drift, factor, counts, evidence, commits, moved_in}]`."""
    return [
        {
            "path": reason.drift.path,
            "was": reason.drift.was,
            "lines": list(reason.drift.lines or reason.anchor.lines or ()) or None,
            "symbol": reason.anchor.symbol,
            "verdict": reason.drift.verdict,
            "drift": reason.drift.drift,
            "factor": reason.factor,
            "counts": reason.counts,
            "evidence": _evidence(reason),
            "commits": [commit_json(commit) for commit in reason.changes],
            "commits_of": "region" if reason.exact else "file",
            "uncommitted": reason.uncommitted,
            "moved_in": [
                {"from": move.was, "to": move.path, "commit": move.commit and commit_json(move.commit)}
                for move in reason.moves
            ],
        }
        for reason in found.reasons
    ]


def age_json(age: Age) -> dict[str, Any]:
    """How long ago the stamp was: `{commits, days, in_history}`."""
    return {"commits": age.commits, "days": age.days, "in_history": age.within}


def commit_json(commit: Commit) -> dict[str, Any]:
    """`{id, subject, at}`."""
    return {"id": commit.id, "subject": commit.subject, "at": iso(commit.at)}


# ---- diff


def diff_lines(found: Iterable[Difference], style: Style) -> Iterator[str]:
    """The changes as git prints them, so that git can read them. Control characters are made visible."""
    several = list(found)
    for one in several:
        if len(several) > 1 and one.files:
            yield style.paint(standing(one.view, style), "bold")
        for file in one.files:
            yield from _file_lines(file, style)


def _file_lines(file: FileDiff, style: Style) -> Iterator[str]:
    old, new = quoted(f"a/{file.was or file.path}"), quoted(f"b/{file.path}")
    if not file.hunks and file.remark:
        yield f"{quoted(file.path)}: {visible(file.remark)}"
        return
    if not (file.hunks or file.was):
        return
    yield style.paint(f"diff --git {old} {new}", "bold")
    if file.was:
        yield style.paint(f"rename from {quoted(file.was)}", "bold")
        yield style.paint(f"rename to {quoted(file.path)}", "bold")
    if file.deleted and file.whole:
        yield style.paint("deleted file mode 100644", "bold")
    if file.hunks:
        yield style.paint(f"--- {old}", "bold")
        yield style.paint(f"+++ {'/dev/null' if file.deleted else new}", "bold")
    for hunk in file.hunks:
        yield style.paint(
            f"@@ -{_span(hunk.old_start, hunk.old_lines)} +{_span(hunk.new_start, hunk.new_lines)} @@", "cyan"
        )
        yield from _hunk_lines(hunk, style)


def _hunk_lines(hunk: Hunk, style: Style) -> Iterator[str]:
    for line in hunk.lines:
        shown = line.origin + visible(line.text.decode("utf-8", "replace"))
        colour = {"-": "red", "+": "green"}.get(line.origin)
        yield style.paint(shown, colour) if colour else shown


def _span(start: int, size: int) -> str:
    return str(start) if size == 1 else f"{start},{size}"


def diff_json(file: FileDiff) -> dict[str, Any]:
    """A file's change: `{path, was, verdict, deleted, remark, hunks}`; a hunk's lines begin with their mark."""
    return {
        "path": file.path,
        "was": file.was,
        "verdict": file.verdict,
        "deleted": file.deleted,
        "remark": file.remark,
        "hunks": [
            {
                "old_start": hunk.old_start,
                "old_lines": hunk.old_lines,
                "new_start": hunk.new_start,
                "new_lines": hunk.new_lines,
                "lines": [line.origin + line.text.decode("utf-8", "surrogateescape") for line in hunk.lines],
            }
            for hunk in file.hunks
        ],
    }


# ---- history


def history_lines(found: Timeline, style: Style, width: int, blocks: bool) -> Iterator[str]:
    """Confidence over the commits since the stamp: a plot, the steps, and what replaced what."""
    yield standing(found.view, style)
    if len(found.points) > 1:
        values = [(point.position, point.assessment.confidence) for point in found.points]
        yield from (f"  {style.paint(row, 'dim')}" for row in plot(values, width - 2, blocks))
    first = found.points[0]
    where = _when(first, style) if first.commit else iso(found.view.fragment.stamp.at)[:10]
    yield f"  {'stamp' if first.label else 'start'} {percent(first.assessment.confidence)} {where}"
    yield from (f"  {_step(before, point, style)}" for before, point in found.steps())
    last = found.points[-1]
    if last.commit is None and len(found.points) > 1:
        yield f"  now {percent(last.assessment.confidence)} in the work tree"
    yield from (f"  {remark}" for remark in found.remarks)
    yield from (f"  {_link(link, style)}" for link in found.chain)


def _step(before: float, point: Point, style: Style) -> str:
    after = point.assessment.confidence
    verb = style.paint("fell", "yellow") if after < before else style.paint("rose", "green")
    reason = style.clean(point.assessment.evidence) or point.assessment.verdict
    return f"{verb} {percent(before)} → {percent(after)} {_when(point, style)}: {reason}"


def _when(point: Point, style: Style) -> str:
    if point.commit is None:
        return "now" if point.assessment.verdict == "superseded" else "in the work tree"
    return f"{point.commit.short} {iso(point.commit.at)[:10]} {style.clean(point.commit.subject)}"


def _link(link: Link, style: Style) -> str:
    words = "supersedes" if link.relation == "supersedes" else "superseded by"
    return f"{words} {named(link.fragment, style)}: {style.clean(link.fragment.text)}"


def history_json(found: Timeline) -> dict[str, Any]:
    """`{points, falls, rises, chain, remarks}`."""
    steps = found.steps()
    return {
        "points": [_point(point) for point in found.points],
        "falls": [{"from": before, **_point(p)} for before, p in steps if p.assessment.confidence < before],
        "rises": [{"from": before, **_point(p)} for before, p in steps if p.assessment.confidence > before],
        "chain": [
            {
                "relation": link.relation,
                "id": link.fragment.id,
                "key": link.fragment.key,
                "state": link.fragment.state,
                "text": link.fragment.text,
            }
            for link in found.chain
        ],
        "remarks": list(found.remarks),
    }


def _point(point: Point) -> dict[str, Any]:
    """One point; `commit` is null for the work tree."""
    commit = point.commit
    return {
        "commit": commit.id if commit else None,
        "at": iso(commit.at) if commit else None,
        "subject": commit.subject if commit else None,
        "label": point.label or None,
        "confidence": round(point.assessment.confidence, 4),
        "verdict": point.assessment.verdict,
        "evidence": point.assessment.evidence,
    }
