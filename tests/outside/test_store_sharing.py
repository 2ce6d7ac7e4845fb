"""Many processes and threads on one store: nobody hangs, nobody loses what was acknowledged."""

import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli.errors import StoreLocked
from memcli.store import Store, files, turns
from tests.outside.store_world import HOLD, child, dump, python, raw, rebuilt, said, saved, texts
from tests.records import IDS, fragment

WRITE = "told(lambda: write(Store(sys.argv[1]), fragment(IDS[1], 'new')))"


@pytest.fixture
def held(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that holds the write lock of the store in tmp_path."""
    saved(tmp_path)
    with child(HOLD, tmp_path) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        yield holder
        holder.kill()


@pytest.fixture
def short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "LOCK_WAIT", 0.2)


# locked by another process


def test_a_lock_that_another_process_holds(tmp_path: Path, held: "subprocess.Popen[str]") -> None:
    """The wait ends, in one line, in a new process, and nothing was stored."""
    out = said("turns.LOCK_WAIT = 0.2\n" + WRITE, tmp_path)
    assert out.startswith("store-locked | another process has held")
    held.kill()
    held.wait()
    assert said(WRITE, tmp_path) == "stored"
    assert texts(Store(str(tmp_path))) == ["new", "users are made here"]


def test_we_wait_for_ten_seconds() -> None:
    """What DESIGN.md promises of a writer."""
    assert turns.LOCK_WAIT == 10


def test_a_resident_process_meets_a_held_lock(tmp_path: Path, held: "subprocess.Popen[str]", short_wait: None) -> None:
    """It reads while the lock is held and after a wait that was given up, and writes once the lock is free."""
    store = Store(str(tmp_path))
    for _ in range(2):
        assert texts(store) == ["users are made here"]
        with pytest.raises(StoreLocked), store.writing():
            pass
    held.kill()
    held.wait()
    with store.writing() as writer:
        writer.put(fragment(IDS[1], "new"))
    assert texts(store) == ["new", "users are made here"]
    if os.path.exists("/proc/self/maps"):
        assert str(tmp_path) not in Path("/proc/self/maps").read_text()


def test_an_interrupt_while_waiting(tmp_path: Path, held: "subprocess.Popen[str]") -> None:
    """Ctrl-C ends the wait at once, and cleanly."""
    code = """
import threading
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    write(Store(sys.argv[1]))
except KeyboardInterrupt:
    print("interrupted", len(texts(Store(sys.argv[1]))))
"""
    assert said(code, tmp_path) == "interrupted 1"


def test_a_stopped_writer_does_not_stop_readers(tmp_path: Path) -> None:
    """A process that is stopped in the middle of its transaction keeps writers out, not readers."""
    saved(tmp_path)
    with child(HOLD, tmp_path) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        holder.send_signal(signal.SIGSTOP)
        assert said("told(lambda: texts(Store(sys.argv[1])))", tmp_path) == "['users are made here']"
        assert said("turns.LOCK_WAIT = 0.2\n" + WRITE, tmp_path).startswith("store-locked")
        holder.kill()
    assert said(WRITE, tmp_path) == "stored"


# killed


def test_killed_writers_lose_nothing(tmp_path: Path) -> None:
    """kill -9 in the middle of many writes: the store is consistent and has every acknowledged save."""
    code = """
store = Store(sys.argv[1])
for number in range(int(sys.argv[2]), 100_000):
    ident = "".join("klmnopqrst"[int(digit)] for digit in f"{number:016}")
    write(store, fragment(ident, f"text {number} " * (number % 40 + 1)))
    print(number, flush=True)
"""
    dice, last = random.Random(3), -1
    for _ in range(6):
        with child(code, tmp_path, last + 1) as writer:
            assert writer.stdout is not None
            for _ in range(dice.randrange(1, 25)):
                last = int(writer.stdout.readline())
            time.sleep(dice.random() / 200)
            writer.kill()
            last = max([last, *map(int, writer.stdout.read().split())])
        with Store(str(tmp_path)).reading() as reader:
            assert reader is not None
            assert reader.count("active") in (last + 1, last + 2)
            assert dump(reader) == rebuilt(reader)
            last = reader.count("active") - 1


def test_a_writer_killed_inside_its_transaction(tmp_path: Path) -> None:
    """Its lock goes to the next one at once, its changes to nobody."""
    saved(tmp_path)
    code = """
with Store(sys.argv[1]).writing() as writer:
    writer.put(fragment(IDS[2], "half"))
    os.kill(os.getpid(), signal.SIGKILL)
"""
    with child(code, tmp_path) as killed:
        assert killed.wait() == -signal.SIGKILL
    assert said("turns.LOCK_WAIT = 1\n" + WRITE, tmp_path) == "stored"
    assert texts(Store(str(tmp_path))) == ["new", "users are made here"]


def test_eight_writers_at_once(tmp_path: Path) -> None:
    """Starting on no store at all, all of their saves are there."""
    code = """
me = int(sys.argv[2])
for number in range(20):
    ident = IDS[0][:10] + "klmnopqrst"[me] + "".join("klmnopqrst"[int(digit)] for digit in f"{number:05}")
    write(Store(sys.argv[1]), fragment(ident, f"{me} {number}"))
"""
    writers = [child(code, tmp_path / "mem", number) for number in range(8)]
    for writer in writers:
        _, err = writer.communicate(timeout=60)
        assert writer.returncode == 0, err
    with Store(str(tmp_path / "mem")).reading() as reader:
        assert reader is not None
        assert reader.count("active") == 160
        assert dump(reader) == rebuilt(reader)


# the map, the readers' slots


@pytest.mark.parametrize("deed", ["len(texts(store))", "write(store, fragment(IDS[1], 'small'))"])
def test_a_map_that_another_process_grew(tmp_path: Path, deed: str) -> None:
    """What another process puts beyond a map while it is open is read, and written after."""
    code = f"""
environment.MAP_SIZES, began, store = (1 << 20,), turns.begin, Store(sys.argv[1])
write(store)
def late(env, write=False):
    turns.begin = began
    subprocess.run(python(GROW, sys.argv[1]), check=True)
    return began(env, write)
turns.begin = late
told(lambda: {deed})
"""
    grow = "write(Store(sys.argv[1]), *(fragment(ident, 'x' * 900_000) for ident in IDS[1:]))"
    assert said(f"GROW = {grow!r}\n" + code, tmp_path) in ("7", "stored")
    assert len(texts(Store(str(tmp_path)))) == len(IDS)


@pytest.mark.parametrize("deed", ["texts(Store(sys.argv[1]))", "write(Store(sys.argv[1]))"])
def test_slots_of_dead_readers_are_given_back(tmp_path: Path, deed: str) -> None:
    """While one process has the store open, others are killed while they read: their slots don't pile up."""
    saved(tmp_path)
    die = "with Store(sys.argv[1]).reading(): os.kill(os.getpid(), 9)"
    with raw(tmp_path, max_readers=1022) as env:
        for _ in range(4):
            with child(die, tmp_path) as dead:
                dead.wait()
        assert env.readers().count("\n") == 5
        said(f"environment._CROWD = 4; {deed}", tmp_path)
        assert env.readers().count("\n") <= 2


def test_all_slots_taken(tmp_path: Path) -> None:
    """Where another program left room for few readers and dead ones fill it, reading works, and writing says so."""
    saved(tmp_path)
    (tmp_path / "lock.mdb").unlink()
    with raw(tmp_path, max_readers=4) as env:
        die = "e = lmdb.open(sys.argv[1], max_readers=4); t = e.begin(); os.kill(os.getpid(), 9)"
        for _ in range(4):
            with child(die, tmp_path) as dead:
                dead.wait()
        assert env.info()["num_readers"] == 4
        lines = said("turns.LOCK_WAIT = 0.2\ntold(lambda: texts(Store(sys.argv[1])))\n" + WRITE, tmp_path).splitlines()
        assert lines[0] == "['users are made here']"
        assert lines[1].startswith("store-locked | ")
    assert said(WRITE, tmp_path) == "stored"


def isolated(code: str, folder: Path) -> "subprocess.Popen[str]":
    """A child that is process 1 of a namespace of its own."""
    if not shutil.which("unshare") or subprocess.run(["unshare", "-p", "-f", "true"], check=False).returncode:
        pytest.skip("may not make process namespaces here")
    command = ["unshare", "-p", "-f", "--kill-child", *python(code, folder)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_the_same_process_id_in_another_namespace(tmp_path: Path) -> None:
    """Two sandboxes, each with a process 1: one reads beside the other, and writes when the other has let go."""
    saved(tmp_path)
    hold = "with Store(sys.argv[1]).reading():\n print(os.getpid(), flush=True); sys.stdin.readline()\nprint('let go')"
    with isolated(hold, tmp_path) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "1\n"
        both = "told(lambda: texts(Store(sys.argv[1])))\nturns.LOCK_WAIT = 0.2\n" + WRITE
        out, err = isolated(both, tmp_path).communicate(timeout=60)
        assert out.splitlines()[0] == "['users are made here']", err
        assert out.splitlines()[1].startswith("store-locked | ")
        waiting = isolated(WRITE, tmp_path)
        time.sleep(0.3)
        other.communicate("go\n", timeout=60)
        assert waiting.communicate(timeout=60)[0] == "stored\n"
    assert texts(Store(str(tmp_path))) == ["new", "users are made here"]


def test_a_copy_is_read_whole_while_others_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no lock can be had, each view is one moment's, however busily others write."""
    store = saved(tmp_path)
    code = """
for number in range(10_000):
    write(Store(sys.argv[1]), *(fragment(ident, f"{number} " + "x" * 3000) for ident in IDS))
"""
    monkeypatch.setattr(files, "prepare_lock", no_lock)
    with child(code, tmp_path) as writer:
        for _ in range(60):
            try:
                found = {text.split()[0] for text in texts(store)}
            except StoreLocked:
                continue  # so busy that no copy was one moment's
            assert len(found) == 1
        writer.kill()


def test_a_copy_that_a_writer_came_between_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was copied while somebody stored is not looked at."""
    store, copied = saved(tmp_path), shutil.copyfile

    def torn(source: str, target: str) -> None:
        monkeypatch.setattr(shutil, "copyfile", copied)
        Path(target).write_bytes(Path(source).read_bytes()[:8192] + bytes(8192))
        assert said(WRITE, tmp_path) == "stored"

    monkeypatch.setattr(shutil, "copyfile", torn)
    monkeypatch.setattr(files, "prepare_lock", no_lock)
    assert texts(store) == ["new", "users are made here"]


def no_lock(folder: str) -> None:
    raise PermissionError(13, "Permission denied", folder)


# threads


def test_threads_take_turns(tmp_path: Path) -> None:
    """Threads of one process read and write at once, and all of it arrives."""
    store, failed = saved(tmp_path), list[BaseException]()

    def work(letter: str) -> None:
        try:
            for number in range(15):
                ident = letter * 14 + "klmnopqrst"[number // 10] + "klmnopqrst"[number % 10]
                with Store(str(tmp_path)).writing() as writer:
                    writer.put(fragment(ident, letter + str(number)))
                assert letter + str(number) in texts(store)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(letter,)) for letter in "lmno"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failed == []
    assert len(texts(store)) == 61


def test_a_thread_that_keeps_its_view(tmp_path: Path, short_wait: None) -> None:
    """Another thread's wait ends; when the view is closed it goes on."""
    store, closed, opened = saved(tmp_path), threading.Event(), threading.Event()

    def keep() -> None:
        with store.reading():
            opened.set()
            closed.wait(60)

    thread = threading.Thread(target=keep)
    thread.start()
    opened.wait(60)
    with pytest.raises(StoreLocked, match="another thread"), store.writing():
        pass
    closed.set()
    thread.join(60)
    with store.writing() as writer:
        writer.put(fragment(IDS[1], "new"))
    assert len(texts(store)) == 2


def test_a_use_within_a_use(tmp_path: Path) -> None:
    """In one thread a read within a read or a write has the outer one's view; a write within either is an error."""
    store, again = saved(tmp_path / "mem"), Store(str(tmp_path / "." / "mem"))
    with store.reading() as reader, again.reading() as inner:
        assert inner is reader
        with pytest.raises(StoreLocked, match="this very thread"), again.writing():
            pass
        assert reader is not None
        assert reader.fragment(IDS[0]) is not None
    with store.writing() as writer:
        writer.put(fragment(IDS[1], "new"))
        assert len(texts(again)) == 2
        with pytest.raises(StoreLocked, match="this very thread"), again.writing():
            pass
    assert len(texts(store)) == 2


def test_a_write_where_a_read_found_nothing(tmp_path: Path) -> None:
    """Reading no store, or one that was made and never written to, holds nothing that a write has to wait for."""
    files.make_store(str(tmp_path / "empty"))
    for name in ("none", "empty"):
        store = Store(str(tmp_path / name))
        with store.reading() as reader, store.reading() as inner:
            assert (reader, inner) == (None, None)
            with store.writing() as writer:
                writer.put(fragment())
        assert texts(store) == ["users are made here"]


def test_views_closed_out_of_order(tmp_path: Path) -> None:
    """The inner view may outlive the outer one's block."""
    store = saved(tmp_path)
    outer, inner = store.reading(), store.reading()
    outer.__enter__()
    reader = inner.__enter__()
    outer.__exit__(None, None, None)
    assert reader is not None
    assert reader.fragment(IDS[0]) is not None
    inner.__exit__(None, None, None)
    assert texts(store) == ["users are made here"]


def test_a_view_stays_as_it_was(tmp_path: Path) -> None:
    """What another process stores meanwhile is not in a view that is open, and is in the next."""
    store = saved(tmp_path)
    with store.reading() as reader:
        assert said(WRITE, tmp_path) == "stored"
        assert reader is not None
        assert list(reader.newest("active")) == [IDS[0]]
    assert len(texts(store)) == 2
