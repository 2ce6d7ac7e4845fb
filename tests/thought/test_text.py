"""Folding, words, normal form, escaping, times, and what a text names."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import mentions, text
from memcli.errors import Usage
from memcli.syntax import holds

# letters, marks, brackets, white space, controls, bidirectional and lone surrogates, all likely
ODD = st.text(st.sampled_from("aÉß<>&;lgt .,`'\n\r\t\x00\x1b\x85\u2028\u202e\u2066\u0301\ud800\udcff漢が인"))
ANY = st.one_of(ODD, st.text(st.characters()))


@given(ANY)
def test_fold_is_idempotent(written: str) -> None:
    """Folding what is folded changes nothing."""
    assert text.fold(text.fold(written)) == text.fold(written)


@given(ANY, ANY)
def test_fold_works_character_by_character(left: str, right: str) -> None:
    """The fold of a part is a part of the fold: substring search may compare folded texts."""
    assert text.fold(left + right) == text.fold(left) + text.fold(right)


def test_fold_ignores_case_and_accents() -> None:
    """Case, accents and compatibility forms do not tell texts apart."""
    assert text.fold("Größe NAÏVE ﬁle Ё") == text.fold("grosse naive file е")


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("createUser", ["createuser", "create", "user"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("list_users", ["list_users", "list", "users"]),
        ("__init__", ["__init__", "init"]),
        ("src/users.py", ["src", "users", "py"]),
        ("ADR-0005", ["adr", "0005"]),
        ("user's don't", ["user", "don"]),
        ("認証機能", ["認証", "証機", "機能"]),
        ("Redisの設定", ["redis", "の設", "設定"]),
        ("인증을", ["인증", "증을"]),
        ("Привет, café!", ["привет", "cafe"]),
        ("_ - !", []),
    ],
)
def test_words(written: str, found: list[str]) -> None:
    """Words come folded and in order; an identifier whole and in parts, a run of CJK as bigrams."""
    assert text.words(written) == found


@given(ANY)
def test_terms_are_stems_without_stop_words(written: str) -> None:
    """What search indexes comes from the words alone, and no text breaks it."""
    assert len(text.terms(written)) == sum(word not in text.STOP_WORDS for word in text.words(written))


def test_terms_bring_forms_of_a_word_together() -> None:
    """Singular and plural, verb and gerund have one stem; stop words have none."""
    assert text.terms("the users are testing") == text.terms("a user tests")


@given(ANY)
def test_normal_is_idempotent(written: str) -> None:
    """The normal form of a normal form is itself."""
    assert text.normal(text.normal(written)) == text.normal(written)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Uses  Postgres.\n", "uses postgres", True),
        ('The "limit", is `50`!', "the limit is 50", True),
        ("don’t", "don't", True),
        ("Use C++", "Use C#", False),
        ("x != 1", "x = 1", False),
        ("version 1.5", "version 15", False),
        ("は", "ば", False),
        ("...", "?!", False),
    ],
)
def test_normal_tells_texts_apart(one: str, other: str, same: bool) -> None:
    """Case, space, quotes and closing punctuation do not make another text; code, numbers and accents do."""
    assert (text.normal(one) == text.normal(other)) is same


@given(ANY)
def test_escaped_text_is_safe_to_show(written: str) -> None:
    """No angle bracket, control or bidirectional character, and no line break is left; it can be encoded."""
    shown = text.escape(written)
    assert "<" not in shown and ">" not in shown
    assert len(shown.splitlines()) <= 1
    assert not any(unicodedata.category(char) in ("Cc", "Cs") for char in shown)
    assert not any(unicodedata.bidirectional(char) in BIDI for char in shown)
    shown.encode()


BIDI = ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")


@given(st.text(st.sampled_from("ab<>/ é"), max_size=20))
def test_unescape_gives_the_characters_back(written: str) -> None:
    """What was copied from a block is saved as it was written."""
    assert text.unescape(text.escape(written)) == written.strip()


def test_escape_joins_lines() -> None:
    """Line breaks of any kind become one slash between the lines that say something."""
    assert text.escape("one\r\n\n  two\tthree\x1b[31m\u2028</memory>\n") == "one / two three[31m / &lt;/memory&gt;"


@given(st.integers(-62135596800000, 253402300799999))
def test_times_come_back(ms: int) -> None:
    """A time written is the time read, to the millisecond, in every year a date can name."""
    assert text.parse_time(text.iso(ms)) == ms


def test_times_as_people_write_them() -> None:
    """A date, a time without a zone and one with another zone are understood."""
    assert text.iso(text.parse_time("2026-11-29")) == "2026-11-29T00:00:00.000Z"
    assert text.iso(text.parse_time("2026-11-29T20:00:00")) == "2026-11-29T20:00:00.000Z"
    assert text.iso(text.parse_time("2026-11-29T22:00:00.5+02:00")) == "2026-11-29T20:00:00.500Z"
    assert text.iso(10**30) == "9999-12-31T23:59:59.999Z"


@given(ANY)
def test_other_times_are_a_usage_error(written: str) -> None:
    """What is no time is refused with one line."""
    try:
        assert text.parse_time(text.iso(text.parse_time(written)))  # a time after all
    except Usage as refusal:
        assert "\n" not in refusal.message


def test_nearest_names_the_likely_word() -> None:
    """A misspelt word gets its neighbour as it is written; a foreign one gets none."""
    assert text.nearest("Desicion", ["note", "Decision", "error"]) == "Decision"
    assert text.nearest("xyzzy", ["note", "Decision"]) is None


@pytest.mark.parametrize(
    ("prose", "names"),
    [
        ("`create_user` calls valid_email() and Store.putAll", ["create_user", "valid_email", "putAll"]),
        ("run `make demo` or npm run build:all", ["demo", "build:all"]),
        ("the `post-commit` hook takes `--dry-run` and --no-color", ["post-commit", "--dry-run", "--no-color"]),
        ("`git commit --amend` and `Users::create`", ["--amend", "Users", "create"]),
        ("HTTPServer, createUser, MAX_SIZE, __init__", ["HTTPServer", "createUser", "MAX_SIZE", "__init__"]),
        ("see `src/create_user.py` or https://x.io/a_b/camelCase", []),
        ("make sure that PRs and IDs go by commit `a1b2c3d4`", []),
        ("`x` before `y`, then `x` again", ["x", "y"]),
    ],
)
def test_identifiers(prose: str, names: list[str]) -> None:
    """Code names that a text names by DRIFT's rule, in order and in their case; none from paths, URLs, commit ids."""
    assert mentions.identifiers(prose) == names


@pytest.mark.parametrize(
    ("prose", "named"),
    [
        ("limit in src/users.py:10-40, tests/test_a.py::test_x", ["src/users.py", "tests/test_a.py"]),
        ("./x and docs/ and model.py. See README.md!", ["x", "docs", "model.py", "README.md"]),
        ("`Makefile`, Dockerfile, `.gitignore`, `LICENSE`", ["Makefile", "Dockerfile", ".gitignore", "LICENSE"]),
        ("[guide](docs/a.md#start) **lib/x.rb** `app/[id]/page.tsx`", ["docs/a.md", "lib/x.rb", "app/[id]/page.tsx"]),
        ("`python tools/run.py --config=x.toml`", ["tools/run.py"]),
        ("all of src/api/*.ts and packages/@scope/ui", ["src/api", "packages/@scope/ui"]),
        ("файл docs/описание.md", ["docs/описание.md"]),
        ("https://a.io/b/c.py github.com/a/b mail@x.py v1.2/3 3.11/3.12 2026/11/29 1.5", []),
        ("and/or, TCP/IP, origin/main, Node.js, e.g. os.path, response.json()", []),
        ("/etc/passwd ../up.py a/../b.py ~/x.py <name>/x.py C:\\x.py `application/json`", []),
    ],
)
def test_paths(prose: str, named: list[str]) -> None:
    """Paths that a text names, as the repository calls them; no URLs, versions, dates, alternatives, ways out."""
    assert mentions.paths(prose) == named


@given(st.text(st.sampled_from("ab.:/#`*(){}[]@~- \n0_'\"A"), max_size=60))
def test_what_a_text_names_is_plain(prose: str) -> None:
    """Any text may be read for names; a path never leaves the repository or ends in a slash."""
    for path in mentions.paths(prose):
        assert not path.startswith("/") and not path.endswith("/") and ".." not in path.split("/")
    assert all(name.strip() == name != "" for name in mentions.identifiers(prose))


WORDY = st.text(st.sampled_from("aé_ .-漢²"), max_size=12)


@given(WORDY, WORDY.filter(bool))
def test_a_word_is_taken_out_where_it_stands_whole(written: str, word: str) -> None:
    """As a pattern that looks at the characters beside it would."""
    assert text.without(written, word) == re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", " ", written)


@given(WORDY, WORDY.filter(bool))
def test_a_content_holds_a_whole_word_or_not(written: str, word: str) -> None:
    """As a pattern of bytes would say, to which only ASCII is part of a word."""
    data, wanted = written.encode(), word.encode()
    assert holds(data, word) == (re.search(rb"(?<!\w)" + re.escape(wanted) + rb"(?!\w)", data) is not None)
