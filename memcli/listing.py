"""The files of a tree, to be found by their content and by their names. Made once for a tree, in one walk."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from heapq import nsmallest
from typing import NamedTuple

from memcli.git.tree import RepositoryTree

Nearness = tuple[bool, bool, int, str, str]


def nearness(path: str, other: str) -> Nearness:
    """Orders what a path may have become: the same file name first, then the same name with another suffix, then the
    most folders in common, then by folder and name."""
    (folder, name), (their_folder, their_name) = _split(path), _split(other)
    shared = _shared(folder, their_folder)
    return (name != their_name, _stem(name) != _stem(their_name), -shared, their_folder, their_name)


def is_candidate(path: str, other: str) -> bool:
    """Whether a path may have become another one by a rename with an edit: they share the suffix or the stem."""
    ours, theirs = _split(path)[1], _split(other)[1]
    return path != other and (_suffix(ours) == _suffix(theirs) or _stem(ours) == _stem(theirs))


class Candidates(NamedTuple):
    """The paths nearest to another one; `horizon`: the farthest of them, None where there are no more."""

    paths: list[str]
    horizon: Nearness | None


class Listing:
    """All files of a tree by path, content and name."""

    def __init__(self, tree: RepositoryTree) -> None:
        files = tree.files()
        unread = tree.entries([path for path, blob in files.items() if blob is None])
        self.blobs: Mapping[str, str | None] = {**files, **{path: entry.blob for path, entry in unread.items()}}

    def with_blob(self, blob: str) -> list[str]:
        """The paths of the files with this content."""
        return self._by_blob.get(blob, [])

    def size(self, folder: str) -> int:
        """How many files there are below a folder."""
        return self._sizes[folder]

    def named(self, name: str) -> list[str]:
        """The paths of the files with this name."""
        return [path for path in self._by_stem.get(_stem(name), ()) if _split(path)[1] == name]

    def candidates(self, path: str, most: int) -> Candidates:
        """What a vanished path may have become (see `is_candidate`), the nearest first and at most so many."""
        folder, name = _split(path)
        alike = [other for other in self._by_stem.get(_stem(name), ()) if other != path]
        found = nsmallest(most + 1, alike, key=lambda other: nearness(path, other))
        known, folders = set(alike), self._by_suffix.get(_suffix(name), {})
        for near in sorted(folders, key=lambda other: (-_shared(folder, other), other)):
            if len(found) > most:
                break
            found += [other for other in folders[near] if other not in known and other != path]
        return Candidates(found[:most], nearness(path, found[most - 1]) if len(found) > most else None)

    @cached_property
    def _sizes(self) -> Counter[str]:
        return Counter("/".join(parts[:size]) for parts in map(_parts, self.blobs) for size in range(1, len(parts)))

    @cached_property
    def _by_blob(self) -> dict[str, list[str]]:
        paths: dict[str, list[str]] = defaultdict(list)
        for path, blob in self.blobs.items():
            if blob is not None:
                paths[blob].append(path)
        return paths

    @cached_property
    def _by_stem(self) -> dict[str, list[str]]:
        paths: dict[str, list[str]] = defaultdict(list)
        for path in self.blobs:
            paths[_stem(_split(path)[1])].append(path)
        return paths

    @cached_property
    def _by_suffix(self) -> dict[str, dict[str, list[str]]]:
        """suffix → folder → paths, by name."""
        paths: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for path in sorted(self.blobs):
            folder, name = _split(path)
            paths[_suffix(name)][folder].append(path)
        return paths


def above(path: str, levels: int) -> str | None:
    """The folder so many levels above a path; None at the root and beyond."""
    parts = path.split("/")
    return "/".join(parts[:-levels]) or None if levels < len(parts) else None


def nearest(path: str, others: Iterable[str]) -> str | None:
    """Of some paths the one nearest to another; None of none."""
    return min(others, key=lambda other: nearness(path, other), default=None)


def _parts(path: str) -> list[str]:
    return path.split("/")


def _split(path: str) -> tuple[str, str]:
    folder, _, name = path.rpartition("/")
    return folder, name


def _suffix(name: str) -> str:
    return name.rpartition(".")[2] if "." in name else ""


def _stem(name: str) -> str:
    return name.rpartition(".")[0] or name


def _shared(folder: str, other: str) -> int:
    """How many folders two paths have in common, wherever they stand."""
    return len(set(folder.split("/")).intersection(other.split("/"))) if folder and other else 0
