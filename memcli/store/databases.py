"""The store's named databases and its schema: what each holds, how a key is spelt, how an old schema becomes a new one.

All indexes are written in the record's own transaction, so none can disagree with it.
"""

from collections.abc import Callable

import lmdb

from memcli.digests import blake2b
from memcli.errors import StoreTooNew
from memcli.store import faults

SCHEMA = 2
MAX_KEY = 511  # bytes, of a key and of a value that is one of several

#: name → whether one key has several sorted values. Keys and such values end at MAX_KEY.
DATABASES = {
    "meta": False,  # schema, sizes of the index, salt; swept:WORKTREE → the last sweep there
    "fragments": False,  # id → the record
    "keys": True,  # fragment key → ids
    "normals": True,  # digest of the text's normal form → ids: exact doubles
    "states": True,  # state, and state:type → time of the last write and id: newest first, counts
    "paths": True,  # anchor path → ids
    "sessions": True,  # session → ids of the fragments in its scope
    "terms": True,  # search term → document number, frequency, length
    "documents": False,  # document number → id, the most it can count, time, folded key and text: scans for substrings
    "numbers": False,  # id → document number, document length
    "seen": False,  # worktree and path → stat and blob ids when last looked at
    "places": False,  # worktree and path → path and content that its last sweep saw there
    "swept": False,  # worktree and id → confidence and verdict that its last sweep reported, where not the base
    "blobs": False,  # blob id → fingerprint: what drift compares, whatever git still has
    "pairs": False,  # two blob ids → how the second differs from the first
    "verdicts": False,  # id and the content now → assessment
    "tokens": False,  # digest of encoding and piece → its count
}

FIXED = {"terms"}  # those whose several values have one size: smaller, and read in one piece
RETIRED = {"postings": True}  # those of older schemas, emptied when they are migrated

Handles = dict[str, lmdb._Database]
Migration = Callable[["lmdb.Transaction[bytes]", Handles], None]


def _index_anew(txn: "lmdb.Transaction[bytes]", databases: Handles) -> None:
    """2: postings of one size, and what a document counts at most, beside it."""
    from memcli.store.writer import Writer

    Writer(txn, databases).index_anew()


#: schema N → what makes it N + 1, in the same transaction as its mark.
MIGRATIONS: dict[int, Migration] = {1: _index_anew}


def handles(env: lmdb.Environment, txn: "lmdb.Transaction[bytes]", create: bool) -> Handles:
    """The open databases by name. Those that an older schema lacks are made with `create`, left out without.

    Always inside a given transaction: `open_db` without one takes the write lock and hangs behind a sweep.
    """
    found = {}
    for name, several in DATABASES.items():
        try:
            found[name] = env.open_db(name.encode(), txn=txn, dupsort=several, dupfixed=name in FIXED, create=create)
        except (lmdb.NotFoundError, lmdb.ReadonlyError):
            continue
    return found


def check_schema(txn: "lmdb.Transaction[bytes]", databases: Handles, path: str) -> int | None:
    """The store's schema; None for a new, empty file. Raises StoreTooNew, StoreDamaged for another program's file."""
    raw = txn.get(b"schema", db=databases["meta"]) if "meta" in databases else None
    if raw is None:
        if txn.stat(db=None)["entries"]:
            raise faults.damaged(path, "it is another program's database")
        return None
    if not raw.isdigit() or not int(raw):
        raise faults.damaged(path, "its schema mark is unreadable")
    schema = int(raw)
    if schema > SCHEMA:
        raise StoreTooNew(
            f"a newer mem wrote the store {path} (schema {schema}, this one knows {SCHEMA})",
            "upgrade mem; it was not touched",
        )
    return schema


def is_current(schema: int | None, databases: Handles) -> bool:
    """Whether the store is as this version writes it."""
    return schema == SCHEMA and len(databases) == len(DATABASES)


def made_current(env: lmdb.Environment, txn: "lmdb.Transaction[bytes]", path: str) -> Handles:
    """The databases of this version, after making or migrating what is new or older; the mark is part of the same
    transaction. Raises as `check_schema`."""
    found = handles(env, txn, create=False)
    schema = check_schema(txn, found, path)
    if is_current(schema, found):
        return found
    found = handles(env, txn, create=True)
    _migrate(txn, found, schema)
    _retire(env, txn)
    return found


def _migrate(txn: "lmdb.Transaction[bytes]", databases: Handles, schema: int | None) -> None:
    for step in range(schema or SCHEMA, SCHEMA):
        MIGRATIONS[step](txn, databases)
    txn.put(b"schema", str(SCHEMA).encode(), db=databases["meta"])


def _retire(env: lmdb.Environment, txn: "lmdb.Transaction[bytes]") -> None:
    for name, several in RETIRED.items():
        try:
            old = env.open_db(name.encode(), txn=txn, dupsort=several, create=False)
        except lmdb.NotFoundError:
            continue
        txn.drop(old, delete=False)


def text_key(text: str) -> bytes:
    """A text (path, key, term, name) as a key: its bytes, or, when longer than LMDB's keys, NUL and their digest.

    Surrogates pass: one may stand for a byte of a path that is no UTF-8, or come out of somebody's JSON.
    """
    data = text.encode("utf-8", "surrogatepass")
    return data if 0 < len(data) <= MAX_KEY and data[0] else b"\0" + digest(data)


def key_text(key: bytes) -> str | None:
    """The text of a key; None for a digest."""
    return key.decode("utf-8", "surrogatepass") if key[0] else None


def digest(*parts: str | bytes) -> bytes:
    """16 bytes that stand for the parts, in their order."""
    whole = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        whole.update(len(data).to_bytes(8, "big"))
        whole.update(data)
    return whole.digest()
