"""The shapes in which fragments leave mem: JSON (DESIGN.md, section 4) and Markdown. Values in, values out."""

from typing import Any

from memcli.model import Anchor, AnchorDrift, Fragment, Stamp, View
from memcli.text import escape, iso, unescape


def fragment_json(view: View) -> dict[str, Any]:
    """A fragment as the JSON that every face shows. Times are ISO-8601 UTC, confidences 0 to 1 rounded to 4 places."""
    fragment, assessment = view.fragment, view.assessment
    return {
        "id": fragment.id,
        "key": fragment.key,
        "type": fragment.type,
        "scope": fragment.scope,
        "state": fragment.state,
        "text": fragment.text,
        "confidence": round(assessment.confidence, 4),
        "base": round(fragment.base, 4),
        "verdict": assessment.verdict,
        "anchors": anchors_json(fragment, assessment.anchors),
        "stamp": _stamp(fragment.stamp),
        "parents": list(fragment.parents),
        "supersedes": list(fragment.supersedes),
        "superseded_by": fragment.superseded_by,
        "source": fragment.source,
        "author": fragment.author,
        "session": fragment.session,
        "created": iso(fragment.created),
        "updated": iso(fragment.updated),
        "approved": None if fragment.approved is None else iso(fragment.approved),
        "tokens": view.tokens,
        **({"note": "; ".join(view.notes)} if view.notes else {}),
    }


def anchors_json(fragment: Fragment, drifts: tuple[AnchorDrift, ...]) -> list[dict[str, Any]]:
    """The anchors beside their drifts; an anchor that was not assessed is shown as stamped."""
    known = list(drifts) + [None] * (len(fragment.anchors) - len(drifts))
    return [_anchor(anchor, drift) for anchor, drift in zip(fragment.anchors, known, strict=False)]


def _anchor(anchor: Anchor, drift: AnchorDrift | None) -> dict[str, Any]:
    return {
        "path": drift.path if drift else anchor.path,
        "was": drift.was if drift else None,
        "lines": list(anchor.lines) if anchor.lines else None,
        "symbol": anchor.symbol,
        "identifiers": list(anchor.identifiers),
        "verdict": drift.verdict if drift else "unverifiable",
        "drift": round(drift.drift, 4) if drift else 0.0,
        "evidence": drift.evidence if drift else "",
    }


def _stamp(stamp: Stamp) -> dict[str, Any]:
    return {"commit": stamp.commit, "branch": stamp.branch, "dirty": stamp.dirty, "at": iso(stamp.at)}


def change_json(view: View, before: float, after: float) -> dict[str, Any]:
    """What a sweep moved: `{id, key, from, to, verdict, evidence}`."""
    return {
        "id": view.fragment.id,
        "key": view.fragment.key,
        "from": round(before, 4),
        "to": round(after, 4),
        "verdict": view.assessment.verdict,
        "evidence": view.assessment.evidence,
    }


def place(path: str, lines: tuple[int, int] | None, symbol: str | None) -> str:
    """A place as `--path` takes it: `P`, `P:10-40`, `P#symbol`."""
    span = f":{lines[0]}-{lines[1]}" if lines else ""
    return path + (f"#{symbol}" if symbol else span)


def fragment_markdown(fragment: Fragment) -> str:
    """A fragment as a Markdown section: its name and type, its text as a quotation, the places it speaks about.

    Each line of the text is quoted, so that no text can end its section or begin another. Ends in a line feed.
    """
    lines = [f"## {escape(fragment.name)} [{fragment.type}]", ""]
    lines += [f"> {_seen(line)}".rstrip() for line in fragment.text.splitlines() or [""]]
    lines += ["", f"- id: {fragment.id}", f"- state: {fragment.state}", f"- scope: {fragment.scope}"]
    lines += [f"- confidence: {fragment.base:g} when stamped {iso(fragment.stamp.at)}{_at_commit(fragment.stamp)}"]
    lines += [f"- about: {escape(place(a.path, a.lines, a.symbol))}" for a in fragment.anchors]
    lines += [f"- supersedes: {old}" for old in fragment.supersedes]
    return "\n".join(lines) + "\n"


def _seen(line: str) -> str:
    """A line of a text as it was written, without the characters that nobody sees."""
    return line[: len(line) - len(line.lstrip(" "))] + unescape(escape(line))


def _at_commit(stamp: Stamp) -> str:
    return f" at {stamp.commit[:12]}" if stamp.commit else ""
