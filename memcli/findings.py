"""What became of one anchor on a tree: the finding that `drift` weighs, with its evidence in words."""

import re
from typing import NamedTuple

from memcli import drift, fingerprint, text
from memcli.contents import Contents
from memcli.drift import Change, Finding
from memcli.errors import GitFailed
from memcli.fingerprint import Fingerprint
from memcli.git.tree import Entry, RepositoryTree
from memcli.model import Anchor, Fragment
from memcli.renames import Renames
from memcli.syntax import holds

_UNCHANGED = {"reformatted": "only its formatting changed", "comments": "only comments changed"}


class Scene(NamedTuple):
    """What findings are made of: a tree, the contents that stand in it and at the stamps, and the search of it for what
    left its path."""

    tree: RepositoryTree
    contents: Contents
    renames: Renames


class Found(NamedTuple):
    """The finding of an anchor, and its literals that are no more where they were.

    `searched`: its content was looked for in the whole tree. `lasting`: the answer follows from contents alone; it does
    not where one of them could not be had, because that may change.
    """

    finding: Finding
    wanted: tuple[str, ...] = ()
    searched: bool = False
    lasting: bool = True

    @property
    def of_tree(self) -> bool:
        """Whether the answer depends on more of the tree than the anchor's own content."""
        return self.searched or bool(self.wanted)


def find(fragment: Fragment, anchor: Anchor, scene: Scene) -> Found:
    """What became of an anchor of the fragment, but for the literals that must be looked for in the whole tree."""
    tree = scene.tree
    entry = tree.entry(anchor.path)
    if entry.is_stamped(anchor):
        return Found(Finding(anchor.path))
    if entry.kind == "unknown" or anchor.kind == "missing":
        return Found(_unverified(anchor, entry))
    if anchor.kind in ("dir", "submodule"):
        still = entry.kind in ("dir", "submodule")
        return Found(Finding(anchor.path) if still else _gone(anchor, entry))
    if entry.kind in ("file", "symlink"):
        return _compared(fragment, anchor, anchor.path, scene)
    try:
        path = scene.renames.place_of(anchor)
    except GitFailed as error:  # only evidence decays: where git can't look, nothing is known
        return Found(Finding(anchor.path, verdict="unverifiable", evidence=error.message), lasting=False)
    if path is not None:
        return _compared(fragment, anchor, path, scene)._replace(searched=True)
    if entry.kind == "missing" and not anchor.tracked and not tree.knew(anchor.path):
        return Found(_unverified(anchor, entry), searched=True)
    return Found(_gone(anchor, entry), anchor.identifiers, searched=True)


def _compared(fragment: Fragment, anchor: Anchor, path: str, scene: Scene) -> Found:
    """The finding for an anchor whose content may have changed, at the path where it is now."""
    tree, contents = scene.tree, scene.contents
    was = anchor.path if path != anchor.path else None
    moved = Finding(path, was, "moved" if was else "fresh", evidence=f"moved: {was} → {path}" if was else "")
    if tree.entry(path).is_stamped(anchor):
        return Found(moved)
    old, change = contents.stamped(anchor), contents.change(anchor, path)
    if old is None:
        why = "no stamped content to compare with"
        return Found(moved._replace(verdict="unverifiable", evidence=why), lasting=False)
    if change is None:
        return Found(moved._replace(verdict="changed", evidence="too large to compare"), lasting=False)
    if change.verdict == "opaque":
        return Found(moved._replace(verdict="changed", evidence="its content changed, and is no text to compare"))
    if change.verdict != "changed":
        verdict = change.verdict if change.verdict in _UNCHANGED else moved.verdict
        found = Found(moved._replace(verdict=verdict, evidence=_UNCHANGED.get(change.verdict, moved.evidence)))
    else:
        words = fingerprint.hide_words(about(fragment, anchor), contents.salt(anchor))
        data = contents.read(path) or b""
        wanted = tuple(literal for literal in anchor.identifiers if not holds(data, literal))
        found = Found(_weighed(words, anchor, old, change, moved), wanted)
    return found._replace(lasting=path not in contents.shifting)


def about(fragment: Fragment, anchor: Anchor) -> frozenset[str]:
    """The terms that a fragment speaks about at an anchor: those of key and text; of an identifier that stands there
    only the whole, because its parts (`user` of `create_user`) stand in lines that it says nothing about."""
    words = f"{fragment.key or ''} {fragment.text}"
    for name in anchor.identifiers:
        words = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", words)
    whole = [text.fold(name) for name in anchor.identifiers]
    return frozenset(text.terms(words)) | frozenset(text.stems(whole))


def _weighed(words: frozenset[str], anchor: Anchor, old: Fingerprint, change: Change, moved: Finding) -> Finding:
    """How much of what the fragment speaks about, by its words or its author's lines, the change deleted."""
    if change.remaining < drift.REMAINS:
        return moved._replace(
            verdict="gone", gone=True, evidence="its content was replaced: next to nothing of it is left"
        )
    if anchor.lines:
        share, lost, size = drift.region_deleted(anchor.lines, old, change.deleted)
        about = f"lines of {anchor.symbol}" if anchor.symbol else f"lines {anchor.lines[0]}-{anchor.lines[1]}"
        evidence = f"{lost} of the {size} {about} changed"
    else:
        share, lost, size = drift.words_deleted(words, old, change.deleted)
        evidence = f"{lost} of the {size} lines it speaks about changed"
    if not lost:
        return moved._replace(evidence=moved.evidence or "changed elsewhere only")
    return moved._replace(verdict="changed", share=share, drawn=bool(anchor.lines), evidence=evidence)


def _gone(anchor: Anchor, entry: Entry) -> Finding:
    words = {"dir": "is a folder now", "file": "is a file now", "symlink": "is a link now"}.get(entry.kind, "is gone")
    return Finding(anchor.path, verdict="gone", gone=True, evidence=f"{anchor.path} {words}")


def _unverified(anchor: Anchor, entry: Entry) -> Finding:
    if anchor.kind == "missing":
        why = "was not there when this was saved"
    elif entry.kind == "unknown":
        why = "can't be read here"
    else:
        why = "is absent, and git did not know it when this was saved"
    return Finding(anchor.path, verdict="unverifiable", evidence=f"{anchor.path} {why}")
