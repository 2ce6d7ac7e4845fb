"""What is kept of a file's content so that drift can be computed later without any object from git.

Two forms. Of a tracked file without secrets the text itself is kept. Of any other only keyed hashes of its tokens: they
compare in the same way and tell nothing (law 17). Both unpack to the same value.
"""

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from memcli.digests import blake2b
from memcli.syntax import read, style_of, with_lf
from memcli.text import telling

MAX_BYTES = 1 << 20  # a larger file is compared by its blob id alone
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
MAX_LISTED = 500  # files of a folder that are kept: enough to know it by
_BINARY_PROBE = 8000  # bytes; git looks for a NUL in as many


class Fingerprint(NamedTuple):
    """A content as drift compares it.

    `exact`: digest of the lines but for blank ones and white space at their ends. `shape`: digest of all tokens but for
    a formatter's. `code`: the same without comments. `lines`: the code's tokens, line by line. `words`: words of the
    code (`text.telling`) → numbers of the lines that hold them, from 1. `binary`: no text, or too large; only digests
    then.
    """

    exact: str
    shape: str = ""
    code: str = ""
    lines: tuple[tuple[str, ...], ...] = ()
    words: dict[str, tuple[int, ...]] = {}  # noqa: RUF012 (a NamedTuple's default, never written to)
    binary: bool = False


def of_content(data: bytes, path: str, salt: bytes = b"") -> Fingerprint:
    """The fingerprint of a file's bytes; the path's name tells the language. With a salt, of hashes only."""
    if is_binary(data):
        return Fingerprint(_digest([data.decode("latin-1")], salt), binary=True)
    text = text_of(data)
    reading = read(text, style_of(path))
    lines, words = reading.lines, _words(reading.lines)
    if salt:
        lines = tuple(tuple(_keyed(token, salt) for token in line) for line in lines)
        words = {_keyed(word, salt): places for word, places in words.items()}
    return Fingerprint(
        exact=_digest([line.rstrip() for line in text.split("\n") if line.strip()], salt),
        shape=_digest([reading.code, reading.comments], salt),
        code=_digest([reading.code], salt),
        lines=lines,
        words=words,
    )


def text_of(data: bytes) -> str:
    """The bytes of a text file as text whose lines end in LF alone, without a byte order mark."""
    return with_lf(data.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))


def is_binary(data: bytes) -> bool:
    """True for what is no text (a NUL near its start, as git decides), stands for it (an LFS pointer) or is over
    MAX_BYTES."""
    return len(data) > MAX_BYTES or b"\0" in data[:_BINARY_PROBE] or data.startswith(_LFS_POINTER)


def of_lines(content: Fingerprint, first: int, last: int) -> Fingerprint:
    """The fingerprint of some lines (from 1, inclusive) of a content of which only tokens are known: it tells code that
    differs from code that does not, and no more."""
    lines = content.lines[first - 1 : last]
    code = _digest([token for line in lines for token in line], b"")
    return Fingerprint(code, code, code, lines)


def hide_words(words: frozenset[str], salt: bytes) -> frozenset[str]:
    """A note's terms as a salted fingerprint spells them."""
    return frozenset(_keyed(word, salt) for word in words) if salt else words


def pack_text(data: bytes) -> bytes:
    """The kept form of a tracked file's content."""
    return b"T" + data


def pack_hashes(data: bytes, path: str, salt: bytes) -> bytes:
    """The kept form of a content whose text must not be kept."""
    return b"H" + json.dumps(of_content(data, path, salt), separators=(",", ":")).encode("ascii")


def opaque(ident: str) -> Fingerprint:
    """The fingerprint of a content of which nothing is known but its id: one too large to read."""
    return Fingerprint(ident, binary=True)


def pack_opaque(ident: str) -> bytes:
    """The kept form of such a content."""
    return b"H" + json.dumps(opaque(ident), separators=(",", ":")).encode("ascii")


def unpack_text(packed: bytes) -> bytes:
    """The content behind the form with text."""
    return packed[1:]


def is_hashed(packed: bytes) -> bool:
    """True for the form without text."""
    return packed[:1] == b"H"


def pack_listing(files: Mapping[str, str]) -> bytes:
    """The kept form of a folder: path below it → blob id of its files, the first MAX_LISTED of them by name."""
    listed = dict(sorted(files.items())[:MAX_LISTED])
    return b"D" + json.dumps(listed, separators=(",", ":")).encode("ascii")


def unpack_listing(packed: bytes) -> dict[str, str]:
    """What `pack_listing` was given. Raises ValueError for anything else."""
    if packed[:1] != b"D":
        raise ValueError("not a kept listing")
    listed: dict[str, str] = json.loads(packed[1:])
    return listed


def listing_id(packed: bytes) -> str:
    """The id of a kept listing: as long as a blob's, 40 hex digits."""
    return blake2b(packed, digest_size=20).hexdigest()


def unpack(packed: bytes, path: str) -> Fingerprint:
    """The fingerprint behind either kept form. Raises ValueError for anything else."""
    if packed[:1] == b"T":
        return of_content(packed[1:], path)
    if packed[:1] != b"H":
        raise ValueError("not a kept fingerprint")
    exact, shape, code, lines, words, binary = json.loads(packed[1:])
    places = {word: tuple(numbers) for word, numbers in words.items()}
    return Fingerprint(exact, shape, code, tuple(tuple(line) for line in lines), places, binary)


def _words(lines: Iterable[tuple[str, ...]]) -> dict[str, tuple[int, ...]]:
    places: dict[str, list[int]] = {}
    for number, line in enumerate(lines, 1):
        for word in {word for token in line for word in _terms(token)}:
            places.setdefault(word, []).append(number)
    return {word: tuple(numbers) for word, numbers in places.items()}


@lru_cache(maxsize=65536)
def _terms(token: str) -> tuple[str, ...]:
    return tuple(telling(token))


@lru_cache(maxsize=65536)
def _keyed(token: str, salt: bytes) -> str:
    return blake2b(token.encode("utf-8", "surrogateescape"), digest_size=5, key=salt).hexdigest()


def _digest(parts: list[str], salt: bytes) -> str:
    return blake2b("\0".join(parts).encode("utf-8", "surrogateescape"), digest_size=16, key=salt).hexdigest()
