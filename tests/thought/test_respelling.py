"""Only what names the moved thing is spelt anew, in the manner in which it was spelt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.respelling import respelt

MOVES = {"src/a.py": "lib/b.py", "docs/x.md": "guide/x.md", "src/old": "src/new"}


@pytest.mark.parametrize(
    ("folder", "line", "after"),
    [
        ("", "`src/a.py` and ./src/a.py, src/a.py.", "`lib/b.py` and ./lib/b.py, lib/b.py."),
        ("", "src/a.py:10-40, src/a.py#f, (src/a.py)", "lib/b.py:10-40, lib/b.py#f, (lib/b.py)"),
        ("", "src/a.pyx my/src/a.py src/a.py/c", "src/a.pyx my/src/a.py src/a.py/c"),
        ("", "https://example.org/src/a.py", "https://example.org/src/a.py"),
        ("docs", "[a](../src/a.py)", "[a](../lib/b.py)"),
        ("docs", "[x](x.md) [x](./x.md)", "[x](../guide/x.md) [x](../guide/x.md)"),
        ("src", "[a](a.py)", "[a](../lib/b.py)"),
        ("", "a.py", "lib/b.py"),
        ("", "@docs/x.md", "@guide/x.md"),
        ("", "src/old/ and src/old", "src/new/ and src/new"),
        ("", "x.md", "x.md"),
    ],
)
def test_spellings(folder: str, line: str, after: str) -> None:
    """From the root, from the document's folder, by the file's name; never inside a longer path or a URL."""
    assert respelt(line, MOVES, folder) == after


@pytest.mark.parametrize(
    ("folder", "line", "after"),
    [
        ("", "src/a.py is like a.py and ./a.py", "lib/b.py is like a.py and ./a.py"),
        ("docs", "../src/a.py and a.py beside me", "../lib/b.py and a.py beside me"),
        ("", r"src\a.py and C:\src\a.py", r"src\a.py and C:\src\a.py"),
    ],
)
def test_another_file_of_the_same_name_keeps_its_name(folder: str, line: str, after: str) -> None:
    """What names a standing file whole is not a short name of one that moved; Windows' paths are left alone."""
    assert respelt(line, {"src/a.py": "lib/b.py"}, folder, {"a.py", "docs/a.py"}) == after


@given(st.text())
def test_what_names_nothing_moved_stays(line: str) -> None:
    """Without moves no line changes; paths that change places do not run into each other."""
    assert respelt(line, {}, "docs") == line
    assert respelt("p/a.py p/b.py", {"p/a.py": "p/b.py", "p/b.py": "p/a.py"}, "") == "p/b.py p/a.py"
