"""What a tree is to the rest of mem: the same questions for a working tree and for a commit (DESIGN.md, section 7).

Confidence is a function of a fragment and one of these (law 1), so nothing above this package knows which kind it has.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from memcli.model import Anchor


class Entry(NamedTuple):
    """What stands at a path now. `kind`: file, dir, symlink, submodule, missing, or unknown (can't be compared: inside
    a submodule that isn't checked out, an object that the clone lacks). `blob`: id of what git would store; `disk`: id
    of the bytes on disk (equal to `blob` at a commit). A symlink's content is its target. A submodule's `blob` is its
    commit. dir, missing and unknown have neither."""

    kind: str
    blob: str | None = None
    disk: str | None = None

    def is_stamped(self, anchor: Anchor) -> bool:
        """True when this is what the anchor was stamped with: the same content by either id, or a folder that still is
        one."""
        if anchor.kind != self.kind:
            return False
        if anchor.kind == "dir":
            return True
        return bool(self.blob) and (self.blob == anchor.blob or (bool(self.disk) and self.disk == anchor.disk))


class Tree(Protocol):
    """A working tree or a commit's tree. Paths are as in `model`: relative, `/`, surrogateescape."""

    @property
    def commit(self) -> str | None:
        """The commit it is (at), None when unborn."""

    def entry(self, path: str) -> Entry:
        """What stands at the path. Cheap when asked again; never raises for odd paths."""

    def read(self, path: str) -> bytes | None:
        """The content as git would store it (line ends normalised, LFS as its pointer); None when there is none or it
        is larger than `MAX_BYTES`."""

    def lacks(self, path: str) -> bool:
        """Whether the content that stands at the path is not in this clone (a partial one), or can't be read."""

    def files(self) -> Mapping[str, str | None]:
        """All files of the tree, tracked and untracked but not ignored → blob id where known without reading (None:
        ask `entry`). One walk, remembered."""

    def below(self, folder: str) -> Mapping[str, str]:
        """The files that git knows below a folder, by their path in it → blob id."""

    def holding(self, literals: Collection[str]) -> set[str]:
        """Those of the literals that occur, as whole words and in their case, in a file that is not documentation
        (`syntax.is_documentation`), in one pass over the tree for all of them."""

    def where(self, literals: Collection[str]) -> Mapping[str, Collection[str]]:
        """Those of the literals that `holding` gives → the paths of the files that hold them."""

    def knew(self, path: str) -> bool:
        """Whether a commit of this tree's history touched the path; False where git can't tell."""

    def identity(self) -> str:
        """A digest of everything the tree holds: equal only if every file is. For a working tree it is made of HEAD's
        tree and the status of what differs from it."""


MAX_BYTES = 8 << 20  # `Tree.read` gives no content above this: texts that people remember things about are smaller


UNSEEN = ""  # the path of a file in a submodule: it changes without a word from this repository


class Seen(NamedTuple):
    """What a path was when it was last looked at: its stat and its ids. `seen_at_ns` is the moment of the stat.

    A file whose stat is equal now has those ids, if it had not been written just before (see `settled`).
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    mode: int
    blob: str
    disk: str
    seen_at_ns: int

    def settled(self) -> bool:
        """Whether a later write would show: within the clock's grain two writes can leave the same times (git's
        "racily clean"; 2 s is the coarsest grain in use)."""
        return self.mtime_ns + RACY_NS <= self.seen_at_ns


RACY_NS = 2_000_000_000

# what a store remembers of a path: a `Seen`, or its fields as a list (JSON); None for nothing
Known = Callable[[str], Sequence[Any] | None]


class RepositoryTree(Tree, Protocol):
    """What this package gives: a tree that also answers for many paths at once."""

    @property
    def fresh(self) -> Mapping[str, Seen]:
        """What was computed by reading files, by path, for the caller to keep; empty for a commit's tree."""

    def entries(self, paths: Collection[str]) -> Mapping[str, Entry]:
        """What stands at each of the paths, with a number of git calls that does not grow with them."""

    @property
    def name(self) -> str:
        """What a store knows this work tree by, wherever it is read from; empty for a commit's tree."""

    def snapshot(self) -> Mapping[str, Any] | None:
        """What the tree is, in a form that JSON keeps, for `changed_since`; None for a commit's tree."""

    def changed_since(self, snapshot: Mapping[str, Any]) -> Mapping[str, bool] | None:
        """The paths that may hold something else than at a snapshot of this tree → whether a file stood there then and
        stands there now, for certain. None when that can't be told, or they are too many."""

    def listed(self, paths: Collection[str]) -> Mapping[str, str | None]:
        """`files` for these paths alone, without a walk over the others."""

    def witnesses(self, literals: Collection[str], among: Collection[str] | None = None) -> Mapping[str, str]:
        """Those of the literals that `holding` gives → a file that holds it (in a submodule UNSEEN); with `among`
        in those files and in submodules alone. Raises GitFailed where git can't search."""
