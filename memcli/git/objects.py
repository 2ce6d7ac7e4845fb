"""What git has stored: commits, their trees and contents, whichever of library and program answers."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from memcli.errors import GitFailed
from memcli.git.blame import Origin
from memcli.git.log import Commit
from memcli.git.paths import HERE
from memcli.git.tree import MAX_BYTES, Entry, Seen


class Subject(NamedTuple):
    """A commit in one line: short id, subject, committer's time in milliseconds since the epoch."""

    short: str
    subject: str
    time: int


class History(Protocol):
    """The questions about stored objects. Ids are full, lower-case hex; nothing is ever fetched for a partial clone."""

    def resolve(self, rev: str) -> str:
        """The id of the commit that a revision names. Raises UnknownRevision."""

    def tree(self, commit: str | None) -> "CommitTree":
        """A commit's tree; an empty one for None (unborn)."""

    def tree_id(self, commit: str) -> str:
        """The id of a commit's tree. Raises GitFailed when the clone lacks the commit."""

    def look(self, commit: str, path: str) -> Entry:
        """What stands at a plain path of a commit's tree."""

    def listing(self, commit: str) -> Mapping[str, str]:
        """All files of a commit's tree → blob id, in one walk. Raises GitFailed when the clone lacks part of it."""

    def below(self, commit: str, folder: str) -> Mapping[str, str]:
        """The files of a commit below a folder, by their path in it → blob id. Raises GitFailed as `listing`."""

    def witnesses(
        self, commit: str, literals: Collection[str], among: Collection[str] | None = None
    ) -> Mapping[str, str]:
        """See `RepositoryTree.witnesses`."""

    def where(self, commit: str, literals: Collection[str]) -> Mapping[str, Collection[str]]:
        """See `Tree.where`."""

    def blob(self, blob: str, most: int | None = None) -> bytes | None:
        """A content; None when the clone lacks it, it is no blob, or it is larger than `most`."""

    def has(self, blob: str) -> bool:
        """Whether the clone has a content."""

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor of two commits, None when there is none here."""

    def is_ancestor(self, commit: str, of: str) -> bool:
        """Whether a commit is in another's history (itself included); False where the clone doesn't know."""

    def contained(self, commits: Collection[str], head: str) -> set[str]:
        """Those of the commits that are in the history of `head`, in two git calls for all of them."""

    def touched(self, commit: str, path: str) -> bool:
        """Whether a commit in the history of this one touched the path; False where the clone doesn't know."""

    def blame(self, path: str, commit: str | None, spans: Sequence[tuple[int, int]] = ()) -> dict[int, Origin]:
        """Who wrote the lines of a file, see `blame.blame`. Raises GitFailed."""

    def subject(self, commit: str) -> Subject | None:
        """Short id, subject line and time of a commit; None when the clone lacks it."""

    def log(self, tip: str, paths: Collection[str], since: str | None = None) -> list[Commit]:
        """The newest commits before `tip` and not before `since` that touched one of the paths, newest first."""

    def line(self, since: str, tip: str) -> list[str]:
        """The commits on the way from one to another, oldest first, both included; empty when there is no way."""

    def along(self, line: Sequence[str], paths: Collection[str]) -> list[Commit]:
        """Those of a line's commits that changed one of the paths, in their order."""

    def distance(self, since: str, tip: str) -> int | None:
        """How many commits lie between two; None where the clone lacks one of them."""

    def named(self, ids: Collection[str]) -> dict[str, Commit]:
        """Those of the commits that the clone has, by id."""

    def renames(self, commit: str) -> Mapping[str, str]:
        """The files that a commit moved: where they are after it → where they were."""

    def roots(self) -> tuple[str, ...]:
        """The root commits of HEAD's history, sorted: what a repository is known by, wherever it is cloned. Empty when
        unborn, and in a shallow clone, which can't see them."""

    @property
    def is_shallow(self) -> bool:
        """Whether the history was cut off when it was cloned."""


class CommitTree:
    """A commit's tree as a `Tree`. Stored contents don't change, so there is nothing `fresh`."""

    fresh: Mapping[str, Seen] = {}
    name = ""

    def __init__(self, history: History, commit: str | None) -> None:
        self._history = history
        self._commit = commit
        self._entries: dict[str, Entry] = {}

    @property
    def commit(self) -> str | None:
        """The commit whose tree it is."""
        return self._commit

    def entry(self, path: str) -> Entry:
        """What stands at the path in the commit; remembered, because many fragments speak about few paths."""
        if path == HERE:
            return Entry("dir")
        if path not in self._entries:
            self._entries[path] = self._history.look(self._commit, path) if self._commit else Entry("missing")
        return self._entries[path]

    def entries(self, paths: Collection[str]) -> Mapping[str, Entry]:
        """What stands at each of the paths."""
        return {path: self.entry(path) for path in paths}

    def read(self, path: str) -> bytes | None:
        """The content at the path; None when there is none here or it is larger than MAX_BYTES."""
        entry = self.entry(path)
        return self._history.blob(entry.blob, MAX_BYTES) if entry.blob and entry.kind != "submodule" else None

    def lacks(self, path: str) -> bool:
        """Whether the clone lacks the content at the path."""
        blob = self.entry(path).blob
        return blob is None or not self._history.has(blob)

    def files(self) -> Mapping[str, str | None]:
        """All files of the commit; empty where the clone lacks its folders."""
        if self._commit is None:
            return {}
        try:
            return dict(self._history.listing(self._commit))
        except GitFailed:
            return {}

    def below(self, folder: str) -> Mapping[str, str]:
        """The files of the commit below a folder, by their path in it → blob id."""
        try:
            return self._history.below(self._commit, folder) if self._commit else {}
        except GitFailed:
            return {}

    def holding(self, literals: Collection[str]) -> set[str]:
        """Those of the literals that occur in the commit's files; all where the clone lacks some of them."""
        try:
            return set(self.witnesses(literals))
        except GitFailed:
            return set(literals)

    def witnesses(self, literals: Collection[str], among: Collection[str] | None = None) -> Mapping[str, str]:
        """Those of the literals that occur in the commit's files, or in some of them → one that holds it."""
        return self._history.witnesses(self._commit, literals, among) if self._commit and literals else {}

    def where(self, literals: Collection[str]) -> Mapping[str, Collection[str]]:
        """Those of the literals that occur in the commit's files → their paths; none where the clone lacks some."""
        if self._commit is None or not literals:
            return {}
        try:
            return self._history.where(self._commit, literals)
        except GitFailed:
            return {}

    def knew(self, path: str) -> bool:
        """Whether a commit of the history touched the path."""
        return self._commit is not None and self._history.touched(self._commit, path)

    def identity(self) -> str:
        """The id of the commit's tree."""
        return self._history.tree_id(self._commit) if self._commit else "empty tree"

    def snapshot(self) -> None:
        """Nothing is remembered of a commit's tree: None."""

    def changed_since(self, snapshot: Mapping[str, Any]) -> None:
        """It can't be told: None."""

    def listed(self, paths: Collection[str]) -> Mapping[str, str | None]:
        """`files` for some paths."""
        files = self.files()
        return {path: files[path] for path in paths if path in files}
