"""The working tree as a `Tree`: what lies on disk now, as git would store it.

Each look at a path is remembered, so one object gives one consistent answer; make a new one to look anew.
"""

import os
import stat as modes
import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memcli.errors import GitFailed
from memcli.git import head, layout
from memcli.git.index import may_skip, parents, skipped
from memcli.git.location import Location
from memcli.git.paths import HERE, is_plain
from memcli.git.run import LITERAL, Git, records
from memcli.git.tree import MAX_BYTES, UNSEEN, Entry, Known, Seen

if TYPE_CHECKING:  # what reads of unchanged files do without is imported where it is used
    from memcli.git.changed import Dirty
    from memcli.git.objects import History
    from memcli.git.status import Change
    from memcli.git.stored import Ids, Stored

MAX_SEARCHED = 32 << 20  # bytes; a larger file is no code that names are looked for in
_MOST_LARGE = 1000  # paths that fit on a command line

MISSING, UNKNOWN, DIR = Entry("missing"), Entry("unknown"), Entry("dir")


class WorkTree:
    """A repository's work tree. `known` gives what was seen at a path the last time, if anything; what is read anew is
    collected in `fresh`, by path, for the caller to keep."""

    def __init__(self, location: Location, known: Known | None = None) -> None:
        self.fresh: dict[str, Seen] = {}
        self._location = location
        self._root = location.root or ""
        self._known = known or (lambda _: None)
        self._entries: dict[str, Entry] = {}
        self._plain_folders: dict[str, bool] = {}
        self._leading: dict[str, bool] = {"": True}

    @cached_property
    def _stored(self) -> "Stored":
        from memcli.git.stored import Stored

        return Stored(self._location)

    @cached_property
    def commit(self) -> str | None:
        """HEAD's commit, None when unborn."""
        return self._location.head().commit

    def entry(self, path: str) -> Entry:
        """What stands at the path; `missing` for one that leads through a link or out of the work tree."""
        return self._entries.get(path) or self.entries((path,))[path]

    def entries(self, paths: Collection[str]) -> Mapping[str, Entry]:
        """What stands at each path. Files with a trusted stat are not read; git is asked at most once each for
        attributes, for CRLF in the index, and for paths that a sparse checkout may have left out."""
        absent: list[str] = []
        files: dict[str, tuple[os.stat_result, int]] = {}
        for path in paths:
            if path in self._entries:
                continue
            now = time.time_ns()
            stat = self._lstat(path)
            if stat is None:
                absent.append(path)
            elif modes.S_ISREG(stat.st_mode) and not self._is_as_known(path, stat):
                files[path] = (stat, now)
            elif path not in self._entries:
                self._entries[path] = self._other(path, stat, now)
        if files:
            self._hash(files)
        if absent:
            self._entries.update(self._absent(absent))
        return {path: self._entries[path] for path in paths}

    def read(self, path: str) -> bytes | None:
        """The content as git would store it; None when there is none or it is larger than MAX_BYTES."""
        stat = self._lstat(path)
        if stat is None:
            entry = self.entry(path)
            return self._history.blob(entry.blob, MAX_BYTES) if entry.blob else None
        if modes.S_ISLNK(stat.st_mode):
            with suppress(OSError):  # it is none any more
                return os.fsencode(os.readlink(self._full(path)))
        return self._stored.read(path) if modes.S_ISREG(stat.st_mode) else None

    def lacks(self, path: str) -> bool:
        """Whether the content at the path can't be had: a file that can't be opened, or a sparse checkout's that the
        clone lacks."""
        if self._lstat(path) is not None:
            return not os.access(self._full(path), os.R_OK)
        blob = self.entry(path).blob
        return blob is None or not self._history.has(blob)

    def files(self) -> Mapping[str, str | None]:
        """Tracked files that are there, and untracked ones that are not ignored → blob id, None where it is not what
        the index has."""
        return self._files

    def below(self, folder: str) -> Mapping[str, str]:
        """The files of the index below a folder, by their path in it → blob id; none where git can't tell."""
        try:
            listed = self._location.git.run(LITERAL, "ls-files", "-z", "-s", "--", os.fsencode(folder))
        except GitFailed:
            return {}
        rows = (record.partition("\t") for record in records(listed))
        return {path.removeprefix(f"{folder}/"): info.split()[1] for info, _, path in rows if not info.startswith("16")}

    def holding(self, literals: Collection[str]) -> set[str]:
        """Those of the literals that occur in tracked or untracked files, of submodules too. What a sparse checkout
        left out is searched in HEAD; where git can't search, a literal counts as held: only evidence decays."""
        try:
            return set(self.witnesses(literals))
        except GitFailed:
            return set(literals)

    def witnesses(self, literals: Collection[str], among: Collection[str] | None = None) -> Mapping[str, str]:
        """Those of the literals that occur, in some files or in all, or in a submodule → one that holds it. Raises
        GitFailed."""
        from memcli.git import grep

        found: dict[str, str] = {}
        large = [] if among is not None or not literals else self._large()
        if among is not None:
            among = [path for path in among if not self._is_large(path)]
        for place in self._places() if literals and among != [] else ():
            found |= grep.witnesses(self._location.git, literals, place, among, large)
        for inside in self._submodules() if found.keys() < set(literals) else ():
            found |= dict.fromkeys(grep.witnesses(inside, set(literals) - found.keys(), "--untracked"), UNSEEN)
        return found

    def where(self, literals: Collection[str]) -> Mapping[str, Collection[str]]:
        """Those of the literals that occur → the files that hold them; none where git can't search."""
        from memcli.git import grep

        found: dict[str, set[str]] = {}
        large = self._large() if literals else []
        try:
            for place in self._places() if literals else ():
                for name, paths in grep.where(self._location.git, literals, place, large).items():
                    found.setdefault(name, set()).update(paths)
        except GitFailed:
            return {}
        return found

    def knew(self, path: str) -> bool:
        """Whether a commit of HEAD's history touched the path."""
        return self.commit is not None and self._history.touched(self.commit, path)

    def identity(self) -> str:
        """A digest of HEAD's commit, of all that status says differs from it, and of the stat of each such file.
        Ignored files are not part of it."""
        from hashlib import sha256

        digest = sha256(b"work tree\0" + (self.commit or "unborn").encode())
        for change in self._changes:
            stat = self._lstat(change.path.rstrip("/"))
            times = (stat.st_mode, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino) if stat else ()
            digest.update(b"\0".join([b"", change.mark.encode(), os.fsencode(change.path), repr(times).encode()]))
        return digest.hexdigest()

    @property
    def name(self) -> str:
        """Where the work tree's own git folder lies."""
        return self._location.git_dir

    def snapshot(self) -> Mapping[str, Any]:
        """HEAD's commit, and the marks and stats of all that differs from it. Ignored files are not part of it."""
        return {"commit": self.commit, "dirty": self._dirty, "skips": may_skip(self._location.git_dir)}

    def changed_since(self, snapshot: Mapping[str, Any]) -> Mapping[str, bool] | None:
        """What differs between the two commits, and what is or was dirty and not the same; see `changed`."""
        from memcli.git.changed import changed

        if snapshot["skips"] != may_skip(self._location.git_dir):
            return None
        return changed(self._location.git, snapshot, self.commit, self._dirty)

    def listed(self, paths: Collection[str]) -> Mapping[str, str | None]:
        """`files` for these paths alone, by one git call."""
        from memcli.git.status import MAX_ARGUMENTS

        names = [os.fsencode(path) for path in paths if not path.endswith("/")]
        if not names:
            return {}
        if "_files" in self.__dict__ or sum(map(len, names)) > MAX_ARGUMENTS:
            return {path: self._files[path] for path in paths if path in self._files}
        wanted = set(paths)
        index = self._location.git.run(LITERAL, "ls-files", "-z", "-s", "--", *names)
        found = self._there(index, [change for change in self._changes if change.path in wanted])
        return {path: blob for path, blob in found.items() if path in wanted}

    def _places(self) -> list[str]:
        """Where to search for names: the files on disk, and HEAD where a sparse checkout may have left some out."""
        sparse = self.commit and may_skip(self._location.git_dir)
        return ["--untracked", self.commit] if self.commit and sparse else ["--untracked"]

    def _large(self) -> list[str]:
        """The files that are too large to be searched for names: git would read each of them whole."""
        try:
            return [path for path in self._files if self._is_large(path)][:_MOST_LARGE]
        except GitFailed:
            return []

    def _is_large(self, path: str) -> bool:
        stat = self._lstat(path)
        return stat is not None and stat.st_size > MAX_SEARCHED

    def _submodules(self) -> list[Git]:
        """Git in each submodule that is checked out."""
        inside = (self._full(path) for path in self._location.submodules if is_plain(path))
        return [Git(folder, self._location.env) for folder in inside if os.path.lexists(f"{folder}/.git")]

    def _full(self, path: str) -> str:
        return self._root if path == HERE else f"{self._root}/{path}"

    def _lstat(self, path: str) -> os.stat_result | None:
        """The stat of a path itself; None when it is absent, no plain path, or behind a link."""
        folder, _, name = path.rpartition("/")
        if path != HERE and not (is_plain(name) and self._leads_on(folder)):
            return None
        try:
            return os.lstat(self._full(path))
        except (OSError, ValueError):
            return None

    def _leads_on(self, folder: str) -> bool:
        """Whether a folder, and each above it, is plain and no link. Remembered: most paths share theirs."""
        if folder not in self._leading:
            plain = not folder or is_plain(folder)
            self._leading[folder] = plain and all(self._is_plain_folder(one) for one in parents(f"{folder}/."))
        return self._leading[folder]

    def _is_plain_folder(self, path: str) -> bool:
        """Whether a path is a folder and no link to one (git follows none)."""
        if path not in self._plain_folders:
            try:
                self._plain_folders[path] = modes.S_ISDIR(os.lstat(self._full(path)).st_mode)
            except (OSError, ValueError):
                self._plain_folders[path] = False
        return self._plain_folders[path]

    def _is_as_known(self, path: str, stat: os.stat_result) -> bool:
        """Whether the file is as it was when last seen; then its entry is set from that, without reading."""
        values = self._known(path)
        if values is None or len(values) != len(Seen._fields) or tuple(values[:5]) != _times(stat):
            return False
        seen = Seen(*values)
        if not seen.settled():
            return False
        self._entries[path] = Entry("file", seen.blob, seen.disk)
        return True

    def _hash(self, files: Mapping[str, tuple[os.stat_result, int]]) -> None:
        """Read files for their ids; remember them with the stat from before the reading."""
        found = self._stored.ids(files.keys())
        for path, (stat, now) in files.items():
            ids = found.get(path)
            self._entries[path] = self._remember(path, "file", ids, stat, now) if ids else UNKNOWN

    def _remember(self, path: str, kind: str, ids: "Ids", stat: os.stat_result, now: int) -> Entry:
        self.fresh[path] = Seen(*_times(stat), ids.blob, ids.disk, now)
        return Entry(kind, ids.blob, ids.disk)

    def _other(self, path: str, stat: os.stat_result, now: int) -> Entry:
        """What is no regular file."""
        if modes.S_ISDIR(stat.st_mode):
            return self._submodule(path) if path in self._location.submodules else DIR
        if not modes.S_ISLNK(stat.st_mode):
            return UNKNOWN  # a pipe, a socket, a device: nothing that can be read and compared
        try:
            ids = self._stored.ids_of_link(os.readlink(self._full(path)))
        except OSError:
            return UNKNOWN
        return self._remember(path, "symlink", ids, stat, now)

    def _submodule(self, path: str) -> Entry:
        """A submodule with the commit that is checked out in it; unknown when none is."""
        try:
            git_dir = layout.git_dir_of(self._full(path), {})
            inside = Git(self._full(path), self._location.env)
            commit = head.read_head(git_dir, layout.common_dir(git_dir, {}), inside).commit if git_dir else None
        except GitFailed:
            commit = None
        return Entry("submodule", commit, commit) if commit else UNKNOWN

    def _absent(self, paths: Collection[str]) -> dict[str, Entry]:
        """What is not on disk: in a submodule that isn't checked out, left out by a sparse checkout, or missing."""
        hidden = {path for path in paths if self._is_in_absent_submodule(path)}
        rest = [path for path in paths if path not in hidden and is_plain(path)]
        try:
            sparse = skipped(self._location.git, rest) if rest and may_skip(self._location.git_dir) else {}
        except GitFailed:  # a broken index: what git does not tell is not evidence
            return dict.fromkeys(paths, UNKNOWN)
        return dict.fromkeys(paths, MISSING) | dict.fromkeys(hidden, UNKNOWN) | sparse

    def _is_in_absent_submodule(self, path: str) -> bool:
        return any(
            (path == submodule or path.startswith(submodule + "/"))
            and not os.path.lexists(f"{self._full(submodule)}/.git")
            for submodule in self._location.submodules
        )

    @cached_property
    def _changes(self) -> "list[Change]":
        from memcli.git.status import changes

        return changes(self._location.git, "--untracked-files=all")

    @cached_property
    def _dirty(self) -> "Dirty":
        from memcli.git.changed import dirty

        return dirty(self._changes, self._lstat)

    @cached_property
    def _files(self) -> dict[str, str | None]:
        return self._there(self._location.git.run("ls-files", "-z", "-s"), self._changes)

    def _there(self, index: bytes, changes: "Iterable[Change]") -> dict[str, str | None]:
        """The files of some entries of the index, as `ls-files` lists them, and of what status says of their paths."""
        files: dict[str, str | None] = {}
        for record in records(index):
            info, _, path = record.partition("\t")
            mode, blob, _ = info.split()
            if mode != "160000":
                files[path] = blob
        for change in changes:
            if change.path.endswith("/"):
                continue  # a repository inside this one
            if change.mark.endswith("D") or (change.mark != "?" and self._lstat(change.path) is None):
                files.pop(change.path, None)
            elif change.mark == "?" or (change.path in files and not change.mark.endswith(".")):
                files[change.path] = None
        return files

    @cached_property
    def _history(self) -> "History":
        from memcli.git.libgit import open_history

        return open_history(self._location)


def _times(stat: os.stat_result) -> tuple[int, int, int, int, int]:
    """The part of a stat that a `Seen` begins with."""
    return (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino, stat.st_mode)
