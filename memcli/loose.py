"""Fragments that no store holds: lines of a document, or of an export that somebody committed. What they were stamped
with comes from git's own objects, and nothing is remembered between two runs."""

from typing import TYPE_CHECKING, Any

from memcli import fingerprint
from memcli.contents import pack_folder
from memcli.git.tree import MAX_BYTES
from memcli.model import Fragment

if TYPE_CHECKING:
    from memcli.git.objects import History


class Loose:
    """`contents.Kept` without a store: `Checker(tree, Loose(history), …)` assesses fragments made in memory. A content
    that git does not have, or not here, is unverifiable as ever."""

    def __init__(self, history: "History") -> None:
        self._history = history
        self._folders: dict[str, bytes] = {}

    def keep_folders(self, fragment: Fragment) -> None:
        """Keep the listings that the fragment's folders were stamped with: git knows them by no id of ours."""
        for anchor in fragment.anchors:
            if anchor.kind == "dir" and anchor.blob and anchor.blob not in self._folders:
                listing = pack_folder(self._history.tree(fragment.stamp.commit), anchor.path)
                if listing is not None:
                    self._folders[anchor.blob] = listing

    def blob(self, ident: str) -> bytes | None:
        """A content of the repository, in the form in which a store keeps one; None when git lacks it."""
        if ident in self._folders:
            return self._folders[ident]
        data = self._history.blob(ident, MAX_BYTES)
        return None if data is None else fingerprint.pack_text(data)

    def pair(self, old: str, new: str) -> Any:
        """No comparison is remembered: None."""

    def verdict(self, ident: str, content: bytes) -> Any:
        """No assessment is remembered: None."""

    def meta(self, name: str) -> Any:
        """Nothing is remembered, so there is no salt: None."""
