"""The store's named databases and its schema: what each holds, how a key is spelt, how an old schema becomes a new one.

All indexes are written in the record's own transaction, so none can disagree with it.
"""

from collections.abc import Callable
from hashlib import blake2b

import lmdb

from memcli.errors import StoreDamaged, StoreTooNew

SCHEMA = 1

#: name → whether one key has several sorted values. Keys and such values end at 511 bytes.
DATABASES = {
    "meta": False,  # schema, sizes of the index, salt; swept:WORKTREE → the last sweep there
    "fragments": False,  # id → the record
    "keys": True,  # fragment key → ids
    "normals": True,  # digest of the text's normal form → ids: exact doubles
    "states": True,  # state → time of the last write and id: newest first, counts
    "paths": True,  # anchor path → ids
    "postings": True,  # search term → document number, frequency, length
    "documents": False,  # document number → id, folded key, folded text: scans for substrings
    "numbers": False,  # id → document number
    "seen": False,  # worktree and path → stat and blob ids when last looked at
    "places": False,  # worktree and path → path and content that its last sweep saw there
    "swept": False,  # worktree and id → confidence and verdict that its last sweep reported, where not the base
    "blobs": False,  # blob id → fingerprint: what drift compares, whatever git still has
    "pairs": False,  # two blob ids → how the second differs from the first
    "verdicts": False,  # id and the content now → assessment
    "tokens": False,  # digest of encoding and piece → its count
}

Handles = dict[str, lmdb._Database]
Migration = Callable[["lmdb.Transaction[bytes]", Handles], None]

#: schema N → what makes it N + 1, in the same transaction as its mark.
MIGRATIONS: dict[int, Migration] = {}


def handles(env: lmdb.Environment, txn: "lmdb.Transaction[bytes]", create: bool) -> Handles:
    """The open databases by name. Those that an older schema lacks are made with `create`, left out without.

    Always inside a given transaction: `open_db` without one takes the write lock and hangs behind a sweep.
    """
    found = {}
    for name, several in DATABASES.items():
        try:
            found[name] = env.open_db(name.encode(), txn=txn, dupsort=several, create=create)
        except (lmdb.NotFoundError, lmdb.ReadonlyError):
            continue
    return found


def check_schema(txn: "lmdb.Transaction[bytes]", databases: Handles, folder: str) -> int | None:
    """The store's schema; None for a new, empty file. Raises StoreTooNew, or StoreDamaged for another program's file."""
    raw = txn.get(b"schema", db=databases["meta"]) if "meta" in databases else None
    if raw is None:
        if (
            txn.stat(db=None)["entries"] > len(databases)
            or "fragments" in databases
            and txn.stat(databases["fragments"])["entries"]
        ):
            raise StoreDamaged(
                f"{folder} holds a database that is not a store of mem", "move it aside; it was not touched"
            )
        return None
    try:
        schema = int(raw)
    except ValueError:
        raise StoreDamaged(
            f"the store {folder} has an unreadable schema mark", "put a copy back; it was not touched"
        ) from None
    if schema > SCHEMA:
        raise StoreTooNew(
            f"a newer mem wrote the store {folder} (schema {schema}, this one knows {SCHEMA})",
            "upgrade mem; it was not touched",
        )
    return schema


def migrate(txn: "lmdb.Transaction[bytes]", databases: Handles, schema: int | None) -> None:
    """Bring an older or new store to this schema; the mark is part of the same transaction."""
    if schema == SCHEMA:
        return
    for step in range(schema or SCHEMA, SCHEMA):
        MIGRATIONS[step](txn, databases)
    txn.put(b"schema", str(SCHEMA).encode(), db=databases["meta"])


def digest(*parts: str | bytes) -> bytes:
    """16 bytes that stand for the parts, in their order."""
    whole = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        whole.update(len(data).to_bytes(8, "big"))
        whole.update(data)
    return whole.digest()


def path_key(path: str) -> bytes:
    """A path as a key: itself, or, when longer than LMDB's keys, NUL and its digest (no path has a NUL)."""
    data = path.encode("utf-8", "surrogateescape")
    return data if 0 < len(data) <= 480 else b"\0" + digest(data)
