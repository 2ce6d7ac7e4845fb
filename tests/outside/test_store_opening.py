"""Opening a store in whatever condition its files are: an answer, or one error that names it, and nothing lost."""

import os
import random
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from memcli.errors import StoreDamaged, StoreTooNew
from memcli.store import Store
from memcli.store.datafile import header
from tests.outside.store_world import TELL, child, mark, raw, said, saved, texts
from tests.records import IDS, fragment


def test_reading_makes_nothing(tmp_path: Path) -> None:
    """No store is an answer, and asking leaves no folder and no file behind."""
    for folder in (tmp_path / "none", tmp_path):
        with Store(str(folder)).reading() as reader:
            assert reader is None
        assert not Store(str(folder)).exists
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_only_the_owner_may_read(tmp_path: Path, umask: int) -> None:
    """Folders 0700 and files 0600 whatever the umask, those above that had to be made included."""
    folder = tmp_path / "share" / "mem"
    code = f"os.umask({umask:#o}); store = Store(sys.argv[1]); write(store); told(lambda: texts(store))"
    assert said("permissions_bind()\n" + code, folder) == "['users are made here']"
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "share", folder, *folder.iterdir())}
    assert modes == {"share": 0o700, "mem": 0o700, "data.mdb": 0o600, "lock.mdb": 0o600}


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="needs /proc")
def test_nothing_stays_open_between_uses(tmp_path: Path) -> None:
    """After a read, a write and a failed block no descriptor and no map of the store is left."""
    store = saved(tmp_path)
    assert texts(store)
    with pytest.raises(KeyError), store.writing():
        raise KeyError
    maps = Path("/proc/self/maps").read_text()
    links = [
        os.readlink(f"/proc/self/fd/{fd}")
        for fd in os.listdir("/proc/self/fd")
        if os.path.exists(f"/proc/self/fd/{fd}")
    ]
    assert str(tmp_path) not in maps
    assert not [link for link in links if str(tmp_path) in link]


# damage


def test_a_file_cut_short_anywhere(tmp_path: Path) -> None:
    """Wherever it ends, both reading and writing say so, and leave it as it is. LMDB would die of SIGBUS."""
    saved(tmp_path / "whole", *(fragment(ident, "x" * 5000) for ident in IDS))
    data = (tmp_path / "whole" / "data.mdb").read_bytes()
    pages = len(data) // 4096
    cuts = {0, 1, 15, 16, 151, 152, 4095, 4096, 4097, 4247, 4248, 8191, 8192, 8193, len(data) - 1}
    cuts |= {page * 4096 for page in range(2, pages)} | {page * 4096 + 7 for page in range(2, pages, 5)}
    for cut in cuts:
        (tmp_path / str(cut)).mkdir()
        (tmp_path / str(cut) / "data.mdb").write_bytes(data[:cut])
    code = f"""
for cut in {sorted(cuts)}:
    store = Store(os.path.join(sys.argv[1], str(cut)))
    told(lambda: texts(store))
    told(lambda: write(store))
"""
    lines = said(code, tmp_path).splitlines()
    assert len(lines) == 2 * len(cuts)
    assert {line.split(" | ")[0] for line in lines} == {"store-damaged"}
    for cut in cuts:
        assert (tmp_path / str(cut) / "data.mdb").read_bytes() == data[:cut]


def test_a_sound_file_is_never_called_damaged(tmp_path: Path) -> None:
    """LMDB leaves the file shorter than its count of pages when one transaction takes and frees the last ones."""
    path, dice, short = str(tmp_path / "data.mdb"), random.Random(7), 0
    for _ in range(10):
        with raw(tmp_path, sync=False) as env:
            for _ in range(60):
                with env.begin(write=True) as txn:
                    sorted_ = env.open_db(b"sorted", txn=txn, dupsort=True)
                    plain = env.open_db(b"plain", txn=txn)
                    for _ in range(dice.choice((1, 4, 60))):
                        key = b"%d" % dice.randrange(150)
                        txn.put(key, b"v" * dice.choice((9, 900, 3000, 90_000, 700_000)), db=plain)
                        txn.delete(b"%d" % dice.randrange(150), db=plain)
                        txn.put(b"k%d" % dice.randrange(5), key, db=sorted_)
                    txn.delete(key, db=plain)
                found = header(path)
                assert found is not None
                assert (found.last_page, found.txnid) == (env.info()["last_pgno"], env.info()["last_txnid"])
                short += os.path.getsize(path) < (found.last_page + 1) * found.page_size
    assert short


def test_a_file_that_was_short_and_is_cut_shorter(tmp_path: Path) -> None:
    """Free pages may lack at the end; one that is in use may not."""
    path = tmp_path / "data.mdb"
    with raw(tmp_path) as env:
        for keys in (range(200), range(0, 200, 7)):
            with env.begin(write=True) as txn:
                for key in keys:
                    txn.put(b"%03d" % key, b"v" * 1500) if len(keys) == 200 else txn.delete(b"%03d" % key)
        for value in (b"1", b"2", b"3"):
            with env.begin(write=True) as txn:
                txn.put(b"x", value)
        with env.begin(write=True) as txn:
            txn.put(b"c", b"x" * 300_000)
            txn.delete(b"c")
    found = header(str(path))
    assert found is not None
    assert path.stat().st_size < (found.last_page + 1) * found.page_size
    read = "env = lmdb.open(sys.argv[1], readonly=True, lock=False); print(sum(1 for _ in env.begin().cursor()))"
    with pytest.raises(StoreDamaged, match="cut short"):
        while header(str(path)):
            assert said(read, tmp_path) == "172"
            os.truncate(path, path.stat().st_size - 4096)


def test_what_is_no_store_at_all(tmp_path: Path) -> None:
    """Garbage, text, a folder, a pipe, a link to itself: each is named as damage and left alone."""
    for name, content in (("noise", random.Random(1).randbytes(20_000)), ("text", b"hello"), ("zeros", bytes(16_384))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "data.mdb").write_bytes(content)
    (tmp_path / "folder" / "data.mdb").mkdir(parents=True)
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "data.mdb")
    (tmp_path / "loop").mkdir()
    os.symlink("data.mdb", tmp_path / "loop" / "data.mdb")
    (tmp_path / "file").write_bytes(b"no folder")
    for place in tmp_path.iterdir():
        lines = said(TELL, place).splitlines()
        assert [line.split(" | ")[0] for line in lines] == ["store-damaged"] * 2, place
        assert str(place) in lines[0]
    assert (tmp_path / "noise" / "data.mdb").read_bytes() == random.Random(1).randbytes(20_000)


def test_pages_overwritten_in_the_middle(tmp_path: Path) -> None:
    """Zeros where a page or a part of one was (a disk's usual damage) give an error, or what is left; no crash, no
    endless walk."""
    letters = "klmnopqr"
    idents = [letter * 8 + other * 8 for letter in letters for other in letters]
    saved(tmp_path, *(fragment(ident, f"{ident} " + "x" * 900) for ident in idents))
    code = """
path = os.path.join(sys.argv[1], "data.mdb")
whole = open(path, "rb").read()
for size in 512, 4096:
    for start in range(8192, len(whole), size):
        with open(path, "r+b") as file:
            file.seek(start)
            file.write(bytes(size))
        told(lambda: len(texts(Store(sys.argv[1]))))
        with open(path, "r+b") as file:
            file.seek(start)
            file.write(whole[start : start + size])
told(lambda: len(texts(Store(sys.argv[1]))))
"""
    lines = said(code, tmp_path).splitlines()
    assert lines[-1] == str(len(idents))
    assert {line.split(" | ")[0] for line in lines if "|" in line} == {"store-damaged"}
    assert all(int(line) <= len(idents) for line in lines if "|" not in line)


@pytest.mark.parametrize("names", [["other"], ["meta"], ["fragments"], [f"n{i}" for i in range(20)]])
def test_another_programs_database(tmp_path: Path, names: list[str]) -> None:
    """Somebody else's file is refused, whatever its tables are called, and not a byte of it changes."""
    with raw(tmp_path) as env:
        for name in names:
            with env.begin(write=True) as txn:
                txn.put(b"theirs", b"kept", db=env.open_db(name.encode(), txn=txn))
    before = (tmp_path / "data.mdb").read_bytes()
    store = Store(str(tmp_path))
    for _ in range(2):
        with pytest.raises(StoreDamaged, match="another program"), store.reading():
            pass
        with pytest.raises(StoreDamaged, match="another program"), store.writing():
            pass
    assert (tmp_path / "data.mdb").read_bytes() == before


def test_another_programs_plain_database(tmp_path: Path) -> None:
    """Keys outside of any table, one of them called as one of ours, are somebody else's too."""
    with raw(tmp_path) as env, env.begin(write=True) as txn:
        txn.put(b"meta", b"theirs")
    before = (tmp_path / "data.mdb").read_bytes()
    for use in (Store(str(tmp_path)).reading, Store(str(tmp_path)).writing):
        with pytest.raises(StoreDamaged), use():
            pass
    assert (tmp_path / "data.mdb").read_bytes() == before


@pytest.mark.parametrize("schema", [b"3", b"999", b"", b"0", b"-1", b" 1", b"1.5", b"\xffnew"])
def test_a_schema_that_is_not_known(tmp_path: Path, schema: bytes) -> None:
    """A newer store and one with an unreadable mark are neither read, written nor reset."""
    error: type[Exception] = StoreTooNew if schema in (b"3", b"999") else StoreDamaged
    store = saved(tmp_path)
    before = mark(tmp_path, schema)
    for use in (store.reading, store.writing, store.reading):
        with pytest.raises(error), use():
            pass
    assert (tmp_path / "data.mdb").read_bytes() == before


def test_a_store_that_goes_away_while_it_is_read(tmp_path: Path) -> None:
    """The view stays whole; the next one is of no store."""
    store = saved(tmp_path / "mem")
    with store.reading() as reader:
        shutil.rmtree(tmp_path / "mem")
        assert reader is not None
        assert reader.fragment(IDS[0]) == fragment()
    with store.reading() as reader:
        assert reader is None


@pytest.mark.parametrize("content", [b"", b"garbage" * 99, bytes(65536), b"\xff" * 100_000])
def test_a_stale_lock_file(tmp_path: Path, content: bytes) -> None:
    """Whatever an old lock file holds, the store is read and written."""
    saved(tmp_path)
    (tmp_path / "lock.mdb").write_bytes(content)
    assert said(TELL, tmp_path) == "['users are made here']\nstored"


def test_a_killed_maker_leaves_no_half_store(tmp_path: Path) -> None:
    """Killed at any moment of its first save, a store is there or not, and the next save works."""
    for delay in (0.0, 0.0005, 0.001, 0.002, 0.004):
        folder = tmp_path / str(delay)
        maker = child(
            "print('ready', flush=True); sys.stdin.readline(); write(Store(sys.argv[1]))", folder, stdin=subprocess.PIPE
        )
        with maker:
            assert maker.stdout is not None
            assert maker.stdin is not None
            maker.stdout.readline()
            maker.stdin.write("go\n")
            maker.stdin.flush()
            subprocess.run(["sleep", str(delay)], check=True)
            maker.kill()
            maker.wait()
        assert said(TELL, folder).splitlines()[1] == "stored"
