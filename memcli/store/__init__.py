"""The store: fragments, their indexes and what was remembered, in one LMDB file. The only package that knows lmdb.

    with Store(folder).reading() as reader: ...      # None when there is no store
    with Store(folder).writing() as writer: ...      # makes the store; durable when the block ends without an error

No environment stays open between uses, so a resident process never holds a reader slot or an old map.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from memcli.store import environment, faults, turns
from memcli.store.databases import SCHEMA, check_schema, handles, is_current, migrate
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

        A store of an older schema is brought to this one first. Raises StoreDamaged, StoreTooNew, StoreReadOnly (no
        permission to read), StoreLocked (a use within a use).
        """
        with turns.alone(self.folder), faults.of_lmdb(self._path):
            with faults.of_disk(self._path):
                env = environment.open_for_reading(self.folder)
            if env is None:
                yield None
                return
            try:
                with turns.begin(env) as txn:
                    databases = handles(env, txn, create=False)
                    schema = check_schema(txn, databases, self._path)
                    if schema is None or is_current(schema, databases):
                        yield None if schema is None else Reader(txn, databases)
                        return
            finally:
                turns.close(self.folder, env)
        with self.writing():
            pass
        with self.reading() as reader:
            yield reader

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """A transaction: all of the block's changes or, on any error, none. Makes the store.

        Raises StoreLocked after 10 s of waiting, StoreReadOnly, StoreFull, StoreDamaged, StoreTooNew.
        """
        with turns.alone(self.folder), faults.of_lmdb(self._path):
            with faults.of_disk(self._path):
                env = environment.open_for_writing(self.folder)
            try:
                with turns.begin_write(self.folder, env) as txn:
                    databases = handles(env, txn, create=False)
                    schema = check_schema(txn, databases, self._path)
                    if not is_current(schema, databases):
                        databases = handles(env, txn, create=True)
                        migrate(txn, databases, schema)
                    yield Writer(txn, databases)
            finally:
                turns.close(self.folder, env)
