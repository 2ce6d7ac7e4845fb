"""Stores where permissions, the address space or the disk leave too little: reads answer, writes say why not."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.outside.store_world import TELL, said, saved, texts

BOUND = "permissions_bind()\n"


def outcome(folder: Path) -> list[str]:
    """What a process that permissions bind reads, and what becomes of its write."""
    return [line.split(" | ")[0] for line in said(BOUND + TELL, folder).splitlines()]


def test_without_permission_to_write(tmp_path: Path) -> None:
    """A file or a whole store that may not be written is read as ever; the write says so and names the way out."""
    folder = tmp_path / "mem"
    saved(folder)
    for modes in ((0o444, 0o600, 0o700), (0o444, 0o444, 0o555), (0o600, 0o444, 0o700)):
        for path, mode in zip((folder / "data.mdb", folder / "lock.mdb", folder), modes, strict=True):
            path.chmod(mode)
        assert outcome(folder) == ["['users are made here']", "store-read-only"], modes
    assert "over MCP" in said(BOUND + TELL, folder)


def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    """With the lock file there, it is no hindrance; without it, reading still works."""
    folder = tmp_path / "mem"
    saved(folder)
    folder.chmod(0o555)
    assert outcome(folder) == ["['users are made here']", "stored"]
    folder.chmod(0o755)
    (folder / "lock.mdb").unlink()
    folder.chmod(0o555)
    assert outcome(folder) == ["['new', 'users are made here']", "store-read-only"]


def test_without_permission_to_read(tmp_path: Path) -> None:
    """It is said, and not taken for an empty store."""
    folder = tmp_path / "mem"
    saved(folder)
    (folder / "data.mdb").chmod(0)
    assert outcome(folder) == ["store-read-only"] * 2
    folder.chmod(0)
    assert outcome(folder) == ["store-read-only"] * 2
    assert said(BOUND + "print(Store(sys.argv[1]).exists)", folder) == "True"


def test_where_no_folder_can_be_made(tmp_path: Path) -> None:
    """A save where the store can't be made says so; nothing is there afterwards."""
    tmp_path.chmod(0o555)
    lines = said(BOUND + TELL.replace("texts(store)", "store.exists"), tmp_path / "none" / "mem").splitlines()
    assert lines[0] == "False"
    assert lines[1].startswith("store-read-only | ")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("megabytes", [200, 1000, 9000])
def test_a_small_address_space(tmp_path: Path, megabytes: int) -> None:
    """Where 64 GiB can't be mapped, less is: what is there is read, and written."""
    saved(tmp_path)
    limit = f"resource.setrlimit(resource.RLIMIT_AS, ({megabytes} << 20, {megabytes} << 20))"
    assert said(limit + TELL, tmp_path) == "['users are made here']\nstored"


def test_a_store_that_outgrows_the_address_space(tmp_path: Path) -> None:
    """Beyond the largest map that was granted the error is one line, and what was stored before stays."""
    store = saved(tmp_path)
    code = """
environment.MAP_SIZES = (4 << 20,)
noise = os.urandom(1 << 20)
def much():
    with Store(sys.argv[1]).writing() as writer:
        for number in range(9):
            writer.set_blob(str(number), noise)
told(much)
"""
    assert said(code, tmp_path).startswith("store-full | ")
    assert texts(store) == ["users are made here"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "mem-test", str(folder)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("may not mount a small file system here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk: Path, leave: int = 0) -> None:
    """Use up all of the disk's room but some bytes."""
    left = os.statvfs(disk)
    (disk / "ballast").write_bytes(bytes(max(left.f_bavail * left.f_frsize - leave, 0)))


def test_a_full_disk(small_disk: Path) -> None:
    """Reading goes on, writing says so; everything that was acknowledged is there, and room makes it work again."""
    folder = small_disk / "mem"
    saved(folder)
    fill(small_disk)
    lines = said(TELL.replace('"new"', '"n" * 9000'), folder).splitlines()
    assert lines[0] == "['users are made here']"
    assert lines[1].startswith("store-full | ")
    (small_disk / "ballast").unlink()
    assert said(TELL, folder) == "['users are made here']\nstored"


@pytest.mark.parametrize("leave", [0, 4096, 8192, 12288, 16384, 40960, 73728, 77824, 81920])
def test_a_store_is_made_on_a_full_disk(small_disk: Path, leave: int) -> None:
    """A new store is made whole or not at all, however little room there is; the lock file does not kill."""
    folder = small_disk / "mem"
    fill(small_disk, leave)
    for line in said("for _ in range(2):" + TELL.replace("\n", "\n "), folder).splitlines()[1::2]:
        assert line.startswith("store-full | ") or line == "stored"
    (small_disk / "ballast").unlink()
    assert said("told(lambda: write(Store(sys.argv[1])))", folder) == "stored"


def test_a_lost_lock_file_on_a_full_disk(small_disk: Path) -> None:
    """A copy of a store without its lock file is read where no lock file can be made."""
    folder = small_disk / "mem"
    saved(folder)
    (folder / "lock.mdb").unlink()
    fill(small_disk)
    lines = said(TELL, folder, env={**os.environ, "TMPDIR": str(small_disk)}).splitlines()
    assert lines[0] == "['users are made here']"
    assert lines[1].startswith("store-full | ")


def test_a_limit_on_the_size_of_files(tmp_path: Path) -> None:
    """A write beyond the limit is refused as a full disk is, and a smaller one works."""
    store = saved(tmp_path)
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))"
    lines = said(limit + TELL.replace('"new"', '"n" * 500_000'), tmp_path).splitlines()
    assert lines[1].startswith("store-full | ")
    assert texts(store) == ["users are made here"]
    assert said(limit + TELL, tmp_path).splitlines()[1] == "stored"
