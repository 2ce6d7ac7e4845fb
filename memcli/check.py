"""The confidence of fragments on a tree: compares each anchor with its stamp, remembering what was compared.

Every read goes through here (law 9), so an answer is right even if no sweep ever ran. The common case, in which every
anchor's content is the stamped one, needs neither git nor the modules that compare.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.git.tree import Entry, RepositoryTree
from memcli.model import Anchor, AnchorDrift, Assessment, Fragment, canonical
from memcli.store import Reader, Writer
from memcli.store.databases import digest

if TYPE_CHECKING:
    from memcli.drift import Change, Finding
    from memcli.fingerprint import Fingerprint

# raised whenever the same content may get another verdict than before: remembered ones are then passed over
FORMULA = 2
OF_TREE = "tree"  # what is remembered under a content whose verdict depends on the whole tree
_CANDIDATES = 300  # files that a vanished one is compared with, nearest names first: bounds the search for a rename


class _Found(NamedTuple):
    """What became of one anchor, and its literals that are no more where they were.

    `lasting`: the answer follows from the contents alone. False where one could not be read, which may change.
    """

    finding: "Finding"
    wanted: frozenset[str] = frozenset()
    lasting: bool = True

    @property
    def of_tree(self) -> bool:
        """Whether the answer depends on more of the tree than the anchor's own content."""
        return bool(self.wanted) or self.finding.gone or self.finding.was is not None


class _Open(NamedTuple):
    """A fragment whose findings are made but for the literals that must be looked for in the whole tree."""

    fragment: Fragment
    content: bytes
    found: list[_Found]


class Checker:
    """Assesses fragments of one store on one tree. What it learns can be written back with `remember`."""

    def __init__(
        self, tree: RepositoryTree | None, reader: Reader, floor: float, roots: Callable[[], tuple[str, ...]]
    ) -> None:
        self._tree = tree
        self._reader = reader
        self._floor = floor
        self._roots = roots
        self._held: dict[str, bool] = {}
        self._changes: dict[tuple[str, str], Change] = {}
        self._verdicts: dict[tuple[str, bytes], Assessment | str] = {}
        self._prints: dict[str, Fingerprint | None] = {}
        self._renamed: dict[str, str | None] = {}

    def assess(self, fragment: Fragment) -> Assessment:
        """The fragment's confidence on this tree."""
        return self.assess_all([fragment])[0]

    def assess_all(self, fragments: Sequence[Fragment]) -> list[Assessment]:
        """The confidence of each, in their order, with one pass over the tree for all the literals together."""
        if self._tree is not None:
            self._tree.entries({anchor.path for fragment in fragments for anchor in fragment.anchors})
        answers: dict[int, Assessment] = {}
        unsettled: dict[int, _Open] = {}
        for place, fragment in enumerate(fragments):
            found = self._at_once(fragment) or self._open(fragment)
            if isinstance(found, Assessment):
                answers[place] = found
            else:
                unsettled[place] = found
        self._look_for({literal for opened in unsettled.values() for found in opened.found for literal in found.wanted})
        answers.update((place, self._settle(opened)) for place, opened in unsettled.items())
        return [answers[place] for place in range(len(fragments))]

    def place_of(self, anchor: Anchor) -> str | None:
        """Where the content of an anchor whose path has vanished is now; None when it is nowhere."""
        return self._rename_of(anchor)

    def region_of(self, anchor: Anchor, path: str) -> tuple[int, int] | None:
        """The lines at `path` where those that the author drew are now; None when nothing of them is left."""
        from memcli import drift

        old, new = self._stamped(anchor), self._print(path, self._salt(anchor))
        if anchor.lines is None or old is None or new is None:
            return anchor.lines
        return drift.region_now(anchor.lines, old, new)

    def remember(self, writer: Writer) -> None:
        """Write what was learned to the store it came from."""
        for (old, new), change in self._changes.items():
            writer.set_pair(old, new, change)
        for (ident, content), assessment in self._verdicts.items():
            writer.set_verdict(ident, content, assessment)

    # one fragment

    def _at_once(self, fragment: Fragment) -> Assessment | None:
        """The answer that needs no comparison."""
        if fragment.state == "superseded":
            return Assessment(0.0, "superseded", "superseded")
        if not fragment.anchors:
            return Assessment(fragment.base, "unverifiable", "names nothing here that can be checked")
        if self._tree is None:
            return _unverifiable(fragment, "no repository here to compare with")
        if fragment.scope == "user" and fragment.stamp.roots != self._roots():
            return _unverifiable(fragment, "speaks about another repository")
        if all(same(anchor, self._tree.entry(anchor.path)) for anchor in fragment.anchors):
            return Assessment(
                fragment.base,
                "fresh",
                "",
                tuple(AnchorDrift(anchor.path, None, "fresh", 0.0, "") for anchor in fragment.anchors),
            )
        return None

    def _open(self, fragment: Fragment) -> Assessment | _Open:
        content = self._content(fragment)
        known = self._remembered(fragment.id, content)
        if known is not None:
            return known
        return _Open(fragment, content, [self._finding(fragment, anchor) for anchor in fragment.anchors])

    def _content(self, fragment: Fragment) -> bytes:
        """A digest of all that the answer is a function of, but for the rest of the tree."""
        entries = [self._entry(anchor.path) for anchor in fragment.anchors]
        said = [fragment.base, fragment.key, fragment.text, fragment.anchors]
        return digest(canonical([FORMULA, self._floor, said, entries]))

    def _remembered(self, ident: str, content: bytes) -> Assessment | None:
        """A verdict on this content; where it depends on the whole tree, on this very tree."""
        raw = self._reader.verdict(ident, content)
        if raw == OF_TREE:
            raw = self._reader.verdict(ident, self._with_tree(content))
        return _assessment(raw) if raw else None

    def _with_tree(self, content: bytes) -> bytes:
        return digest(content, self._tree_identity)

    @cached_property
    def _tree_identity(self) -> str:
        assert self._tree is not None
        return self._tree.identity()

    def _settle(self, opened: _Open) -> Assessment:
        from memcli import drift

        fragment, content, found = opened
        answer = drift.assess(fragment.base, self._floor, [self._with_literals(one) for one in found])
        if not all(one.lasting for one in found):
            return answer
        if any(one.of_tree for one in found):
            self._verdicts[fragment.id, content] = OF_TREE
            content = self._with_tree(content)
        self._verdicts[fragment.id, content] = answer
        return answer

    def _with_literals(self, found: _Found) -> "Finding":
        finding = found.finding
        missing = tuple(sorted(literal for literal in found.wanted if self._held.get(literal) is False))
        if not missing:
            return finding
        names = ", ".join(f"`{name}`" for name in missing)
        words = f"{names} {'is' if len(missing) == 1 else 'are'} nowhere in the code any more"
        return finding._replace(
            missing=missing, verdict="gone", evidence=f"{finding.evidence}; {words}" if finding.gone else words
        )

    # one anchor

    def _finding(self, fragment: Fragment, anchor: Anchor) -> _Found:
        from memcli.drift import Finding

        entry = self._entry(anchor.path)
        if same(anchor, entry):
            return _Found(Finding(anchor.path))
        path = anchor.path if entry.kind in ("file", "symlink") else self._rename_of(anchor)
        if entry.kind == "unknown" or anchor.kind == "missing" or (path is None and not anchor.tracked):
            return _Found(Finding(anchor.path, verdict="unverifiable", evidence=_why_not(anchor, entry)))
        if anchor.kind in ("dir", "submodule"):
            still = entry.kind in ("dir", "submodule")
            return _Found(Finding(anchor.path) if still else _gone(anchor, entry))
        if path is None:
            return _Found(_gone(anchor, entry), frozenset(anchor.identifiers))
        return self._compared(fragment, anchor, path)

    def _compared(self, fragment: Fragment, anchor: Anchor, path: str) -> tuple["Finding", set[str]]:
        """The finding for an anchor whose content may have changed, at the path where it is now."""
        from memcli import drift, fingerprint

        was = anchor.path if path != anchor.path else None
        moved = drift.Finding(path, was, "moved" if was else "fresh", evidence=f"moved: {was} → {path}" if was else "")
        if same(anchor, self._entry(path)):
            return moved, set()
        old, new = self._stamped(anchor), self._read(path)
        if old is None or new is None:
            why = "too large to compare" if old is not None else "no stamped content to compare with"
            return moved._replace(verdict="unverifiable" if old is None else "changed", evidence=why), set()
        change = self._change(anchor, path, old)
        if change.verdict == "changed" and old.binary and change.remaining == 1.0:
            return moved._replace(verdict="changed", evidence="its content changed, and is no text to compare"), set()
        if change.verdict != "changed":
            known = {"reformatted": "only its formatting changed", "comments": "only comments changed"}
            verdict = change.verdict if change.verdict in known else moved.verdict
            return moved._replace(verdict=verdict, evidence=known.get(change.verdict, moved.evidence)), set()
        wanted = {literal for literal in anchor.identifiers if not holds(new, literal)}
        words = fingerprint.hide_words(about(fragment, anchor), self._salt(anchor))
        return _weighed(words, anchor, old, change, moved), wanted

    def _change(self, anchor: Anchor, path: str, old: "Fingerprint") -> "Change":
        from memcli import drift

        before, after = anchor.blob or "", self._entry(path).blob or ""
        raw = self._reader.pair(before, after)
        if raw is not None:
            return drift.Change(raw[0], tuple(raw[1]), raw[2])
        if (before, after) not in self._changes:
            new = self._print(path, self._salt(anchor))
            self._changes[before, after] = drift.compare(old, new) if new else drift.Change("changed")
        return self._changes[before, after]

    def _rename_of(self, anchor: Anchor) -> str | None:
        """Where a vanished file's content is now: the same content at another path, else one with half of its lines."""
        key = f"{anchor.path}\0{anchor.blob}"
        if key not in self._renamed:
            self._renamed[key] = self._same_content(anchor) or self._similar_content(anchor)
        return self._renamed[key]

    def _same_content(self, anchor: Anchor) -> str | None:
        assert self._tree is not None
        paths = [path for path, blob in self._tree.files().items() if blob == anchor.blob and path != anchor.path]
        unread = [path for path, blob in self._tree.files().items() if blob is None]
        paths += [path for path in unread if self._entry(path).blob == anchor.blob]
        return min(paths, key=lambda path: _distance(anchor.path, path), default=None)

    def _similar_content(self, anchor: Anchor) -> str | None:
        from memcli.drift import SIMILAR, similarity

        assert self._tree is not None
        old = self._stamped(anchor)
        suffix = anchor.path.rpartition(".")[2]
        others = [path for path in self._tree.files() if path.rpartition(".")[2] == suffix and path != anchor.path]
        best, share = None, SIMILAR
        for path in sorted(others, key=lambda path: _distance(anchor.path, path))[:_CANDIDATES] if old else ():
            new = self._print(path, self._salt(anchor))
            alike = similarity(old, new) if old and new else 0.0
            if alike >= share and (best is None or alike > share):
                best, share = path, alike
        return best

    # contents

    def _entry(self, path: str) -> Entry:
        assert self._tree is not None
        return self._tree.entry(path)

    def _read(self, path: str) -> bytes | None:
        assert self._tree is not None
        return self._tree.read(path)

    def _look_for(self, literals: Iterable[str]) -> None:
        wanted = set(literals) - self._held.keys()
        if wanted and self._tree is not None:
            held = self._tree.holding(wanted)
            self._held.update((literal, literal in held) for literal in wanted)

    def _stamped(self, anchor: Anchor) -> "Fingerprint | None":
        from memcli import fingerprint

        key = f"{anchor.blob}\0{anchor.path}"
        if key not in self._prints:
            packed = self._reader.blob(anchor.blob) if anchor.blob else None
            self._prints[key] = fingerprint.unpack(packed, anchor.path) if packed else None
        return self._prints[key]

    def _print(self, path: str, salt: bytes) -> "Fingerprint | None":
        from memcli import fingerprint

        key = f"{salt!r}\0{path}"
        if key not in self._prints:
            data = self._read(path)
            self._prints[key] = fingerprint.of_content(data, path, salt) if data is not None else None
        return self._prints[key]

    def _salt(self, anchor: Anchor) -> bytes:
        from memcli import fingerprint

        packed = self._reader.blob(anchor.blob) if anchor.blob else None
        return salt_of(self._reader) if packed and fingerprint.is_hashed(packed) else b""


def salt_of(reader: Reader) -> bytes:
    """The store's own key for hashes of contents that must not be kept; empty before its first write."""
    return bytes.fromhex(reader.meta("salt") or "")


def same(anchor: Anchor, entry: Entry) -> bool:
    """True when what stands there is what was stamped: the same content by either id, or a folder that still is one."""
    if anchor.kind != entry.kind:
        return False
    if anchor.kind == "dir":
        return True
    return bool(entry.blob) and (entry.blob == anchor.blob or (bool(entry.disk) and entry.disk == anchor.disk))


def holds(data: bytes, literal: str) -> bool:
    """True when the literal stands in the content as a whole word, in its case."""
    import re

    pattern = rb"(?<!\w)" + re.escape(literal.encode("utf-8", "surrogateescape")) + rb"(?!\w)"
    return re.search(pattern, data) is not None


def about(fragment: Fragment, anchor: Anchor) -> frozenset[str]:
    """The terms that a fragment speaks about at an anchor: those of key and text; of an identifier that stands there
    only the whole, because its parts (`user` of `create_user`) stand in lines that it says nothing about."""
    import re

    from memcli import text

    words = f"{fragment.key or ''} {fragment.text}"
    for name in anchor.identifiers:
        words = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", words)
    whole = [text.fold(name) for name in anchor.identifiers]
    return frozenset(text.terms(words)) | frozenset(text.stems(whole))


def _weighed(
    words: frozenset[str], anchor: Anchor, old: "Fingerprint", change: "Change", moved: "Finding"
) -> "Finding":
    """How much of what the fragment speaks about, by its words or its author's lines, the change deleted."""
    from memcli import drift

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


def _gone(anchor: Anchor, entry: Entry) -> "Finding":
    from memcli.drift import Finding

    words = {"dir": "is a folder now", "file": "is a file now", "symlink": "is a link now"}.get(entry.kind, "is gone")
    return Finding(anchor.path, verdict="gone", gone=True, evidence=f"{anchor.path} {words}")


def _why_not(anchor: Anchor, entry: Entry) -> str:
    if anchor.kind == "missing":
        return f"{anchor.path} was not there when this was saved"
    if entry.kind == "unknown":
        return f"{anchor.path} can't be read here"
    return f"{anchor.path} is absent and git never knew it"


def _unverifiable(fragment: Fragment, why: str) -> Assessment:
    drifts = tuple(AnchorDrift(anchor.path, None, "unverifiable", 0.0, why) for anchor in fragment.anchors)
    return Assessment(fragment.base, "unverifiable", why, drifts)


def _assessment(raw: list[Any]) -> Assessment:
    confidence, verdict, evidence, anchors = raw
    return Assessment(confidence, verdict, evidence, tuple(AnchorDrift(*anchor) for anchor in anchors))


def _distance(path: str, other: str) -> tuple[bool, int, str]:
    """Orders candidates for a rename: the same file name first, then the most folders in common, then by name."""
    ours, theirs = path.split("/"), other.split("/")
    shared = len(set(ours[:-1]) & set(theirs[:-1]))
    return (ours[-1] != theirs[-1], -shared, other)
