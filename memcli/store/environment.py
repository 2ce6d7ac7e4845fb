"""Opening the store's LMDB file, in every condition a disk or a sandbox can put it, and turning LMDB's errors into ours.

The only importer of lmdb. What the numbers and fallbacks stand on was measured: a map of 64 GiB costs nothing on disk;
a small address space refuses it, so smaller maps are tried; a data file cut short kills the process with SIGBUS, so its
size is compared with its own last page first; a wait for the write lock can't be interrupted, so a probe thread waits.
"""

import errno
import os
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import lmdb

from memcli.errors import MemError, StoreDamaged, StoreFull, StoreLocked, StoreReadOnly

MAP_SIZES = (1 << 36, 1 << 33, 1 << 30, 1 << 28)  # bytes; the first that the address space grants
MAX_READERS = 1022
LOCK_WAIT = 10.0  # seconds
DATA, LOCK = "data.mdb", "lock.mdb"

# LMDB's meta page, after its 16-byte header: magic, version, map size, page size
_META = struct.Struct("<II8xQI")
_LAST = struct.Struct("<QQ")  # last page number, transaction id, 136 bytes into the page
_MAGIC = 0xBEEFC0DE

# Environments whose write lock never came: a thread still waits inside, so they must not be closed (or collected).
_abandoned: list[lmdb.Environment] = []
_one_at_a_time: dict[str, threading.RLock] = {}


class Header(NamedTuple):
    """What a data file says of itself: bytes a page, last page, transaction id."""

    page_size: int
    last_page: int
    txnid: int


def header(path: str) -> Header | None:
    """The newer of the file's two meta pages; None when the file isn't there. Raises StoreDamaged for anything that is
    no LMDB file, or one that is shorter than its own last page."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            start = file.read(8192 * 16)
    except FileNotFoundError:
        return None
    except PermissionError as error:
        raise StoreReadOnly(f"the store {path} may not be read", "check the owner and mode of the folder") from error
    if not size:
        return None
    first = _meta(start, 0, path)
    second = _meta(start, first.page_size, path)
    newest = max(first, second, key=lambda meta: meta.txnid)
    if size < (newest.last_page + 1) * newest.page_size:
        raise _damaged(path, "it is cut short")
    return newest


def _meta(start: bytes, offset: int, path: str) -> Header:
    page = start[offset : offset + 152]
    if len(page) < 152:
        raise _damaged(path, "it is cut short")
    magic, version, _, page_size = _META.unpack_from(page, 16)
    if magic != _MAGIC or version & 0xFFFF not in (1, 2) or page_size not in (1 << n for n in range(9, 17)):
        raise _damaged(path, "it is not a store")
    return Header(page_size, *_LAST.unpack_from(page, 136))


def _damaged(path: str, why: str) -> StoreDamaged:
    hint = f"move {os.path.dirname(path)} aside and start anew, or put a copy back; it was not touched"
    return StoreDamaged(f"the store {path} can't be read: {why}", hint)


@contextmanager
def translated(folder: str) -> Iterator[None]:
    """LMDB's errors inside the block come out as ours, one line each. The disk's own errors only while opening: inside
    a transaction an OSError is the caller's (a work tree's file, say)."""
    path = os.path.join(folder, DATA)
    try:
        yield
    except (lmdb.MapFullError, lmdb.TxnFullError) as error:
        raise StoreFull(f"the store {path} is full", "free disk space; nothing of this was stored") from error
    except (lmdb.ReadonlyError, lmdb.LockError) as error:
        raise StoreReadOnly(f"the store {path} can't be written here", _WAYS_OUT) from error
    except lmdb.Error as error:
        raise _from_lmdb(path, error) from error


@contextmanager
def opening(folder: str) -> Iterator[None]:
    """The disk's errors while the store is opened come out as ours."""
    path = os.path.join(folder, DATA)
    try:
        yield
    except (PermissionError, NotADirectoryError) as error:
        raise StoreReadOnly(f"the store {path} can't be written here", _WAYS_OUT) from error
    except OSError as error:
        raise _from_disk(path, error) from error


_WAYS_OUT = "save from outside the sandbox: over MCP, or with a [MEMORY: key] line that is captured at the turn's end"


def _from_lmdb(path: str, error: lmdb.Error) -> MemError:
    code = error.args[0] if error.args else ""
    text = str(code)
    if os.strerror(errno.ENOSPC) in text or os.strerror(errno.EDQUOT) in text or os.strerror(errno.EFBIG) in text:
        return StoreFull(f"no room on the disk for the store {path}", "free some space; nothing of this was stored")
    if any(os.strerror(number) in text for number in (errno.EACCES, errno.EPERM, errno.EROFS)):
        return StoreReadOnly(f"the store {path} can't be written here", _WAYS_OUT)
    return _damaged(path, text.removeprefix(f"{os.path.dirname(path)}: "))


def _from_disk(path: str, error: OSError) -> MemError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return StoreFull(f"no room on the disk for the store {path}", "free some space; nothing of this was stored")
    if error.errno == errno.EROFS:
        return StoreReadOnly(f"the store {path} can't be written here", _WAYS_OUT)
    return _damaged(path, error.strerror or str(error))


@contextmanager
def alone(folder: str) -> Iterator[None]:
    """One thread of this process at a time in a store: LMDB forbids opening a file twice in one process."""
    lock = _one_at_a_time.setdefault(os.path.realpath(folder), threading.RLock())
    with lock:
        yield


def open_for_reading(folder: str, databases: int) -> tuple[lmdb.Environment, Callable[[], None]] | None:
    """The environment to read from and what closes it; None when there is no store.

    Where the lock file can't be used (no permission, the same pid in another pid namespace) a stable copy of the data
    file is read instead: without a lock, pages under a reader may be reused by a writer.
    """
    if header(os.path.join(folder, DATA)) is None:
        return None
    options = {"readonly": True, "create": False, "max_dbs": databases, "max_readers": MAX_READERS}
    try:
        env = _open(folder, options)
    except (lmdb.Error, OSError):
        return _open_copy(folder, options)
    return env, env.close


def _open_copy(folder: str, options: Mapping[str, object]) -> tuple[lmdb.Environment, Callable[[], None]]:
    import shutil
    import tempfile

    source = os.path.join(folder, DATA)
    try:
        copy = tempfile.mkdtemp(prefix="mem-")
    except OSError:
        env = _open(folder, {**options, "lock": False})
        return env, env.close
    for _ in range(10):
        before = header(source)
        shutil.copyfile(source, os.path.join(copy, DATA))
        if header(source) == before:
            break
    env = _open(copy, {**options, "lock": False})

    def close() -> None:
        env.close()
        shutil.rmtree(copy, ignore_errors=True)

    return env, close


def open_for_writing(folder: str, databases: int) -> lmdb.Environment:
    """The environment to write to; makes the folder (0700) and its files (0600) when there are none."""
    header(os.path.join(folder, DATA))
    os.makedirs(folder, mode=0o700, exist_ok=True)
    env = _open(folder, {"mode": 0o600, "max_dbs": databases, "max_readers": MAX_READERS})
    env.reader_check()  # dead readers hold slots; four of them once locked every new reader out
    return env


def _open(folder: str, options: Mapping[str, object]) -> lmdb.Environment:
    for size in MAP_SIZES:
        try:
            return lmdb.open(folder, map_size=size, **options)  # type: ignore[arg-type]  # one mapping for three calls
        except (MemoryError, lmdb.MemoryError):
            last = size == MAP_SIZES[-1]
            if last:
                raise StoreFull("no address space to map the store", "raise the limit (ulimit -v)") from None
        except lmdb.Error as error:
            if os.strerror(errno.ENOMEM) not in str(error) or size == MAP_SIZES[-1]:
                raise
    raise AssertionError("unreachable: the last size returns or raises")


def begin_write(env: lmdb.Environment, folder: str) -> "lmdb.Transaction[bytes]":
    """A write transaction, after waiting at most LOCK_WAIT for the lock. Raises StoreLocked."""
    got = threading.Event()
    failed: list[BaseException] = []

    def probe() -> None:
        try:
            env.begin(write=True).abort()
        except BaseException as error:  # reported by the waiting thread
            failed.append(error)
        got.set()

    threading.Thread(target=probe, daemon=True).start()
    if not got.wait(LOCK_WAIT):
        _abandoned.append(env)
        raise StoreLocked(
            f"another process has held the store {folder} for {LOCK_WAIT:.0f} s",
            "end that process and try again; nothing was stored",
        )
    try:
        return env.begin(write=True)
    except lmdb.MapResizedError:  # another process grew the map
        env.set_mapsize(0)
        return env.begin(write=True)


def begin_read(env: lmdb.Environment) -> "lmdb.Transaction[bytes]":
    """A read transaction: one consistent view, however long it lives."""
    try:
        return env.begin()
    except lmdb.MapResizedError:
        env.set_mapsize(0)
        return env.begin()


def close(env: lmdb.Environment) -> None:
    """Close it, unless a thread still waits for its lock."""
    if env not in _abandoned:
        env.close()
