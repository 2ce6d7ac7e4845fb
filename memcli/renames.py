"""Where the content of a vanished path is now: the same content elsewhere, or else a file that is like it.

Only content is asked, never which commit renamed what (law 2).
"""

from memcli import drift, fingerprint
from memcli.contents import Contents, Kept
from memcli.fingerprint import Fingerprint
from memcli.git.tree import RepositoryTree
from memcli.model import Anchor
from memcli.store import Writer
from memcli.syntax import style_of

_FORMULA = 1  # raised whenever `drift.similarity` may say something else of the same contents
_CANDIDATES = 300  # files that a vanished one is compared with, nearest names first: bounds the search for a rename


class Renames:
    """The search of one tree for what left its path. `likeness` are the comparisons that the store did not know;
    `remember` writes them back."""

    def __init__(self, tree: RepositoryTree, kept: Kept, contents: Contents) -> None:
        self._tree = tree
        self._kept = kept
        self._contents = contents
        self.likeness: dict[tuple[str, str], float] = {}
        self._places: dict[tuple[str, str], str | None] = {}

    def remember(self, writer: Writer) -> None:
        """Write the comparisons to the store they belong to."""
        for (old, new), likeness in self.likeness.items():
            writer.set_pair(old, new, likeness)

    def place_of(self, anchor: Anchor) -> str | None:
        """Where the content of a vanished file is now: the same content at another path, else, if git knew it, one with
        half of its lines. None when it is nowhere, or there is nothing to know it by."""
        if anchor.blob is None or anchor.kind not in ("file", "symlink"):
            return None
        key = (anchor.path, anchor.blob)
        if key not in self._places:
            self._places[key] = self._place_of(anchor)
        return self._places[key]

    def _place_of(self, anchor: Anchor) -> str | None:
        old = self._contents.stamped(anchor)
        if old is not None and old.exact == fingerprint.of_content(b"", anchor.path, self._contents.salt(anchor)).exact:
            return None  # every repository has empty files: that one is there tells nothing
        same = self._same(anchor)
        if same is not None or old is None or not (anchor.tracked or self._tree.knew(anchor.path)):
            return same
        return self._similar(anchor, old)

    def _same(self, anchor: Anchor) -> str | None:
        files = self._tree.files()
        unread = self._tree.entries([path for path, blob in files.items() if blob is None])
        blobs = {**files, **{path: entry.blob for path, entry in unread.items()}}
        paths = [path for path, blob in blobs.items() if blob == anchor.blob and path != anchor.path]
        return min(paths, key=lambda path: _distance(anchor.path, path), default=None)

    def _similar(self, anchor: Anchor, old: Fingerprint) -> str | None:
        suffix = _suffix(anchor.path)
        others = [path for path in self._tree.files() if _suffix(path) == suffix and path != anchor.path]
        best, share = None, 0.0
        for path in sorted(others, key=lambda path: _distance(anchor.path, path))[:_CANDIDATES]:
            alike = self._alike(anchor, old, path)
            if alike >= drift.SIMILAR and alike > share:
                best, share = path, alike
        return best

    def _alike(self, anchor: Anchor, old: Fingerprint, path: str) -> float:
        """How similar the content at a path is to the stamped one, 0 to 1. Remembered by the two contents, because a
        vanished file is looked for among the same others again and again."""
        blob = self._tree.files()[path] or self._tree.entry(path).blob
        before, after = f"{_FORMULA} like {style_of(anchor.path)} {anchor.blob}", f"{style_of(path)} {blob}"
        known = self._kept.pair(before, after)
        if known is None and (before, after) not in self.likeness:
            new = self._contents.now(path, anchor)
            if new is None or path in self._contents.shifting:
                return 0.0 if new is None else drift.similarity(old, new)
            self.likeness[before, after] = drift.similarity(old, new)
        return float(self.likeness[before, after] if known is None else known)


def _suffix(path: str) -> str:
    return path.rpartition(".")[2]


def _distance(path: str, other: str) -> tuple[bool, int, str]:
    """Orders candidates for a rename: the same file name first, then the most folders in common, then by name."""
    ours, theirs = path.split("/"), other.split("/")
    shared = len(set(ours[:-1]) & set(theirs[:-1]))
    return (ours[-1] != theirs[-1], -shared, other)
