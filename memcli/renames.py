"""Where the content of a vanished path is now: the same content elsewhere, or else a file that is like it.

Only content is asked, never which commit renamed what (law 2).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property

from memcli import drift, fingerprint
from memcli.contents import Contents, Kept
from memcli.fingerprint import Fingerprint
from memcli.git.tree import RepositoryTree
from memcli.likeness import ENOUGH, Lines, likeness, lines_of
from memcli.listing import Listing, above, is_candidate, nearest, nearness
from memcli.lookout import Lookout, Place, Question
from memcli.model import Anchor

# bounds the search for a rename with an edit: the files that a vanished one is compared with, the nearest by name
_CANDIDATES = 500
_HASHED = 50  # the same where hashes alone are kept: each of those files must be taken apart and hashed
_LINES = 300_000  # of candidates that are held in memory, some 30 MB
_EMPTY = (
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)


class Renames:
    """The search of one tree for what left its path."""

    def __init__(self, tree: RepositoryTree, kept: Kept, contents: Contents, lookout: Lookout) -> None:
        self._tree = tree
        self._kept = kept
        self._contents = contents
        self._lookout = lookout
        self._places: dict[Question, Place] = {}
        self.asked = 0  # questions, so that who asks knows whether an answer hangs on the whole tree
        self._old: dict[tuple[str, str], Lines | Fingerprint | None] = {}
        self._lines: dict[str, Lines | None] = {}
        self._held = 0

    def place_of(self, anchor: Anchor) -> str | None:
        """Where the content of a vanished file is now: the same content at another path, else, if git knew it, one with
        half of its lines. None when it is nowhere, or there is nothing to know it by."""
        if anchor.blob is None or anchor.kind not in ("file", "symlink"):
            return None
        return self._remembered(anchor, anchor.blob)

    def folder_of(self, anchor: Anchor) -> str | None:
        """Where the files of a vanished folder are now: the folder below which at least half of those that its listing
        names are again, each with its content or at its own place in it. None when they are nowhere together."""
        if anchor.blob is None or anchor.kind != "dir":
            return None
        return self._remembered(anchor, anchor.blob)

    def _remembered(self, anchor: Anchor, blob: str) -> str | None:
        self.asked += 1
        question = (anchor.path, blob, anchor.tracked)
        if question not in self._places:
            known = self._lookout.place(question)
            place = self._still(anchor, blob, known) if known else None
            if place is None:
                place = self._folder_of(anchor, blob) if anchor.kind == "dir" else self._place_of(anchor, blob)
            self._places[question] = place
            self._lookout.found(question, place)
        return self._places[question].path

    @cached_property
    def _listing(self) -> Listing:
        return Listing(self._tree)

    # files

    def _place_of(self, anchor: Anchor, blob: str) -> Place:
        if self._is_blank(anchor, blob):
            return Place(None)  # every repository has empty files: that one is there tells nothing
        same = [path for path in self._listing.with_blob(blob) if path != anchor.path]
        if same:
            return Place(nearest(anchor.path, same), exact=True)
        old = self._stamped(anchor, blob)
        if old is None:
            return Place(None, whole=self._kept.blob(blob) is not None)
        most = _HASHED if isinstance(old, Fingerprint) else _CANDIDATES
        candidates = self._listing.candidates(anchor.path, most)
        return Place(self._most_like(anchor, old, candidates.paths), horizon=candidates.horizon)

    def _still(self, anchor: Anchor, blob: str, known: Place) -> Place | None:
        """Where it is by an answer that was true before some files changed; None when it must be searched for anew."""
        changed = self._lookout.changed
        if not known.whole and self._kept.blob(blob) is not None:
            return None
        if not changed or (anchor.kind != "dir" and self._is_blank(anchor, blob)):
            return known
        if anchor.kind == "dir" or known.path in changed:
            return None
        files = self._lookout.changed_files
        same = [path for path, other in files.items() if other == blob and path != anchor.path]
        if same or known.exact:
            return Place(nearest(anchor.path, [*same, known.path] if known.exact and known.path else same), exact=True)
        return self._still_like(anchor, blob, known, changed, files)

    def _still_like(
        self, anchor: Anchor, blob: str, known: Place, changed: Mapping[str, bool], files: Mapping[str, str | None]
    ) -> Place | None:
        """The same where the very content is nowhere: what changed is compared, if the files in question are the same
        as before but for it."""
        old = self._stamped(anchor, blob)
        if old is None:
            return known
        touched = [path for path in changed if is_candidate(anchor.path, path)]
        if known.horizon is not None:
            touched = [path for path in touched if nearness(anchor.path, path) <= known.horizon]
            if not all(changed[path] for path in touched):
                return None  # one came or went, so that another one is among the nearest, or is not any more
        there = [path for path in touched if path in files]
        best = self._most_like(anchor, old, [*there, known.path] if known.path else there)
        return known._replace(path=best)

    def _is_blank(self, anchor: Anchor, blob: str) -> bool:
        if blob in _EMPTY:
            return True
        packed = self._kept.blob(blob)
        if packed and fingerprint.is_hashed(packed):
            old = self._contents.stamped(anchor)
            nothing = fingerprint.of_content(b"", anchor.path, self._contents.salt(anchor))
            return old is not None and old.exact == nothing.exact
        return packed is not None and not packed[1:].strip()

    def _most_like(self, anchor: Anchor, old: Lines | Fingerprint, paths: Iterable[str]) -> str | None:
        """Of some files the one that is most like the vanished one, and half like it at least."""
        alike = {path: self._likeness(anchor, old, path) for path in paths}
        shares = [
            (-share, nearness(anchor.path, path), path) for path, share in alike.items() if share >= drift.SIMILAR
        ]
        if not shares or not (anchor.tracked or self._tree.knew(anchor.path)):
            return None
        return min(shares)[2]

    def _stamped(self, anchor: Anchor, blob: str) -> Lines | Fingerprint | None:
        """What a vanished content is compared by; None when too little of it is known, or there is too little of it."""
        key = (anchor.path, blob)
        if key not in self._old:
            packed = self._kept.blob(blob)
            old: Lines | Fingerprint | None = None
            if packed and fingerprint.is_hashed(packed):
                old = self._contents.stamped(anchor)
            elif packed:
                old = lines_of(packed[1:], anchor.path)
            lines = set(old.lines) if isinstance(old, Fingerprint) else old
            self._old[key] = old if lines and len(lines) >= ENOUGH else None
        return self._old[key]

    def _likeness(self, anchor: Anchor, old: Lines | Fingerprint, path: str) -> float:
        """How like the content at a path is to the stamped one, 0 to 1."""
        if isinstance(old, Fingerprint):
            new = self._contents.now(path, anchor)
            return 0.0 if new is None else drift.similarity(old, new)
        lines = self._lines_at(path)
        return 0.0 if lines is None else likeness(old, lines)

    def _lines_at(self, path: str) -> Lines | None:
        if path not in self._lines:
            data = self._tree.read(path)
            lines = None if data is None else lines_of(data, path)
            self._held += len(lines or ())
            if self._held > _LINES:
                self._lines.clear()
                self._held = len(lines or ())
            self._lines[path] = lines
        return self._lines[path]

    # folders

    def _folder_of(self, anchor: Anchor, blob: str) -> Place:
        packed = self._kept.blob(blob)
        listed = fingerprint.unpack_listing(packed) if packed else {}
        listed = {path: blob for path, blob in listed.items() if blob not in _EMPTY} or listed
        here: Counter[str] = Counter()  # folder → how many of the files are in it again
        same: Counter[str] = Counter()  # of these with the same content
        for path, content in listed.items():
            levels = path.count("/") + 1
            theirs = {above(other, levels) for other in self._listing.with_blob(content)}
            named = self._listing.named(path.rpartition("/")[2])
            ours = {above(other, levels) for other in named if f"/{other}".endswith(f"/{path}")}
            here.update(folder for folder in theirs | ours if folder)
            same.update(folder for folder in theirs if folder)
        # files of the same names stand in many folders (an __init__.py and a models.py): some content must be the same
        enough = [
            folder
            for folder, count in here.items()
            if count >= drift.SIMILAR * len(listed)
            and same[folder] >= drift.SIMILAR**2 * len(listed)
            and count >= drift.SIMILAR * self._listing.size(folder)  # else it is another folder, with some of the same
        ]
        best = min(enough, key=lambda one: (-here[one], -same[one], nearness(anchor.path, one)), default=None)
        return Place(best, whole=packed is not None)
