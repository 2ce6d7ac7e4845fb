"""Changes to a store: a record and all its indexes in one transaction, which is durable when it ends without an error."""

import zlib

from memcli import text
from memcli.model import Fragment, canonical, encode
from memcli.store.databases import digest, path_key
from memcli.store.reader import POSTING, TIME, Reader, document_value, index_terms


class Writer(Reader):
    """A reader that can also write, inside one write transaction."""

    def put(self, fragment: Fragment) -> None:
        """Store the fragment, in place of what had its id."""
        old = self.fragment(fragment.id)
        if old is not None:
            self._unindex(old)
        self._put("fragments", fragment.id.encode(), encode(fragment))
        self._index(fragment)

    def delete(self, ident: str) -> None:
        """Remove a fragment for good, with its indexes and what was remembered of it. Unknown ids are passed over."""
        old = self.fragment(ident)
        if old is None:
            return
        self._unindex(old)
        self._txn.delete(ident.encode(), db=self._dbs["fragments"])
        for key, _ in list(self._items("verdicts", ident.encode())):
            self._txn.delete(key, db=self._dbs["verdicts"])

    def set_meta(self, name: str, value: object) -> None:
        """Remember a JSON value."""
        self._put("meta", name.encode(), canonical(value))

    def set_seen(self, worktree: str, path: str, values: object) -> None:
        """Remember the stat and blob ids of a path."""
        self._put("seen", digest(worktree, path), canonical(values))

    def set_blob(self, ident: str, fingerprint: bytes) -> None:
        """Remember a blob's fingerprint, for good."""
        self._put("blobs", ident.encode(), zlib.compress(fingerprint, 6))

    def set_pair(self, old: str, new: str, value: object) -> None:
        """Remember how two blobs compare, for good: they are named by their content."""
        self._put("pairs", f"{old} {new}".encode(), canonical(value))

    def set_verdict(self, ident: str, content: bytes, value: object) -> None:
        """Remember a fragment's assessment on some content."""
        self._put("verdicts", ident.encode() + content, canonical(value))

    def set_swept(self, worktree: str, ident: str, value: tuple[float, str] | None) -> None:
        """Remember what a sweep reported of a fragment; None: its base, which needs no entry."""
        key = digest(worktree) + ident.encode()
        if value is None:
            self._txn.delete(key, db=self._dbs["swept"])
        else:
            self._put("swept", key, canonical(value))

    def set_swept_path(self, worktree: str, path: str, content: str) -> None:
        """Remember the content that a sweep saw at a path."""
        self._put("places", digest(worktree) + digest(path), canonical([path, content]))

    def set_token_count(self, piece: bytes, count: int) -> None:
        """Remember how many tokens a piece has."""
        self._put("tokens", piece, count.to_bytes(4, "big"))

    # indexes

    def _index(self, fragment: Fragment) -> None:
        for database, key, value in _entries(fragment):
            self._put(database, key, value)
        number = self._next_number()
        terms, length = index_terms(fragment)
        for term, frequency in terms.items():
            self._put("postings", term.encode("utf-8", "surrogateescape"), POSTING.pack(number, frequency, length))
        self._put("documents", number.to_bytes(4, "big"), document_value(fragment))
        self._put("numbers", fragment.id.encode(), number.to_bytes(4, "big"))
        self._count(1, length)

    def _unindex(self, fragment: Fragment) -> None:
        for database, key, value in _entries(fragment):
            self._txn.delete(key, value, db=self._dbs[database])
        number = self._get("numbers", fragment.id.encode()) or b""
        terms, length = index_terms(fragment)
        for term, frequency in terms.items():
            posting = POSTING.pack(int.from_bytes(number, "big"), frequency, length)
            self._txn.delete(term.encode("utf-8", "surrogateescape"), posting, db=self._dbs["postings"])
        self._txn.delete(number, db=self._dbs["documents"])
        self._txn.delete(fragment.id.encode(), db=self._dbs["numbers"])
        self._count(-1, -length)

    def _next_number(self) -> int:
        number = self._number("next") + 1
        self._put("meta", b"next", str(number).encode())
        return number

    def _count(self, documents: int, length: int) -> None:
        for name, change in (("documents", documents), ("length", length)):
            self._put("meta", name.encode(), str(self._number(name) + change).encode())

    def _put(self, database: str, key: bytes, value: bytes) -> None:
        self._txn.put(key, value, db=self._dbs[database])


def _entries(fragment: Fragment) -> list[tuple[str, bytes, bytes]]:
    """The index entries of a fragment: (database, key, value)."""
    ident = fragment.id.encode()
    entries = [
        ("normals", digest(text.normal(fragment.text)), ident),
        ("states", fragment.state.encode(), TIME.pack(fragment.updated or fragment.created) + ident),
    ]
    if fragment.key:
        entries.append(("keys", fragment.key.encode("utf-8", "surrogateescape"), ident))
    entries += [
        ("paths", path_key(path), ident) for path in {anchor.path for anchor in fragment.anchors if anchor.path}
    ]
    return entries
