"""Annotations of a continuous integration: one line each, whatever the words in it are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.annotations import github
from memcli.text import escape, quoted


def test_an_annotation_names_the_place_and_says_why() -> None:
    """GitHub reads file, lines, title and message out of one line."""
    line = github("warning", "AGENTS.md", 12, 13, "23%", "src/old.py is gone")
    assert line == "::warning file=AGENTS.md,line=12,endLine=13,title=23%25::src/old.py is gone"


def test_what_ends_a_property_is_escaped() -> None:
    """A colon or a comma in a path or title stays part of it; in the message they may stand."""
    line = github("error", "a,b:c.md", 1, 1, "x: y", "see a:b, c%")
    assert line == "::error file=a%2Cb%3Ac.md,line=1,endLine=1,title=x%3A y::see a:b, c%25"


def test_a_line_feed_in_a_path_is_escaped() -> None:
    """The file is the one that is meant: GitHub takes the escape back."""
    assert github("notice", "a\nb%.md", 2, 3, "t", "m") == "::notice file=a%0Ab%25.md,line=2,endLine=3,title=t::m"


@pytest.mark.parametrize("path", ["a\tb.md", "l\udce9n.md", "\x1b[31m.md", "bidi\u202e.md", "<b>.md", " a.md"])
def test_a_path_that_no_annotation_can_name_stands_in_the_message(path: str) -> None:
    """Another file's name would be worse than none."""
    line = github("warning", path, 7, 7, "gone", "why")
    assert line == f"::warning title=gone::{escape(quoted(path)).replace('%', '%25')}:7: why"


def test_without_a_file_the_run_is_annotated() -> None:
    """What stands nowhere is said all the same."""
    assert github("warning", None, 1, 1, "mem: x", "why") == "::warning title=mem%3A x::why"


@given(st.text(), st.text(), st.text())
def test_no_words_begin_a_command_of_their_own(path: str, title: str, message: str) -> None:
    """Whatever is stored comes out as one line, without control characters or angle brackets (law 13)."""
    line = github("warning", path, 1, 2, title, message)
    assert line.isprintable() or not line.isascii()
    assert len(line.splitlines()) == 1
    assert not {"<", ">", "\x1b", "\u202e"} & set(line)
    properties = line.removeprefix("::warning ").partition("::")[0]
    assert properties.count(",") in (0, 3)
