"""How the store's databases are read: one value, several, a range; whatever damage did, as nothing."""

import json
from collections.abc import Iterator
from typing import Any

import lmdb

from memcli.store.databases import MAX_KEY, Handles, key_text, text_key

_scan = json.JSONDecoder().raw_decode  # json.loads without its looks at white space


class Lookup:
    """The databases, inside one transaction."""

    def __init__(self, txn: "lmdb.Transaction[bytes]", databases: Handles) -> None:
        self._txn = txn
        self._dbs = databases

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
            return [ident_of(value) for value in cursor.iternext_dup()] if cursor.set_key(key) else []

    def _items(self, database: str, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        with self._cursor(database) as cursor:
            if cursor.set_range(prefix) if prefix else cursor.first():
                for key, value in cursor:
                    if not key.startswith(prefix):
                        return
                    yield key, value

    def _raw_keys(self, database: str, prefix: bytes, first: bytes = b"") -> Iterator[bytes]:
        with self._cursor(database) as cursor:
            there = cursor.set_range(prefix or first) if prefix or first else cursor.first()
            while there and cursor.key().startswith(prefix):
                yield cursor.key()
                there = cursor.next_nodup()

    def _keys(self, database: str, prefix: str) -> Iterator[str]:
        spelt = prefix.encode("utf-8", "surrogatepass")
        for key in self._raw_keys(database, spelt) if len(spelt) <= MAX_KEY else ():
            name = key_text(key)
            if name is not None:
                yield name


def ident_of(value: bytes) -> str:
    """The id that an index holds. What damage made of one names nothing, and breaks nothing."""
    return value.decode("utf-8", "replace")
