"""Seeding: a new store from what the repository says about itself, each claim stamped at the commit that wrote it."""

import os
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from memcli import gate
from memcli.anchoring import find_anchors
from memcli.audit import grade_all, read_document
from memcli.births import Birth
from memcli.claimed import Claimed, is_committed, stamped_births, stamped_claims
from memcli.claims import Document
from memcli.contents import salt_of
from memcli.context import Context
from memcli.errors import Refused
from memcli.git.tree import MAX_BYTES
from memcli.manifests import MANIFESTS, claims_of
from memcli.model import Fragment, Stamp
from memcli.save import approved, new_id, packed, stamped
from memcli.store import Writer

Progress = Callable[[int, int], None]

_DOCUMENTS = r"""(?xi)
    readme(?:\.\w+)? | contributing(?:\.\w+)? | agents\.md | claude\.md | gemini\.md | \.cursorrules | \.clinerules
    | \.cursor/rules/[^/]+\.mdc | \.clinerules/[^/]+\.md | \.github/copilot-instructions\.md
"""
_FRONT_MATTER = r"\A---\n(.*?)\n---\n"
_INDEX = "MEMORY.md"  # of an agent's memory: it lists the other files, and claims nothing by itself


class Seedling(NamedTuple):
    """A claim that may be stored: where it stands (`FILE:LINE`), the fragment, its confidence now."""

    place: str
    fragment: Fragment
    confidence: float
    reason: str = ""


class Seeded(NamedTuple):
    """What became of the claims: all of them, best first in their order; those that no longer hold (listed, never
    stored); how many were stored active and how many as proposals, how many were known; (place, reason) of those that
    the gate refused."""

    lines: tuple[Seedling, ...]
    fallen: tuple[Seedling, ...]
    added: int = 0
    proposed: int = 0
    known: int = 0
    refused: tuple[tuple[str, str], ...] = ()


def seedlings(ctx: Context, progress: Progress | None = None) -> Seeded:
    """What the repository's documents, its manifests and the agents' own memory files claim about code; stores nothing.

    Raises NoRepository, Usage, GitFailed.
    """
    ctx.require_worktree()
    assert ctx.tree is not None
    paths = sorted(path for path in ctx.tree.files() if _is_source(path) and ctx.tree.entry(path).kind == "file")
    claims = stamped_claims(ctx, _documents(ctx, paths), progress)
    claims += stamped_births(ctx, _manifests(ctx, paths))
    found = [_seedling(line.claimed, line.confidence, line.assessment.evidence) for line in grade_all(ctx, claims)]
    found += _own_memory(ctx)
    minimum = ctx.settings.minimum
    return Seeded(
        tuple(one for one in found if one.confidence >= minimum),
        tuple(one for one in found if one.confidence < minimum),
    )


def store(ctx: Context, found: Seeded, accept: bool) -> Seeded:
    """Store the claims that hold: accepted if a person says so, else as proposals. What is known already, whatever its
    state, stays as it is; only a proposal of an earlier seed is accepted by a person's yes."""
    accept = accept and not ctx.asker.is_agent
    tally = {"added": 0, "proposed": 0, "known": 0}
    refused = []
    with ctx.writing("workspace") as writer:
        for one in found.lines:
            try:
                tally[_put(ctx, writer, one.fragment, accept)] += 1
            except Refused as error:
                refused.append((one.place, error.message))
    return Seeded(found.lines, found.fallen, **tally, refused=tuple(refused))


def _put(ctx: Context, writer: Writer, fragment: Fragment, accept: bool) -> str:
    """Store one claim; tells what became of it. Raises Refused."""
    paths = tuple(anchor.path for anchor in fragment.anchors)
    candidate = gate.Candidate(
        fragment.text, type=fragment.type, paths=paths, is_agent=ctx.asker.is_agent, explicit=accept, source="seed",
        propose=not accept,
    )  # fmt: skip
    passed = gate.pass_gate(candidate, ctx.settings.approve)
    if passed.error:
        raise Refused(passed.error.message)
    twins = [twin for twin in writer.with_text(passed.text) if twin.scope == "workspace"]
    waiting = [twin for twin in twins if (twin.state, twin.source) == ("proposed", "seed")]
    if accept and waiting:
        approved(writer, waiting[0], (), ctx.now)
        return "added"
    if twins:
        return "known"
    state = "proposed" if passed.action == "propose" else "active"
    fragment = fragment._replace(
        id=new_id(), text=passed.text, base=passed.base, state=state, author=ctx.asker.name, created=ctx.now,
        updated=ctx.now,
    )  # fmt: skip
    if fragment.stamp.commit is None:
        anchors, stamp = stamped(ctx, fragment.anchors, "workspace")
        fragment = fragment._replace(anchors=anchors, stamp=stamp)
    _keep(ctx, writer, fragment)
    writer.put(fragment)
    return "proposed" if state == "proposed" else "added"


def _keep(ctx: Context, writer: Writer, fragment: Fragment) -> None:
    """Keep what the anchors were stamped with: from git, or from the work tree where git does not have it."""
    salt = salt_of(writer)
    for anchor in fragment.anchors:
        if anchor.blob is None or anchor.kind == "submodule" or writer.has_blob(anchor.blob):
            continue
        data = ctx.history.blob(anchor.blob, MAX_BYTES)
        if data is None and ctx.tree is not None and ctx.tree.entry(anchor.path).blob == anchor.blob:
            data = ctx.tree.read(anchor.path)
        if data is not None:
            writer.set_blob(anchor.blob, packed(data, anchor, salt))


def _seedling(claimed: Claimed, confidence: float, reason: str) -> Seedling:
    kind = "context" if claimed.path.rpartition("/")[2] in MANIFESTS else "note"
    place = f"{claimed.path}:{claimed.claim.first}"
    return Seedling(place, claimed.fragment._replace(type=kind), confidence, reason)


def _is_source(path: str) -> bool:
    return path in MANIFESTS or re.fullmatch(_DOCUMENTS, path) is not None


def _documents(ctx: Context, paths: Sequence[str]) -> list[tuple[str, Document]]:
    found = [(path, read_document(ctx, path)) for path in paths if path not in MANIFESTS]
    return [(path, document) for path, document in found if document is not None]


def _manifests(ctx: Context, paths: Sequence[str]) -> list[tuple[str, Birth]]:
    """The claims of the manifests with the commit that last wrote the line of each."""
    found = []
    for path in paths:
        document = read_document(ctx, path) if path in MANIFESTS else None
        claims = claims_of(path, "\n".join(document.lines)) if document else []
        origins = ctx.history.blame(path, None) if claims and is_committed(ctx, path) else {}
        for claim in claims:
            origin = origins.get(claim.first)
            at = (origin.path, origin.line) if origin else (path, claim.first)
            found.append((path, Birth(claim, origin.commit if origin else None, at)))
    return found


def _own_memory(ctx: Context) -> list[Seedling]:
    """What an agent keeps about this repository in files of its own (Claude Code: one memory a file), stamped now."""
    repository = ctx.require_worktree()
    slug = re.sub(r"[^A-Za-z0-9]", "-", repository.root or "")
    folder = os.path.join(ctx.env.get("CLAUDE_CONFIG_DIR") or f"{ctx.env.get('HOME', '')}/.claude", "projects", slug)
    try:
        names = sorted(os.listdir(f"{folder}/memory"))
    except OSError:
        return []
    files = [name for name in names if name.endswith(".md") and name != _INDEX]
    return [seedling for name in files if (seedling := _remembered(ctx, f"{folder}/memory/{name}"))]


def _remembered(ctx: Context, file: str) -> Seedling | None:
    """One file of an agent's memory as one claim; None for what can't be read or says nothing."""
    try:
        with open(file, encoding="utf-8") as opened:
            text = opened.read(MAX_BYTES).replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        ctx.notes.append(f"can't read {file}: {error}")
        return None
    data = re.match(_FRONT_MATTER, text, re.DOTALL)
    body = text[data.end() if data else 0 :].strip()
    if not body:
        return None
    about = re.search(r"(?m)^\s*type:\s*(\w+)", data.group(1)) if data else None
    kind = "preference" if about and about.group(1) in ("user", "feedback") else "note"
    stamp = Stamp(None, None, False, ctx.now)
    anchors = find_anchors(ctx, body, (), folder="").anchors
    fragment = Fragment("", None, kind, "workspace", "active", body, 1.0, stamp, anchors, source="seed")
    return Seedling(file, fragment, 1.0)
