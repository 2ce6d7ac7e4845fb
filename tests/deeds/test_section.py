"""`mem render --into FILE`: a section of somebody's file, in place, and not a byte beside it."""

import os
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memcli import section
from tests.conftest import Repo
from tests.faces.black_box import saved, told

BODY = b"## Memory\n\n- map: 1 note\n- a [note]: b\n"
_BYTES = st.lists(st.sampled_from([b"a", b"\n", b"\r\n", b"\r", b" ", b"# x", b"\xff", b"\xef\xbb\xbf", b"<!-- x -->"]))


@given(_BYTES.map(b"".join), _BYTES.map(b"".join), st.sampled_from([b"\n", b"\r\n"]))
def test_the_rest_stays_byte_for_byte(before: bytes, after: bytes, ends: bytes) -> None:
    """Whatever stands around the section, in whichever line ends: only what is between the marks is written anew; twice
    is once; and an empty body empties it."""
    around = (before + ends if before else b"", ends + after)
    old = around[0] + section.BEGIN + ends + b"old" + ends + section.END + around[1]
    new = section.placed(old, BODY, "F")
    assert new.startswith(around[0] + section.BEGIN) and new.endswith(section.END + around[1])
    inside = new[len(around[0]) : len(new) - len(around[1])]
    assert inside.replace(b"\r\n", b"\n") == section.BEGIN + b"\n" + BODY + section.END
    assert section.placed(new, BODY, "F") == new
    assert section.placed(new, b"", "F").replace(b"\r\n", b"\n").count(b"mem:begin") == 1


@given(_BYTES.map(b"".join))
def test_a_file_without_marks_gets_them_at_its_end(content: bytes) -> None:
    """All that was there stays before them; in CRLF where the file is written so; nothing to say adds nothing."""
    new = section.placed(content, BODY, "F")
    assert new.startswith(content) and new.replace(b"\r\n", b"\n").endswith(section.END + b"\n")
    assert section.placed(new, BODY, "F") == new
    assert section.placed(content, b"", "F") == content


def test_line_ends_are_the_files() -> None:
    """One CRLF file stays one."""
    new = section.placed(b"# A\r\nhello\r\n", BODY, "F")
    assert new.count(b"\n") == new.count(b"\r\n") == 2 + 1 + BODY.count(b"\n") + 2


BEGIN, END = section.BEGIN.decode(), section.END.decode()


@pytest.mark.parametrize(
    "content",
    [f"{BEGIN}\n", f"{END}\n", f"{END}\n{BEGIN}\n", f"{BEGIN}\n{BEGIN}\n{END}\n", f"{BEGIN}\n{END}\n{END}\n",
     f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n", "<!-- mem:begin -->\n"],
)  # fmt: skip
def test_half_marked_files_are_refused(repo: Repo, content: str) -> None:
    """Both marks, once, in order; else one line that says so, exit 2, and the file as it was."""
    saved(repo, "note:a", "a text to remember")
    repo.write("AGENTS.md", content)
    told(repo.mem("render", "--into", "AGENTS.md"), 2, "mem:begin")
    assert (repo.path / "AGENTS.md").read_text() == content


@given(st.text(max_size=30))
def test_what_only_speaks_of_marks_is_no_mark(text: str) -> None:
    """A mark is a line of its own."""
    assume("mem:" not in text)
    content = f"write {BEGIN} and {END} there {text}".encode()
    assert section.placed(content, BODY, "F").startswith(content)


def test_writes_in_place_and_again_only_what_changed(repo: Repo) -> None:
    """Made where it is not there; written anew when the memory changed, not touched when it did not; within the
    budget; nothing where nothing is known."""
    file = repo.path / "AGENTS.md"
    assert repo.mem("render", "--into", "AGENTS.md").code == 0 and not file.exists()
    saved(repo, "note:a", "a text with </memory> and <!-- mem:end --> in it")
    done = repo.mem("render", "--into", "AGENTS.md")
    assert done.code == 0 and done.out.startswith("wrote 1 fragment in AGENTS.md, ")
    assert file.read_text().splitlines()[-2:] == [
        "- note:a [note]: a text with &lt;/memory&gt; and &lt;!-- mem:end --&gt; in it", END,
    ]  # fmt: skip
    os.utime(file, ns=(1, 1))
    assert repo.mem("render", "--into", "AGENTS.md").out.startswith("unchanged: 1 fragment in AGENTS.md")
    assert file.stat().st_mtime_ns == 1
    file.write_text(f"# Mine\n{file.read_text()}\nmore")
    file.chmod(0o640)
    saved(repo, "note:b", "another text to remember")
    done = repo.mem("render", "--into", "AGENTS.md", "--json")
    assert (done.json["changed"], done.json["shown"], done.json["file"]) == (True, 2, "AGENTS.md")
    assert file.read_text().startswith("# Mine\n<!-- mem:begin") and file.read_text().endswith(f"{END}\n\nmore")
    assert file.stat().st_mode & 0o777 == 0o640 and os.listdir(repo.path).count("AGENTS.md") == 1
    for name in ("note:a", "note:b"):
        repo.mem("delete", name)
    assert repo.mem("render", "--into", "AGENTS.md").code == 0
    assert file.read_text() == f"# Mine\n{BEGIN}\n{END}\n\nmore"


def test_links_stay_links_and_lead_nowhere_else(repo: Repo, tmp_path: Path) -> None:
    """A link inside the work tree is followed; one that leads out of it, or to nothing, is refused; a file outside that
    was named as such is written."""
    saved(repo, "note:a", "a text to remember")
    outside = tmp_path / "outside.md"
    outside.write_text("mine\n")
    repo.write("CLAUDE.md", "# Claude\n")
    (repo.path / "AGENTS.md").symlink_to("CLAUDE.md")
    (repo.path / "evil.md").symlink_to(outside)
    (repo.path / "dangling.md").symlink_to("nothing.md")
    (repo.path / "folder").symlink_to(tmp_path)
    assert repo.mem("render", "--into", "AGENTS.md").code == 0
    assert (repo.path / "AGENTS.md").is_symlink() and BEGIN in (repo.path / "CLAUDE.md").read_text()
    told(repo.mem("render", "--into", "evil.md"), 2, "evil.md")
    told(repo.mem("render", "--into", "dangling.md"), 2, "dangling.md")
    told(repo.mem("render", "--into", "folder/outside.md"), 2, "folder/outside.md")
    assert outside.read_text() == "mine\n" and not (repo.path / "nothing.md").exists()
    assert repo.mem("render", "--into", str(outside)).code == 0
    assert outside.read_text().startswith(f"mine\n\n{BEGIN}\n")


def test_what_cannot_be_written_is_said_in_a_line(repo: Repo) -> None:
    """A folder, a folder that is not there, and options that contradict each other."""
    saved(repo, "note:a", "a text to remember")
    told(repo.mem("render", "--into", "src"), 2, "src")
    told(repo.mem("render", "--into", "no/such/AGENTS.md"), 2, "no/such/AGENTS.md")
    told(repo.mem("render", "--into", "A.md", "--format", "json"), 2, "--into")
    told(repo.mem("render", "--into", "A.md", "--explain"), 2, "--into")
    assert not (repo.path / "A.md").exists()
