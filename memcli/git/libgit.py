"""The history by libgit2 (pygit2): trees and contents without a process for each.

What libgit2 does not answer faster is left to `program.ProgramHistory`, and so is any object that it can't read.
"""

import os
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from memcli.errors import GitFailed
from memcli.git.head import is_commit_id
from memcli.git.location import Location
from memcli.git.log import SHORT
from memcli.git.objects import History, Subject
from memcli.git.program import KINDS, ProgramHistory
from memcli.git.tree import Entry

_LISTINGS = 8  # trees whose listing is kept; an audit asks for hundreds, one after the other


def open_history(location: Location) -> History:
    """The history of a repository: by libgit2 where it can open it and shows what git shows, else by the git program
    (SHA-256, reftable, replaced objects …)."""
    if location.object_format != "sha1" or location.layout.own.get("extensions.refstorage") or location.replaces:
        return ProgramHistory(location)
    return open_libgit(location) or ProgramHistory(location)


def open_libgit(location: Location) -> ProgramHistory | None:
    """The history of a repository by libgit2; None when it can't open this one."""
    import pygit2

    try:
        flags = pygit2.enums.RepositoryOpenFlag.NO_SEARCH
        return LibgitHistory(location, pygit2.Repository(location.git_dir, flags), pygit2.GitError)
    except (pygit2.GitError, KeyError, ValueError, OSError):
        return None


class LibgitHistory(ProgramHistory):
    """`objects.History` with libgit2's object database."""

    def __init__(self, location: Location, opened: Any, error: type[Exception]) -> None:
        super().__init__(location)
        self._opened = opened
        # what libgit2 raises for an object that it lacks (KeyError, its own) or can't understand (ValueError)
        self._no_object = (error, KeyError, ValueError)
        self._listings: dict[str, dict[str, str]] = {}

    def tree_id(self, commit: str) -> str:
        """The id of a commit's tree. Raises GitFailed when the clone lacks the commit."""
        return str(self._commit(commit).tree_id)

    def look(self, commit: str, path: str) -> Entry:
        """What stands at a path of a commit's tree, one lookup a part; unknown where the clone lacks a folder."""
        try:
            found = self._commit(commit).tree
            for part in path.split("/"):
                if found.type_str == "commit":
                    return Entry("unknown")
                found = _child(found, part) if found.type_str == "tree" else None
                if found is None:
                    return Entry("missing")
        except (GitFailed, *self._no_object):
            return Entry("unknown")
        return _entry(found)

    def listing(self, commit: str) -> Mapping[str, str]:
        """All files of a commit's tree → blob id, in one walk. Raises GitFailed when the clone lacks part of it."""
        if commit not in self._listings:
            try:
                self._listings[commit] = dict(_walk(self._commit(commit).tree, ""))
            except self._no_object:
                raise GitFailed(f"the clone lacks part of the tree of {commit}") from None
            if len(self._listings) > _LISTINGS:
                del self._listings[next(iter(self._listings))]
        return self._listings[commit]

    def below(self, commit: str, folder: str) -> Mapping[str, str]:
        """The files of a commit below a folder, by their path in it → blob id; walks that folder alone."""
        try:
            found = self._commit(commit).tree
            for part in folder.split("/"):
                found = _child(found, part) if found is not None and found.type_str == "tree" else None
            return dict(_walk(found, "")) if found is not None and found.type_str == "tree" else {}
        except self._no_object:
            raise GitFailed(f"the clone lacks part of the tree of {commit}") from None

    def blob(self, blob: str, most: int | None = None) -> bytes | None:
        """A content; None when the clone lacks it, it is no blob, or it is larger than `most` bytes."""
        try:
            found = self._opened[blob] if is_commit_id(blob) else None
        except self._no_object:
            return None
        if found is None or found.type_str != "blob" or (most is not None and found.size > most):
            return None
        return bytes(found.data)

    def has(self, blob: str) -> bool:
        """Whether the clone has a content."""
        return is_commit_id(blob) and blob in self._opened

    def is_ancestor(self, commit: str, of: str) -> bool:
        """Whether a commit is in another's history; False where the clone doesn't know."""
        try:
            return commit == of or bool(self._opened.descendant_of(of, commit))
        except self._no_object:
            return False

    def subject(self, commit: str) -> Subject | None:
        """Short id, subject line and time of a commit; None when the clone lacks it."""
        try:
            found = self._commit(commit)
        except GitFailed:
            return None
        return Subject(commit[:SHORT], _first_paragraph(found), found.commit_time * 1000)

    def _commit(self, commit: str) -> Any:
        try:
            found = self._opened[commit] if is_commit_id(commit) else None
        except self._no_object:
            raise GitFailed(f"the clone lacks the commit {commit}") from None
        if found is None or found.type_str != "commit":
            raise GitFailed(f"{commit} is no commit")
        return found


def _walk(tree: Any, above: str) -> Iterator[tuple[str, str]]:
    for child in tree:
        path = above + os.fsdecode(child.raw_name)
        if child.type_str == "tree":
            yield from _walk(child, path + "/")
        elif child.type_str == "blob":
            yield path, str(child.id)


def _child(tree: Any, name: str) -> Any:
    """A tree's child by name; None when there is none, or no file could have the name."""
    try:
        raw = os.fsencode(name)
    except UnicodeEncodeError:
        return None
    if name.isprintable():
        return tree[name] if name and name in tree else None
    # libgit2's own lookup takes no name that is not UTF-8
    return next((child for child in tree if child.raw_name == raw), None)


def _entry(found: Any) -> Entry:
    kind = KINDS.get(f"{int(found.filemode):06o}", "file")
    return Entry("dir") if kind == "dir" else Entry(kind, str(found.id), str(found.id))


def _first_paragraph(commit: Any) -> str:
    """The subject as git shows it: the lines up to the first empty one, as one."""
    text = commit.raw_message.decode(commit.message_encoding or "utf-8", "replace").strip()
    paragraph = takewhile(str.strip, text.split("\n"))
    return " ".join(" ".join(paragraph).split())
