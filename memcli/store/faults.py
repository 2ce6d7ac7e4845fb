"""What can go wrong with a store, as errors of ours: one line that names the file, and what to do about it."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

import lmdb

from memcli.errors import MemError, StoreDamaged, StoreFull, StoreLocked, StoreReadOnly

_WAYS_OUT = "save from outside the sandbox: over MCP, or with a [MEMORY: key] line that is captured at the turn's end"

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)

_DAMAGE = (
    lmdb.BadValsizeError,  # a nonsensical length on a page: those of our own keys are bounded
    lmdb.CursorFullError,  # pages that lead to each other
    lmdb.CorruptedError,
    lmdb.IncompatibleError,
    lmdb.InvalidError,
    lmdb.PageNotFoundError,
    lmdb.VersionMismatchError,
)
# These name a mistake in this package, not a situation of the user's: they go to the error door as they are.
_OURS = (lmdb.BadDbiError, lmdb.BadTxnError, lmdb.KeyExistsError)


def damaged(path: str, why: str) -> StoreDamaged:
    """The file is no store, or not all of one."""
    hint = f"move {os.path.dirname(path)} aside and start anew, or put a copy back; it was not touched"
    return StoreDamaged(f"the store {path} can't be read: {why}", hint)


def unreadable(path: str) -> StoreReadOnly:
    """There is no permission even to read the file."""
    return StoreReadOnly(f"the store {path} may not be read", "check who owns it and its folder, and their modes")


def busy(path: str, who: str, seconds: float) -> StoreLocked:
    """Somebody uses the store for longer than we wait."""
    return StoreLocked(f"{who} has held the store {path} for {seconds:.0f} s", "let it end and try again")


def no_address_space(path: str) -> StoreFull:
    """The process may not map as much as the store needs."""
    return StoreFull(f"no address space to map the store {path}", "raise the limit (ulimit -v); nothing was stored")


def _read_only(path: str) -> StoreReadOnly:
    return StoreReadOnly(f"the store {path} can't be written here", _WAYS_OUT)


def _no_room(path: str) -> StoreFull:
    return StoreFull(f"no room on the disk for the store {path}", "free some space; nothing of this was stored")


@contextmanager
def of_lmdb(path: str) -> Iterator[None]:
    """LMDB's errors inside the block come out as ours. The disk's own (OSError) don't: they may be the caller's, who
    reads a work tree's files meanwhile."""
    try:
        yield
    except _OURS:
        raise
    except lmdb.Error as error:
        raise _from_lmdb(path, error) from error


@contextmanager
def of_disk(path: str) -> Iterator[None]:
    """The disk's errors inside the block come out as ours."""
    try:
        yield
    except OSError as error:
        raise _from_disk(path, error) from error


def _from_lmdb(path: str, error: lmdb.Error) -> MemError:
    if isinstance(error, lmdb.MapFullError | lmdb.MemoryError):
        return no_address_space(path)
    if isinstance(error, lmdb.TxnFullError):
        return StoreFull(f"too much at once for the store {path}", "do it in parts; nothing of this was stored")
    if isinstance(error, lmdb.DiskError) or _means(error, _NO_ROOM):
        return _no_room(path)
    if isinstance(error, lmdb.ReadonlyError) or _means(error, _FORBIDDEN):
        return _read_only(path)
    if _means(error, (errno.EIO,)):  # also LMDB's word for a write that stopped half-way
        return StoreFull(f"the disk of the store {path} is full or failing", "free some space; nothing was stored")
    why = str(error).rpartition(": ")[2]
    if isinstance(error, _DAMAGE):
        return damaged(path, why)
    return MemError(f"the store {path} can't be used: {why}")


def _means(error: lmdb.Error, numbers: tuple[int, ...]) -> bool:
    """LMDB tells the system's errors by their words only."""
    return any(os.strerror(number) in str(error) for number in numbers)


def _from_disk(path: str, error: OSError) -> MemError:
    if error.errno in _NO_ROOM:
        return _no_room(path)
    if error.errno in _FORBIDDEN:
        return _read_only(path)
    if error.errno in (errno.ENOTDIR, errno.EEXIST, errno.EISDIR, errno.ELOOP):
        return damaged(path, error.strerror or str(error))
    return MemError(f"the store {path} can't be used: {error.strerror or error}")
