"""What git's history says about paths: which commits touched them, where they moved, how far a commit is away.

Labels all of them, never evidence (law 2). One process a question, and bounded: a history has no end.
"""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from memcli.git.run import LITERAL, Git

SHORT = 10  # hex digits: unambiguous in practice up to millions of objects, and the same in every clone
MOST = 200  # commits that a question lists: more nobody reads
LONGEST = 20_000  # commits between two that are walked to find the way from one to the other

_FORMAT = "--format=format:commit %H%x00%at%x00%s%x00"
# whatever the user's configuration says, the same answer
_STEADY = ("-c", "log.showSignature=false", "-c", "log.follow=false", "-c", "i18n.logOutputEncoding=UTF-8",
           "-c", "diff.renameLimit=1000", LITERAL)  # fmt: skip
_RAW = ("-O/dev/null", "--raw", "-z", "--no-abbrev", "--no-color", "--no-ext-diff", "--ignore-submodules=none")


class Touch(NamedTuple):
    """What a commit did to a path. `status`: A(dded), M(odified), D(eleted), R(enamed), T(ype). `was`: the path before
    a rename. `old` and `new`: the blob ids before and after, None where there was none."""

    status: str
    path: str
    was: str | None = None
    old: str | None = None
    new: str | None = None


class Commit(NamedTuple):
    """A commit as people know it, with what it did to the paths that were asked for. `at`: the author's time in
    milliseconds since the epoch."""

    id: str
    subject: str
    at: int
    touches: tuple[Touch, ...] = ()

    @property
    def short(self) -> str:
        """The beginning of its id."""
        return self.id[:SHORT]


def commits(git: Git, tip: str, paths: Collection[str], since: str | None = None, most: int = MOST) -> list[Commit]:
    """The commits in the history of `tip`, without that of `since`, that touched one of the paths: newest first, at
    most so many. A merge counts only for what it did beyond its parents (`-c`); what a branch did and undid before it
    was merged is passed over, as git does. Empty where the clone doesn't know."""
    if not paths:
        return []
    span = [tip, f"^{since}"] if since else [tip]
    names = map(os.fsencode, sorted(paths))
    return list(_commits(_raw(git, "log", "-c", "--topo-order", f"--max-count={most}", _FORMAT, *span, "--", *names)))


def along(git: Git, line: Sequence[str], paths: Collection[str]) -> list[Commit]:
    """Those of the commits of a line (see `line`) that differ from the one before them at one of the paths, in their
    order. A merge counts for all that it brought."""
    if not paths:
        return []
    pairs = "".join(f"{commit} {before}\n" for before, commit in pairwise(line))
    names = map(os.fsencode, sorted(paths))
    return list(_commits(_raw(git, "diff-tree", "--stdin", "-r", _FORMAT, "--", *names, input=pairs.encode())))


def line(git: Git, since: str, tip: str) -> list[str]:
    """The way from one commit to another in whose history it is, oldest first, both included: of the parents of a
    merge the first that comes from there. Empty when there is none, or it is longer than LONGEST."""
    if since == tip:
        return [tip]
    answer = git.ask("rev-list", "--topo-order", "--parents", f"--max-count={LONGEST}", tip, f"^{since}", "--")
    if answer.code:
        return []
    parents = {words[0]: words[1:] for words in map(str.split, answer.out.decode().splitlines())}
    coming = {since}
    for commit in reversed(parents):
        if not coming.isdisjoint(parents[commit]):
            coming.add(commit)
    way = [tip] if tip in coming else []
    while way and way[-1] != since:
        way.append(next(parent for parent in parents[way[-1]] if parent in coming))
    return way[::-1]


def distance(git: Git, since: str, tip: str) -> int | None:
    """How many commits the history of `tip` has that a commit's own lacks; None where the clone lacks the commit."""
    answer = git.ask("rev-list", "--count", tip, f"^{since}", "--")
    return int(answer.out) if answer.code == 0 else None


def named(git: Git, ids: Collection[str]) -> dict[str, Commit]:
    """Those of the commits that the clone has, by id."""
    wanted = "".join(f"{commit}\n" for commit in ids).encode()
    out = _raw(git, "log", "--no-walk=unsorted", "-s", "--ignore-missing", _FORMAT, "--stdin", input=wanted)
    return {commit.id: commit for commit in _commits(out)} if ids else {}


def renames(git: Git, commit: str) -> Mapping[str, str]:
    """The files that a commit moved, by its first parent: where they are after it → where they were. In whole trees,
    because a path hides where it came from."""
    out = _raw(git, "diff-tree", "-r", "--diff-filter=R", f"{commit}^1", commit, "--")
    touches = _touches(iter(out.split(b"\0")))
    return {touch.path: touch.was for touch in touches if touch.was is not None}


def _raw(git: Git, command: str, *args: str | bytes, input: bytes | None = None) -> bytes:
    """What a command of git says in its raw format; nothing where the clone doesn't know. A partial clone may lack the
    contents that similarity is told by: there only what moved unchanged is found."""
    for renames in ("-M", "-M100%"):
        answer = git.ask(*_STEADY, command, renames, *_RAW, *args, input=input)
        if answer.code == 0:
            return answer.out
    return b""


def _commits(out: bytes) -> Iterator[Commit]:
    parts = iter(out.split(b"\0"))
    last: Commit | None = None
    for part in parts:
        part = part.lstrip(b"\n")
        if part.startswith(b"commit "):
            if last:
                yield last
            at, subject = int(next(parts)), next(parts).decode("utf-8", "replace")
            last = Commit(part[7:].decode(), " ".join(subject.split()), at * 1000)
        elif part.startswith(b":") and last:
            last = last._replace(touches=(*last.touches, _touch(part, parts)))
    if last:
        yield last


def _touches(parts: Iterator[bytes]) -> Iterator[Touch]:
    for part in parts:
        if part.startswith(b":"):
            yield _touch(part, parts)


def _touch(raw: bytes, parts: Iterator[bytes]) -> Touch:
    """One record of git's raw format; of a merge's (`::`, several old sides) the first parent's side counts."""
    words = raw.decode().lstrip(":").split()
    status = words[-1][0]
    old, new = (blob if blob.strip("0") else None for blob in (words[(len(words) - 1) // 2], words[-2]))
    was = os.fsdecode(next(parts)) if status == "R" and not raw.startswith(b"::") else None
    return Touch(status, os.fsdecode(next(parts)), was, old, new)
