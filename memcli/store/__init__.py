"""The store: fragments, their indexes and what was remembered, in one LMDB file. The only package that knows lmdb.

    with Store(folder).reading() as reader: ...      # None when there is no store
    with Store(folder).writing() as writer: ...      # makes the store; durable when the block ends without an error

No environment stays open between uses, so a resident process never holds a reader slot or an old map.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from memcli.store import environment
from memcli.store.databases import DATABASES, SCHEMA, check_schema, handles, migrate
from memcli.store.reader import Reader
from memcli.store.writer import Writer

__all__ = ["SCHEMA", "Reader", "Store", "Writer"]


class Store:
    """The store in a folder (which may not exist yet)."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    @property
    def exists(self) -> bool:
        """True when there is a data file. Whether it can be read shows when it is."""
        return os.path.exists(os.path.join(self.folder, environment.DATA))

    @contextmanager
    def reading(self) -> Iterator[Reader | None]:
        """One consistent view; None when there is no store, which is never made by reading.

        Raises StoreDamaged, StoreTooNew, StoreReadOnly (no permission to read).
        """
        with environment.alone(self.folder), environment.translated(self.folder):
            with environment.opening(self.folder):
                opened = environment.open_for_reading(self.folder, len(DATABASES))
            if opened is None:
                yield None
                return
            env, close = opened
            try:
                with environment.begin_read(env) as txn:
                    databases = handles(env, txn, create=False)
                    empty = check_schema(txn, databases, self.folder) is None
                    yield None if empty else Reader(txn, databases)
            finally:
                close()

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """A transaction: all of the block's changes or, on any error, none. Makes the store.

        Raises StoreLocked after 10 s of waiting, StoreReadOnly, StoreFull, StoreDamaged, StoreTooNew.
        """
        with environment.alone(self.folder), environment.translated(self.folder):
            with environment.opening(self.folder):
                env = environment.open_for_writing(self.folder, len(DATABASES))
            try:
                with environment.begin_write(env, self.folder) as txn:
                    databases = handles(env, txn, create=True)
                    migrate(txn, databases, check_schema(txn, databases, self.folder))
                    yield Writer(txn, databases)
            finally:
                environment.close(env)
