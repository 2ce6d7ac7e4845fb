"""Stores, child processes and whole-index comparisons for the tests of the store."""

import ctypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import lmdb

from memcli.model import STATES, Fragment
from memcli.store import Reader, Store
from memcli.store.databases import DATABASES
from memcli.store.index import DOCUMENT, POSTING
from tests.records import fragment

CAPABILITY_VERSION_3, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 0x20080522, 1 << 1, 1 << 2  # <linux/capability.h>


def saved(folder: Path, *fragments: Fragment) -> Store:
    """A store that holds the fragments."""
    store = Store(str(folder))
    with store.writing() as writer:
        for each in fragments or (fragment(),):
            writer.put(each)
    return store


def texts(store: Store) -> list[str]:
    """The texts of all fragments in the store, sorted; none without a store."""
    with store.reading() as reader:
        if reader is None:
            return []
        idents = [ident for state in STATES for ident in reader.newest(state)]
        return sorted(each.text for each in reader.fragments(idents))


def python(code: str, *args: object) -> list[str]:
    """The command that runs the code; `args` are its sys.argv[1:]."""
    return [sys.executable, "-c", PRELUDE + code, *map(str, args)]


def child(code: str, *args: object, **options: Any) -> "subprocess.Popen[str]":
    """A process that runs the code."""
    return subprocess.Popen(python(code, *args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def said(code: str, *args: object, **options: Any) -> str:
    """What the child printed. Fails if it ended by a signal, an error or not at all."""
    process = child(code, *args, **options)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, (process.returncode, err)
    return out.strip()


# What a child says of a store: its texts, or the error in one word.
PRELUDE = """
import os, resource, sys, time, signal, subprocess, lmdb
from memcli.errors import MemError
from memcli.store import Store, environment, files, turns
from tests.outside.store_world import child, permissions_bind, python, texts
from tests.records import IDS, fragment

def told(deed):
    try:
        print(deed())
    except MemError as error:
        print(error.kind, "|", error.message, "|", error.hint)

def write(store, *fragments):
    with store.writing() as writer:
        for each in fragments or (fragment(),):
            writer.put(each)
    return "stored"
"""

HOLD = """
env = lmdb.open(sys.argv[1], max_dbs=32, map_size=1 << 36)
txn = env.begin(write=True)
print("held", flush=True)
time.sleep(60)
"""


# Read, then write, and say what became of it.
TELL = """
store = Store(sys.argv[1])
told(lambda: texts(store))
told(lambda: write(store, fragment(IDS[1], "new")))
"""


def dump(reader: Reader) -> dict[str, list[Any]]:
    """All indexes of a store with ids for document numbers: two stores with the same records give the same."""
    owners = {key: DOCUMENT.unpack(value) for key, value in reader._items("numbers", b"")}
    idents = {number: ident for ident, (number, _) in owners.items()}
    several = [name for name, is_several in DATABASES.items() if is_several and name != "terms"]
    found: dict[str, list[Any]] = {name: sorted(reader._items(name, b"")) for name in ("fragments", *several)}
    found["numbers"] = sorted((ident, length) for ident, (_, length) in owners.items())
    found["documents"] = sorted(
        (idents[int.from_bytes(number, "big")], value) for number, value in reader._items("documents", b"")
    )
    found["terms"] = sorted(
        (term, idents[POSTING.unpack(value)[0]], *POSTING.unpack(value)[1:])
        for term, value in reader._items("terms", b"")
    )
    found["size"] = [reader.size()]
    return found


def rebuilt(reader: Reader) -> dict[str, list[Any]]:
    """The indexes of a new store with the same records."""
    records = list(reader.fragments(key.decode() for key, _ in reader._items("fragments", b"")))
    with tempfile.TemporaryDirectory() as folder, Store(folder).writing() as writer:
        for each in records:
            writer.put(each)
        return dump(writer)


def raw(folder: Path, **options: Any) -> lmdb.Environment:
    """The store's file as any other program opens it."""
    return lmdb.open(str(folder), max_dbs=32, **{"map_size": 1 << 36, **options})


def mark(folder: Path, schema: bytes) -> bytes:
    """Give the store another schema mark; gives the bytes of its file."""
    with raw(folder) as env, env.begin(write=True) as txn:
        txn.put(b"schema", schema, db=env.open_db(b"meta", txn=txn, create=False))
    return (folder / "data.mdb").read_bytes()


def permissions_bind() -> None:
    """Let permissions bind this process also when it is root's (on Linux), as they bind everybody else."""
    if os.getuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        version, sets = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)()
        libc.capget(version, sets)
        for effective_and_permitted in (0, 1):
            sets[effective_and_permitted] &= ~(CAP_DAC_OVERRIDE | CAP_DAC_READ_SEARCH)
        if libc.capset(version, sets):
            raise OSError(ctypes.get_errno(), "capset")
