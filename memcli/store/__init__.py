"""The store: fragments, their indexes and what was remembered, in one LMDB file. The only package that knows lmdb.

    with Store(folder).reading() as reader: ...      # None when there is no store
    with Store(folder).writing() as writer: ...      # makes the store; durable when the block ends without an error

No environment stays open between uses, so a resident process never holds a reader slot or an old map.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from memcli.errors import StoreLocked
from memcli.store import environment, faults, turns
from memcli.store.databases import SCHEMA, check_schema, handles, is_current, made_current
from memcli.store.files import DATA
from memcli.store.reader import Reader
from memcli.store.writer import Writer

__all__ = ["SCHEMA", "Reader", "Store", "Writer"]


class Store:
    """The store in a folder (which may not exist yet)."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._path = os.path.join(folder, DATA)

    @property
    def exists(self) -> bool:
        """True when there is a data file, or no telling for want of permission. Whether it can be read shows when it
        is."""
        try:
            os.lstat(self._path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True
        return True

    @contextmanager
    def reading(self) -> Iterator[Reader | None]:
        """One consistent view; None when there is no store, which is never made by reading.

        A store of an older schema is brought to this one first. Within another use by the same thread it is that one's
        view. Raises StoreDamaged, StoreTooNew, StoreReadOnly (no permission to read), StoreLocked.
        """
        with turns.turn(self._path) as turn, faults.of_lmdb(self._path):
            if turn.view is None and not self._look(turn):
                turn.end()
                with self.writing():
                    pass
                self._look(turn)
            yield turn.view

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """A transaction: all of the block's changes or, on any error, none. Makes the store.

        Raises StoreLocked after 10 s of waiting and at once within another use by the same thread, StoreReadOnly,
        StoreFull, StoreDamaged, StoreTooNew.
        """
        with turns.turn(self._path) as turn, faults.of_lmdb(self._path):
            if turn.view is not None:
                raise StoreLocked(f"this very thread already uses the store {self._path}", "end that use first")
            if turn.env is None:
                with faults.of_disk(self._path):
                    turn.env = environment.open_for_writing(self.folder)
            try:
                with turn.begin_write(self._path) as txn:
                    writer = Writer(txn, made_current(turn.env, txn, self._path))
                    turn.view = writer
                    yield writer
            finally:
                turn.end()

    def _look(self, turn: turns.Turn) -> bool:
        """Give the turn its view of the store, if there is one. False: its schema is an older one."""
        if turn.env is None:
            with faults.of_disk(self._path):
                turn.env = environment.open_for_reading(self.folder)
        if turn.env is None:
            return True
        turn.txn = turns.begin(turn.env)
        databases = handles(turn.env, turn.txn, create=False)
        schema = check_schema(turn.txn, databases, self._path)
        if schema is None:  # made, and nothing stored in it yet
            turn.end()
            return True
        if is_current(schema, databases):
            turn.view = Reader(turn.txn, databases)
        return turn.view is not None
