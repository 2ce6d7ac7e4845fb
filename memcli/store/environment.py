"""Opening a store's LMDB environment, in every condition that a disk, a sandbox or another process can put it in.

What the numbers and fallbacks stand on was measured: a map of 64 GiB costs nothing on disk; a small address space
refuses it, so smaller ones are tried.
"""

import os
import time
from typing import Any

import lmdb

from memcli.store import faults, files, turns
from memcli.store.databases import DATABASES, RETIRED
from memcli.store.datafile import header
from memcli.store.files import DATA

MAP_SIZES = (1 << 36, 1 << 33, 1 << 30, 1 << 28, 1 << 26)  # bytes; the first that the address space grants
_CROWD = 64  # reader slots in use from which on the dead among them are looked for
_COPIES = 10  # attempts at a copy that no writer came between


def open_for_reading(folder: str) -> lmdb.Environment | None:
    """The environment to read from; None when there is no store.

    Where the lock file can't be used (no permission, a read-only mount that others write to, the same process id in
    another namespace) a stable copy is read: a writer that sees no lock may reuse pages under the reader.
    """
    if header(os.path.join(folder, DATA)) is None:
        return None
    try:
        files.prepare_lock(folder)
        env = _open(folder, readonly=True)
    except (lmdb.Error, OSError):
        return _open_copy(folder)
    if env.info()["num_readers"] >= _CROWD:
        env.reader_check()
    return env


def open_for_writing(folder: str) -> lmdb.Environment:
    """The environment to write to; makes the store when there is none. Raises StoreLocked."""
    if header(os.path.join(folder, DATA)) is None:
        files.make_store(folder)
    files.prepare_lock(folder)
    env = _open_patiently(folder)
    env.reader_check()  # dead readers hold slots, and pages
    return env


def _open_patiently(folder: str) -> lmdb.Environment:
    """Opened when its turn comes: a process with the same id in another namespace keeps us out while it has the store
    open, and so do readers in every slot."""
    until = time.monotonic() + turns.LOCK_WAIT
    while True:
        try:
            return _open(folder, mode=0o600)
        except (lmdb.LockError, lmdb.ReadersFullError) as error:
            if time.monotonic() > until:
                raise faults.busy(folder, "another process", turns.LOCK_WAIT) from error
            time.sleep(0.01)


def _open_copy(folder: str) -> lmdb.Environment | None:
    import shutil
    import tempfile

    source = os.path.join(folder, DATA)
    try:
        copy = tempfile.mkdtemp(prefix="mem-")
    except OSError:  # nowhere to put one
        return _open(folder, readonly=True, lock=False)
    try:
        for _ in range(_COPIES):
            before = header(source)
            if before is None:
                return None
            shutil.copyfile(source, os.path.join(copy, DATA))
            if header(source) == before:
                return _open(copy, readonly=True, lock=False)
    except OSError:  # no room for it
        return _open(folder, readonly=True, lock=False)
    finally:
        shutil.rmtree(copy, ignore_errors=True)  # what is mapped stays until it is closed
    raise faults.busy(folder, "a writer at work", turns.LOCK_WAIT)


def _open(folder: str, **options: Any) -> lmdb.Environment:
    for size in MAP_SIZES:
        try:
            return lmdb.open(
                folder,
                map_size=size,
                create=False,
                max_dbs=len(DATABASES) + len(RETIRED),
                max_readers=files.MAX_READERS,
                **options,
            )
        except (MemoryError, lmdb.MemoryError):
            continue
    raise faults.no_address_space(os.path.join(folder, DATA))
