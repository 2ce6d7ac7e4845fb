"""Making a store's folder and files: whole or not at all, the owner's only, durable before anything is saved."""

import errno
import os

import lmdb

DATA, LOCK = "data.mdb", "lock.mdb"
MAX_READERS = 1022
LOCK_BYTES = 64 * 1024  # of the lock file for so many readers, 64 bytes each

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def make_store(folder: str) -> None:
    """Make an empty data file in the folder, and the folder. When another process was quicker, its file stays.

    LMDB writes the first pages in place: a full disk or a kill would leave a file that is cut short. So they are
    written under another name first.
    """
    _make_folder(folder)
    path = os.path.join(folder, DATA)
    draft = os.path.join(folder, f".{os.urandom(8).hex()}")
    try:
        os.close(_owners(draft, os.O_EXCL))
        lmdb.open(draft, subdir=False, lock=False, map_size=1 << 20).close()
        _sync(draft)
        _publish(draft, path)
    finally:
        if os.path.exists(draft):
            os.unlink(draft)
    _sync(folder)
    _sync(os.path.dirname(folder))


def prepare_lock(folder: str) -> None:
    """See that LMDB can use the lock file, and make it when there is none. Raises OSError where it can't be written.

    LMDB writes to it through memory, where a hole that a full disk can't fill is no error but a SIGBUS.
    """
    lock = _owners(os.path.join(folder, LOCK))
    try:
        found = os.fstat(lock)
        # a file of another length is another program's, whose processes may have mapped it as it is
        if found.st_size in (0, LOCK_BYTES) and found.st_blocks * 512 < LOCK_BYTES:
            _fill(lock)
    finally:
        os.close(lock)


def _owners(path: str, flags: int = 0) -> int:
    """A descriptor to write to the file, made 0600 whatever the umask when it is empty."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | flags, 0o600)
    if not os.fstat(descriptor).st_size:
        os.fchmod(descriptor, 0o600)
    return descriptor


def _fill(lock: int) -> None:
    if not hasattr(os, "posix_fallocate"):
        return
    try:
        os.posix_fallocate(lock, 0, LOCK_BYTES)
    except OSError as error:
        if error.errno in _FULL:
            raise


def _make_folder(folder: str) -> None:
    """The folder and those above it that are missing, 0700 whatever the umask."""
    if os.path.isdir(folder):
        return
    _make_folder(os.path.dirname(folder))
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise
    else:
        os.chmod(folder, 0o700)


def _publish(draft: str, path: str) -> None:
    """Give the draft its name, unless there is such a file by now."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        os.rename(draft, path)


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
