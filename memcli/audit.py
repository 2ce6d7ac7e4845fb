"""The audit: which lines of documents that people keep have fallen behind the code. No store is read or made."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from memcli.check import Checker
from memcli.claimed import Claimed, is_committed, stamped_claims
from memcli.claims import Document
from memcli.context import Context
from memcli.errors import Usage
from memcli.fingerprint import is_binary
from memcli.git import RepositoryTree
from memcli.git.hashing import open_plain
from memcli.landing import base_of
from memcli.loose import Loose
from memcli.model import Assessment
from memcli.respelling import respelt
from memcli.syntax import DOCUMENTATION

Progress = Callable[[int, int], None]

# a line that names the old path of something moved: the knowledge is good, the words are not (stalebench's rule; a
# renamed file's line was edited as often as a deleted one's)
NAMES_OLD_PATH = 0.5
_GONE_BEFORE = 0.23  # as drift.PATH_GONE: a line that named what was gone already on the day it was written

_AGENTS = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")  # what is audited when nothing is named, beside the READMEs
_RULES = ("mdc", "cursorrules", "clinerules")  # documents that no suffix of documentation tells
_BATCH = 100  # claims whose contents are in memory at once


class Line(NamedTuple):
    """A claim that names paths or code, as it holds now. `moves`: old path → new path of what its words still name by
    the old one. `last` is the number of its last line. `before`: its confidence at the merge base of `--since`."""

    file: str
    line: int
    last: int
    text: str
    claimed: Claimed
    assessment: Assessment
    moves: tuple[tuple[str, str], ...] = ()
    before: float = 1.0

    @property
    def confidence(self) -> float:
        """0 to 1."""
        return self.assessment.confidence


class Audited(NamedTuple):
    """What an audit found: the lines, worst first; the documents; how many claims they make, and how many of these name
    paths or code; the commit of `--since`; the documents that are not committed."""

    lines: tuple[Line, ...]
    files: tuple[str, ...]
    claims: int
    named: int
    since: str | None = None
    uncommitted: tuple[str, ...] = ()


def audit(ctx: Context, names: Sequence[str], since: str | None = None, progress: Progress | None = None) -> Audited:
    """The lines of the documents that name paths or code, each as it holds in the work tree; with `since` those that
    fell after the merge base of this revision and HEAD, or were written after it and do not hold.

    Raises NoRepository, Usage for a file that is not there, and GitFailed where the clone lacks history.
    """
    ctx.require_worktree()
    base = base_of(ctx, since) if since is not None else None
    documents = [(path, read_document(ctx, path)) for path in documents_of(ctx, names)]
    texts = [(path, document) for path, document in documents if document is not None]
    claims = stamped_claims(ctx, texts, progress)
    named = [one for one in claims if one.fragment.anchors]
    lines = grade_all(ctx, named, progress)
    if progress:
        progress(1, 1)
    if base is not None:
        lines = _fallen(ctx, lines, [one for one in claims if not one.fragment.anchors], base)
    return Audited(
        tuple(sorted(lines, key=lambda line: (line.confidence, line.file, line.line))),
        tuple(path for path, _ in texts),
        len(claims),
        len(named),
        base,
        tuple(path for path, _ in texts if not is_committed(ctx, path)),
    )


def grade_all(ctx: Context, claims: Sequence[Claimed], progress: Progress | None = None) -> list[Line]:
    """The claims that have anchors, in their order, as they hold in this context's tree."""
    named = [one for one in claims if one.fragment.anchors]
    found = {id(line.claimed): line for line in _graded(ctx, named, ctx.tree, progress)}
    return [found[id(one)] for one in named]


def documents_of(ctx: Context, names: Sequence[str]) -> list[str]:
    """The paths of the documents that are meant: files, all documents of a folder that git tracks, or, if nothing is
    named, the agents' files and the READMEs at the root. Links are followed, doubles left out. Raises Usage."""
    repository = ctx.require_worktree()
    found: dict[str, None] = {}
    for name in names:
        full = os.path.realpath(os.path.join(ctx.cwd, name))
        path = repository.relative(full)
        other = next((one for one in repository.submodules if f"{path}/".startswith(f"{one}/")), None)
        if other:
            raise Usage(f"{name} belongs to the submodule {other}", f"ask there: mem -C {other} audit")
        if os.path.isdir(full):
            found.update(dict.fromkeys(_documents_below(ctx, path)))
        elif os.path.isfile(full):
            found[path] = None
        else:
            raise Usage(f"there is no file {name}", "name documents: AGENTS.md, README.md, docs/")
    if names:
        return list(found)
    for name in sorted(os.listdir(repository.root)):
        if name in _AGENTS or name.upper().split(".")[0] == "README":
            full = os.path.realpath(os.path.join(repository.root or "", name))
            if os.path.isfile(full):
                found[repository.relative(full)] = None
    if not found:
        raise Usage("there is no AGENTS.md, CLAUDE.md or README here", "name the documents: mem audit docs/")
    return list(found)


def _documents_below(ctx: Context, folder: str) -> list[str]:
    assert ctx.tree is not None
    prefix = "" if folder == "." else f"{folder}/"
    kinds = (*DOCUMENTATION, *_RULES)
    entries = [path for path in ctx.tree.files() if path.startswith(prefix) and path.rpartition(".")[2] in kinds]
    return sorted(path for path in entries if ctx.tree.entry(path).kind == "file")


def read_document(ctx: Context, path: str) -> Document | None:
    """The document as it lies in the work tree; None for what is no text. Raises Usage when it can't be read."""
    assert ctx.repository is not None
    try:
        with open_plain(f"{ctx.repository.root}/{path}") as file:
            data = file.read()
    except OSError as error:
        raise Usage(f"can't read {path}: {error.strerror}") from None
    if is_binary(data):
        ctx.notes.append(f"{path} is no text, or too large to audit")
        return None
    return Document(data.decode("utf-8", "surrogateescape"))


def _graded(
    ctx: Context, claims: Sequence[Claimed], tree: RepositoryTree | None, progress: Progress | None = None
) -> list[Line]:
    """The claims as they hold on a tree, in batches, because the contents of hundreds of commits are many."""
    lines: list[Line] = []
    by_place = sorted(range(len(claims)), key=lambda number: claims[number].fragment.anchors[0].path)
    for start in range(0, len(claims), _BATCH):
        batch = [claims[number] for number in by_place[start : start + _BATCH]]
        loose = Loose(ctx.history)
        for one in batch:
            loose.keep_folders(one.fragment)
        checker = Checker(tree, loose, ctx.settings.floor, lambda: ())
        found = checker.assess_all([one.fragment for one in batch])
        lines += [_line(ctx, one, assessment) for one, assessment in zip(batch, found, strict=True)]
        if progress:
            progress(len(claims) + len(lines), 2 * len(claims))
    return lines


def _line(ctx: Context, claimed: Claimed, found: Assessment) -> Line:
    claim, folder = claimed.claim, claimed.path.rpartition("/")[0]
    moved = {drift.was: drift.path for drift in found.anchors if drift.was}
    there = _standing(found)
    old = {
        was: now
        for was, now in moved.items()
        if claim.about or respelt(claim.text, {was: now}, folder, there) != claim.text
    }
    if old:
        said = "; ".join(f"moved: {was} → {now}" for was, now in old.items())
        reason = said if found.verdict in ("moved", "reformatted", "comments") else f"{found.evidence}; {said}"
        least = min(ctx.settings.floor, found.confidence)
        confidence = round(max(found.confidence * NAMES_OLD_PATH, least), 4)
        verdict = found.verdict if found.verdict in ("gone", "changed") else "moved"
        found = found._replace(confidence=confidence, verdict=verdict, evidence=reason)
    return Line(claimed.path, claim.first, claim.last, claim.text, claimed, found, tuple(old.items()))


def _standing(found: Assessment) -> frozenset[str]:
    """The paths that a claim names and that are where they were."""
    return frozenset(drift.path for drift in found.anchors if not drift.was and drift.verdict != "gone")


def _fallen(ctx: Context, lines: Sequence[Line], unnamed: Sequence[Claimed], base: str) -> list[Line]:
    """The lines that held more at the merge base, and those written since that do not hold."""
    commits = {line.claimed.fragment.stamp.commit for line in lines}
    commits |= {one.fragment.stamp.commit for one in unnamed}
    older = ctx.history.contained([commit for commit in commits if commit], base)
    known = [line.claimed for line in lines if line.claimed.fragment.stamp.commit in older]
    then = {line.claimed: line.confidence for line in _graded(ctx, known, ctx.history.tree(base))}
    fallen = [line._replace(before=then.get(line.claimed, 1.0)) for line in lines]
    new = [one for one in unnamed if one.absent and one.fragment.stamp.commit not in older]
    return [line for line in fallen if line.confidence < line.before] + _false_at_birth(ctx, new)


def _false_at_birth(ctx: Context, claims: Sequence[Claimed]) -> list[Line]:
    """New lines that name a path which git knew once, and which was gone when they were written, and still is."""
    found = []
    for one in claims:
        gone = [
            path for path in one.absent if ctx.tree and ctx.tree.entry(path).kind == "missing" and ctx.tree.knew(path)
        ]
        if gone:
            verdict = Assessment(_GONE_BEFORE, "gone", f"{', '.join(gone)} was gone already when this was written")
            found.append(Line(one.path, one.claim.first, one.claim.last, one.claim.text, one, verdict))
    return found


class Rewrite(NamedTuple):
    """A document with its moved paths spelt anew: before and after, whole, as read from disk."""

    path: str
    before: str
    after: str


def rewrites(ctx: Context, lines: Sequence[Line]) -> list[Rewrite]:
    """The documents in which something that the lines name has moved, with the new paths in the place of the old."""
    assert ctx.repository is not None
    found = []
    for path in dict.fromkeys(line.file for line in lines if line.moves):
        with open_plain(f"{ctx.repository.root}/{path}") as file:
            before = file.read().decode("utf-8", "surrogateescape")
        after = _respelt(before, [line for line in lines if line.file == path], path.rpartition("/")[0])
        if after != before:
            found.append(Rewrite(path, before, after))
    return found


def _respelt(text: str, lines: Sequence[Line], folder: str) -> str:
    rows = text.split("\n")
    naming = {number: line for line in lines if line.moves for number in range(line.line, line.last + 1)}
    for number, line in naming.items():
        if number <= len(rows):
            rows[number - 1] = respelt(rows[number - 1], dict(line.moves), folder, _standing(line.assessment))
    return "\n".join(rows)


def write(ctx: Context, changes: Sequence[Rewrite]) -> None:
    """Write the documents, each in one step, with the mode it had; or none of them: raises Usage when one can't be
    written, was made read-only by its owner, or was changed meanwhile."""
    assert ctx.repository is not None
    drafts: dict[str, str] = {}
    path = ""
    try:
        for path, before, after in changes:
            full = f"{ctx.repository.root}/{path}"
            drafts[full] = f"{full}.{os.getpid()}.new"
            _draft(full, drafts[full], Rewrite(path, before, after))
        for full, draft in drafts.items():
            os.replace(draft, full)
    except OSError as error:
        raise Usage(f"can't write {path}: {error.strerror}") from None
    finally:
        for draft in drafts.values():
            with suppress(OSError):
                os.unlink(draft)


def _draft(full: str, draft: str, change: Rewrite) -> None:
    with open_plain(full) as file:
        if file.read() != change.before.encode("utf-8", "surrogateescape"):
            raise Usage(f"{change.path} was changed meanwhile", "run it again")
        mode = os.fstat(file.fileno()).st_mode
    if not mode & 0o222:
        raise Usage(f"{change.path} is read-only", "chmod u+w makes it writable; nothing was rewritten")
    with open(draft, "xb") as new:
        os.fchmod(new.fileno(), mode & 0o7777)
        new.write(change.after.encode("utf-8", "surrogateescape"))
