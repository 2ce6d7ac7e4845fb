"""What search finds in an index, in which order, and what a fragment is indexed by."""

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.model import Anchor, Fragment, Stamp
from memcli.rank import MAX_TERMS, index_terms, nearest_words, parse_query, search
from memcli.text import fold


def fragment(text: str, key: str | None = None, type: str = "note", anchors: Sequence[Anchor] = ()) -> Fragment:
    stamp = Stamp(None, "feature/login", False, 0)
    return Fragment(
        "k" * 16,
        key,
        type,
        "workspace",
        "active",
        text,
        1.0,
        stamp,
        tuple(anchors),
        author="Ada",
        created=1795950000000,
    )


class Shelf:
    """An index in memory, of texts or of fragments; a document's number is its place."""

    def __init__(self, *stored: str | Fragment) -> None:
        self.stored = [fragment(item) if isinstance(item, str) else item for item in stored]
        self.terms: dict[str, list[tuple[int, int, int]]] = {}
        self.lengths: list[int] = []
        for doc, item in enumerate(self.stored):
            counts, length = index_terms(item)
            self.lengths.append(length)
            for term, count in counts.items():
                self.terms.setdefault(term, []).append((doc, count, length))

    def size(self) -> tuple[int, float]:
        return len(self.lengths), sum(self.lengths) / max(1, len(self.lengths))

    def postings(self, term: str) -> Sequence[tuple[int, int, int]]:
        return self.terms.get(term, [])

    def frequency(self, term: str) -> int:
        return len(self.postings(term))

    def vocabulary(self) -> Iterable[str]:
        return self.terms

    def texts(self) -> Iterable[tuple[int, str, str]]:
        return [(doc, fold(item.key or ""), fold(item.text)) for doc, item in enumerate(self.stored)]

    def find(self, query: str) -> list[int]:
        return [hit.doc for hit in search(query, self)]


SHELF = Shelf(
    "never run rm -rf on the build folder",
    "the parser is written in C++ and calls createUser",
    "the port of the service is C# code",
    "see ADR-0005 about a:b and 10% * 2",
    "認証機能を追加した",
    "Größe der naïve Bäume",
    "сервис написан на Питоне",
    'authentication "tokens" expire / rotate AND refresh',
    fragment("results are cut at 50", key="limit:users"),
    "all users see a limit",
)


@pytest.mark.parametrize(
    ("query", "doc"),
    [
        ("rm -rf", 0),
        ("-rf", 0),
        ("C++", 1),
        ("c#", 2),
        ("ADR-0005", 3),
        ("adr 0005", 3),
        ("a:b", 3),
        ("*", 3),
        ("10%", 3),
        ("認証", 4),
        ("証", 4),
        ("grosse", 5),
        ("NAIVE", 5),
        ("ПИТОНЕ", 6),
        ("итон", 6),
        ('"', 7),
        ('"tokens"', 7),
        ("/", 7),
        ("AND", 7),
        ("createUser", 1),
        ("create", 1),
        ("expires", 7),
        ("enticat", 7),
        ("limit:users", 8),
        ("users limit", 8),
    ],
)
def test_what_people_type_finds_what_they_mean(query: str, doc: int) -> None:
    """Words, parts, substrings, signs, other scripts: the right text comes first, and nothing is syntax."""
    assert SHELF.find(query)[0] == doc


@pytest.mark.parametrize("query", ["autentication", "authenticatoin", "authentcaton", "refrseh"])
def test_typos_find_the_word(query: str) -> None:
    """One or two typos in a word that occurs nowhere find the text, and the reason names the word."""
    hit = search(query, SHELF)[0]
    assert hit.doc == 7
    assert " for " in hit.why[0]


@pytest.mark.parametrize("query", ["", "   ", "\n", "zzqx", "zz qq", "\u0301"])
def test_nothing_is_found_where_nothing_is(query: str) -> None:
    """A blank query, or one that is nowhere and like nothing, finds nothing."""
    assert SHELF.find(query) == []


def test_short_words_are_not_guessed() -> None:
    """A word of three letters has too many neighbours to be taken for a typo."""
    assert Shelf("the cat").find("cut") == []


def test_an_empty_index_has_no_hits() -> None:
    """Searching before anything was saved finds nothing and breaks nothing."""
    assert Shelf().find("users") == []


def test_keys_come_first() -> None:
    """A key that answers beats a text that only speaks of it, however often; the exact key beats all."""
    shelf = Shelf(
        "cache cache cache cache",
        fragment("something else", key="cache:size"),
        fragment("another thing", key="cache"),
    )
    assert shelf.find("cache") == [2, 1, 0]
    assert [hit.key_hit for hit in search("cache", shelf)] == [True, True, False]


def test_one_word_of_a_key_does_not_answer_a_long_question() -> None:
    """A key answers when it has half of the question's words; else the text that has them all comes first."""
    shelf = Shelf(fragment("unrelated", key="service:name"), "the service retries a timeout of the payment queue")
    assert shelf.find("service payment queue timeout") == [1, 0]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    """Of two texts that hold one word of the query each, the one with the rarer word comes first."""
    shelf = Shelf("users everywhere", "users again", "users once more", "quota")
    assert shelf.find("users quota")[0] == 3


def test_verbatim_comes_before_words() -> None:
    """A text with the phrase as it was typed comes before one with its words; white space does not matter."""
    shelf = Shelf("pool size of the connection, connection and pool", "the connection\n  pool is small")
    assert shelf.find("connection pool") == [1, 0]


def test_a_word_inside_longer_words_comes_last() -> None:
    """Substrings are found, but after the word itself."""
    assert Shelf("important supports", "open a port").find("port") == [1, 0]


def test_the_circumstances_of_a_fragment_are_found() -> None:
    """Path, file name, folder, symbol, branch, type, author, day and month are terms."""
    anchor = Anchor("src/api/Users.py", "file", symbol="Store.put_all")
    shelf = Shelf(fragment("it is slow", type="tool_result", anchors=[anchor]))
    asked = ("src/api/users.py", "users.py", "api", "put_all", "feature/login", "login", "tool_result", "ada")
    for query in (*asked, "2026-11-29", "2026-11"):
        assert shelf.find(query) == [0], query


def test_terms_fit_the_index() -> None:
    """However long the words and however many, terms and figures stay within what the index's records hold."""
    long = Anchor("ü" * 300 + "/\udcff.py", "file")
    counts, length = index_terms(fragment("cache " * 70_000 + "x" * 900, key="k" * 190, anchors=[long]))
    assert length == 65535
    assert max(counts.values()) == 255
    assert all(1 <= len(term.encode()) <= 200 for term in counts)


def test_a_key_weighs_more_than_text() -> None:
    """A word of the key counts as several in the text."""
    counts, _ = index_terms(fragment("cache", key="limit"))
    assert counts["limit"] > counts["cach"]


def test_a_giant_query_is_bounded() -> None:
    """Of a query of any size only a bounded number of terms and characters is looked for."""
    asked = parse_query(" ".join(f"word{n}" for n in range(100_000)))
    assert sum(len(part.terms) for part in asked.parts) <= MAX_TERMS
    assert len(asked.literal) <= 1000
    assert SHELF.find("users " + "x" * 1_000_000)


def test_nearest_words_are_words_people_wrote() -> None:
    """When nothing is found the nearest known words are named as they are written, never a bare stem."""
    shelf = Shelf("authentication of users", fragment("quota", key="limits:api"))
    assert nearest_words("autenthicator", shelf.vocabulary())[0] == "authentication"
    assert nearest_words("limitz", shelf.vocabulary(), n=1) == ["limits"]
    assert nearest_words("", shelf.vocabulary()) == []
    assert nearest_words("quota", []) == []


CHARS = st.sampled_from("abcé ABß\n\t.-+#*:/\\\"'()<>_=~@1漢字が한и")
TEXTS = st.one_of(st.text(CHARS, max_size=30), st.text(st.characters(codec="utf-8"), max_size=30))


@given(st.one_of(TEXTS, st.text(st.characters())), st.lists(TEXTS, max_size=4))
def test_any_query_has_an_answer(query: str, texts: list[str]) -> None:
    """No query breaks search, whatever is stored; each document comes once, with a score and a reason."""
    hits = search(query, Shelf(*texts))
    assert len({hit.doc for hit in hits}) == len(hits)
    assert all(hit.score > 0 and hit.why for hit in hits)
    nearest_words(query, Shelf(*texts).vocabulary())


@given(st.data())
def test_any_substring_finds_its_text(data: st.DataObject) -> None:
    """Whatever piece of a stored text is typed, the text is among the hits, whatever else is stored."""
    texts = data.draw(st.lists(TEXTS.filter(bool), min_size=1, max_size=4))
    doc = data.draw(st.integers(0, len(texts) - 1))
    start = data.draw(st.integers(0, len(texts[doc]) - 1))
    piece = texts[doc][start : data.draw(st.integers(start + 1, len(texts[doc])))]
    if fold(piece).replace("\0", " ").strip():  # a blank asks for nothing, and so does an accent alone
        assert doc in Shelf(*texts).find(piece)
