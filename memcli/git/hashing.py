"""Blob ids, computed without writing an object (gitformat-pack(5): the digest of `blob SIZE NUL CONTENT`)."""

import os
from collections.abc import Iterator
from io import BufferedReader
from typing import NamedTuple

CHUNK = 1 << 20


class Digest(NamedTuple):
    """A file's bytes in short: blob id of them as they are, size, SHA-256 (only where asked for), and whether they hold
    anything that a conversion could touch."""

    disk: str
    size: int
    sha256: str | None
    has_crlf: bool
    has_ident: bool


def blob_id(data: bytes, object_format: str) -> str:
    """The blob id of a content. `object_format` is sha1 or sha256."""
    import hashlib

    return hashlib.new(object_format, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def digest_file(path: str, object_format: str, with_sha256: bool = False) -> Digest:
    """Read a regular file once, in pieces. Raises OSError when it can't be read or changes its size meanwhile."""
    import hashlib

    with open_plain(path) as file:
        size = os.fstat(file.fileno()).st_size
        blob = hashlib.new(object_format, b"blob %d\0" % size, usedforsecurity=False)
        extra = hashlib.sha256() if with_sha256 else None
        read, tail, crlf, ident = 0, b"", False, False
        while chunk := file.read(CHUNK):
            blob.update(chunk)
            if extra:
                extra.update(chunk)
            read += len(chunk)
            # a mark may straddle two pieces
            crlf = crlf or b"\r\n" in chunk or (tail.endswith(b"\r") and chunk.startswith(b"\n"))
            ident = ident or b"$Id" in tail + chunk
            tail = chunk[-2:]
    if read != size:
        raise OSError(f"{path} changed while it was read")
    return Digest(blob.hexdigest(), size, extra.hexdigest() if extra else None, crlf, ident)


def pieces(path: str) -> Iterator[bytes]:
    """A regular file's bytes in pieces, none of which ends between a CR and its LF. Raises OSError."""
    with open_plain(path) as file:
        left = b""
        while chunk := file.read(CHUNK):
            chunk = left + chunk
            left = b"\r" if chunk.endswith(b"\r") else b""
            yield chunk.removesuffix(left)
        if left:
            yield left


def id_with_lf(path: str, object_format: str) -> str:
    """The blob id of a regular file with LF in the place of each CRLF, in two readings and little memory."""
    import hashlib

    size = sum(len(piece) - piece.count(b"\r\n") for piece in pieces(path))
    blob = hashlib.new(object_format, b"blob %d\0" % size, usedforsecurity=False)
    for piece in pieces(path):
        blob.update(piece.replace(b"\r\n", b"\n"))
    return blob.hexdigest()


def open_plain(path: str) -> BufferedReader:
    """Open a regular file for reading, never through a link and never waiting for a pipe's other end."""
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
