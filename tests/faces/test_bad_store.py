"""What the user is told of a store in a bad condition: one line and a hint, exit code 2, and nothing is lost."""

import json
import os
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import lmdb
import pytest

from tests.conftest import Repo, Result
from tests.outside.store_world import HOLD, child, mark, python

READS = [["list"], ["search", "users"], ["render"], [], ["show", "users"], ["query", "memory"], ["stats"]]
WRITES = [["save", "something else entirely"], ["sweep"], ["confirm", "users"], ["delete", "users"]]


def mem(repo: Repo, *args: str, before: str) -> Result:
    """`mem` as a process, with something done first."""
    command = python(f"{before}\nfrom memcli.__main__ import main\nsys.exit(main(sys.argv[1:]))", *args)
    done = subprocess.run(command, cwd=repo.path, capture_output=True, text=True, check=False, timeout=60)
    return Result(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def store(repo: Repo) -> Path:
    """The folder of a store with one fragment."""
    assert repo.mem("save", "users", "create_user lowers the address").code == 0
    return repo.path / ".git" / "mem"


def refused(result: Result) -> None:
    """One line that names the situation, a hint, exit code 2, and nothing on stdout."""
    assert result.code == 2, result
    lines = result.err.splitlines()
    assert lines[0].startswith("mem: "), result.err
    assert "the store" in lines[0]
    assert [line.split(":")[0] for line in lines] == ["mem", "hint"]
    assert result.out == ""


def truncated(folder: Path) -> None:
    os.truncate(folder / "data.mdb", (folder / "data.mdb").stat().st_size - 9000)


def emptied(folder: Path) -> None:
    os.truncate(folder / "data.mdb", 0)


def garbage(folder: Path) -> None:
    (folder / "data.mdb").write_bytes(random.Random(5).randbytes(30_000))


def foreign(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()
    with lmdb.open(str(folder)) as env, env.begin(write=True) as txn:
        txn.put(b"theirs", b"kept")


def newer(folder: Path) -> None:
    mark(folder, b"77")


def replaced_by_folder(folder: Path) -> None:
    (folder / "data.mdb").unlink()
    (folder / "data.mdb").mkdir()


def replaced_by_pipe(folder: Path) -> None:
    (folder / "data.mdb").unlink()
    os.mkfifo(folder / "data.mdb")


def content(folder: Path) -> bytes | None:
    return (folder / "data.mdb").read_bytes() if (folder / "data.mdb").is_file() else None


@pytest.mark.parametrize(
    ("spoil", "kind"),
    [
        (truncated, "store-damaged"),
        (emptied, "store-damaged"),
        (garbage, "store-damaged"),
        (foreign, "store-damaged"),
        (replaced_by_folder, "store-damaged"),
        (replaced_by_pipe, "store-damaged"),
        (newer, "store-too-new"),
    ],
)
def test_a_store_that_is_none(repo: Repo, store: Path, spoil: Callable[[Path], None], kind: str) -> None:
    """Every command says what is wrong, with `--json` as a document, and leaves the file as it is; hooks are silent."""
    spoil(store)
    before = content(store)
    for command in (*READS, *WRITES):
        refused(repo.mem(*command))
    answer = repo.mem("list", "--json")
    assert (answer.code, answer.json["error"]["kind"], answer.err) == (2, kind, "")
    assert answer.json["error"]["hint"]
    for event in ("post-commit", "post-merge"):
        assert repo.mem("hook", "git", event) == Result(0, "", "")
    assert repo.mem("_background", "sweep") == Result(0, "", "")
    assert content(store) == before


def test_a_locked_store(repo: Repo, store: Path) -> None:
    """While another process holds the write lock everything is readable, and a write says who is in the way."""
    with child(HOLD, store) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        for command in READS:
            assert repo.mem(*command).code == 0, command
        answer = mem(repo, *WRITES[0], before="turns.LOCK_WAIT = 0.2")
        refused(answer)
        assert "another process" in answer.err
        holder.kill()
    assert repo.mem(*WRITES[0]).code == 0
    assert len(repo.mem("list", "--json").json["fragments"]) == 2


def test_a_store_that_may_not_be_written(repo: Repo, store: Path) -> None:
    """Reads answer, without a word; writes name the ways that run outside of a sandbox."""
    (store / "data.mdb").chmod(0o444)
    (store / "lock.mdb").chmod(0o444)
    store.chmod(0o555)
    for command in READS:
        answer = mem(repo, *command, before="permissions_bind()")
        assert (answer.code, answer.err) == (0, ""), (command, answer)
    answer = mem(repo, *WRITES[0], before="permissions_bind()")
    refused(answer)
    assert "over MCP" in answer.err


def test_a_store_that_may_not_be_read(repo: Repo, store: Path) -> None:
    """It isn't taken for an empty one."""
    (store / "data.mdb").chmod(0)
    for command in (READS[0], READS[1], WRITES[0]):
        refused(mem(repo, *command, before="permissions_bind()"))
    store.chmod(0)
    answer = mem(repo, *READS[0], before="permissions_bind()")
    store.chmod(0o700)
    assert (answer.code, answer.err.count("Traceback")) == (2, 0)


@pytest.fixture
def full(repo: Repo, store: Path) -> Iterator[Path]:
    """The store on a disk without any room left."""
    command = ["mount", "-t", "tmpfs", "-o", "size=400k", "mem-test"]
    kept = store.rename(store.parent / "kept")
    store.mkdir()
    if subprocess.run([*command, str(store)], check=False, capture_output=True).returncode:
        pytest.skip("may not mount a small file system here")
    shutil.copyfile(kept / "data.mdb", store / "data.mdb")
    assert repo.mem("save", "made room for its locks").code == 0
    left = os.statvfs(store)
    (store / "ballast").write_bytes(bytes(left.f_bavail * left.f_frsize))
    yield store
    subprocess.run(["umount", "-l", str(store)], check=True)


def test_a_full_disk(repo: Repo, full: Path) -> None:
    """Reads answer, a save is refused in one line, and with room again it is stored."""
    long = "create_user " + " ".join(f"word{number}" for number in range(3000))
    for command in READS:
        assert repo.mem(*command).code == 0, command
    answer = repo.mem("save", long)
    refused(answer)
    assert "room" in answer.err or "full" in answer.err
    assert len(repo.mem("list", "--json").json["fragments"]) == 2
    (full / "ballast").unlink()
    assert repo.mem("save", long).code == 0
    assert len(repo.mem("list", "--json").json["fragments"]) == 3


def test_one_bad_record(repo: Repo, store: Path) -> None:
    """Search and list show the others."""
    assert repo.mem("save", "second", "list_users sorts by time").code == 0
    with lmdb.open(str(store), max_dbs=32, map_size=1 << 36) as env, env.begin(write=True) as txn:
        records = env.open_db(b"fragments", txn=txn, create=False)
        first = next(key for key, value in txn.cursor(records) if json.loads(value)["key"] == "users")
        txn.put(first, b'{"half', db=records)
    assert [f["key"] for f in repo.mem("list", "--json").json["fragments"]] == ["second"]
    assert [f["key"] for f in repo.mem("search", "users", "--json").json["fragments"]] == ["second"]
    assert repo.mem("save", "third", "valid_email checks addresses").code == 0
    assert repo.mem("sweep").code == 0
