"""What is near a path, and where the words of a query stand in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.focus import Focus, imports_of
from memcli.highlight import spans


@pytest.mark.parametrize(
    ("source", "imported", "path"),
    [
        ("from memcli.store import reader, writer", True, "memcli/store/writer.py"),
        ("from memcli.store import reader", True, "memcli/store/__init__.py"),
        ("    import memcli.rank as r", True, "src/memcli/rank.py"),
        ("from .rank import search", True, "memcli/rank.py"),
        ("import { a } from './users/list'", True, "web/users/list.ts"),
        ('const x = require("../lib/db.js")', True, "lib/db.js"),
        ("import '@/styles/main'", True, "styles/main/index.ts"),
        ('#include "store/page.h"', True, "src/store/page.h"),
        ("use crate::parser::lexer;", True, "src/parser/lexer.rs"),
        ("mod lexer;", True, "src/parser/lexer/mod.rs"),
        ("import com.shop.Cart;", True, "src/main/java/com/shop/Cart.java"),
        ("import com.shop.Cart;", False, "src/main/java/com/shop/Basket.java"),
        ("# from nowhere import nothing", False, "nothing.py"),
        ("the import of users is slow", False, "users.py"),
    ],
)
def test_imports_as_languages_write_them(source: str, imported: bool, path: str) -> None:
    """An import names the end of a path; what only speaks of one does not."""
    focus = Focus(["some/file.py"], "", lambda path: source if path == "some/file.py" else "")
    assert ("imports" in focus.factor([path])[1]) == imported


@given(st.text(), st.text())
def test_any_text_has_imports(source: str, path: str) -> None:
    """No text breaks it, and no path."""
    imports_of(source)
    assert Focus([path], path, lambda _: source).factor([path, source])[0] >= 1


def marked(shown: str, found: set[str], *verbatim: str) -> str:
    for begin, end in reversed(spans(shown, found, verbatim)):
        shown = f"{shown[:begin]}[{shown[begin:end]}]{shown[end:]}"
    return shown


def test_words_are_marked_in_every_form() -> None:
    """Other forms of a word, identifiers that hold it, and what was looked for verbatim; touching stretches are one."""
    assert marked("Users: createUser, usage", {"user"}) == "[Users]: [createUser], usage"
    assert marked("never rm -rf it", {"rm"}, "rm -rf") == "never [rm -rf] it"
    assert marked("認証機能", set(), "認証") == "[認証]機能"
    assert marked("ﬁle of Größe", {"gross"}, "file") == "ﬁle of [Größe]"


@given(st.text(), st.sets(st.text(max_size=3), max_size=3))
def test_marking_changes_no_text(shown: str, verbatim: set[str]) -> None:
    """The stretches are apart, in order and within the text."""
    places = [place for span in spans(shown, {"a"}, verbatim) for place in span]
    assert places == sorted(set(places)) and all(0 <= place <= len(shown) for place in places)
