"""What a data file says of itself, read without LMDB: mapped by LMDB, a file cut short kills the process with SIGBUS.

The format is LMDB 0.9's, in the machine's own byte order: pages that begin with a header of 16 bytes; the first two are
meta pages, of which the newer counts; page numbers that are free stand in a B-tree of their own.
"""

import os
import stat
import struct
from collections.abc import Iterator
from typing import NamedTuple

from memcli.store import faults

_META = struct.Struct("=16xII16xI36xQ48xQQ")  # magic, version, page size, root of the free tree, last page, transaction
_MAGIC = 0xBEEFC0DE
_PAGE = struct.Struct("=10xHH2x")  # flags, end of the node offsets
_NODE = struct.Struct("=IHH")  # low 32 bits of a size or child, flags or the child's high bits, length of the key
_NUMBER = struct.Struct("=Q")
_BRANCH, _META_PAGE = 0x01, 0x08  # flags of a page
_ELSEWHERE = 0x01  # flag of a node whose value has pages of its own
_NO_PAGE = (1 << 64) - 1
_ATTEMPTS = 100  # at a file that others keep writing while it is looked at


class Header(NamedTuple):
    """The newer meta page: bytes a page, root of the tree of free pages, last page, transaction id."""

    page_size: int
    free_root: int
    last_page: int
    txnid: int


def header(path: str) -> Header | None:
    """What the data file says of itself; None when there is none.

    Raises StoreDamaged for anything that is no LMDB file or lacks a page in use, StoreReadOnly without permission.
    """
    try:
        # without O_NONBLOCK a named pipe in the file's place would be waited on for ever
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except PermissionError as error:
        raise faults.unreadable(path) from error
    except NotADirectoryError as error:
        raise faults.damaged(path, "its folder is a file") from error
    try:
        return _sound(descriptor, path)
    finally:
        os.close(descriptor)


def _sound(descriptor: int, path: str) -> Header:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise faults.damaged(path, "it is no file")
    for _ in range(_ATTEMPTS):
        found = _newest(descriptor, path)
        # in this order: a writer makes the file longer first and says so in the meta page afterwards
        size = os.fstat(descriptor).st_size
        if size >= (found.last_page + 1) * found.page_size or _only_free_missing(descriptor, found, size):
            return found
        if _newest(descriptor, path) == found:
            raise faults.damaged(path, "it is cut short")
    return found  # too busy to be looked at, so somebody else can read and write it


def _newest(descriptor: int, path: str) -> Header:
    first = _meta(descriptor, 0, path)
    return max(first, _meta(descriptor, first.page_size, path), key=lambda meta: meta.txnid)


def _meta(descriptor: int, offset: int, path: str) -> Header:
    page = os.pread(descriptor, _META.size, offset)
    if len(page) < _META.size:
        raise faults.damaged(path, "it is cut short" if offset or page else "it is empty")
    magic, version, page_size, *rest = _META.unpack(page)
    if magic != _MAGIC or not _PAGE.unpack_from(page)[0] & _META_PAGE:
        raise faults.damaged(path, "it is not a store")
    if version != 1 or page_size not in (1 << n for n in range(9, 17)):
        raise faults.damaged(path, "it is in a format that is not known here")
    return Header(page_size, *rest)


def _only_free_missing(descriptor: int, found: Header, size: int) -> bool:
    """Whether every page that the file lacks is free. LMDB never writes pages that one transaction took and gave back
    (a large value written twice), and leaves the file shorter than its count of pages when they were the last."""
    first = size // found.page_size
    try:
        free = {number for number in _free_pages(descriptor, found) if first <= number <= found.last_page}
    except (struct.error, OverflowError, MemoryError, OSError):  # a tree that is cut short itself, or garbage
        return False
    return len(free) == found.last_page + 1 - first


def _free_pages(descriptor: int, found: Header) -> Iterator[int]:
    """The numbers in the tree of free pages: each value is their count and then the numbers."""
    todo, seen = [found.free_root], {_NO_PAGE}
    while todo:
        number = todo.pop()
        if number in seen:
            continue
        seen.add(number)
        page = os.pread(descriptor, found.page_size, number * found.page_size)
        flags, end = _PAGE.unpack_from(page)
        for (at,) in struct.iter_unpack("=H", page[_PAGE.size : end]):
            size, node_flags, key = _NODE.unpack_from(page, at)
            if flags & _BRANCH:
                todo.append(size | node_flags << 32)
                continue
            value = page[at + _NODE.size + key :][:size]
            if node_flags & _ELSEWHERE:
                start = _NUMBER.unpack_from(value)[0] * found.page_size + _PAGE.size
                value = os.pread(descriptor, size, start)
            numbers = struct.unpack(f"={size // _NUMBER.size}Q", value)
            yield from numbers[1 : numbers[0] + 1]
