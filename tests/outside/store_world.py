"""Fragments, child processes and whole-index comparisons for the tests of the store."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import lmdb
from hypothesis import strategies as st

from memcli.model import STATES, TYPES, Anchor, Fragment, Stamp
from memcli.store import Reader, Store
from memcli.store.reader import DOCUMENT, POSTING

IDS = [letter * 16 for letter in "klmnopq"]
NOBODY = 65534


def fragment(ident: str = IDS[0], text: str = "users are made here", **fields: Any) -> Fragment:
    """A fragment with the usual fields."""
    whole: dict[str, Any] = {"key": None, "type": "note", "scope": "workspace", "state": "active", "base": 1.0}
    whole |= {"stamp": Stamp(None, "main", False, 5), "created": 5, "updated": 5} | fields
    return Fragment(id=ident, text=text, **whole)


def saved(folder: Path, *fragments: Fragment) -> Store:
    """A store that holds the fragments."""
    store = Store(str(folder))
    with store.writing() as writer:
        for each in fragments or (fragment(),):
            writer.put(each)
    return store


def texts(store: Store) -> list[str]:
    """The texts of all fragments in the store, sorted."""
    with store.reading() as reader:
        assert reader is not None
        idents = [ident for state in STATES for ident in reader.newest(state)]
        return sorted(each.text for each in reader.fragments(idents))


def child(code: str, *args: object, **options: Any) -> "subprocess.Popen[str]":
    """A Python process that runs the code; `args` are its sys.argv[1:]."""
    command = [sys.executable, "-c", PRELUDE + code, *map(str, args)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def said(code: str, *args: object, **options: Any) -> str:
    """What the child printed. Fails if it ended by a signal, an error or not at all."""
    process = child(code, *args, **options)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, (process.returncode, err)
    return out.strip()


# What a child says of a store: its texts, or the error in one word.
PRELUDE = """
import os, sys, time, signal, lmdb
from memcli.errors import MemError
from memcli.store import Store, environment, files, turns
from tests.outside.store_world import fragment, texts, IDS

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


def dump(reader: Reader) -> dict[str, list[Any]]:
    """All indexes of a store with ids for document numbers: two stores with the same records give the same."""
    owners = {key: DOCUMENT.unpack(value) for key, value in reader._items("numbers", b"")}
    idents = {number: ident for ident, (number, _) in owners.items()}
    found: dict[str, list[Any]] = {
        name: sorted(reader._items(name, b"")) for name in ("fragments", "keys", "normals", "states", "paths")
    }
    found["numbers"] = sorted((ident, length) for ident, (_, length) in owners.items())
    found["documents"] = sorted(
        (idents[int.from_bytes(number, "big")], value) for number, value in reader._items("documents", b"")
    )
    found["postings"] = sorted(
        (term, idents[POSTING.unpack(value)[0]], *POSTING.unpack(value)[1:])
        for term, value in reader._items("postings", b"")
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


def as_nobody() -> dict[str, Any]:
    """Options for a child that permissions bind, also when the tests run as root."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}


# any text, lone surrogates included: JSON can bring them, and a path's byte that is no UTF-8 is one
any_text = st.text(st.characters(codec=None), max_size=40)
some_text = st.one_of(st.sampled_from(["", "x", "users are made here", "x" * 600, "\udcff", "\ud800 lone"]), any_text)
_paths = st.one_of(st.sampled_from(["src/users.py", "d/" * 300 + "f", "caf\udce9.py"]), any_text)
_times = st.integers(-(1 << 62), 1 << 62)
_short = st.one_of(st.none(), st.text(max_size=8))
_lines = st.one_of(st.none(), st.tuples(st.integers(1, 9), st.integers(1, 9)))
_anchors = st.builds(
    Anchor, _paths, st.sampled_from(["file", "dir", "missing"]), _short, _short, _lines, _short, st.booleans(),
    st.booleans(), st.lists(any_text, max_size=3).map(tuple),
)  # fmt: skip
_stamps = st.builds(Stamp, _short, _short, st.booleans(), _times, st.lists(st.text(max_size=4), max_size=2).map(tuple))
_idents = st.lists(st.sampled_from(IDS), max_size=2).map(tuple)

fragments = st.builds(
    Fragment,
    id=st.sampled_from(IDS[:4]),
    key=st.one_of(st.none(), st.sampled_from(["", "a", "a:b", "k" * 600]), any_text),
    type=st.sampled_from(TYPES),
    scope=st.sampled_from(["session", "user", "workspace"]),
    state=st.sampled_from(STATES),
    text=some_text,
    base=st.floats(0, 1),
    stamp=_stamps,
    anchors=st.lists(_anchors, max_size=3).map(tuple),
    parents=_idents,
    supersedes=_idents,
    superseded_by=st.one_of(st.none(), st.sampled_from(IDS)),
    source=st.text(max_size=8),
    author=st.text(max_size=8),
    session=_short,
    created=_times,
    updated=_times,
    approved=st.one_of(st.none(), _times),
)

