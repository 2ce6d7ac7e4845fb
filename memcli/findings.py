"""What became of one anchor on a tree: the finding that `drift` weighs, with its evidence in words."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from memcli import drift, fingerprint, text
from memcli.contents import Contents
from memcli.drift import Change, Finding
from memcli.errors import GitFailed
from memcli.fingerprint import Fingerprint
from memcli.git.tree import Entry, RepositoryTree
from memcli.model import Anchor, Fragment
from memcli.regions import Rewrite, Span, rewritten
from memcli.renames import Renames
from memcli.syntax import holds

_UNCHANGED = {"reformatted": "only its formatting changed", "comments": "only comments changed"}
_CALLED_FOR = 6  # names of a region by which other files are asked for it
_THE_SAME = 0.7  # of a region's tokens make it the same in another file, where like ones often stood before
_LOOKED_INTO = 20  # files that are looked into for a region that left its file


class Scene(NamedTuple):
    """What findings are made of: a tree, the contents that stand in it and at the stamps, and the search of it for what
    left its path."""

    tree: RepositoryTree
    contents: Contents
    renames: Renames


class Found(NamedTuple):
    """The finding of an anchor, and what must be looked for in the whole tree before it is final.

    `wanted`: its literals that are no more where they were. `called`: names that stand in a region which left its file,
    or was mostly rewritten: files that hold them are looked into (`elsewhere`). `searched`: its content was looked for
    in the whole tree. `lasting`: the answer follows from contents alone; it does not where one of them could not be
    had, because that may change.
    """

    finding: Finding
    wanted: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    searched: bool = False
    lasting: bool = True

    @property
    def of_tree(self) -> bool:
        """Whether the answer depends on more of the tree than the anchor's own content."""
        return self.searched or bool(self.wanted or self.called)


def find(fragment: Fragment, anchor: Anchor, scene: Scene) -> Found:
    """What became of an anchor of the fragment, but for what must be looked for in the whole tree."""
    entry = scene.tree.entry(anchor.path)
    if entry.is_stamped(anchor):
        return Found(Finding(anchor.path, lines=anchor.lines))
    if entry.kind == "unknown" or anchor.kind == "missing":
        return Found(_unverified(anchor, entry))
    if anchor.kind in ("dir", "submodule") and entry.kind in ("dir", "submodule"):
        return Found(Finding(anchor.path))
    if anchor.kind == entry.kind:
        found = _compared(fragment, anchor, anchor.path, scene)
        return _swapped(fragment, anchor, scene) or found if found.finding.gone else found
    return _vanished(fragment, anchor, entry, scene)


def elsewhere(found: Found, anchor: Anchor, holders: Mapping[str, Collection[str]], scene: Scene) -> Found:
    """The finding of a region that left its file, or was mostly rewritten there, once it is known which files hold the
    names that it calls for: its place in another file, if it stands there more alike than here."""
    old = scene.contents.part(anchor)
    if old is None or not found.called:
        return found
    best, share = None, min(1 - _THE_SAME, 1.0 if found.finding.gone else found.finding.share)
    for path in _likely(found, anchor, holders):
        span = scene.contents.region_of(anchor, path)
        new = scene.contents.part_now(anchor, path, span) if span else None
        change = rewritten(old, new) if new is not None else None
        if span and change and change.share < share:
            best, share = (path, span, change), change.share
    if best is None:
        return found
    path, span, change = best
    return Found(_of_region(anchor, change, span, _moved(anchor, path)), _others(anchor, found.wanted), searched=True)


def about(fragment: Fragment, anchor: Anchor) -> frozenset[str]:
    """The terms that a fragment speaks about at an anchor: those of key and text; of an identifier that stands there
    only the whole, because its parts (`user` of `create_user`) stand in lines that it says nothing about."""
    words = f"{fragment.key or ''} {fragment.text}"
    for name in anchor.identifiers:
        words = text.without(words, name)
    whole = [text.fold(name) for name in anchor.identifiers]
    return frozenset(text.telling(words)) | frozenset(whole)


# a place that is there


def _compared(fragment: Fragment, anchor: Anchor, path: str, scene: Scene) -> Found:
    """The finding for an anchor whose content may have changed, at the path where it is now."""
    contents = scene.contents
    moved = _moved(anchor, path)
    if scene.tree.entry(path).is_stamped(anchor):
        return Found(moved)
    old, change = contents.stamped(anchor), contents.change(anchor, path)
    if old is None:
        why = "no stamped content to compare with"
        return Found(moved._replace(verdict="unverifiable", evidence=why), lasting=False)
    if change is None:
        why = f"what stands at {path} is not in this clone"
        return Found(moved._replace(verdict="unverifiable", evidence=why), lasting=False)
    if change.verdict == "opaque":
        return Found(moved._replace(verdict="changed", evidence="its content changed, and is no text to compare"))
    if anchor.lines:
        found = _region(anchor, path, moved, scene)
        if change.verdict in _UNCHANGED and found.finding.verdict in ("changed", "gone"):  # wrapped anew at its edges
            same = moved._replace(verdict=change.verdict, evidence=_UNCHANGED[change.verdict])
            found = Found(same._replace(lines=found.finding.lines or anchor.lines))
    elif change.verdict != "changed":
        verdict = change.verdict if change.verdict in _UNCHANGED else moved.verdict
        found = Found(moved._replace(verdict=verdict, evidence=_UNCHANGED.get(change.verdict, moved.evidence)))
    else:
        words = fingerprint.hide_words(about(fragment, anchor), contents.salt(anchor))
        aside = anchor.by_name and any(not other.by_name for other in fragment.anchors)
        finding = _with_definitions(anchor, path, _weighed(words, old, change, moved), contents)._replace(aside=aside)
        found = Found(finding, _lost(anchor.identifiers, path, contents))
    return found._replace(lasting=path not in contents.shifting)


def _weighed(words: frozenset[str], old: Fingerprint, change: Change, moved: Finding) -> Finding:
    """How much of what the fragment speaks about, by its words, the change deleted."""
    share, lost, size = drift.words_deleted(words, old, change)
    if lost == size and size and change.remaining < drift.REMAINS:
        return moved._replace(
            verdict="gone", gone=True, evidence="its content was replaced: next to nothing of it is left"
        )
    if not size and change.remaining < drift.REMAINS:
        return moved._replace(verdict="changed", evidence="its content was replaced; the text speaks of none of it")
    if not share:
        return moved._replace(evidence=moved.evidence or "changed elsewhere only")
    evidence = f"{lost} of the {size} lines it speaks about changed"
    return moved._replace(verdict="changed", share=share, evidence=evidence)


def _with_definitions(anchor: Anchor, path: str, finding: Finding, contents: Contents) -> Finding:
    """The finding, or that of the definition of a name in the text which was rewritten more than the lines that hold
    its words: the text is about what the name stands for."""
    if finding.gone:
        return finding
    whole, present = contents.stamped(anchor), contents.now(path, anchor)
    spans = contents.defined(anchor, path) if whole is not None and present is not None else {}
    for name, (then, now) in spans.items():
        assert whole is not None and present is not None
        change = rewritten(fingerprint.of_lines(whole, *then), fingerprint.of_lines(present, *now))
        # squared: by the development lines, of those whose definition changed by a half 25 % were stale, as of any;
        # 33 % around a half, 40 % at three quarters, 75 % where all of it changed
        share = change.share**2
        if share > finding.share:
            evidence = f"`{name}` is still there; {_in_lines(change)}"
            finding = finding._replace(verdict="changed", share=share, evidence=evidence)
    return finding


def _lost(names: Iterable[str], path: str, contents: Contents) -> tuple[str, ...]:
    """The names that the content at a path does not hold."""
    data = contents.read(path) or b""
    return tuple(name for name in names if not holds(data, name))


# a region that its author drew


def _region(anchor: Anchor, path: str, moved: Finding, scene: Scene) -> Found:
    """The finding for drawn lines or a symbol in a file that changed."""
    contents = scene.contents
    span, old = contents.region_of(anchor, path), contents.part(anchor)
    new = contents.part_now(anchor, path, span) if span else None
    lost = _lost(anchor.identifiers, path, contents)
    if span is None or old is None or new is None:
        evidence = f"{_name(anchor)} is gone from {path}"
        finding = moved._replace(verdict="gone", gone=True, evidence=evidence, lines=None)
        return Found(finding, lost, called=_called(anchor, contents))
    found = Found(_of_region(anchor, rewritten(old, new), span, moved), lost)
    if anchor.symbol and not contents.definition(anchor.symbol, path):
        return found._replace(wanted=_others(anchor, lost))
    return found._replace(called=_called(anchor, contents)) if found.finding.share > drift.SIMILAR else found


def _of_region(anchor: Anchor, change: Rewrite, span: Span, moved: Finding) -> Finding:
    """The finding for a region that stands at these lines."""
    here = moved._replace(lines=span)
    if change.verdict in _UNCHANGED:
        return here._replace(verdict=change.verdict, evidence=_UNCHANGED[change.verdict])
    if change.verdict == "fresh":
        return here._replace(evidence=moved.evidence or _no_change(anchor, span))
    if change.share > 1 - drift.REMAINS:
        evidence = f"{_name(anchor)} was rewritten: next to nothing of it is left"
        return here._replace(verdict="gone", gone=True, evidence=evidence)
    evidence = f"{_name(anchor)} is still there; {_in_lines(change)}"
    return here._replace(verdict="changed", share=change.share, drawn=True, evidence=evidence)


def _no_change(anchor: Anchor, span: Span) -> str:
    return "changed elsewhere only" if span == anchor.lines else f"unchanged, now lines {span[0]}-{span[1]}"


def _in_lines(change: Rewrite) -> str:
    if not (change.lost or change.added):
        return "its lines stand in another order"
    if not change.lost:
        return f"{change.added} line{'s were' if change.added > 1 else ' was'} added to its {change.size}"
    return f"{change.lost} of its {change.size} lines changed"


def _name(anchor: Anchor) -> str:
    if anchor.symbol:
        return f"`{anchor.symbol}`"
    assert anchor.lines
    first, last = anchor.lines
    return f"what stood at lines {first}-{last}" if first < last else f"what stood at line {first}"


def _called(anchor: Anchor, contents: Contents) -> tuple[str, ...]:
    """The names by which other files are asked for a region: its symbol's, else the longest words that stand in it."""
    if anchor.symbol:
        return (_last_name(anchor.symbol),)
    part = contents.part(anchor)
    if part is None or contents.salt(anchor):
        return ()
    words = {token for line in part.lines for token in line if token.isidentifier() and len(token) > 3}
    return tuple(sorted(words, key=lambda word: (-len(word), word))[:_CALLED_FOR])


def _likely(found: Found, anchor: Anchor, holders: Mapping[str, Collection[str]]) -> list[str]:
    """The files that hold most of the names, at least half of them, best first."""
    counts: dict[str, int] = {}
    for name in found.called:
        for path in holders.get(name, ()):
            counts[path] = counts.get(path, 0) + 1
    enough = [path for path in counts if counts[path] * 2 >= len(found.called) and path != found.finding.path]
    suffix = anchor.path.rpartition(".")[2]
    return sorted(enough, key=lambda path: (-counts[path], not path.endswith(suffix), path))[:_LOOKED_INTO]


def _others(anchor: Anchor, names: Iterable[str]) -> tuple[str, ...]:
    """The names without that of the anchor's symbol: found again by its content it has moved, whatever it is called."""
    own = _last_name(anchor.symbol or "")
    return tuple(name for name in names if name != own)


def _last_name(symbol: str) -> str:
    return re.split(r"\.|::|#", symbol)[-1]


# a place that is not there any more


def _vanished(fragment: Fragment, anchor: Anchor, entry: Entry, scene: Scene) -> Found:
    """The finding for an anchor whose path holds nothing of its kind any more."""
    try:
        folder = scene.renames.folder_of(anchor)
        path = scene.renames.place_of(anchor)
    except GitFailed as error:  # only evidence decays: where git can't look, nothing is known
        return Found(Finding(anchor.path, verdict="unverifiable", evidence=error.message), lasting=False)
    if folder is not None:
        return Found(_moved(anchor, folder), searched=True)
    if path is not None:
        return _compared(fragment, anchor, path, scene)._replace(searched=True)
    if entry.kind == "missing" and not anchor.tracked and not scene.tree.knew(anchor.path):
        return Found(_unverified(anchor, entry), searched=True)
    if anchor.by_name:
        finding = Finding(anchor.path, verdict="changed", evidence=f"{anchor.path}, which had it, is gone")
        return Found(finding, anchor.identifiers, searched=True)
    called = _called(anchor, scene.contents) if anchor.lines else ()
    return Found(_gone(anchor, entry), anchor.identifiers, called, searched=True)


def _swapped(fragment: Fragment, anchor: Anchor, scene: Scene) -> Found | None:
    """The finding at another path, for an anchor whose path was given to another content; None when it is nowhere."""
    try:
        path = scene.renames.place_of(anchor)
    except GitFailed:
        return None
    return _compared(fragment, anchor, path, scene)._replace(searched=True) if path is not None else None


def _moved(anchor: Anchor, path: str) -> Finding:
    """The finding for what is unchanged at this path."""
    if path == anchor.path:
        return Finding(path, lines=anchor.lines)
    return Finding(path, anchor.path, "moved", evidence=f"moved: {anchor.path} → {path}", lines=anchor.lines)


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
