"""The gate: what is refused and why, what is proposed, and the base confidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.errors import MemError, Refused, Usage
from memcli.gate import (
    MAX_KEY_BYTES,
    MAX_TEXT_BYTES,
    Candidate,
    base_confidence,
    check_confidence,
    check_key,
    check_relevance,
    check_secrets,
    check_text,
    pass_gate,
    policy,
)
from memcli.model import SCOPES
from memcli.scopes import APPROVAL

TOKEN = "ghp_" + "a1B2c3D4" * 4 + "e5F6"


# text


@pytest.mark.parametrize("text", ["", " ", "\n\t\r\n", "\u3000\u00a0"])
def test_a_blank_text_is_refused(text: str) -> None:
    """Nothing but white space is no text."""
    with pytest.raises(Refused, match="the text is empty"):
        check_text(text)


def test_a_text_of_more_than_64_kib_is_refused() -> None:
    """Bytes of UTF-8 count, the bound itself passes, and the message is one line."""
    assert check_text("a" * MAX_TEXT_BYTES)
    for text in ("a" * (MAX_TEXT_BYTES + 1), "é" * (MAX_TEXT_BYTES // 2 + 1), "x" * 10_000_000):
        with pytest.raises(Refused, match="at most 65,536") as caught:
            check_text(text)
        assert len(caught.value.message) < 100


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\0b", r"U\+0000 at character 2 of the text"),
        ("\x1b[31mred", r"U\+001B at character 1"),
        ("bell\x07", r"U\+0007 at character 5"),
        ("\x1c", r"the text is empty"),
        ("a\x1c", r"U\+001C at character 2"),
        ("del\x7f", r"U\+007F"),
        ("c1 \x9b31m", r"U\+009B"),
        ("half \udc80", r"U\+DC80 at character 6 of the text is no text"),
    ],
)
def test_control_characters_are_refused_with_their_place(text: str, message: str) -> None:
    """NUL, escapes, C1 and bytes that are no UTF-8 are refused; the message itself holds no such character."""
    with pytest.raises(Refused, match=message) as caught:
        check_text(text)
    assert caught.value.message.isprintable()


def test_a_text_is_put_in_order() -> None:
    """Line ends become LF, tabs stay, the white space around goes, escaped brackets are the characters."""
    assert check_text("  one\r\n\ttwo\rthree\n\n") == "one\n\ttwo\nthree"
    assert check_text("Map&lt;K, V&gt;") == "Map<K, V>"
    assert check_text("Übung 漢字 👍 e\u0301") == "Übung 漢字 👍 e\u0301"


@given(st.text())
def test_what_passes_passes_again_unchanged(text: str) -> None:
    """The check is idempotent on what it lets through, as import needs, and raises only our own errors."""
    try:
        once = check_text(text)
    except Refused:
        return
    assert check_text(once) == once


# key and confidence


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("", "blank"),
        ("  ", "blank"),
        ("/etc", "does not begin with /"),
        ("-x", "does not begin with -"),
        (" -x", "does not begin with -"),
        ("a\nb", "one line"),
        ("a\u2028b", "one line"),
        ("a\tb", "control character"),
        ("a\0b", "control character"),
        ("a\udcffb", "no text"),
        ("k" * (MAX_KEY_BYTES + 1), "at most 200"),
        ("é" * 101, "at most 200"),
    ],
)
def test_a_key_that_breaks_a_rule_is_refused(key: str, message: str) -> None:
    """One line of at most 200 bytes that does not begin with / or -."""
    with pytest.raises(Refused, match=message):
        check_key(key)


def test_a_good_key_passes() -> None:
    """Any script, any punctuation inside; none at all stays none."""
    assert check_key(None) is None
    assert check_key(" decision:storage ") == "decision:storage"
    assert check_key("a/b-c <x>") == "a/b-c <x>"
    assert check_key("é" * 100) == "é" * 100


def test_a_confidence_lies_between_0_and_1() -> None:
    """Outside, and what is no number, is a usage error."""
    assert check_confidence(None) is None
    assert check_confidence(0) == 0
    for value in (-0.1, 1.01, float("nan"), float("inf")):
        with pytest.raises(Usage, match="between 0 and 1"):
            check_confidence(value)


# secrets


def test_a_secret_is_refused_by_kind_and_place_never_by_value() -> None:
    """In text, key and path alike; the message names line and column."""
    cases: list[tuple[str, str | None, tuple[str, ...], str]] = [
        (f"the first line\nuse {TOKEN} here", None, (), "secret in the text: GitHub token, line 2, column 5"),
        ("text", f"key:{TOKEN}", (), "secret in the key: GitHub token, line 1, column 5"),
        ("text", None, ("src/a.py", f"tmp/{TOKEN}.txt"), "secret in the path: GitHub token, line 1, column 5"),
    ]
    for text, key, paths, message in cases:
        with pytest.raises(Refused) as caught:
            check_secrets(text, key, paths)
        assert caught.value.message == message
        assert TOKEN not in f"{caught.value.message} {caught.value.hint}"


def test_a_value_under_a_key_that_names_a_secret_is_refused() -> None:
    """`mem save db-password hunter2` is one; a sentence under the same key is none."""
    with pytest.raises(Refused, match="value of the key's password"):
        check_secrets("hunter2", "db-password")
    check_secrets("argon2id", "password")
    check_secrets("hunter2 is the name of the staging host", "password:policy")
    check_secrets("rotate them each quarter", "decision:api-token")


def test_no_force_passes_a_secret() -> None:
    """A person's explicit save into his own session is refused too, with base 0 and the error to raise."""
    result = pass_gate(Candidate(f"use {TOKEN}", scope="session"))
    assert (result.action, result.base) == ("refuse", 0.0)
    assert isinstance(result.error, Refused)
    assert [(v.check, v.outcome) for v in result.verdicts][-1] == ("secrets", "refuse")
    assert TOKEN not in repr(result.verdicts)


# approval (law 15)

AT_ONCE = [
    Candidate("t", scope="workspace"),
    Candidate("t", scope="user"),
    Candidate("t", scope="session"),
    Candidate("t", scope="workspace", is_agent=True),
    Candidate("t", scope="session", is_agent=True),
    Candidate("t", scope="session", is_agent=True, explicit=False),
    Candidate("t", scope="session", explicit=False),
    Candidate("t", key="last_action", explicit=False, is_agent=True),
    Candidate("t", key="session:config", explicit=False),
    Candidate("t", supersedes_person=True),
]
WAITING = [
    Candidate("t", propose=True),
    Candidate("t", scope="user", is_agent=True),
    Candidate("t", scope="workspace", is_agent=True, supersedes_person=True),
    Candidate("t", scope="session", is_agent=True, supersedes_person=True),
    Candidate("t", scope="workspace", explicit=False),
    Candidate("t", scope="user", explicit=False, is_agent=True),
    Candidate("t", key="last_action", scope="user", explicit=False),
    Candidate("t", scope="workspace", explicit=False, supersedes_person=True),
]


@pytest.mark.parametrize("candidate", AT_ONCE)
def test_what_is_accepted_at_once(candidate: Candidate) -> None:
    """A person's save, an agent's explicit one into workspace and session, what belongs to the session, state keys."""
    assert pass_gate(candidate).action == "accept"


@pytest.mark.parametrize("candidate", WAITING)
def test_what_waits_for_approval(candidate: Candidate) -> None:
    """An agent's save for the user or over a person's word, what was captured, what asks to: each with a reason."""
    verdict = policy(candidate)
    assert verdict.outcome == "propose"
    assert verdict.reason
    assert pass_gate(candidate).action == "propose"


@given(
    st.sampled_from(SCOPES),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from((None, "last_files", "k")),
    st.sampled_from(("accept", "propose")),
)
def test_the_configuration_decides_every_case(
    scope: str, agent: bool, explicit: bool, over: bool, key: str | None, wanted: str
) -> None:
    """With every rule set to one value, every candidate gets it; --propose alone is not overruled."""
    candidate = Candidate("t", key, scope=scope, is_agent=agent, explicit=explicit, supersedes_person=over)
    rules = dict.fromkeys(APPROVAL, wanted)
    assert pass_gate(candidate, rules).action == wanted
    assert pass_gate(candidate._replace(propose=True), rules).action == "propose"


# base confidence


def test_the_base_is_by_who_speaks() -> None:
    """1.0 from a person, 0.8 from an agent or program, as given when given."""
    assert base_confidence(True) == 1.0
    assert base_confidence(False) == 0.8
    assert base_confidence(True, given=0.4) == 0.4
    assert pass_gate(Candidate("t")).base == 1.0
    assert pass_gate(Candidate("t", is_agent=True)).base == 0.8
    assert pass_gate(Candidate("t", explicit=False)).base == 0.8
    assert pass_gate(Candidate("t", is_agent=True, confidence=0.95)).base == 0.95


# relevance


@pytest.mark.parametrize("text", ["The CI is down.", "prod is slow right now", "It works now!", "fixed it", "TODO"])
def test_a_transient_or_vague_conclusion_warns_a_person_and_lowers_a_programs_base(text: str) -> None:
    """A person's is accepted whole with a hint; from a program the base is lower, unless it was given."""
    person = pass_gate(Candidate(text))
    assert (person.action, person.base) == ("accept", 1.0)
    assert len(person.warnings) == 1
    assert pass_gate(Candidate(text, is_agent=True)).base == 0.6
    assert pass_gate(Candidate(text, is_agent=True, confidence=0.9)).base == 0.9
    assert pass_gate(Candidate(text, type="progress", is_agent=True)).base == 0.8


@pytest.mark.parametrize(
    "text",
    [
        "Use pnpm, not npm, because of the workspace",
        "create_user works only after migrate()",
        "x",
        "shutdown is graceful",
    ],
)
def test_a_conclusion_passes(text: str) -> None:
    """Conventions, facts and short texts are no reason for a hint."""
    assert check_relevance(text, "decision").outcome == "pass"


# all of it


def test_the_chain_is_told_in_order() -> None:
    """Each check has its verdict, up to the one that refused."""
    passed = pass_gate(Candidate("t", "k"))
    assert [v.check for v in passed.verdicts] == ["text", "key", "confidence", "secrets", "relevance", "approval"]
    refused = pass_gate(Candidate("t", "/k"))
    assert [(v.check, v.outcome) for v in refused.verdicts] == [("text", "pass"), ("key", "refuse")]


@given(st.text(), st.none() | st.text(), st.none() | st.floats(), st.booleans())
def test_any_candidate_gets_an_answer(text: str, key: str | None, confidence: float | None, agent: bool) -> None:
    """The gate raises nothing; what it lets through keeps its own rules; what it refuses has an error to raise."""
    result = pass_gate(Candidate(text, key, is_agent=agent, confidence=confidence))
    if result.action == "refuse":
        assert isinstance(result.error, MemError)
        assert "\n" not in result.error.message
    else:
        assert result.error is None
        assert 0 <= result.base <= 1
        assert pass_gate(Candidate(result.text, result.key)).text == result.text
