"""What stands at a path besides plain text: links, folders, pipes, binaries, pointers, generated and huge files, and
bytes that mean the same (line ends, marks, encodings, modes)."""

import hashlib
import os
import socket
import subprocess
import sys

import pytest

from tests.conftest import USERS, Repo
from tests.faces.histories import (
    KEY,
    ask,
    edit,
    is_changed,
    is_fresh,
    is_gone,
    is_moved,
    is_unverifiable,
    judged,
    move,
    probe,
    where,
)  # fmt: skip

LOWER = "email.lower()"
PNG = b"\x89PNG\r\n\x1a\n\0" + bytes(range(256)) * 8


# bytes that mean the same


def test_the_executable_bit(repo: Repo) -> None:
    """A mode is no content."""
    probe(repo)
    (repo.path / "src/users.py").chmod(0o755)
    assert is_fresh(judged(repo))
    repo.commit("executable")
    assert is_fresh(judged(repo)) and is_fresh(judged(repo, at="HEAD"))


def test_line_ends_by_attributes_and_settings(repo: Repo) -> None:
    """eol=crlf, autocrlf and a text committed with CRLF: what git stores, or would, is compared."""
    probe(repo)
    crlf = USERS.replace("\n", "\r\n").encode()
    repo.commit("attributes", **{".gitattributes": "*.py text eol=crlf\n"})
    (repo.path / "src/users.py").unlink()
    repo.git("checkout", "-q", "--", "src/users.py")
    assert (repo.path / "src/users.py").read_bytes() == crlf
    assert is_fresh(judged(repo)) and is_fresh(judged(repo, at="HEAD"))
    repo.git("rm", "-q", "--cached", ".gitattributes")
    (repo.path / ".gitattributes").unlink()
    repo.git("config", "core.autocrlf", "true")
    assert is_fresh(judged(repo))
    repo.git("config", "core.autocrlf", "false")
    repo.commit("CRLF for good")
    assert is_fresh(judged(repo)) and is_fresh(judged(repo, at="HEAD"))
    repo.git("mv", "src/users.py", "src/people.py")
    found = judged(repo)
    assert where(found) == [("src/users.py", "src/people.py")] and found["confidence"] == 1.0


def test_white_space_only(repo: Repo) -> None:
    """Blank lines, trailing blanks, tabs for blanks, no line feed at the end."""
    probe(repo)
    repo.commit(
        "tabs", **{"src/users__py": "\n\n" + USERS.replace("    ", "\t").replace("\n\n\n", " \n\n\n\n").rstrip()}
    )
    found = judged(repo)
    assert found["confidence"] == 1.0 and found["verdict"] in ("fresh", "reformatted")


def test_a_byte_order_mark(repo: Repo) -> None:
    """Added or taken away, it is nothing that anybody wrote."""
    probe(repo, "Users of the app live in src/users.py")
    repo.write("src/users.py", b"\xef\xbb\xbf" + USERS.encode())
    found = judged(repo)
    assert found["confidence"] == 1.0 and found["verdict"] in ("fresh", "reformatted")


def test_another_encoding(repo: Repo) -> None:
    """Latin-1 to UTF-8 changes the lines with accents alone; UTF-16 is no text to compare, and no evidence."""
    text = USERS.replace("bad address", "adresse inadmissible \u00e9")
    repo.write("src/users.py", text.encode("latin-1"))
    repo.commit("latin")
    probe(repo, "list_users in src/users.py sorts by created")
    repo.write("src/users.py", text.encode())
    assert judged(repo)["confidence"] >= 0.95
    repo.write("src/users.py", text.encode("utf-16"))
    found = judged(repo)
    assert (found["verdict"], found["confidence"]) == ("changed", 1.0)


# other kinds


def test_a_file_that_became_something_else(repo: Repo) -> None:
    """A folder, a link elsewhere: gone; the file again: fresh."""
    users = repo.path / "src/users.py"
    probe(repo)
    users.unlink()
    users.mkdir()
    assert is_gone(judged(repo))
    users.rmdir()
    repo.write("other.py", "value = 1\n")
    users.symlink_to("../other.py")
    repo.commit("a link")
    assert is_gone(judged(repo)) and is_gone(judged(repo, at="HEAD"))
    users.unlink()
    users.symlink_to("nowhere")
    assert is_gone(judged(repo))
    users.unlink()
    repo.write("src/users.py", USERS)
    assert is_fresh(judged(repo))


def test_a_folder_that_became_something_else(repo: Repo) -> None:
    """A file, a link to another folder: gone; a folder again, whatever is in it: fresh."""
    probe(repo, "the sources live in src", "src")
    repo.git("rm", "-q", "-r", "src")
    repo.write("src", "see lib\n")
    assert is_gone(judged(repo))
    (repo.path / "src").unlink()
    repo.write("src/new.py", "new = 1\n")
    repo.commit("a folder again")
    assert is_fresh(judged(repo)) and is_fresh(judged(repo, at="HEAD"))


def test_a_folder_behind_a_link(repo: Repo) -> None:
    """`git mv src lib; ln -s lib src`: what stood below src is in lib, in which git sees it."""
    probe(repo)
    repo.git("mv", "src", "lib")
    (repo.path / "src").symlink_to("lib")
    repo.commit("a link for the old name")
    assert is_moved(judged(repo), was="src/users.py", now="lib/users.py")


def test_pipes_sockets_and_devices(repo: Repo) -> None:
    """What stands at the path now can't be read, and nobody waits for it; nor does a save about it."""
    probe(repo)
    users = repo.path / "src/users.py"
    users.unlink()
    os.mkfifo(users)
    assert is_unverifiable(judged(repo)) or is_gone(judged(repo))
    (done,) = ask(repo, ["save", "note:pipe", "src/users.py is a pipe", "--path", "src/users.py"])
    assert done.code == 0
    users.unlink()
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(users))
        assert is_unverifiable(judged(repo)) or is_gone(judged(repo))
    users.unlink()
    repo.write("src/users.py", USERS)
    assert is_fresh(judged(repo))


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_and_folder(repo: Repo) -> None:
    """What is there and can't be read is unverifiable; readable again it is fresh."""
    probe(repo)
    for path, mode in ((repo.path / "src/users.py", 0o644), (repo.path / "src", 0o755)):
        path.chmod(0)
        found = judged(repo)
        path.chmod(mode)
        assert is_unverifiable(found)
        assert is_fresh(judged(repo))


# binaries and pointers


def test_binary_files(repo: Repo) -> None:
    """Unchanged: fresh; moved with the same bytes: followed; changed: said, and no evidence; gone: gone."""
    repo.write("img/logo.png", PNG)
    repo.commit("logo")
    probe(repo, "the logo is blue", "img/logo.png")
    assert is_fresh(judged(repo))
    move(repo, "img/logo.png", "assets/logo.png", "move")
    assert is_moved(judged(repo), was="img/logo.png", now="assets/logo.png")
    repo.git("revert", "--no-edit", "HEAD")
    repo.write("img/logo.png", PNG + b"more")
    repo.commit("another blue")
    found = judged(repo)
    assert (found["verdict"], found["confidence"]) == ("changed", 1.0) and found["anchors"][0]["evidence"]
    repo.git("rm", "-q", "img/logo.png")
    repo.commit("no logo")
    assert is_gone(judged(repo)) and judged(repo, at="HEAD~1")["verdict"] == "changed"


def test_text_that_became_binary_and_back(repo: Repo) -> None:
    """There are no words to compare: changed and no decay, as long as it lasts."""
    probe(repo)
    repo.write("src/users.py", PNG)
    found = judged(repo)
    assert (found["verdict"], found["confidence"]) in (("changed", 1.0), ("gone", 0.2), ("gone", 0.23))
    repo.write("src/users.py", USERS)
    assert is_fresh(judged(repo))


# generated files


def lock(turn: int, names: int = 40) -> str:
    """A lock file whose every version and hash is another at each turn."""
    rows = []
    for n in range(names):
        digest = hashlib.sha512(f"{turn} {n}".encode()).hexdigest()
        version = "4.17.21" if n == 7 else f"{turn}.{n}.{turn + n}"
        name = "lodash" if n == 7 else f"package-{n}"
        rows.append(
            f'    "node_modules/{name}": {{\n      "version": "{version}",\n'
            f'      "resolved": "https://registry.example/{name}/-/{name}-{version}.tgz",\n'
            f'      "integrity": "sha512-{digest}=="\n    }}'
        )
    return '{\n  "name": "app",\n  "packages": {\n' + ",\n".join(rows) + "\n  }\n}\n"


def test_a_lock_file_written_anew(repo: Repo) -> None:
    """Regenerated as a whole ten times: what is said of it, whose words are still there, stays above the minimum; and
    what is said of a thing that it no longer has falls."""
    repo.commit("lock", **{"package-lock.json": lock(0)})
    probe(repo, "package-lock.json pins lodash to 4.17.21 because of the security audit")
    probe(repo, "package-lock.json is written by npm install, never by hand", key="note:rule")
    for turn in range(1, 11):
        repo.commit(f"npm install {turn}", **{"package-lock.json": lock(turn)})
    for key in (KEY, "note:rule"):
        found = judged(repo, key)
        assert found["confidence"] >= 0.7 and found["verdict"] in ("changed", "fresh"), found


def test_ignored_output_that_changes_always(repo: Repo) -> None:
    """An ignored file is compared by its content like any other: in part, as a whole, gone and back."""
    repo.commit("ignore", **{".gitignore": "build/\n"})
    rows = [f"option_{n} = {n}" for n in range(20)]
    repo.write("build/out.cfg", "\n".join(rows))
    probe(repo, "build/out.cfg sets option_3 to 3 and option_4 to 4")
    assert is_fresh(judged(repo))
    repo.write("build/out.cfg", "\n".join([f"# built at {n}" for n in range(5)] + rows[:15] + ["late = 1"] * 3))
    assert judged(repo)["confidence"] == 1.0
    repo.write("build/out.cfg", "\n".join(row.replace("option_3 =", "option_3 = not") for row in rows))
    assert is_changed(judged(repo))
    (repo.path / "build/out.cfg").unlink()
    assert is_unverifiable(judged(repo))
    repo.write("build/out.cfg", "\n".join(rows))
    assert is_fresh(judged(repo))


def test_a_file_that_was_emptied(repo: Repo) -> None:
    """Truncated: there, and nothing of what the text is about is left."""
    probe(repo)
    repo.commit("emptied", **{"src/users__py": ""})
    assert is_gone(judged(repo)) and is_gone(judged(repo, at="HEAD"))
    repo.commit("filled", **{"src/users__py": USERS})
    assert is_fresh(judged(repo))


def test_an_empty_file_that_was_filled(repo: Repo) -> None:
    """Nothing was deleted of nothing: it changed, and nothing speaks against the text."""
    repo.write("src/__init__.py", "")
    repo.commit("empty")
    probe(repo, "the package of sources", "src/__init__.py")
    repo.write("src/__init__.py", "from src.users import create_user\n")
    repo.commit("filled")
    found = judged(repo)
    assert found["confidence"] == 1.0 and found["verdict"] in ("fresh", "changed")


# huge files


@pytest.mark.parametrize("megabytes", [5, 9])
def test_large_texts(repo: Repo, megabytes: int) -> None:
    """Known by its blob id: unchanged fresh, moved followed, changed said and no evidence."""
    row = "row {} of the table with the numbers\n" * 1000
    data = (row.format(*range(1000)) * (megabytes * 30))[: megabytes << 20]
    repo.write("data/table.csv", data)
    repo.commit("table")
    probe(repo, "the table has the numbers", "data/table.csv")
    assert is_fresh(judged(repo))
    move(repo, "data/table.csv", "tables/all.csv")
    assert is_moved(judged(repo), was="data/table.csv", now="tables/all.csv")
    with (repo.path / "tables/all.csv").open("a") as file:
        file.write("one more\n")
    move(repo, "tables/all.csv", "data/table.csv")
    found = judged(repo)
    assert (found["verdict"], found["confidence"]) == ("changed", 1.0) and found["anchors"][0]["evidence"]


_MEASURED = """
import resource, subprocess, sys
done = subprocess.run([sys.executable, "-m", "memcli", *sys.argv[1:]], stdin=subprocess.DEVNULL, capture_output=True)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak(repo: Repo, *args: str) -> int:
    """The most memory, in MiB, that a command or a git program that it starts holds at any time."""
    done = subprocess.run([sys.executable, "-c", _MEASURED, *args], cwd=repo.path, capture_output=True, check=True)
    code, most = done.stdout.split()
    assert code == b"0", args
    return int(most) >> 10


@pytest.mark.parametrize("attributes", ["", "text=auto", "text eol=crlf", "filter=lfs", "ident"])
def test_a_huge_file_in_little_memory(repo: Repo, attributes: str) -> None:
    """96 MiB with any attributes, saved, changed, and looked past for a name that is missing: held whole by nobody."""
    repo.write(".gitattributes", f"*.img {attributes}\n")
    repo.commit("attributes")
    huge = repo.path / "disk.img"
    with huge.open("wb") as file:
        file.write(b"one\r\ntwo $Id$\r\n")
        file.truncate(96 << 20)
    most = [peak(repo, "save", KEY, "the image of the disk", "--path", "disk.img")]
    probe(repo, key="note:users")
    most.append(peak(repo, "list"))
    with huge.open("r+b") as file:
        file.write(b"Two")
    edit(repo, "create_user", "make_user")
    most.append(peak(repo, "list"))
    (done,) = ask(repo, ["list", "--json", "--all"])
    verdicts = {found["key"]: found["verdict"] for found in done.json["fragments"]}
    assert verdicts["note:users"] == "gone" and max(most) < 64, (verdicts, most)


def pointer(data: bytes) -> str:
    """The LFS pointer of a content."""
    oid = hashlib.sha256(data).hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(data)}\n"


def test_a_link_that_became_something_else(repo: Repo) -> None:
    """Another target: changed or gone; a file with the target's name as its text is another thing; gone where nothing
    is; elsewhere it moved."""
    os.symlink("src/users.py", repo.path / "current")
    repo.commit("link")
    probe(repo, "current points to the users", "current")
    assert is_fresh(judged(repo))
    move(repo, "current", "newest", "rename the link")
    assert is_moved(judged(repo), was="current", now="newest")
    repo.git("revert", "--no-edit", "HEAD")
    (repo.path / "current").unlink()
    os.symlink("README.md", repo.path / "current")
    found = judged(repo)
    assert found["verdict"] in ("changed", "gone") and found["anchors"][0]["evidence"]
    (repo.path / "current").unlink()
    repo.write("current", USERS)
    assert is_gone(judged(repo))
    (repo.path / "current").unlink()
    assert is_gone(judged(repo))


def test_lfs_pointers(repo: Repo) -> None:
    """Without git-lfs: saved on the pointer, read smudged, and the other way; moved; another content is changed and no
    evidence, whichever of the two is on disk."""
    data, other = PNG * 3, PNG * 4
    repo.commit(
        "attributes", **{".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "m/w.bin": pointer(data)}
    )
    probe(repo, "the weights of the model", "m/w.bin")
    repo.write("m/w.bin", data)
    assert is_fresh(judged(repo)) and is_fresh(judged(repo, at="HEAD"))
    (repo.path / "m/w.bin").rename(repo.path / "m/moved.bin")
    assert is_moved(judged(repo), was="m/w.bin", now="m/moved.bin")
    (repo.path / "m/moved.bin").unlink()
    for content in (other, pointer(other)):
        repo.write("m/w.bin", content)
        found = judged(repo)
        assert (found["verdict"], found["confidence"]) == ("changed", 1.0), found


def test_a_bundle_written_anew(repo: Repo) -> None:
    """A bundle of one long line, of which no word is left: what is said of the file as such is not gone with them."""
    repo.commit("bundle", **{"dist/app.js": "".join(f"function a{n}(b{n}){{return c{n}}};" for n in range(500))})
    probe(repo, "dist/app.js is written by make, never by hand")
    repo.commit("make", **{"dist/app.js": "".join(f"let x{n}=(y{n})=>z{n};" for n in range(500))})
    assert judged(repo)["confidence"] >= 0.3 and judged(repo)["verdict"] == "changed"
