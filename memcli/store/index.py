"""The search index as it is read (`rank.Index`). It is written with the records, by `writer`."""

import struct
from collections.abc import Collection, Iterable, Iterator

from memcli.store.databases import text_key
from memcli.store.lookup import Lookup, ident_of

POSTING = struct.Struct(">IBH")  # document number, weighted frequency, document length
DOCUMENT = struct.Struct(">IH")  # document number, document length
STANDING = struct.Struct(">BQ")  # after a document's id: the most its relevance counts, in 200ths; time of last write
MOST = 200  # what stands for 1: confidences are mostly written in steps of 0.05
ID_LENGTH = 16


class SearchIndex(Lookup):
    """Terms with the documents that hold them; a document is the number of a write."""

    def size(self) -> tuple[int, float]:
        """Number of documents and their average length in weighted terms."""
        documents, total = self._number("documents"), self._number("length")
        return documents, total / documents if documents else 0.0

    def frequency(self, term: str) -> int:
        """How many documents hold the term."""
        with self._cursor("terms") as cursor:
            return int(cursor.count()) if cursor.set_key(text_key(term)) else 0

    def postings(self, term: str, newest: int = 2**32) -> Iterator[tuple[int, int, int]]:
        """(document, weighted frequency, document length) of the documents that hold the term, of more than `newest`
        those written last."""
        key = text_key(term)
        with self._cursor("terms") as cursor:
            entries = cursor.getmulti([key], dupdata=True, dupfixed_bytes=POSTING.size, keyfixed=True)
        last = memoryview(entries)[-newest * (len(key) + POSTING.size) :]
        return struct.iter_unpack(f">{len(key)}x{POSTING.format[1:]}", last)

    def postings_of(self, term: str, docs: Iterable[int]) -> Iterator[tuple[int, int, int]]:
        """The postings of those of these documents that hold the term."""
        key = text_key(term)
        with self._cursor("terms") as cursor:
            for doc in docs:
                if cursor.set_range_dup(key, POSTING.pack(doc, 0, 0)):
                    found = POSTING.unpack(cursor.value())
                    if found[0] == doc:
                        yield found

    def vocabulary(self) -> Iterator[str]:
        """The terms that are words and begin with a letter, and `~` spellings, sorted by their bytes."""
        for key in self._raw_keys("terms", b"", first=b"_"):
            yield key.decode("utf-8", "replace")

    def texts(self, needles: Collection[str], docs: Iterable[int] | None = None) -> Iterator[tuple[int, str, str]]:
        """(document, folded key, folded text) of each document that may hold a needle, of `docs` or of all."""
        first, *others = (needle.encode("utf-8", "replace") for needle in needles)
        documents = self._documents() if docs is None else self._documents_of(docs)
        held = (
            [entry for entry in documents if first in entry[1] or any(other in entry[1] for other in others)]
            if others
            else [entry for entry in documents if first in entry[1]]
        )
        for number, value in held:
            key, _, body = value[ID_LENGTH + STANDING.size :].decode("utf-8", "replace").partition("\0")
            yield int.from_bytes(number, "big"), key, body

    def standing(self, doc: int) -> tuple[str, float, int] | None:
        """A document's id, the most that its relevance can count (0 to 1) and the time of its last write."""
        value = self._get("documents", doc.to_bytes(4, "big"))
        if value is None or len(value) < ID_LENGTH + STANDING.size:
            return None
        most, time = STANDING.unpack_from(value, ID_LENGTH)
        return ident_of(value[:ID_LENGTH]), most / MOST, time

    def document_of(self, ident: str) -> int | None:
        """The document number of a fragment."""
        value = self._get("numbers", text_key(ident))
        return DOCUMENT.unpack(value)[0] if value and len(value) == DOCUMENT.size else None

    def id_of(self, doc: int) -> str | None:
        """The id behind a document number."""
        standing = self.standing(doc)
        return standing[0] if standing else None

    def _documents(self) -> Iterator[tuple[bytes, bytes]]:
        return iter(self._cursor("documents"))

    def _documents_of(self, docs: Iterable[int]) -> Iterator[tuple[bytes, bytes]]:
        for doc in docs:
            number = doc.to_bytes(4, "big")
            value = self._get("documents", number)
            if value is not None:
                yield number, value
