"""A document comes apart into the claims that it makes, and is recognised in another form."""

from hypothesis import given
from hypothesis import strategies as st

from memcli.claims import Claim, Document, from_root, relative_names, words_of

TEXT = """\
---
title: none
---
# A heading with `src/a.py`

A paragraph about `src/a.py`
that goes on.

Another heading
---------------

- one about b.py,
  wrapped
  - nested
1. [x] numbered
* starred

| file | what |
|------|------|
| `a.py` | first |

<!-- a comment
about c.py -->
> quoted words

[link]: docs/a.md
```sh
python tools/run.py
```
"""


def texts(text: str) -> list[tuple[int, int, str, bool]]:
    return [(c.first, c.last, c.text, c.code) for c in Document(text).claims]


def test_what_is_a_claim_and_what_is_none() -> None:
    """Paragraphs, bullets, rows and lines of code are; headings, comments, front matter and definitions are not."""
    assert texts(TEXT) == [
        (6, 7, "A paragraph about `src/a.py` that goes on.", False),
        (12, 13, "one about b.py, wrapped", False),
        (14, 14, "nested", False),
        (15, 15, "numbered", False),
        (16, 16, "starred", False),
        (20, 20, "`a.py` | first", False),
        (24, 24, "quoted words", False),
        (28, 28, "python tools/run.py", True),
    ]


def test_a_drawn_tree_names_whole_paths() -> None:
    """Each name stands for the path above it, with the root and, because that may be the project, without it."""
    text = "```\napp/\n├── src/\n│   ├── users.py  # people\n│   └── mail.py\n└── README.md\n```\n"
    assert [claim.about for claim in Document(text).claims[1:]] == [
        "`./app/src/` `./src/`",
        "`./app/src/users.py` `./src/users.py`",
        "`./app/src/mail.py` `./src/mail.py`",
        "`./app/README.md` `./README.md`",
    ]


def test_line_ends_of_windows_are_no_part_of_a_claim() -> None:
    """A document with CR LF makes the same claims on the same lines."""
    assert texts(TEXT.replace("\n", "\r\n")) == texts(TEXT)


def test_the_same_words_in_another_form_are_found() -> None:
    """Wrapped, as a bullet, in emphasis, elsewhere: the place is that of the words. Other words are other claims."""
    claim = Claim(1, 1, "The parser in `src/parse.py` keeps all comments")
    assert Document("# T\n\n* **The parser** in src/parse.py\n  keeps all\n  comments\n").place_of(claim) == (3, 5)
    assert Document("The parser in `src/parser.py` keeps all comments\n").place_of(claim) is None


def test_a_short_claim_is_the_same_only_as_one_of_its_own() -> None:
    """A name alone in a row may stand in any sentence."""
    claim = Claim(1, 1, "`src/a.py`")
    assert Document("Look at `src/a.py` first\n").place_of(claim) is None
    assert Document("one\n\n- src/a.py\n").place_of(claim) == (3, 3)


def test_paths_from_the_documents_folder() -> None:
    """`../` and imports are spelt from the root; what leads out stays."""
    assert relative_names("see [a](../src/a.py), ../../etc/x", "docs") == "see [a](src/a.py), ../../etc/x"
    assert relative_names("@docs/rules.md and @types/node, a@b.md", "") == "docs/rules.md and @types/node, a@b.md"
    assert from_root("./b/../c.py", "a") == "a/c.py"
    assert from_root("../../c.py", "a") is None


@given(st.text(alphabet="ab/.`|-*># \n\r\t<!~=│├─└[]:1", max_size=200))
def test_any_text_comes_apart(text: str) -> None:
    """Claims lie within the document, in order, and each is found again where it stands, or earlier."""
    document = Document(text)
    ends = [(claim.first, claim.last) for claim in document.claims]
    assert ends == sorted(ends)
    assert all(1 <= first <= last <= len(document.lines) for first, last in ends)
    for claim in document.claims:
        if words_of(claim.text):
            place = document.place_of(claim)
            assert place is not None or claim.code
