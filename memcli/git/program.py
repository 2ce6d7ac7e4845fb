"""The history as the git program tells it: right for every kind of repository, and few processes for many questions."""

import os
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from memcli.errors import GitFailed, UnknownRevision
from memcli.git import grep, log
from memcli.git.blame import Origin, blame
from memcli.git.head import is_commit_id
from memcli.git.index import parents
from memcli.git.location import Location
from memcli.git.log import SHORT, Commit
from memcli.git.objects import CommitTree, Subject
from memcli.git.run import LITERAL, Git, records
from memcli.git.tree import Entry

if TYPE_CHECKING:
    import subprocess

KINDS = {"040000": "dir", "120000": "symlink", "160000": "submodule"}


class ProgramHistory:
    """`objects.History` by the git program. `libgit` takes over what it answers faster."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self._git = location.git
        self._trees: dict[str, dict[str, Entry]] = {}
        self._touched: dict[tuple[str, str], bool] = {}

    @property
    def is_shallow(self) -> bool:
        """Whether the history was cut off when it was cloned."""
        return self._location.is_shallow

    def resolve(self, rev: str) -> str:
        """The id of the commit that a revision names, by git's own rules. Raises UnknownRevision."""
        hint = "git log --oneline --all lists what there is"
        if not rev or any(sign in rev for sign in "\0\n"):
            raise UnknownRevision("an empty or broken text names no commit", hint)
        # `:/text` takes all that follows for the text, and is a commit anyway
        name = rev if rev.startswith(":/") else rev + "^{commit}"
        answer = self._git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", name)
        commit = answer.out.decode("ascii", "replace").strip()
        if answer.code or not is_commit_id(commit):
            raise UnknownRevision(f"git knows no commit {rev} here", hint)
        return commit

    def tree(self, commit: str | None) -> CommitTree:
        """A commit's tree."""
        return CommitTree(self, commit)

    def tree_id(self, commit: str) -> str:
        """The id of a commit's tree. Raises GitFailed when the clone lacks the commit."""
        return self._git.run("rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}").decode().strip()

    def look(self, commit: str, path: str) -> Entry:
        """What stands at a path of a commit's tree; unknown where the clone lacks the folders."""
        try:
            tree = self._walk(commit)
        except GitFailed:
            return Entry("unknown")
        return tree.get(path) or self._beyond(tree, path)

    def listing(self, commit: str) -> Mapping[str, str]:
        """All files of a commit's tree → blob id. Raises GitFailed when the clone lacks part of it."""
        return {
            path: entry.blob
            for path, entry in self._walk(commit).items()
            if entry.kind in ("file", "symlink") and entry.blob
        }

    def below(self, commit: str, folder: str) -> Mapping[str, str]:
        """The files of a commit below a folder, by their path in it → blob id. Raises GitFailed as `listing`."""
        start = f"{folder}/"
        listed = self.listing(commit)
        return {path[len(start) :]: blob for path, blob in listed.items() if path.startswith(start)}

    def witnesses(
        self, commit: str, literals: Collection[str], among: Collection[str] | None = None
    ) -> Mapping[str, str]:
        """See `RepositoryTree.witnesses`. Raises GitFailed where the clone lacks some of the commit's files."""
        return grep.witnesses(self._git, literals, commit, among)

    def where(self, commit: str, literals: Collection[str]) -> Mapping[str, Collection[str]]:
        """The files of the commit that hold each of the literals. Raises GitFailed where the clone lacks some."""
        return grep.where(self._git, literals, commit)

    def blob(self, blob: str, most: int | None = None) -> bytes | None:
        """A content; None when the clone lacks it, it is no blob, or it is larger than `most` bytes."""
        if not is_commit_id(blob):
            return None
        data = self._contents.blob(blob)
        return None if data is None or (most is not None and len(data) > most) else data

    def has(self, blob: str) -> bool:
        """Whether the clone has a content."""
        return self._git.ask("cat-file", "-e", blob).code == 0

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor of two commits, None when there is none here."""
        answer = self._git.ask("merge-base", one, other)
        return answer.out.decode().strip() or None if answer.code == 0 else None

    def is_ancestor(self, commit: str, of: str) -> bool:
        """Whether a commit is in another's history; False where the clone doesn't know."""
        return self._git.ask("merge-base", "--is-ancestor", commit, of).code == 0

    def touched(self, commit: str, path: str) -> bool:
        """Whether a commit in the history of this one touched the path; False where the clone doesn't know."""
        if (commit, path) not in self._touched:
            answer = self._git.ask(LITERAL, "rev-list", "-1", commit, "--", os.fsencode(path))
            self._touched[commit, path] = answer.code == 0 and bool(answer.out.strip())
        return self._touched[commit, path]

    def contained(self, commits: Collection[str], head: str) -> set[str]:
        """Those of the commits that are in the history of `head`, in two git calls for all of them."""
        names = "".join(f"{commit}\n" for commit in commits if is_commit_id(commit)).encode()
        checked = self._git.run("cat-file", "--batch-check=%(objectname) %(objecttype)", input=names).decode()
        here = [line.split()[0] for line in checked.splitlines() if line.endswith(" commit")]
        if not here:
            return set()
        beside = self._git.ask("rev-list", "--stdin", input="\n".join([*here, f"^{head}", ""]).encode())
        return set(here) - set(beside.out.decode().split()) if beside.code == 0 else set()

    def blame(self, path: str, commit: str | None, spans: Sequence[tuple[int, int]] = ()) -> dict[int, Origin]:
        """Who wrote the lines of a file, see `blame.blame`. Raises GitFailed."""
        return blame(self._git, path, commit, spans)

    def subject(self, commit: str) -> Subject | None:
        """Short id, subject line and time of a commit; None when the clone lacks it."""
        if not is_commit_id(commit):
            return None
        answer = self._git.ask("log", "-1", "--no-show-signature", "--encoding=UTF-8", "--format=%ct %s", commit, "--")
        if answer.code or not answer.out:
            return None
        time, _, subject = answer.out.decode("utf-8", "replace").partition(" ")
        return Subject(commit[:SHORT], " ".join(subject.split()), int(time) * 1000)

    def log(self, tip: str, paths: Collection[str], since: str | None = None) -> list[Commit]:
        """See `log.commits`."""
        return log.commits(self._git, tip, paths, since)

    def line(self, since: str, tip: str) -> list[str]:
        """See `log.line`."""
        return log.line(self._git, since, tip)

    def along(self, line: Sequence[str], paths: Collection[str]) -> list[Commit]:
        """See `log.along`."""
        return log.along(self._git, line, paths)

    def distance(self, since: str, tip: str) -> int | None:
        """See `log.distance`."""
        return log.distance(self._git, since, tip)

    def named(self, ids: Collection[str]) -> dict[str, Commit]:
        """See `log.named`."""
        return log.named(self._git, ids)

    def renames(self, commit: str) -> Mapping[str, str]:
        """See `log.renames`."""
        return log.renames(self._git, commit)

    def roots(self) -> tuple[str, ...]:
        """The root commits of HEAD's history, sorted; empty when unborn or shallow."""
        head = self._location.head().commit
        if head is None or self.is_shallow:
            return ()
        return tuple(sorted(self._git.run("rev-list", "--max-parents=0", head, "--").decode().split()))

    def _walk(self, commit: str) -> dict[str, Entry]:
        """Everything in a commit's tree, folders too, by path; remembered."""
        if commit not in self._trees:
            tree = {}
            for record in records(self._git.run("ls-tree", "-r", "-t", "-z", "--full-tree", commit)):
                info, _, path = record.partition("\t")
                mode, _, blob = info.split()
                kind = KINDS.get(mode, "file")
                tree[path] = Entry("dir") if kind == "dir" else Entry(kind, blob, blob)
            self._trees[commit] = tree
        return self._trees[commit]

    def _beyond(self, tree: Mapping[str, Entry], path: str) -> Entry:
        """A path that the tree does not have: unknown inside a submodule, else missing."""
        above = (tree.get(parent) for parent in parents(path))
        return Entry("unknown" if any(entry and entry.kind == "submodule" for entry in above) else "missing")

    @cached_property
    def _contents(self) -> "Contents":
        return Contents(self._git)


class Contents:
    """One `git cat-file --batch` for all contents that are asked for; started at the first, ended with this object."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._process: subprocess.Popen[bytes] | None = None

    def blob(self, blob: str) -> bytes | None:
        """A content; None when it is no blob or the clone lacks it (an older git then ends, and is started anew)."""
        process = self._running()
        assert process.stdin and process.stdout
        try:
            process.stdin.write(blob.encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            return None
        head = process.stdout.readline().split()
        if len(head) != 3:
            return None
        data = process.stdout.read(int(head[2]) + 1)[:-1]
        return data if head[1] == b"blob" else None

    def _running(self) -> "subprocess.Popen[bytes]":
        from weakref import finalize

        if self._process is None or self._process.poll() is not None:
            self._process = self._git.start("cat-file", "--batch", stdin=True, stderr=False)
            finalize(self, _stop, self._process)
        return self._process


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """End a `cat-file`: it stops by itself when its input ends."""
    for pipe in (process.stdin, process.stdout):
        if pipe:
            try:
                pipe.close()
            except BrokenPipeError:
                continue
    process.wait()
