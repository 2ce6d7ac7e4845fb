"""Drift: what counts as a change of content, and what it does to confidence (DRIFT.md, laws 4 to 7)."""

from hypothesis import given
from hypothesis import strategies as st

from memcli import drift, fingerprint
from memcli.drift import Finding
from memcli.text import telling

CODE = """\
import re

LIMIT = 50  # page size


def create_user(name, email):
    # check first
    if not valid_email(email):
        raise ValueError("bad address", email)
    return {"name": name, "email": email.lower()}


def list_users(store):
    return sorted(store)
"""


def change(old: str, new: str, path: str = "a.py") -> drift.Change:
    return drift.compare(fingerprint.of_content(old.encode(), path), fingerprint.of_content(new.encode(), path))


def wod(note: str, old: str, new: str) -> float:
    stamped = fingerprint.of_content(old.encode(), "a.py")
    return drift.words_deleted(set(telling(note)), stamped, change(old, new))[0]


def test_white_space_blank_lines_and_line_ends_are_no_change() -> None:
    """Law 4: trailing spaces, blank lines and CRLF are no drift at all."""
    assert change(CODE, CODE.replace("\n", "  \n")).verdict == "fresh"
    assert change(CODE, CODE.replace("\n\n\n", "\n\n\n\n\n")).verdict == "fresh"
    assert change(CODE, CODE.replace("\n", "\r\n")).verdict == "fresh"


def test_reformatting_that_keeps_the_tokens_has_its_own_verdict() -> None:
    """Law 4: other spacing, quotes, wrapping and a trailing comma are `reformatted`."""
    wrapped = CODE.replace(
        'return {"name": name, "email": email.lower()}',
        "return {\n        'name': name,\n        'email': email.lower(),\n    }",
    )
    assert change(CODE, wrapped).verdict == "reformatted"
    assert change("x = a+1\n", "x = a + 1\n").verdict == "reformatted"


def test_an_edit_of_comments_alone_has_its_own_verdict() -> None:
    """Law 4: a comment added, changed or removed is `comments`, in each comment style."""
    assert change(CODE, CODE.replace("# check first", "# look before you leap")).verdict == "comments"
    assert change(CODE, CODE.replace("    # check first\n", "")).verdict == "comments"
    assert change("let a = 1;\n", "// why\nlet a = 1;\n", "a.ts").verdict == "comments"
    assert change("a = 1\n", "-- why\na = 1\n", "a.lua").verdict == "comments"


def test_a_hash_sign_inside_a_string_is_no_comment() -> None:
    """A changed string is a change, whatever it holds."""
    assert change('a = "x # one"\n', 'a = "x # two"\n').verdict == "changed"


def test_a_move_within_the_file_deletes_nothing() -> None:
    """Lines that stand elsewhere in the file are not lost."""
    head, tail = CODE.split("\n\n\ndef list_users")
    moved = "def list_users" + tail + "\n\n" + head + "\n"
    assert change(CODE, moved).deleted == ()


def test_lines_inserted_above_delete_nothing() -> None:
    """An insertion is no loss: the note's words keep all their lines."""
    assert wod("create_user lowercases the email", CODE, "import os\n\nVERSION = 1\n" + CODE) == 0


def test_words_whose_lines_were_deleted_are_weighed_by_rarity() -> None:
    """Deleting the lines about list_users moves a note about it, and not one about create_user."""
    less = CODE.replace("def list_users(store):\n    return sorted(store)\n", "")
    assert wod("list_users sorts the store", CODE, less) > 0.9
    assert wod("create_user lowercases the email", CODE, less) < 0.2


def test_a_reformatted_line_is_not_lost_when_another_changes() -> None:
    """Re-wrapping is told apart from a change even when both happen in one edit."""
    edited = CODE.replace(
        'raise ValueError("bad address", email)',
        'raise ValueError(\n            "bad address",\n            email,\n        )',
    ).replace("sorted(store)", "list(store)")
    assert change(CODE, edited).deleted == (14,)


def test_a_drawn_region_that_went_costs_like_a_thing_gone() -> None:
    """A share of 1 of what the author drew weighs like a path that is gone."""
    finding = Finding("a.py", verdict="changed", share=1.0, drawn=True)
    assert drift.assess(1.0, 0.05, [finding]).confidence == drift.PATH_GONE


def test_replaced_content_counts_as_gone() -> None:
    """A file of whose words under a tenth remain says nothing about what it was."""
    assert change(CODE, "zebra = giraffe\n").remaining < drift.REMAINS


def test_grades_follow_law_5() -> None:
    """Most to least: path gone, region rewritten, words' lines changed, elsewhere changed, nothing."""
    kinds = [
        Finding("a", verdict="gone", gone=True, missing=("x",)),
        Finding("a", verdict="gone", gone=True),
        Finding("a", verdict="changed", share=0.5, drawn=True),
        Finding("a", verdict="changed", share=0.5),
        Finding("a", verdict="fresh", evidence="changed elsewhere only"),
    ]
    confidences = [drift.assess(1.0, 0.05, [kind]).confidence for kind in kinds]
    assert confidences == sorted(confidences)
    assert confidences[-1] == 1.0
    assert len(set(confidences)) == len(confidences)


def test_a_fragment_without_anchors_is_unverifiable_and_keeps_its_base() -> None:
    """Law 6: no evidence, no decay."""
    found = drift.assess(0.8, 0.05, [])
    assert (found.confidence, found.verdict) == (0.8, "unverifiable")


findings = st.builds(
    Finding,
    path=st.just("a"),
    verdict=st.sampled_from(drift.ORDER),
    gone=st.booleans(),
    share=st.floats(0, 1),
    drawn=st.booleans(),
    missing=st.sampled_from([(), ("x",)]),
)


@given(st.floats(0, 1), st.lists(findings, max_size=5))
def test_confidence_stays_between_the_floor_and_the_base(base: float, found: list[Finding]) -> None:
    """Law 7: decay is floored, and nothing raises a confidence above its base."""
    confidence = drift.assess(base, 0.05, found).confidence
    assert min(base, 0.05) - 0.0001 <= confidence <= base + 0.0001


@given(st.lists(findings, min_size=1, max_size=5), findings)
def test_more_evidence_never_raises_confidence(found: list[Finding], more: Finding) -> None:
    """Adding an anchor can only lower the confidence or leave it."""
    assert drift.assess(1.0, 0.05, [*found, more]).confidence <= drift.assess(1.0, 0.05, found).confidence + 1e-9


@given(st.text(max_size=300), st.text(max_size=300), st.sampled_from(["a.py", "a.ts", "a.sql", "README.md", "a"]))
def test_any_two_texts_can_be_compared(old: str, new: str, path: str) -> None:
    """Arbitrary contents compare without an error, a content with itself is fresh, and shares are shares."""
    before = fingerprint.of_content(old.encode("utf-8", "surrogatepass"), path)
    after = fingerprint.of_content(new.encode("utf-8", "surrogatepass"), path)
    assert drift.compare(before, before).verdict == "fresh"
    found = drift.compare(before, after)
    assert 0 <= found.remaining <= 1
    assert all(1 <= number <= len(before.lines) for number in found.deleted)
    assert 0 <= drift.similarity(before, after) <= 1


@given(st.text(max_size=300), st.text(max_size=300))
def test_hashes_alone_compare_as_the_texts_do(old: str, new: str) -> None:
    """Law 17: what is kept of a secret-bearing or ignored file gives the same answer and holds none of its words."""
    salt = b"0123456789abcdef"
    before, after = old.encode("utf-8", "surrogatepass"), new.encode("utf-8", "surrogatepass")
    plain = drift.compare(fingerprint.of_content(before, "a.py"), fingerprint.of_content(after, "a.py"))
    hidden = fingerprint.unpack(fingerprint.pack_hashes(before, "a.py", salt), "a.py")
    found = drift.compare(hidden, fingerprint.of_content(after, "a.py", salt))
    assert found._replace(fewer={}) == plain._replace(fewer={})
    assert sorted(found.fewer.values()) == sorted(plain.fewer.values())


def test_kept_hashes_hold_no_word_of_the_content() -> None:
    """A word of the file can't be read from its kept form."""
    packed = fingerprint.pack_hashes(CODE.encode(), "a.py", b"salt")
    assert b"create_user" not in packed
    assert b"lower" not in packed


def test_a_line_that_stands_twice_is_charged_to_the_place_that_lost_it() -> None:
    """Of two equal lines the one that went with its function is the lost one, whichever comes first."""
    old = ["def one(a):", "    return None", "", "def two(b):", "    return None"]
    first = ["def one(a):", "    yield a", "", "def two(b):", "    return None"]
    last = ["def one(a):", "    return None", "", "def two(b):", "    yield b"]
    assert change("\n".join(old), "\n".join(first)).deleted == (2,)
    assert change("\n".join(old), "\n".join(last)).deleted == (5,)


def test_a_line_that_grew_is_no_line_that_was_wrapped() -> None:
    """A line whose tokens all stand in a longer one was changed; only whole lines are another wrapping of it."""
    assert change("return users.find(address)", "return users.find(address).strip()").deleted == (1,)
    assert change("a = 1\nreturn users.find(address)", "a = 2\nreturn users.find(\n    address\n)").deleted == (1,)
