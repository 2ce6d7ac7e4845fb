"""Work behind the user's back: a child of its own session, and one worker a store at a time.

Nothing is started where the user, a sandbox or a continuous integration said no, and nothing here makes a store.
"""

import os
import sys
from collections.abc import Iterator, Mapping

_LOCK = "background.lock"
_ASKED = "background.asked."  # one empty file for each job that somebody asked for and nobody took up yet

# Which repository, work tree and index git was busy with when it called a hook. A child that outlives the hook asks
# the folder it stands in instead: the index named here may be a temporary one.
_ONE_REPOSITORY = (
    "GIT_DIR",
    "GIT_COMMON_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_QUARANTINE_PATH",
    "GIT_NAMESPACE",
)


def allowed(env: Mapping[str, str]) -> bool:
    """Whether background work may run: not with CI or MEM_NO_BACKGROUND set, nor with MEM_DISABLE=1."""
    return not (env.get("CI") or env.get("MEM_NO_BACKGROUND") or env.get("MEM_DISABLE") == "1")


def program() -> list[str]:
    """The words that start this very mem again.

    -P keeps the current folder off the module path: it is the user's repository, whose `re.py` or `json.py` is not ours
    to run.
    """
    return [sys.executable, "-P", "-m", "memcli"]


def without_repository(env: Mapping[str, str]) -> dict[str, str]:
    """The environment without what git tells a hook about the repository it is busy with."""
    return {name: value for name, value in env.items() if name not in _ONE_REPOSITORY}


def start(args: list[str], env: Mapping[str, str], cwd: str) -> bool:
    """Start `mem _background ARGS` in a folder and come back at once; False when nothing was started.

    The child has a session of its own, /dev/null for stdin, stdout and stderr, and no other descriptor. A shell starts
    it and ends: so it is nobody's child, and a resident parent collects no zombies.
    """
    if not allowed(env) or not sys.executable:
        return False
    import subprocess

    null = subprocess.DEVNULL
    command = ["/bin/sh", "-c", '"$@" &', "sh", *program(), "_background", *args]
    try:
        with subprocess.Popen(
            command, cwd=cwd, env=env, stdin=null, stdout=null, stderr=null, start_new_session=True
        ) as shell:
            return shell.wait() == 0
    except OSError:
        return False


def turns(folder: str, job: str) -> Iterator[str]:
    """Ask for a job on the store in a folder, and give the jobs that this process has to do now, one after the other.

    While another process is at work on the store it gives none: the other one takes the job up when it is through with
    its own. Jobs asked for several times meanwhile are done once. Gives none where there is no such folder or it can't
    be written; never makes it. Each job is done when the caller asks for the next; leaving the loop gives the turn up.
    """
    try:
        _ask(folder, job)
        # Asked again after the turn was given up: someone who asked in between found it taken and has gone.
        while _asked(folder) and (lock := _lock(folder)) is not None:
            try:
                yield from _taken_up(folder)
            finally:
                os.close(lock)
    except OSError:
        return


def _taken_up(folder: str) -> Iterator[str]:
    """The jobs asked for, each no longer asked for as soon as it is given, until there are none."""
    while jobs := _asked(folder):
        for job in jobs:
            os.unlink(os.path.join(folder, _ASKED + job))
            yield job


def _ask(folder: str, job: str) -> None:
    os.close(os.open(os.path.join(folder, _ASKED + job), os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))


def _asked(folder: str) -> list[str]:
    return sorted(name.removeprefix(_ASKED) for name in os.listdir(folder) if name.startswith(_ASKED))


def _lock(folder: str) -> int | None:
    """A descriptor that holds the turn until it is closed, or the process ends; None when another one has it."""
    import fcntl

    lock = os.open(os.path.join(folder, _LOCK), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    except OSError:
        os.close(lock)
        raise
    return lock
