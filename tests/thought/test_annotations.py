"""Annotations of a continuous integration: one line each, whatever the words in it are."""

from hypothesis import given
from hypothesis import strategies as st

from memcli.annotations import github


def test_an_annotation_names_the_place_and_says_why() -> None:
    """GitHub reads file, lines, title and message out of one line."""
    line = github("warning", "AGENTS.md", 12, 13, "23%", "src/old.py is gone")
    assert line == "::warning file=AGENTS.md,line=12,endLine=13,title=23%25::src/old.py is gone"


def test_what_ends_a_property_is_escaped() -> None:
    """A colon or a comma in a path or title stays part of it; in the message they may stand."""
    line = github("error", "a,b:c.md", 1, 1, "x: y", "see a:b, c%")
    assert line == "::error file=a%2Cb%3Ac.md,line=1,endLine=1,title=x%3A y::see a:b, c%25"


@given(st.text(), st.text(), st.text())
def test_no_words_begin_a_command_of_their_own(path: str, title: str, message: str) -> None:
    """Whatever is stored comes out as one line, without control characters or angle brackets (law 13)."""
    line = github("warning", path, 1, 2, title, message)
    assert line.isprintable() or not line.isascii()
    assert len(line.splitlines()) == 1
    assert not {"<", ">", "\x1b", "\u202e"} & set(line)
    properties = line.removeprefix("::warning ").partition("::")[0]
    assert properties.count(",") == 3
