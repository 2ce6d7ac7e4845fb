"""Migrations: an older store becomes this one's, whole or not at all."""

import os
from pathlib import Path

import lmdb
import pytest

from memcli.store import Store, databases
from tests.outside.store_world import dump, rebuilt, said, saved, texts
from tests.records import IDS, fragment

# A next version: the next schema with one more database, made from the records.
NEXT = """
from memcli.store import databases
def step(txn, dbs):
    for key, _ in txn.cursor(db=dbs["fragments"]):
        txn.put(b"seen:" + key, b"1", db=dbs["lengths"])
    CRASH
databases.SCHEMA += 1
databases.DATABASES["lengths"] = False
databases.MIGRATIONS[databases.SCHEMA - 1] = step
def lengths():
    with Store(sys.argv[1]).writing() as writer:
        return len(list(writer._items("lengths", b"")))
"""


def next_version(then: str, crash: str = "") -> str:
    return NEXT.replace("CRASH", crash) + then


@pytest.mark.parametrize("first", ["texts(Store(sys.argv[1]))", "write(Store(sys.argv[1]))"])
def test_an_older_store_is_migrated_once(tmp_path: Path, first: str) -> None:
    """By the first read or write; its records are there, and the older version then refuses it."""
    saved(tmp_path, *(fragment(ident, ident) for ident in IDS[:3]))
    assert said(next_version(f"{first}\nprint(lengths())\nprint(len(texts(Store(sys.argv[1]))))"), tmp_path) == "3\n3"
    assert said(next_version("print(lengths())", crash="raise AssertionError('again')"), tmp_path) == "3"
    assert said("told(lambda: texts(Store(sys.argv[1])))", tmp_path).startswith("store-too-new | ")


@pytest.mark.parametrize("crash", ["os.kill(os.getpid(), 9)", "raise KeyError('fault')"])
def test_a_migration_that_breaks_off_changes_nothing(tmp_path: Path, crash: str) -> None:
    """Mark and changes are one transaction: the older version goes on with the store, and so does the next try."""
    saved(tmp_path)
    broken = next_version("texts(Store(sys.argv[1]))", crash)
    with pytest.raises(AssertionError, match=r"KeyError|-9"):
        said(broken, tmp_path)
    assert texts(Store(str(tmp_path))) == ["users are made here"]
    assert said(next_version("print(lengths())"), tmp_path) == "1"


def test_a_new_store_needs_no_migration(tmp_path: Path) -> None:
    """It is made as this version writes it."""
    assert said(next_version("write(Store(sys.argv[1]))\nprint(lengths())", "raise KeyError"), tmp_path) == "0"


def test_an_older_store_that_may_not_be_written(tmp_path: Path) -> None:
    """It can't be brought to this schema there, and that is said."""
    saved(tmp_path)
    os.chmod(tmp_path / "data.mdb", 0o444)
    read = next_version("told(lambda: texts(Store(sys.argv[1])))")
    assert said("permissions_bind()\n" + read, tmp_path).startswith("store-read-only")


def test_every_schema_before_this_has_its_step() -> None:
    """From any older schema there is a way to this one."""
    assert set(databases.MIGRATIONS) == set(range(1, databases.SCHEMA))


def test_schema_1_gets_its_index_anew(tmp_path: Path) -> None:
    """Its postings are emptied, and the index is as if its records, a damaged one too, had been written now."""
    store = saved(tmp_path, *(fragment(ident, f"users {ident}", base=0.5) for ident in IDS[:3]))
    with lmdb.open(str(tmp_path), max_dbs=40, map_size=1 << 30) as env:
        dbs = {name: env.open_db(name) for name in (b"fragments", b"meta", b"documents")}
        terms = env.open_db(b"terms", dupsort=True, dupfixed=True)
        postings = env.open_db(b"postings", dupsort=True)
        with env.begin(write=True) as txn:
            txn.drop(terms)
            txn.put(b"user", b"1234567", db=postings)
            for number, value in list(txn.cursor(db=dbs[b"documents"])):
                txn.put(number, value[:16] + b"\0users", db=dbs[b"documents"])
            txn.put(IDS[0].encode(), b"{", db=dbs[b"fragments"])
            txn.put(b"schema", b"1", db=dbs[b"meta"])
    with store.reading() as reader:
        assert reader is not None
        standings = [reader.standing(doc) for doc, _, _ in reader.texts([""])]
        assert [standing[:2] for standing in standings if standing] == [
            (IDS[0], 0),
            (IDS[1], 0.5),
            (IDS[2], 0.5),
        ]
    with lmdb.open(str(tmp_path), max_dbs=40) as env, env.begin() as txn:
        assert not txn.stat(env.open_db(b"postings", txn=txn, dupsort=True))["entries"]
    with store.writing() as writer:
        writer.put(fragment(IDS[0], "whole again"))
        assert dump(writer) == rebuilt(writer)
