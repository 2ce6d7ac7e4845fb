"""Where the content of a vanished path is now: the same content elsewhere, or else a file that is like it.

Only content is asked, never which commit renamed what (law 2).
"""

from collections import Counter
from functools import cached_property

from memcli import drift, fingerprint
from memcli.contents import Contents, Kept
from memcli.fingerprint import Fingerprint
from memcli.git.tree import RepositoryTree
from memcli.likeness import ENOUGH, Lines, likeness, lines_of
from memcli.listing import Listing, above, nearest, nearness
from memcli.model import Anchor
from memcli.store import Writer

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

    def __init__(self, tree: RepositoryTree, kept: Kept, contents: Contents) -> None:
        self._tree = tree
        self._kept = kept
        self._contents = contents
        self._places: dict[tuple[str, str], str | None] = {}
        self._old: dict[tuple[str, str], Lines | Fingerprint | None] = {}
        self._lines: dict[str, Lines | None] = {}
        self._held = 0

    def remember(self, writer: Writer) -> None:
        """Write what was found to the store that it is about."""

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
        key = (anchor.path, blob)
        if key not in self._places:
            search = self._folder_of if anchor.kind == "dir" else self._place_of
            self._places[key] = search(anchor, blob)
        return self._places[key]

    @cached_property
    def _listing(self) -> Listing:
        return Listing(self._tree)

    # files

    def _place_of(self, anchor: Anchor, blob: str) -> str | None:
        if self._is_blank(anchor, blob):
            return None  # every repository has empty files: that one is there tells nothing
        same = [path for path in self._listing.with_blob(blob) if path != anchor.path]
        return nearest(anchor.path, same) or self._similar(anchor, blob)

    def _is_blank(self, anchor: Anchor, blob: str) -> bool:
        if blob in _EMPTY:
            return True
        packed = self._kept.blob(blob)
        if packed and fingerprint.is_hashed(packed):
            old = self._contents.stamped(anchor)
            nothing = fingerprint.of_content(b"", anchor.path, self._contents.salt(anchor))
            return old is not None and old.exact == nothing.exact
        return packed is not None and not packed[1:].strip()

    def _similar(self, anchor: Anchor, blob: str) -> str | None:
        """The file that is most like the vanished one, and half like it at least."""
        old = self._stamped(anchor, blob)
        if old is None:
            return None
        paths = self._listing.candidates(anchor.path, _HASHED if isinstance(old, Fingerprint) else _CANDIDATES).paths
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

    def _folder_of(self, anchor: Anchor, blob: str) -> str | None:
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
        return min(enough, key=lambda one: (-here[one], -same[one], nearness(anchor.path, one)), default=None)
