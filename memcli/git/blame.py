"""Who wrote the lines of a document, as `git blame` tells it: white space and moves within the file aside."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memcli.errors import GitFailed
from memcli.git.run import Git

_HEADER = re.compile(rb"([0-9a-f]{40,64}) (\d+) (\d+)(?: \d+)?$")
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}


class Origin(NamedTuple):
    """Where a line comes from: the commit that wrote it (None: not committed yet), the committer's time in seconds, the
    path and the number that the line has there, and the (commit, path) at which its history would go on, if it does."""

    commit: str | None
    time: int
    path: str
    line: int
    previous: tuple[str, str] | None


def blame(git: Git, path: str, commit: str | None, spans: Sequence[tuple[int, int]] = ()) -> dict[int, Origin]:
    """The origin of each line (from 1) of a file in a commit, or in the work tree; of all, or of those in the spans.

    A commit that `blame.ignoreRevsFile` names is passed over, as git does; where that setting names a file that is not
    there, or holds no commits, git blames nothing at all, so it is asked again without it. Raises GitFailed when git
    can't tell: the file is not there, or the clone lacks old contents.
    """
    ranges = [f"-L{first},{last}" for first, last in spans]
    args = ["--porcelain", "-w", "-M", *ranges, *([commit] if commit else []), "--", path]
    answer = git.ask("blame", *args)
    if answer.code:
        answer = git.ask("blame", "--no-ignore-revs-file", *args)
    if answer.code:
        raise GitFailed(
            f"git can't tell who wrote {path}: {answer.first_error()}",
            "where the clone lacks old contents, fetch them all: git fetch --refetch --no-filter",
        )
    return dict(_parsed(answer.out))


def _parsed(out: bytes) -> Iterator[tuple[int, Origin]]:
    """The lines of the porcelain format: a header, what is said of a commit where it is first met, TAB and the line."""
    commits: dict[bytes, dict[bytes, bytes]] = {}
    about: dict[bytes, bytes] = {}
    header: re.Match[bytes] | None = None
    for line in out.split(b"\n"):
        if line.startswith(b"\t") and header:
            yield int(header[3]), _origin(header[1].decode(), int(header[2]), about)
            header = None
        elif header is None:
            header = _HEADER.match(line)
            if header:
                about = commits.setdefault(header[1], {})
        else:
            name, _, value = line.partition(b" ")
            about[name] = value


def _origin(commit: str, line: int, about: Mapping[bytes, bytes]) -> Origin:
    before, _, name = about.get(b"previous", b"").partition(b" ")
    return Origin(
        commit if commit.strip("0") else None,
        int(about.get(b"committer-time", b"0")),
        _unquoted(about.get(b"filename", b"")),
        line,
        (before.decode(), _unquoted(name)) if before else None,
    )


def _unquoted(name: bytes) -> str:
    """A path as git prints it, out of its quotes."""
    text = os.fsdecode(name)
    if not (text.startswith('"') and text.endswith('"') and len(text) > 1):
        return text
    plain = re.sub(r'\\([0-7]{3}|[abtnvfr"\\])', lambda sign: os.fsdecode(_byte(sign[1])), text[1:-1])
    return os.fsdecode(os.fsencode(plain))  # bytes that are one character together


def _byte(sign: str) -> bytes:
    return bytes([int(sign, 8) if len(sign) == 3 else _ESCAPES.get(sign, ord(sign))])
