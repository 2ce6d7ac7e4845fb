"""Changes to a store: a record and all its indexes in one transaction, durable when it ends without an error."""

import zlib
from math import ceil

from memcli import text
from memcli.model import Fragment, canonical, encode
from memcli.store.databases import DATABASES, digest, text_key
from memcli.store.index import DOCUMENT, ID_LENGTH, MOST, POSTING, STANDING
from memcli.store.reader import TIME, Reader
from memcli.vocabulary import index_terms

MAX_TIME = (1 << 63) - 1

Entry = tuple[str, bytes, bytes]  # database, key, value


class Writer(Reader):
    """A reader that can also write, inside one write transaction."""

    def put(self, fragment: Fragment) -> None:
        """Store the fragment, in place of what had its id."""
        self._unindex(fragment.id)
        self._put("fragments", text_key(fragment.id), encode(fragment))
        self._index(fragment)

    def delete(self, ident: str) -> None:
        """Remove a fragment for good, with its indexes and what was remembered of it. Unknown ids are passed over."""
        self._unindex(ident)
        self._txn.delete(text_key(ident), db=self._dbs["fragments"])
        for key, _ in list(self._items("verdicts", text_key(ident))):
            self._txn.delete(key, db=self._dbs["verdicts"])

    def set_meta(self, name: str, value: object) -> None:
        """Remember a JSON value."""
        self._put("meta", text_key(name), canonical(value))

    def set_seen(self, worktree: str, path: str, values: object) -> None:
        """Remember the stat and blob ids of a path."""
        self._put("seen", text_key(f"{worktree}/{path}"), canonical(values))

    def set_blob(self, ident: str, fingerprint: bytes) -> None:
        """Remember a blob's fingerprint, for good."""
        self._put("blobs", text_key(ident), zlib.compress(fingerprint, 6))

    def set_pair(self, old: str, new: str, value: object) -> None:
        """Remember how two blobs compare, for good: they are named by their content."""
        self._put("pairs", text_key(f"{old} {new}"), canonical(value))

    def set_verdict(self, ident: str, content: bytes, value: object) -> None:
        """Remember a fragment's assessment on some content."""
        self._put("verdicts", text_key(ident) + content, canonical(value))

    def set_swept(self, worktree: str, ident: str, value: tuple[float, str] | None) -> None:
        """Remember what a sweep reported of a fragment; None: its base, which needs no entry."""
        key = digest(worktree) + text_key(ident)
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

    def index_anew(self) -> None:
        """Make the search index from the records, in the order in which they were written."""
        idents = [value[:ID_LENGTH].decode() for _, value in self._items("documents", b"")]
        for name in ("terms", "documents", "numbers"):
            self._txn.drop(self._dbs[name], delete=False)
        for count in (b"documents", b"length"):
            self._put("meta", count, b"0")
        for ident in idents:
            fragment = self.fragment(ident)
            if fragment is None:  # unreadable: it keeps its number, by which its traces are found
                self._index_document(ident.encode() + STANDING.pack(0, 0) + b"\0", {}, 0)
            else:
                self._index_words(fragment)

    def _index(self, fragment: Fragment) -> None:
        for database, key, value in _entries(fragment):
            self._put(database, key, value)
        self._index_words(fragment)

    def _index_words(self, fragment: Fragment) -> None:
        self._index_document(_document(fragment), *index_terms(fragment))

    def _index_document(self, document: bytes, terms: dict[str, int], length: int) -> None:
        number = self._next_number()
        for term, frequency in terms.items():
            self._put("terms", text_key(term), POSTING.pack(number, frequency, length))
        self._put("documents", number.to_bytes(4, "big"), document)
        self._put("numbers", document[:ID_LENGTH], DOCUMENT.pack(number, length))
        self._count(1, length)

    def _unindex(self, ident: str) -> None:
        """Take everything out of the indexes that leads to this fragment, if there is one."""
        document = self._get("numbers", text_key(ident))
        if document is None:
            return
        number, length = DOCUMENT.unpack(document)
        old = self.fragment(ident)
        for database, key, value in self._traces(ident, number) if old is None else _traces(old, number, length):
            self._txn.delete(key, value, db=self._dbs[database])
        self._txn.delete(number.to_bytes(4, "big"), db=self._dbs["documents"])
        self._txn.delete(text_key(ident), db=self._dbs["numbers"])
        self._count(-1, -length)

    def _traces(self, ident: str, number: int) -> list[Entry]:
        """All index entries of a fragment whose record can't be read: found by looking at every one."""
        owner, document = text_key(ident), number.to_bytes(4, "big")
        mine: list[Entry] = []
        for database in (name for name, several in DATABASES.items() if several and name != "terms"):
            mine += [(database, key, value) for key, value in self._items(database, b"") if value.endswith(owner)]
        mine += [("terms", key, value) for key, value in self._items("terms", b"") if value.startswith(document)]
        return mine

    def _next_number(self) -> int:
        number = self._number("next") + 1
        self._put("meta", b"next", str(number).encode())
        return number

    def _count(self, documents: int, length: int) -> None:
        for name, change in (("documents", documents), ("length", length)):
            self._put("meta", name.encode(), str(self._number(name) + change).encode())

    def _put(self, database: str, key: bytes, value: bytes) -> None:
        self._txn.put(key, value, db=self._dbs[database])


def _entries(fragment: Fragment) -> list[Entry]:
    """Where a fragment stands in the indexes beside that of search."""
    ident = text_key(fragment.id)
    time = _time(fragment)
    entries = [
        ("normals", digest(text.normal(fragment.text)), ident),
        ("states", text_key(fragment.state), TIME.pack(time) + ident),
        ("states", text_key(f"{fragment.state}:{fragment.type}"), TIME.pack(time) + ident),
    ]
    if fragment.key:
        entries.append(("keys", text_key(fragment.key), ident))
    if fragment.scope == "session" and fragment.session:
        entries.append(("sessions", text_key(fragment.session), ident))
    paths = {anchor.path for anchor in fragment.anchors if anchor.path}
    return entries + [("paths", text_key(path), ident) for path in paths]


def _traces(fragment: Fragment, number: int, length: int) -> list[Entry]:
    """Where a fragment stands in all indexes of several values."""
    terms, _ = index_terms(fragment)
    postings = [("terms", text_key(term), POSTING.pack(number, frequency, length)) for term, frequency in terms.items()]
    return _entries(fragment) + postings


def _document(fragment: Fragment) -> bytes:
    """What `documents` keeps of a fragment: its id, what it counts at most (rounded up) and its time, its folded key
    and folded text, a NUL between them."""
    key, body = (text.fold(part).replace("\0", " ") for part in (fragment.key or "", fragment.text))
    most = fragment.base if fragment.state == "active" else 1.0
    standing = STANDING.pack(min(MOST, max(0, ceil(most * MOST - 1e-9))), _time(fragment))
    return fragment.id.encode() + standing + f"{key}\0{body}".encode("utf-8", "replace")


def _time(fragment: Fragment) -> int:
    return min(max(fragment.updated or fragment.created, 0), MAX_TIME)
