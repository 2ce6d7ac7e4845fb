"""Ids of what git would store, computed without git: equal to git's own."""

import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import git
from memcli.git import convert
from memcli.git.attributes import Attributes
from memcli.git.hashing import CHUNK, blob_id
from memcli.git.tree import MAX_BYTES, RepositoryTree
from tests.conftest import Repo

CONTENTS = {
    "lf.txt": b"one\ntwo\n",
    "crlf.txt": b"one\r\ntwo\r\n",
    "mixed.txt": b"one\r\ntwo\n",
    "lonecr.txt": b"one\rtwo\r\n",
    "nul.bin": b"a\0b\r\n",
    "control.bin": b"\x01\x02\x03\r\n",
    "ctrlz.txt": b"x" * 200 + b"\r\n\x1a",
    "bell.txt": b"\x07" + b"x" * 130 + b"\r\n",
    "two-bells.txt": b"\x07\x07" + b"x" * 130 + b"\r\n",
    "latin.txt": "ünï\r\n".encode("latin-1"),
    "empty.txt": b"",
    "id.c": b"/* $Id: abc def $ $Id$ $Id: no\nend $ */\n",
    "id-crlf.c": b"$Id: x $\r\n",
    "utf16.u16": "añb\r\nc\n".encode("utf-16"),
    "deep/er/crlf.txt": b"x\r\n",
}
ATTRIBUTES = [
    "",
    "* text=auto\n",
    "*.txt text\n*.bin -text\n",
    "*.txt text eol=crlf\n",
    "* eol=lf\n",
    "*.txt crlf=input\n*.c crlf\n",
    "*.c ident\n*.u16 working-tree-encoding=UTF-16 text\n",
    "[attr]prose text=auto eol=crlf\n*.txt prose\n* binary\nlf.txt !text\n",
    '"cr*.txt" text\n/deep/** -text\n# comment\n',
]


def tree(repo: Repo, **env: str) -> RepositoryTree:
    repository = git.find(str(repo.path), {**os.environ, **env})
    assert repository is not None
    return repository.worktree()


def same_as_git(repo: Repo, names: list[str]) -> None:
    """Id, disk id and content of each file are those of git."""
    ours = tree(repo)
    entries = ours.entries(names)
    for name in names:
        blob = repo.git("hash-object", "--path", name, name)
        content = ours.read(name)
        assert content is not None
        assert (name, entries[name].blob) == (name, blob)
        assert entries[name].disk == repo.git("hash-object", "--no-filters", name)
        assert blob_id(content, "sha1") == blob


@pytest.mark.parametrize("autocrlf", ["false", "input", "true"])
@pytest.mark.parametrize("attributes", ATTRIBUTES)
def test_equal_to_hash_object(repo: Repo, attributes: str, autocrlf: str) -> None:
    """Line ends, encodings and $Id$ go in as with `git hash-object`, whatever attributes and settings say."""
    repo.git("config", "core.autocrlf", autocrlf)
    repo.write(".gitattributes", attributes)
    for name, content in CONTENTS.items():
        repo.write(name, content)
    same_as_git(repo, list(CONTENTS))


def test_attributes_from_everywhere(repo: Repo, sealed: Path) -> None:
    """A folder's own file, info/attributes and the user's file count; a linked attribute file does not."""
    for name in ("a/x.txt", "b/x.txt", "c/x.txt", "d/x.txt"):
        repo.write(name, b"one\r\n")
    repo.write("a/.gitattributes", "x.txt text\n")
    (repo.path / ".git" / "info" / "attributes").write_text("b/* text\n")
    (sealed / "attrs").write_text("c/*.txt text\n")
    repo.write("real", "* text\n")
    (repo.path / "d" / ".gitattributes").symlink_to("../real")
    repo.git("config", "--global", "core.attributesFile", "~/attrs")
    names = ["a/x.txt", "b/x.txt", "c/x.txt", "d/x.txt"]
    same_as_git(repo, names)
    entries = tree(repo).entries(names)
    assert [entries[name].blob == entries[name].disk for name in names] == [False, False, False, True]


def test_crlf_already_in_the_index(repo: Repo) -> None:
    """Where git only guesses, a text stored with CRLF keeps it: the id is that of the next commit."""
    repo.write("old.txt", b"one\r\n")
    repo.commit("with crlf")
    repo.git("config", "core.autocrlf", "true")
    repo.write("old.txt", b"one\r\ntwo\r\n")
    repo.write("new.txt", b"one\r\ntwo\r\n")
    entries = tree(repo).entries(["old.txt", "new.txt"])
    repo.commit("more")
    assert entries["old.txt"].blob == repo.git("rev-parse", "HEAD:old.txt")
    assert entries["new.txt"].blob == repo.git("rev-parse", "HEAD:new.txt")


def test_lfs(repo: Repo) -> None:
    """An LFS file counts by its pointer, which is computed; a pointer on disk is itself; nothing of LFS is run."""
    repo.write(".gitattributes", "*.psd filter=lfs diff=lfs merge=lfs -text\n")
    repo.git("config", "filter.lfs.clean", "touch ran; cat")
    data = os.urandom(3000)
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{hashlib.sha256(data).hexdigest()}\nsize 3000\n"
    large = b"x" * (MAX_BYTES + 1)
    for name, content in {
        "a.psd": data,
        "b.psd": pointer.encode(),
        "c.psd": b"",
        "d.psd": b"tiny",
        "e.psd": large,
    }.items():
        repo.write(name, content)
    ours = tree(repo)
    entries = ours.entries(["a.psd", "b.psd", "c.psd", "d.psd", "e.psd"])
    assert ours.read("a.psd") == ours.read("b.psd") == pointer.encode()
    assert entries["a.psd"].blob == entries["b.psd"].blob == blob_id(pointer.encode(), "sha1")
    assert entries["a.psd"].disk == blob_id(data, "sha1")
    assert entries["c.psd"].blob == blob_id(b"", "sha1")
    assert ours.read("d.psd") == convert.lfs_pointer(b"tiny")
    assert ours.read("e.psd") == convert.lfs_pointer(large)
    assert entries["e.psd"].blob == blob_id(convert.lfs_pointer(large), "sha1")
    assert not (repo.path / "ran").exists()


def test_foreign_filters_never_run(repo: Repo) -> None:
    """A clean filter of the user's is not started; the bytes on disk count."""
    repo.write(".gitattributes", "*.sec filter=crypt\n")
    repo.git("config", "filter.crypt.clean", "touch ran; cat")
    repo.write("a.sec", "secret\n")
    entry = tree(repo).entry("a.sec")
    assert entry.blob == entry.disk == blob_id(b"secret\n", "sha1")
    assert not (repo.path / "ran").exists()


def test_no_process_without_conversions(repo: Repo, tmp_path: Path) -> None:
    """Where no pattern matches, or nothing in the file could change, ids need no git program."""
    repo.write(".gitattributes", "* text=auto\n*.psd filter=lfs -text\n*.sh text eol=lf\n")
    repo.write("bin.dat", b"a\0b\n")
    entries = tree(repo, PATH=str(tmp_path)).entries(["src/users.py", "bin.dat"])
    assert entries["src/users.py"].blob == repo.git("rev-parse", "HEAD:src/users.py")


def test_sha256_ids(tmp_path: Path) -> None:
    """Ids have the repository's object format."""
    made = Repo(tmp_path)
    made.git("init", "-q", "--object-format=sha256")
    made.write(".gitattributes", "*.txt text\n")
    made.write("a.txt", b"x\r\n")
    assert tree(made).entry("a.txt").blob == made.git("hash-object", "a.txt")


def test_no_object_is_written(repo: Repo) -> None:
    """Computing ids leaves the object store as it was."""
    repo.write(".gitattributes", "* text\n")
    repo.write("new.txt", b"never stored\r\n")
    blob = tree(repo).entry("new.txt").blob
    assert repo.git("cat-file", "-t", str(blob), check=False) == ""


@given(st.binary(max_size=300), st.sampled_from(["keep", "text", "auto"]))
def test_line_ends_are_normal_once(data: bytes, rule: str) -> None:
    """Normalising twice is normalising once, and touches nothing but CRs before LFs."""
    once = convert.to_lf(data, rule)
    assert convert.to_lf(once, "keep") == once
    assert once.replace(b"\r", b"") == data.replace(b"\r", b"")


@given(st.binary(max_size=200))
def test_any_bytes_in_any_encoding(data: bytes) -> None:
    """No content makes a conversion fail; what isn't in the encoding stays as it is."""
    for encoding in ("UTF-16", "UTF-16LE-BOM", "utf-8", "shift_jis", "nonsense", "UTF-32BE"):
        attributes = Attributes(text="set", ident="set", encoding=encoding)
        assert isinstance(convert.to_git(data, attributes, "false", False), bytes)


@pytest.mark.parametrize("attributes", ["", "* text\n", "* text=auto\n", "* -text\n", "* filter=lfs\n"])
def test_large_contents_are_converted_in_pieces(repo: Repo, attributes: str) -> None:
    """Above what is read at once line ends are converted all the same, across the pieces' edges, and guessed about."""
    repo.write(".gitattributes", attributes)
    repo.git("config", "core.autocrlf", "true")
    repo.git("config", "core.safecrlf", "false")
    row = b"a row of the table\r\n"
    for name, content in {
        "text": row * ((9 << 20) // len(row)),
        "edge": b"x" * (CHUNK - 1) + b"\r\n" + b"y" * MAX_BYTES + b"\r\n",
        "last": row + b"z" * MAX_BYTES + b"\r",
        "nul": row + b"\0" * MAX_BYTES,
    }.items():
        repo.write(name, content)
        if "lfs" not in attributes:
            assert tree(repo).entry(name).blob == repo.git("hash-object", "--path", name, name), name
    assert tree(repo).entry("text").disk == repo.git("hash-object", "--no-filters", "text")
