"""Records and indexes: what was put is found by everything it is indexed under, and by nothing else."""

import json
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.model import STATES, Anchor, Fragment
from memcli.store import Reader, Store
from memcli.store.databases import text_key
from tests.outside.store_world import dump, raw, rebuilt, saved, texts
from tests.records import IDS, fragment, fragments

steps = st.lists(st.one_of(fragments, st.sampled_from(IDS)), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(st.lists(steps, min_size=1, max_size=3))
def test_every_index_is_what_the_records_say(transactions: list[list[Fragment | str]]) -> None:
    """After any puts and deletes, in any transactions, each index equals one built anew: no orphan, nothing missing."""
    expected: dict[str, Fragment] = {}
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        for deeds in transactions:
            with store.writing() as writer:
                for deed in deeds:
                    if isinstance(deed, str):
                        writer.delete(deed)
                        expected.pop(deed, None)
                    else:
                        writer.put(deed)
                        expected[deed.id] = deed
        with store.reading() as reader:
            assert reader is not None
            assert {f.id: f for f in reader.fragments(IDS)} == expected
            assert dump(reader) == rebuilt(reader)


@settings(max_examples=60, deadline=None)
@given(st.lists(fragments, min_size=1, max_size=4, unique_by=lambda each: each.id))
def test_all_questions_agree_with_the_records(put: Sequence[Fragment]) -> None:
    """Key, text, path, state, count, order and document lead to exactly the fragments that have them."""
    with tempfile.TemporaryDirectory() as folder, saved(Path(folder), *put).reading() as reader:
        assert reader is not None
        for each in put:
            assert each in reader.with_text(each.text)
            assert reader.with_prefix(each.id[:5]) == [each.id]
            for anchor in each.anchors:
                if anchor.path:
                    there = {other.id for other in put if anchor.path in {a.path for a in other.anchors}}
                    assert set(reader.at_path(anchor.path)) == there
        for key in {each.key for each in put if each.key}:
            assert {f.id for f in reader.with_key(key)} == {f.id for f in put if f.key == key}
        for state in STATES:
            mine = [f for f in put if f.state == state]
            assert reader.count(state) == len(mine)
            assert {*reader.newest(state)} == {f.id for f in mine}
        assert set(reader.anchored_paths()) == {a.path for f in put for a in f.anchors if a.path}
        assert {owner(reader, doc) for doc, _, _ in reader.texts([""])} == {f.id for f in put}


def test_newest_first_by_the_last_write(tmp_path: Path) -> None:
    """Order is that of `updated`, of `created` where it is 0, and not that of saving."""
    times = [(30, 30), (5, 10), (40, 0), (1, 20)]
    put = [fragment(i, str(i), created=c, updated=u) for i, (c, u) in zip(IDS, times, strict=False)]
    with saved(tmp_path, *put).reading() as reader:
        assert reader is not None
        assert list(reader.newest("active")) == [IDS[2], IDS[0], IDS[3], IDS[1]]
        assert list(reader.newest("no state")) == []


def test_putting_while_walking_the_newest(tmp_path: Path) -> None:
    """A fragment that is written anew during the walk moves to the front and is not met twice."""
    put = [fragment(ident, str(time), updated=time) for time, ident in enumerate(IDS, 10)]
    with saved(tmp_path, *put).writing() as writer:
        met = []
        for each in writer.fragments(writer.newest("active")):
            met.append(each.id)
            writer.put(each._replace(updated=100))
        assert met == IDS[::-1]


def test_walking_far_while_everything_moves(tmp_path: Path) -> None:
    """However many there are, each is met once while those met are written anew, changed in state or deleted."""
    idents = ["k" * 13 + "".join(letters) for letters in product("klmnopqrs", repeat=3)]
    store = saved(tmp_path, *(fragment(ident, ident, updated=time) for time, ident in enumerate(idents, 1)))
    with store.writing() as writer:
        met = []
        for place, each in enumerate(writer.fragments(writer.newest("active"))):
            met.append(each.id)
            if place % 3:
                writer.put(each._replace(updated=10_000, state="active" if place % 3 == 1 else "superseded"))
            else:
                writer.delete(each.id)
        assert met == idents[::-1]
        assert dump(writer) == rebuilt(writer)


def test_prefixes(tmp_path: Path) -> None:
    """Ids by prefix are sorted and limited; the empty prefix means all, one too long or not in the store none."""
    put = [fragment("k" * 15 + last, last, key=f"decision:{last}") for last in "zmkl"]
    with saved(tmp_path, *put, fragment("l" * 16, "l", key="other")).reading() as reader:
        assert reader is not None
        assert reader.with_prefix("k", limit=3) == ["k" * 15 + last for last in "klm"]
        assert len(reader.with_prefix("")) == 5
        assert reader.with_prefix("m") == reader.with_prefix("k" * 600) == reader.with_prefix("\udcff") == []
        assert list(reader.keys("decision:")) == [f"decision:{last}" for last in "klmz"]
        assert list(reader.keys("x")) == list(reader.keys("x" * 600)) == []
        assert reader.fragment("") is None
        assert reader.fragment("k" * 600) is None


def test_what_is_longer_than_a_key_of_the_database(tmp_path: Path) -> None:
    """Keys, paths, names and identifiers beyond 511 bytes are stored, found and forgotten like any other."""
    path, key = "ü/" * 400 + "f.py", "key:" + "x" * 600
    long = fragment(IDS[0], "y" * 700 + " `" + "z" * 700 + "`", key=key, anchors=(Anchor(path, "file"),))
    twin = fragment(IDS[1], "other", anchors=(Anchor(path, "file"), Anchor("src/a.py", "file")))
    store = saved(tmp_path, long, twin)
    with store.writing() as writer:
        assert writer.at_path(path) == IDS[:2]
        assert list(writer.anchored_paths()) == [path, "src/a.py"]
        assert writer.with_key(key) == [long]
        writer.set_meta("swept:" + "w" * 600, {"at": 1})
        assert writer.meta("swept:" + "w" * 600) == {"at": 1}
        writer.delete(IDS[0])
        writer.delete(IDS[1])
        assert not writer.with_key(key)
        assert list(writer.anchored_paths()) == list(writer.vocabulary()) == []


def test_paths_that_are_no_text(tmp_path: Path) -> None:
    """A path's byte that is not UTF-8 comes back as it was, from the record and from the index."""
    path = b"caf\xe9/\xff.py".decode("utf-8", "surrogateescape")
    with saved(tmp_path, fragment(anchors=(Anchor(path, "file"),))).reading() as reader:
        assert reader is not None
        assert list(reader.anchored_paths()) == [path]
        assert reader.at_path(path) == [IDS[0]]


def test_what_was_remembered_comes_back(tmp_path: Path) -> None:
    """What deeds remember is kept as given; verdicts go with their fragment."""
    store = saved(tmp_path)
    with store.writing() as writer:
        writer.set_seen("here", "src/\udcff.py", [1, 2, "ab"])
        writer.set_blob("ab" * 20, b"print\0" * 9)
        writer.set_pair("ab", "cd", ["changed", [1, 2], 0.5])
        writer.set_verdict(IDS[0], b"c" * 16, {"confidence": 0.4})
        writer.set_verdict(IDS[1], b"c" * 16, {"confidence": 0.5})
        writer.set_swept("here", IDS[0], (0.4, "changed"))
        writer.set_swept("there", IDS[0], (0.5, "changed"))
        writer.set_swept_path("here", "src/\udcff.py", "file ab")
        writer.set_token_count(b"p" * 16, 7)
    with store.writing() as writer:
        assert writer.seen("here", "src/\udcff.py") == [1, 2, "ab"]
        assert writer.seen("there", "src/\udcff.py") is None
        assert (writer.blob("ab" * 20), writer.has_blob("cd" * 20)) == (b"print\0" * 9, False)
        assert (writer.pair("ab", "cd"), writer.pair("cd", "ab")) == (["changed", [1, 2], 0.5], None)
        assert writer.swept("here") == {IDS[0]: (0.4, "changed")}
        assert writer.swept_paths("here") == {"src/\udcff.py": "file ab"}
        assert (writer.token_count(b"p" * 16), writer.token_count(b"q" * 16)) == (7, None)
        writer.set_swept("here", IDS[0], None)
        writer.delete(IDS[0])
        assert writer.swept("here") == {}
        assert writer.verdict(IDS[0], b"c" * 16) is None
        assert writer.verdict(IDS[1], b"c" * 16) == {"confidence": 0.5}


def test_a_remembered_value_that_was_damaged(tmp_path: Path) -> None:
    """It counts as not remembered."""
    store = saved(tmp_path)
    with store.writing() as writer:
        writer.set_seen("here", "a.py", [1])
        writer.set_blob("ab", b"print")
        for database, key in (("seen", b"here/a.py"), ("blobs", b"ab")):
            for value in (b"{", b"\xff\xfe"):
                writer._put(database, key, value)
                assert writer.seen("here", "a.py") is None or database != "seen"
                assert writer.blob("ab") is None or database != "blobs"


def owner(reader: Reader, doc: int) -> str | None:
    """The id of a document's fragment."""
    standing = reader.standing(doc)
    return standing[0] if standing else None


def spoil(folder: Path, ident: str, record: bytes) -> None:
    """Write other bytes in a record's place, behind the indexes' back."""
    with raw(folder) as env, env.begin(write=True) as txn:
        txn.put(ident.encode(), record, db=env.open_db(b"fragments", txn=txn, create=False))


def test_one_bad_record_breaks_nothing_else(tmp_path: Path) -> None:
    """The others are listed and found; the bad one is named, and can be replaced or deleted without a trace."""
    store = saved(tmp_path, *(fragment(ident, f"users {ident}", key="k:" + ident) for ident in IDS[:3]))
    wrong_text = json.dumps({"id": IDS[0], "text": 5, "stamp": {"commit": None}}).encode()
    for record in (b"", b"{", b"[" * 100_000, wrong_text, b"\xff\xfe", b'{"text": "x", "stamp": []}'):
        spoil(tmp_path, IDS[0], record)
        with store.reading() as reader:
            assert reader is not None
            assert [f.id for f in reader.fragments(reader.newest("active"))] == IDS[2:0:-1]
            assert {owner(reader, doc) for doc, _, _ in reader.postings("user")} == set(IDS[:3])
            assert reader.with_key("k:" + IDS[0]) == []
            assert reader.damaged == [IDS[0]]
    with store.writing() as writer:
        writer.put(fragment(IDS[0], "whole again"))
        assert dump(writer) == rebuilt(writer)
    spoil(tmp_path, IDS[0], b"{")
    with store.writing() as writer:
        writer.delete(IDS[0])
        assert dump(writer) == rebuilt(writer)
        assert writer.size()[0] == 2


def test_a_record_in_anothers_place_is_damage(tmp_path: Path) -> None:
    """A record answers only to the id it was stored under."""
    store = saved(tmp_path, fragment(IDS[0]), fragment(IDS[1], "b"))
    with raw(tmp_path) as env, env.begin() as txn:
        other = txn.get(IDS[1].encode(), db=env.open_db(b"fragments", txn=txn, create=False))
    spoil(tmp_path, IDS[0], other or b"")
    with store.reading() as reader:
        assert reader is not None
        assert reader.fragment(IDS[0]) is None
        assert reader.damaged == [IDS[0]]


def test_records_of_a_later_version_with_this_schema(tmp_path: Path) -> None:
    """Fields that this version doesn't know are passed over."""
    store = saved(tmp_path, fragment(text="kept"))
    with raw(tmp_path) as env, env.begin(write=True) as txn:
        records = env.open_db(b"fragments", txn=txn, create=False)
        record = json.loads(txn.get(IDS[0].encode(), db=records) or b"") | {"v": 2, "tags": ["new"]}
        txn.put(IDS[0].encode(), json.dumps(record).encode(), db=records)
    assert texts(store) == ["kept"]


def test_a_block_that_fails_changes_nothing(tmp_path: Path) -> None:
    """All of a block's changes or, on any error, none."""
    store = saved(tmp_path, fragment(text="before"))
    try:
        with store.writing() as writer:
            writer.put(fragment(text="after"))
            writer.delete(IDS[0])
            raise KeyError("of the caller")
    except KeyError:
        pass
    assert texts(store) == ["before"]


def test_any_text_is_a_key() -> None:
    """Short texts keep their bytes, so that they sort; others and none at all are still told apart."""
    names = ["", "\0", "\0a", "a", "b", "x" * 511, "x" * 512, "x" * 513, "\udcff", "\ud800"]
    keys = [text_key(name) for name in names]
    assert len(set(keys)) == len(names)
    assert all(0 < len(key) <= 511 for key in keys)
    assert text_key("a") == b"a"
