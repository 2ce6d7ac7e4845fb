"""The store: fragments, their indexes and what was remembered, in one LMDB file. The only package that knows lmdb.

    with Store(folder).reading() as reader: ...      # None when there is no store
    with Store(folder).writing() as writer: ...      # makes the store; durable when the block ends without an error

No environment stays open between uses, so a resident process never holds a reader slot or an old map.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import lmdb

from memcli.errors import StoreLocked
from memcli.store import environment, faults, turns
from memcli.store.databases import SCHEMA, Handles, check_schema, handles, is_current, made_current
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

        A store of an older schema is brought to this one first. Within another use by the same thread it sees what was
        stored before that one. Raises StoreDamaged, StoreTooNew, StoreReadOnly (no permission to read), StoreLocked.
        """
        with turns.turn(self._path) as turn, faults.of_lmdb(self._path):
            databases, schema = self._opened(turn, environment.open_for_reading)
            if turn.env is None or schema is None:
                yield None
                return
            if is_current(schema, databases):
                with turns.begin(turn.env) as txn:
                    yield Reader(txn, databases)
                return
        with self.writing():
            pass
        with self.reading() as reader:
            yield reader

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """A transaction: all of the block's changes or, on any error, none. Makes the store.

        Raises StoreLocked after 10 s of waiting and at once within another use by the same thread, StoreReadOnly,
        StoreFull, StoreDamaged, StoreTooNew.
        """
        with turns.turn(self._path) as turn, faults.of_lmdb(self._path):
            if turn.uses > 1:
                raise StoreLocked(f"this very thread already uses the store {self._path}", "end that use first")
            self._opened(turn, environment.open_for_writing)
            with turn.begin_write(self._path) as txn:
                assert turn.env is not None
                yield Writer(txn, made_current(turn.env, txn, self._path))

    def _opened(self, turn: turns.Turn, open_: Callable[[str], lmdb.Environment | None]) -> tuple[Handles, int | None]:
        """The databases and the schema, in an environment that is open for the turn; no schema where nothing is."""
        if turn.env is None:
            with faults.of_disk(self._path):
                turn.env = open_(self.folder)
        if turn.env is None:
            return {}, None
        # in a transaction of its own, so that the handles outlive it and serve a use within a use
        with turns.begin(turn.env) as txn:
            databases = handles(turn.env, txn, create=False)
            return databases, check_schema(txn, databases, self._path)
