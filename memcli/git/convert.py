"""What git would store for the bytes of a file: line ends, encodings, `$Id$` and LFS pointers.

The rules are those of git's convert.c, in its order: filter, encoding, line ends, ident. No foreign filter is ever run;
the content of a file with one is compared as it lies on disk. Pure: bytes in, bytes out.
"""

from collections.abc import Iterable

from memcli.git.attributes import Attributes

LFS_HEADER = b"version https://git-lfs.github.com/spec/v1\n"
MAX_POINTER = 1024  # bytes; the LFS specification's limit
UNDEFINED = ("unspecified", "set", "unset")


def line_rule(attributes: Attributes, autocrlf: str) -> str:
    """How line ends go in: `keep`, `text` (CRLF becomes LF) or `auto` (so where it looks like text).

    `autocrlf` is core.autocrlf: false, true or input.
    """
    rule = _text_rule(attributes.text) or _text_rule(attributes.crlf)
    if rule in ("keep", "auto"):
        return rule
    if rule is None and attributes.eol not in ("lf", "crlf"):
        return "keep" if autocrlf == "false" else "auto"
    return "text"


def to_git(data: bytes, attributes: Attributes, autocrlf: str, crlf_in_index: bool) -> bytes:
    """The content that `git add` would store for these bytes of a file, foreign filters aside."""
    if attributes.filter == "lfs":
        data = lfs_pointer(data)
    if attributes.encoding not in UNDEFINED:
        data = to_utf8(data, attributes.encoding)
    data = to_lf(data, line_rule(attributes, autocrlf), crlf_in_index)
    return without_ident(data) if attributes.ident == "set" else data


def to_lf(data: bytes, rule: str, crlf_in_index: bool = False) -> bytes:
    """CRLF to LF by a rule of `line_rule`. A guess never touches what looks binary or is stored with CRLF."""
    if rule == "keep" or b"\r\n" not in data:
        return data
    if rule == "auto" and (crlf_in_index or looks_binary((data,))):
        return data
    return data.replace(b"\r\n", b"\n")


def looks_binary(pieces: Iterable[bytes]) -> bool:
    """Git's guess: a NUL, a CR alone, or more than one unprintable byte to 128 printable ones (convert.c). The content
    comes in pieces, none of which ends between a CR and its LF."""
    printable = unprintable = 0
    last = b""
    for piece in pieces:
        if b"\0" in piece or piece.count(b"\r") != piece.count(b"\r\n"):
            return True
        shown = len(piece.translate(None, _NOT_PRINTABLE))
        printable += shown
        unprintable += len(piece) - shown - piece.count(b"\r") - piece.count(b"\n")
        last = piece
    return printable >> 7 < unprintable - last.endswith(b"\x1a")


# control characters but for backspace, tab, form feed and escape, which count as text; line ends count as neither
_NOT_PRINTABLE = bytes(sign for sign in range(128) if (sign < 32 and sign not in b"\b\t\f\x1b") or sign == 127)


def to_utf8(data: bytes, encoding: str) -> bytes:
    """A file in a `working-tree-encoding` as the UTF-8 that git stores; as it is where it isn't in that encoding."""
    name = encoding.lower().removesuffix("-bom")
    if encoding.lower().endswith("-bom") and name.startswith("utf-16"):
        name = "utf-16"
    try:
        return data.decode(name).encode("utf-8")
    except (LookupError, ValueError):
        return data


def without_ident(data: bytes) -> bytes:
    """`$Id: … $` as `$Id$`."""
    if b"$Id:" not in data:
        return data
    import re

    return re.sub(rb"\$Id:[^$\n]*\$", b"$Id$", data)


def lfs_pointer(data: bytes) -> bytes:
    """The LFS pointer of a content; a pointer, and an empty file, is its own (LFS specification v1)."""
    if not data or is_lfs_pointer(data):
        return data
    from hashlib import sha256

    return lfs_pointer_for(sha256(data).hexdigest(), len(data))


def lfs_pointer_for(oid: str, size: int) -> bytes:
    """The LFS pointer of a content that has this SHA-256 (hex) and size (bytes)."""
    return LFS_HEADER + f"oid sha256:{oid}\nsize {size}\n".encode()


def is_lfs_pointer(data: bytes) -> bool:
    """Whether a content is an LFS pointer already."""
    return len(data) <= MAX_POINTER and data.startswith(LFS_HEADER)


def _text_rule(value: str) -> str | None:
    """What a `text` or `crlf` attribute says; None when it says nothing."""
    return {"set": "text", "input": "text", "unset": "keep", "auto": "auto"}.get(value)
