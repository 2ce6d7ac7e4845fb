"""The one place that starts the git program: a fixed environment in, bytes out, failures as `GitFailed`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memcli.errors import GitFailed

if TYPE_CHECKING:
    import subprocess

# what makes git's answers ours: its own words untranslated, no lock taken for a refresh, no question asked, and nothing
# fetched for a partial clone (before 2.44 git knows no GIT_NO_LAZY_FETCH; a protocol that may not be used stops it too)
FIXED = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
}
# what a hook's or a user's environment says about one repository and would mislead a question about another, and
# switches that change how pathspecs are read
LOCAL = frozenset(
    (
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_COMMON_DIR",
        "GIT_INDEX_FILE",
        "GIT_PREFIX",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_NAMESPACE",
        "GIT_LITERAL_PATHSPECS",
        "GIT_GLOB_PATHSPECS",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_ICASE_PATHSPECS",
    )
)
LITERAL = "--literal-pathspecs"


class Answer(NamedTuple):
    """What git said: exit code, stdout, stderr."""

    code: int
    out: bytes
    err: bytes

    def first_error(self) -> str:
        """Git's own first line of complaint, without `fatal:`."""
        lines = self.err.decode("utf-8", "replace").strip().splitlines()
        return lines[0].removeprefix("fatal: ").removeprefix("error: ") if lines else f"git exited with {self.code}"


class Git:
    """The git program, asked from one folder. `place` names the repository (GIT_DIR …); empty lets git look for it."""

    def __init__(self, cwd: str, env: Mapping[str, str], place: Mapping[str, str] | None = None) -> None:
        self.cwd = cwd
        self._env = {name: value for name, value in env.items() if name not in LOCAL} | FIXED | dict(place or {})

    def ask(self, *args: str | bytes, input: bytes | None = None) -> Answer:
        """Run git and give all that it said, whatever its exit code. Raises GitFailed when git can't be started."""
        process = self.start(*args, stdin=input is not None)
        out, err = process.communicate(input)
        return Answer(process.returncode, out, err)

    def run(self, *args: str | bytes, input: bytes | None = None, ok: Sequence[int] = (0,)) -> bytes:
        """Run git for its stdout. Raises GitFailed with git's first line when the exit code is none of `ok`."""
        answer = self.ask(*args, input=input)
        if answer.code not in ok:
            raise GitFailed(f"git {_name(args)} failed: {answer.first_error()}")
        return answer.out

    def start(self, *args: str | bytes, stdin: bool, stderr: bool = True) -> subprocess.Popen[bytes]:
        """Start git with pipes; without `stdin` it reads nothing, without `stderr` its complaints are dropped."""
        from subprocess import DEVNULL, PIPE, Popen

        try:
            return Popen(
                ["git", *args],
                cwd=self.cwd,
                env=self._env,
                stdin=PIPE if stdin else DEVNULL,
                stdout=PIPE,
                stderr=PIPE if stderr else DEVNULL,
            )
        except FileNotFoundError:
            if os.path.isdir(self.cwd):
                raise GitFailed("the git program was not found", "install git, or put it on PATH") from None
            raise GitFailed(f"the folder {self.cwd} is gone") from None
        except OSError as error:
            raise GitFailed(f"git can't be started: {error.strerror}") from None
        except ValueError:
            raise GitFailed("a name with a NUL character can't be given to git") from None


def records(out: bytes) -> Iterator[str]:
    """The parts of a `-z` output, as text with undecodable bytes escaped."""
    return (os.fsdecode(part) for part in out.split(b"\0") if part)


def _name(args: Sequence[str | bytes]) -> str:
    """The git command in an argument list: the first that is no option."""
    words = (os.fsdecode(arg) for arg in args)
    return next((word for word in words if not word.startswith("-")), "")
