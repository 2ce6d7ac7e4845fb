"""What people reported about rendering and searching, told to the real program. The block by itself:
tests/thought/test_render; ranking: tests/thought/test_rank; hostile texts: test_hostile_text.
"""

from memcli import tokens
from tests.conftest import Repo
from tests.faces.black_box import answers, loaded, saved


def test_a_hundred_memories_fit_the_budget(repo: Repo) -> None:
    """102 long fragments: the block stays within its tokens, counted on all of stdout, the newest are there, whole, and
    it says how many were left out; twice the same bytes."""
    long = "a rather long explanation of why it was done like that and not otherwise, with reasons"
    start = 1_700_000_000_000
    rows = ({"text": f"number {n}: {long} " * 4, "key": f"note:n{n:03}", "created": start + n} for n in range(102))
    loaded(repo, rows)
    whole, small, again, markdown = answers(
        repo, ["render"], ["render", "--budget", "400"], ["render", "--budget", "400"],
        ["render", "--budget", "400", "--format", "markdown"],
    )  # fmt: skip
    for done, budget in ((whole, 1500), (small, 400), (markdown, 400)):
        assert done.code == 0 and tokens.count(done.out, "o200k_base", {}) <= budget
        assert "note:n101 [note]: number 101:" in done.out and "note:n000 " not in done.out
        assert "left out" in done.out
    assert small.out == again.out and len(whole.out.splitlines()) > len(small.out.splitlines())


def test_one_giant_starves_nobody(repo: Repo) -> None:
    """An entry of 60,000 characters among twenty short ones: those are all shown, it is left out and counted."""
    assert repo.mem("save", "note:giant", "-", input="word " * 12_000).code == 0
    loaded(repo, [{"text": f"short text {n}", "key": f"note:s{n:02}"} for n in range(20)])
    block = repo.mem("render").out
    assert all(f"note:s{n:02} [note]: short text {n}" in block for n in range(20))
    assert "note:giant" not in block and "1 left out" in block


def test_an_empty_store_says_nothing(repo: Repo) -> None:
    """No preamble, no block: not without a store, not with one that holds only what is not to be shown."""
    calls = (["render"], ["render", "--format", "markdown"], ["render", "--rule"], ["render", "--prompt", "x"])
    for done in answers(repo, *calls):
        assert (done.code, done.out) == (0, "")
    repo.mem("init")
    saved(repo, "note:p", "only a proposal", "--propose")
    for done in answers(repo, *calls):
        assert (done.code, done.out) == (0, "")
    assert answers(repo, ["render", "--json"])[0].json["fragments"] == []


TEXTS = {
    "rm -rf": "never run rm -rf on the build folder",
    "C++": "the parser is written in C++ since spring",
    "C#": "the plugin for Unity is written in C# alone",
    "ADR-0005": "ADR-0005 says that there is one queue",
    "検索": "全文検索は索引を使う",
    "café": "the café endpoint needs a token",
    "Москва": "сервер стоит в городе Москва",
    "src/users.py": "src/users.py holds the users",
    "createUser": "the client calls createUser twice",
    "user@example.org": "mail goes to user@example.org only",
    "a:b": "keys look like a:b in that table",
    '"quoted words"': 'it says "quoted words" to the user',
    "100%": "coverage must be 100% there",
    "NOT NULL": "the column is NOT NULL by now",
}


def test_odd_words_are_found(repo: Repo) -> None:
    """Operators, punctuation, hyphens, CJK, accents, Cyrillic, paths and halves of identifiers find their fragment
    first; accents and case aside, and with a typo."""
    loaded(repo, [{"text": text, "key": f"note:{number}"} for number, text in enumerate(TEXTS.values())])
    queries = {**TEXTS, "cafe": TEXTS["café"], "москва": TEXTS["Москва"],
               "createuser": TEXTS["createUser"], "ADR 0005": TEXTS["ADR-0005"], "endpiont": TEXTS["café"],
               "索引": TEXTS["検索"], "CAFÉ": TEXTS["café"]}  # fmt: skip
    for (query, text), done in zip(
        queries.items(), answers(repo, *(["search", "--json", query] for query in queries)), strict=True
    ):
        found = [fragment["text"] for fragment in done.json["fragments"]]
        assert found[:1] == [text], (query, found)


def test_no_query_crashes(repo: Repo) -> None:
    """Whatever is asked for, also what looks like an option or a query language: an answer, or none."""
    loaded(repo, [{"text": text} for text in TEXTS.values()])
    odd = ["/", "-", "*", '"', "'", "AND", "OR NOT", "a AND (b", "\\", "%", "_", "^$", ".*", "(", ")", "[", "~", "`",
           "\u202e", "\x1b[31m", "  ", "", "--", "🦄", "ﬁ", "İ", "ß", "́", "a" * 5000, "<memory>", "\ud800"]  # fmt: skip
    for query, done in zip(odd, answers(repo, *(["search", "--", query] for query in odd)), strict=True):
        assert done.code in (0, 1), (query, done)
        assert "fault" not in done.err and len(done.err.splitlines()) <= 1
