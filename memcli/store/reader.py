"""One consistent view of a store: records by id, key, text, path and state; the search index; what was remembered."""

import json
import struct
import zlib
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import lmdb

from memcli import text
from memcli.model import Fragment, decode
from memcli.store.databases import MAX_KEY, Handles, digest, key_text, text_key

POSTING = struct.Struct(">IBH")  # document number, weighted frequency, document length
DOCUMENT = struct.Struct(">IH")  # document number, document length
TIME = struct.Struct(">Q")  # milliseconds, big-endian so that they sort
ID_LENGTH = 16
_scan = json.JSONDecoder().raw_decode  # json.loads without its looks at white space
_BATCH = 100  # entries that are read ahead


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
        data = self._get("fragments", text_key(ident))
        if data is None:
            return None
        try:
            return _sound(decode(data), ident)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
            if ident not in self.damaged:
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
        return list(islice(self._keys("fragments", prefix), limit))

    def with_key(self, key: str) -> list[Fragment]:
        """All fragments, of any state and scope, that have this key."""
        return list(self.fragments(self._several("keys", text_key(key))))

    def with_text(self, body: str) -> list[Fragment]:
        """All fragments whose text is the same but for case, white space and punctuation."""
        normal = text.normal(body)
        return [f for f in self.fragments(self._several("normals", digest(normal))) if text.normal(f.text) == normal]

    def at_path(self, path: str) -> list[str]:
        """Ids of the fragments with an anchor at exactly this path."""
        return self._several("paths", text_key(path))

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Fragment keys that begin with the prefix, sorted; without those too long to be spelt out in an index."""
        return self._keys("keys", prefix)

    def newest(self, state: str) -> Iterator[str]:
        """Ids in this state, newest first. A fragment may be written during the walk: it isn't met twice."""
        entries = self._older(state, None)
        while entries:
            yield from (_ident(entry[TIME.size :]) for entry in entries)
            last = entries[-1]
            entries = [entry for entry in self._older(state, last) if entry < last]  # a damaged page may go in circles

    def in_sessions(self) -> Iterator[str]:
        """Ids of the fragments of session scope, of every session and state."""
        for _, value in self._items("sessions", b""):
            yield _ident(value)

    def last_number(self) -> int:
        """The number of the newest write: what is written later has a higher one."""
        return self._number("next")

    def written_after(self, number: int) -> Iterator[str]:
        """Ids of the fragments that were written after that number, whatever their times say."""
        with self._cursor("documents") as cursor:
            if cursor.set_range((number + 1).to_bytes(4, "big")):
                for _, value in cursor:
                    yield value[:ID_LENGTH].decode()

    def count(self, state: str) -> int:
        """How many fragments are in this state."""
        with self._cursor("states") as cursor:
            return int(cursor.count()) if cursor.set_key(text_key(state)) else 0

    def anchored_paths(self) -> Iterator[str]:
        """Every path that an anchor of some fragment names, once, sorted."""
        for key in self._raw_keys("paths", b""):
            path = key_text(key)
            yield from self._long_path(key) if path is None else [path]

    # the search index (rank.Index)

    def size(self) -> tuple[int, float]:
        """Number of documents and their average length in weighted terms."""
        documents, total = self._number("documents"), self._number("length")
        return documents, total / documents if documents else 0.0

    def postings(self, term: str) -> list[tuple[int, int, int]]:
        """(document, weighted frequency, document length) of each document that holds the term."""
        with self._cursor("postings") as cursor:
            if not cursor.set_key(text_key(term)):
                return []
            return [POSTING.unpack(value) for value in cursor.iternext_dup() if len(value) == POSTING.size]

    def frequency(self, term: str) -> int:
        """How many documents hold the term."""
        with self._cursor("postings") as cursor:
            return int(cursor.count()) if cursor.set_key(text_key(term)) else 0

    def vocabulary(self) -> Iterator[str]:
        """Every term of the index, sorted by its bytes."""
        return self._keys("postings", "")

    def texts(self) -> Iterator[tuple[int, str, str]]:
        """(document, folded key, folded text) of every document."""
        with self._cursor("documents") as cursor:
            for number, value in cursor:
                key, _, body = value[ID_LENGTH:].decode("utf-8", "replace").partition("\0")
                yield int.from_bytes(number, "big"), key, body

    def id_of(self, document: int) -> str | None:
        """The id behind a document number."""
        value = self._get("documents", document.to_bytes(4, "big"))
        return _ident(value[:ID_LENGTH]) if value else None

    def document_of(self, ident: str) -> int | None:
        """The document number of a fragment."""
        value = self._get("numbers", text_key(ident))
        return DOCUMENT.unpack(value)[0] if value and len(value) == DOCUMENT.size else None

    # what was remembered

    def meta(self, name: str) -> Any:
        """A remembered JSON value, or None."""
        return self._remembered("meta", text_key(name))

    def seen(self, worktree: str, path: str) -> list[Any] | None:
        """The stat and blob ids of a path when it was last looked at in that work tree."""
        found: list[Any] | None = self._remembered("seen", text_key(f"{worktree}/{path}"))
        return found

    def blob(self, ident: str) -> bytes | None:
        """The remembered fingerprint of a blob (see `drift`)."""
        data = self._get("blobs", text_key(ident))
        try:
            return zlib.decompress(data) if data else None
        except zlib.error:  # damaged
            return None

    def has_blob(self, ident: str) -> bool:
        """Whether that blob's fingerprint is kept."""
        return self._get("blobs", text_key(ident)) is not None

    def pair(self, old: str, new: str) -> Any:
        """The remembered comparison of two blobs."""
        return self._remembered("pairs", text_key(f"{old} {new}"))

    def verdict(self, ident: str, content: bytes) -> Any:
        """The remembered assessment of a fragment on some content."""
        return self._remembered("verdicts", text_key(ident) + content)

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
        if not 0 < len(key) <= MAX_KEY:
            return None
        return self._txn.get(key, db=self._dbs[database])

    def _remembered(self, database: str, key: bytes) -> Any:
        """A JSON value; what is damaged counts as not remembered. (Decoded first: json.loads of bytes guesses.)"""
        data = self._get(database, key)
        try:
            return _scan(data.decode("ascii"))[0] if data else None
        except ValueError:
            return None

    def _number(self, name: str) -> int:
        return int(self._get("meta", text_key(name)) or 0)

    def _cursor(self, database: str) -> "lmdb.Cursor[bytes]":
        return self._txn.cursor(db=self._dbs[database])

    def _several(self, database: str, key: bytes) -> list[str]:
        with self._cursor(database) as cursor:
            return [_ident(value) for value in cursor.iternext_dup()] if cursor.set_key(key) else []

    def _items(self, database: str, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        with self._cursor(database) as cursor:
            if cursor.set_range(prefix) if prefix else cursor.first():
                for key, value in cursor:
                    if not key.startswith(prefix):
                        return
                    yield key, value

    def _older(self, state: str, than: bytes | None) -> list[bytes]:
        """The next entries of `states`, newest first: a cursor that stays would go in circles while entries move."""
        key = text_key(state)
        with self._cursor("states") as cursor:
            if than is not None and cursor.set_range_dup(key, than):
                there = cursor.prev_dup()
            else:
                there = cursor.set_key(key) and cursor.last_dup()
            return list(islice(cursor.iterprev_dup(), _BATCH)) if there else []

    def _raw_keys(self, database: str, prefix: bytes) -> Iterator[bytes]:
        with self._cursor(database) as cursor:
            there = cursor.set_range(prefix) if prefix else cursor.first()
            while there and cursor.key().startswith(prefix):
                yield cursor.key()
                there = cursor.next_nodup()

    def _keys(self, database: str, prefix: str) -> Iterator[str]:
        spelt = prefix.encode("utf-8", "surrogatepass")
        for key in self._raw_keys(database, spelt) if len(spelt) <= MAX_KEY else ():
            name = key_text(key)
            if name is not None:
                yield name

    def _long_path(self, key: bytes) -> Iterator[str]:
        """The path behind a digest, from a fragment that has it."""
        for fragment in self.fragments(self._several("paths", key)):
            for anchor in fragment.anchors:
                if text_key(anchor.path) == key:
                    yield anchor.path
                    return


def _ident(value: bytes) -> str:
    """The id that an index holds. What damage made of one names nothing, and breaks nothing."""
    return value.decode("utf-8", "replace")


def _sound(fragment: Fragment, ident: str) -> Fragment:
    """The fragment, if it is the one that was asked for, with fields that everyone relies on. Raises ValueError."""
    texts = [fragment.text, fragment.type, fragment.scope, fragment.state, fragment.key or "", fragment.author]
    texts += [anchor.path for anchor in fragment.anchors]
    numbers = (fragment.base, fragment.created, fragment.updated, fragment.stamp.at)
    if fragment.id != ident or not set(map(type, texts)) <= {str} or not set(map(type, numbers)) <= {int, float}:
        raise ValueError("not what was stored")
    return fragment
