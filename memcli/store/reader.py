"""One consistent view of a store: records by id, key, text, path and state; the search index; what was remembered."""

import json
import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import lmdb

from memcli import rank, text
from memcli.model import Fragment, decode
from memcli.store.databases import Handles, digest, path_key

POSTING = struct.Struct(">IBH")  # document number, weighted frequency, document length
TIME = struct.Struct(">Q")  # milliseconds, big-endian so that they sort
ID_LENGTH = 16


class Reader:
    """Questions to a store, inside one read (or write) transaction. Nothing here changes it.

    `damaged` collects the ids of records that can't be decoded: one bad record must not break every search.
    """

    def __init__(self, txn: "lmdb.Transaction[bytes]", databases: Handles) -> None:
        self._txn = txn
        self._dbs = databases
        self.damaged: list[str] = []

    # records

    def fragment(self, ident: str) -> Fragment | None:
        """The fragment with exactly this id."""
        data = self._get("fragments", ident.encode())
        if data is None:
            return None
        try:
            return decode(data)
        except (ValueError, KeyError, TypeError, AttributeError):
            self.damaged.append(ident)
            return None

    def fragments(self, idents: Iterable[str]) -> Iterator[Fragment]:
        """Those of the ids that are there, in the given order."""
        for ident in idents:
            found = self.fragment(ident)
            if found is not None:
                yield found

    def with_prefix(self, prefix: str, limit: int = 10) -> list[str]:
        """Up to `limit` ids that begin with the prefix, sorted."""
        return list(_first(self._keys("fragments", prefix.encode("utf-8", "surrogateescape")), limit))

    def with_key(self, key: str) -> list[Fragment]:
        """All fragments, of any state and scope, that have this key."""
        return list(self.fragments(self._several("keys", key.encode("utf-8", "surrogateescape"))))

    def with_text(self, body: str) -> list[Fragment]:
        """All fragments whose text is the same but for case, white space and punctuation."""
        return list(self.fragments(self._several("normals", digest(text.normal(body)))))

    def at_path(self, path: str) -> list[str]:
        """Ids of the fragments with an anchor at exactly this path."""
        return self._several("paths", path_key(path))

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Fragment keys that begin with the prefix, sorted."""
        return self._keys("keys", prefix.encode("utf-8", "surrogateescape"))

    def newest(self, state: str) -> Iterator[str]:
        """Ids in this state, newest first."""
        with self._cursor("states") as cursor:
            if not cursor.set_key(state.encode()):
                return
            cursor.last_dup()
            yield cursor.value()[TIME.size :].decode()
            while cursor.prev_dup():
                yield cursor.value()[TIME.size :].decode()

    def count(self, state: str) -> int:
        """How many fragments are in this state."""
        with self._cursor("states") as cursor:
            return int(cursor.count()) if cursor.set_key(state.encode()) else 0

    def anchored_paths(self) -> Iterator[str]:
        """Every path that an anchor of some fragment names, once, sorted."""
        for key in self._raw_keys("paths", b""):
            if key[:1] != b"\0":
                yield key.decode("utf-8", "surrogateescape")
                continue
            for fragment in self.fragments(self._several("paths", key)):
                yield from {anchor.path for anchor in fragment.anchors if path_key(anchor.path) == key}

    # the search index (rank.Index)

    def size(self) -> tuple[int, float]:
        """Number of documents and their average length in weighted terms."""
        documents, total = self._number("documents"), self._number("length")
        return documents, total / documents if documents else 0.0

    def postings(self, term: str) -> list[tuple[int, int, int]]:
        """(document, weighted frequency, document length) of each document that holds the term."""
        with self._cursor("postings") as cursor:
            if not cursor.set_key(term.encode("utf-8", "surrogateescape")):
                return []
            return [POSTING.unpack(value) for value in cursor.iternext_dup()]

    def vocabulary(self) -> Iterator[str]:
        """Every term of the index, sorted by its bytes."""
        return self._keys("postings", b"")

    def texts(self) -> Iterator[tuple[int, str, str]]:
        """(document, folded key, folded text) of every document."""
        with self._cursor("documents") as cursor:
            for number, value in cursor:
                key, _, body = value[ID_LENGTH:].decode("utf-8", "surrogateescape").partition("\0")
                yield int.from_bytes(number, "big"), key, body

    def id_of(self, document: int) -> str | None:
        """The id behind a document number."""
        value = self._get("documents", document.to_bytes(4, "big"))
        return value[:ID_LENGTH].decode() if value else None

    # what was remembered

    def meta(self, name: str) -> Any:
        """A remembered JSON value, or None."""
        data = self._get("meta", name.encode())
        return json.loads(data) if data else None

    def seen(self, worktree: str, path: str) -> list[Any] | None:
        """The stat and blob ids of a path when it was last looked at in that work tree."""
        data = self._get("seen", digest(worktree, path))
        return json.loads(data) if data else None

    def blob(self, ident: str) -> bytes | None:
        """The remembered fingerprint of a blob (see `drift`)."""
        data = self._get("blobs", ident.encode())
        return zlib.decompress(data) if data else None

    def has_blob(self, ident: str) -> bool:
        """Whether that blob's fingerprint is kept."""
        return self._get("blobs", ident.encode()) is not None

    def pair(self, old: str, new: str) -> Any:
        """The remembered comparison of two blobs."""
        data = self._get("pairs", f"{old} {new}".encode())
        return json.loads(data) if data else None

    def verdict(self, ident: str, content: bytes) -> Any:
        """The remembered assessment of a fragment on some content."""
        data = self._get("verdicts", ident.encode() + content)
        return json.loads(data) if data else None

    def swept(self, worktree: str) -> dict[str, tuple[float, str]]:
        """id → (confidence, verdict) as the last sweep of that work tree reported it, where it was not the base."""
        prefix = digest(worktree)
        return {key[len(prefix) :].decode(): tuple(json.loads(value)) for key, value in self._items("swept", prefix)}

    def swept_paths(self, worktree: str) -> dict[str, str]:
        """path → content that the last sweep of that work tree saw there."""
        return dict(json.loads(value) for _, value in self._items("places", digest(worktree)))

    def token_count(self, piece: bytes) -> int | None:
        """The remembered count of a piece, by its digest."""
        data = self._get("tokens", piece)
        return int.from_bytes(data, "big") if data else None

    # plumbing

    def _get(self, database: str, key: bytes) -> bytes | None:
        if database not in self._dbs or not 0 < len(key) <= 511:
            return None
        return self._txn.get(key, db=self._dbs[database])

    def _number(self, name: str) -> int:
        return int(self._get("meta", name.encode()) or 0)

    def _cursor(self, database: str) -> "lmdb.Cursor[bytes]":
        return self._txn.cursor(db=self._dbs[database])

    def _several(self, database: str, key: bytes) -> list[str]:
        if not 0 < len(key) <= 511:
            return []
        with self._cursor(database) as cursor:
            return [value.decode() for value in cursor.iternext_dup()] if cursor.set_key(key) else []

    def _items(self, database: str, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        with self._cursor(database) as cursor:
            if cursor.set_range(prefix) if prefix else cursor.first():
                for key, value in cursor:
                    if not key.startswith(prefix):
                        return
                    yield key, value

    def _raw_keys(self, database: str, prefix: bytes) -> Iterator[bytes]:
        with self._cursor(database) as cursor:
            there = cursor.set_range(prefix) if prefix else cursor.first()
            while there and cursor.key().startswith(prefix):
                yield cursor.key()
                there = cursor.next_nodup()

    def _keys(self, database: str, prefix: bytes) -> Iterator[str]:
        for key in self._raw_keys(database, prefix):
            yield key.decode("utf-8", "surrogateescape")


def _first(items: Iterator[str], limit: int) -> Iterator[str]:
    for _, item in zip(range(limit), items, strict=False):
        yield item


def document_value(fragment: Fragment) -> bytes:
    """What `documents` keeps of a fragment: its id, folded key and folded text."""
    folded = f"{rank_fold(fragment.key or '')}\0{rank_fold(fragment.text)}"
    return fragment.id.encode() + folded.encode("utf-8", "surrogateescape")


def rank_fold(body: str) -> str:
    """Folded as substring scans compare, without the NUL that parts key from text."""
    return text.fold(body).replace("\0", " ")


index_terms = rank.index_terms
