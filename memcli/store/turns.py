"""Waiting for one's turn: among the threads of this process, and among the processes that write."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import lmdb

from memcli.store import faults
from memcli.store.reader import Reader

LOCK_WAIT = 10.0  # seconds


class Turn:
    """The use of one store by one thread of this process: LMDB forbids to open a file twice, so others wait.

    `env`, the read transaction `txn` and `view`, what the thread sees, last as long as the turn. `_wait` is set in the
    end by a thread that waits for the write lock; after a wait that was given up, `env` can't be closed under it, and
    serves the next turns.
    """

    def __init__(self) -> None:
        self.env: lmdb.Environment | None = None
        self.txn: lmdb.Transaction[bytes] | None = None
        self.view: Reader | None = None
        self._uses = 0
        self._holder: int | None = None
        self._lock = threading.Lock()
        self._wait: threading.Event | None = None

    def take(self, path: str) -> None:
        """Begin a use: at once within one of the same thread, else when the others are through. Raises StoreLocked."""
        if self._holder != threading.get_ident():
            if not self._lock.acquire(timeout=LOCK_WAIT):
                raise faults.busy(path, "another thread of this process", LOCK_WAIT)
            self._holder = threading.get_ident()
        self._uses += 1

    def leave(self) -> None:
        """End a use; with the last one the turn is over."""
        self._uses -= 1
        if not self._uses:
            try:
                self.end()
            finally:
                self._holder = None
                self._lock.release()

    def end(self) -> None:
        """Let go of the store."""
        self.view = None
        if self.txn is not None:
            self.txn.abort()
            self.txn = None
        if self.env is not None and (self._wait is None or self._wait.is_set()):
            self._wait = None
            self.env.close()
            self.env = None

    def begin_write(self, path: str) -> "lmdb.Transaction[bytes]":
        """A write transaction, after waiting at most LOCK_WAIT for the lock. Raises StoreLocked.

        The wait inside LMDB can't be ended, so a thread waits first, which can be left alone.
        """
        assert self.env is not None
        if self._wait is None:
            self._wait = _wait_for_lock(self.env)
        if not self._wait.wait(LOCK_WAIT):
            raise faults.busy(path, "another process", LOCK_WAIT)
        self._wait = None
        return begin(self.env, write=True)


_turns: dict[str, Turn] = {}


@contextmanager
def turn(path: str) -> Iterator[Turn]:
    """This thread's turn at the store whose data file is `path`. Raises StoreLocked after waiting for LOCK_WAIT."""
    mine = _turns.setdefault(os.path.realpath(path), Turn())
    mine.take(path)
    try:
        yield mine
    finally:
        mine.leave()


def begin(env: lmdb.Environment, write: bool = False) -> "lmdb.Transaction[bytes]":
    """A transaction: one consistent view, however long it lives."""
    try:
        return env.begin(write=write)
    except lmdb.MapResizedError:  # another process grew the map
        env.set_mapsize(0)
        return env.begin(write=write)


def _wait_for_lock(env: lmdb.Environment) -> threading.Event:
    over = threading.Event()

    def wait() -> None:
        with suppress(lmdb.Error):  # whoever waits for this meets the same error
            env.begin(write=True).abort()
        over.set()

    threading.Thread(target=wait, daemon=True).start()
    return over
