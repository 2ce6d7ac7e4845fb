"""Waiting for one's turn: among the threads of this process, and among the processes that write."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import lmdb

from memcli.errors import StoreLocked
from memcli.store import faults

LOCK_WAIT = 10.0  # seconds


class _Turn:
    """A store's turn within this process: its lock, the thread that holds it, and what an earlier wait left behind.

    `waiting`: an environment inside which a thread still waits for the write lock, and what it sets in the end. To
    close it under that thread would crash, and so would opening the file a second time: it serves until that is over.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.holder: int | None = None
        self.waiting: tuple[lmdb.Environment, threading.Event] | None = None


_turns: dict[str, _Turn] = {}


def _turn(folder: str) -> _Turn:
    return _turns.setdefault(os.path.realpath(folder), _Turn())


@contextmanager
def alone(folder: str) -> Iterator[None]:
    """One use of a store at a time in this process: LMDB forbids to open a file twice.

    Raises StoreLocked at once for a use within a use, and after LOCK_WAIT when another thread holds it.
    """
    turn = _turn(folder)
    if turn.holder == threading.get_ident():
        raise StoreLocked(f"the store {folder} is already in use by this very thread", "end that use before another")
    if not turn.lock.acquire(timeout=LOCK_WAIT):
        raise faults.busy(folder, "another thread of this process", LOCK_WAIT)
    turn.holder = threading.get_ident()
    try:
        yield
    finally:
        turn.holder = None
        turn.lock.release()


def left_waiting(folder: str) -> lmdb.Environment | None:
    """The environment that a thread waits in since an earlier try, if it still does."""
    turn = _turn(folder)
    if turn.waiting is None:
        return None
    env, over = turn.waiting
    if not over.is_set():
        return env
    turn.waiting = None
    env.close()
    return None


def close(folder: str, env: lmdb.Environment) -> None:
    """Close the environment, unless a thread waits in it."""
    if _turn(folder).waiting is None:
        env.close()


def begin_write(folder: str, env: lmdb.Environment) -> "lmdb.Transaction[bytes]":
    """A write transaction, after waiting at most LOCK_WAIT for the lock. Raises StoreLocked.

    The wait inside LMDB can't be ended, so a thread waits first, which can be left alone.
    """
    turn = _turn(folder)
    if turn.waiting is None:
        turn.waiting = env, _wait_for_lock(env)
    if not turn.waiting[1].wait(LOCK_WAIT):
        raise faults.busy(folder, "another process", LOCK_WAIT)
    turn.waiting = None
    return begin(env, write=True)


def _wait_for_lock(env: lmdb.Environment) -> threading.Event:
    over = threading.Event()

    def wait() -> None:
        with suppress(lmdb.Error):  # whoever waits for this meets the same error
            env.begin(write=True).abort()
        over.set()

    threading.Thread(target=wait, daemon=True).start()
    return over


def begin(env: lmdb.Environment, write: bool = False) -> "lmdb.Transaction[bytes]":
    """A transaction: one consistent view, however long it lives."""
    try:
        return env.begin(write=write)
    except lmdb.MapResizedError:  # another process grew the map
        env.set_mapsize(0)
        return env.begin(write=write)
