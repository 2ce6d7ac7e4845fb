"""What holds for every query: simplified plans agree with plain ones, and nothing but BadQuery comes of bad text."""

import re
from itertools import islice

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memcli.errors import BadQuery
from memcli.query import evaluate, run
from memcli.query.automaton import Automaton
from memcli.query.check import check
from memcli.query.parser import parse
from memcli.query.place import Fault
from memcli.query.plan import Plan, plan
from memcli.query.simplify import simplify
from tests.query.query_strategies import conditions, lists, noise, queries
from tests.query.test_query_cases import RELATIONS, SCHEMA


def planned(source: str) -> Plan:
    """The plain plan of a query that must pass the checks."""
    tree = parse(source)
    check(tree, SCHEMA)
    return plan(tree)


def outcome(node: Plan) -> list[object] | str:
    """A plan's rows, or what is wrong."""
    try:
        return list(evaluate.rows(node, RELATIONS))
    except Fault as fault:
        return fault.message


@settings(deadline=None)
@given(queries())
def test_simplified_plan_gives_the_plain_plans_rows(source: str) -> None:
    """Whatever rows the plain plan gives, the simplified one gives too, in the same order; and it simplifies no
    further. Where the simplified one finds a mistake, the plain one does."""
    try:
        plain = planned(source)
    except Fault as fault:
        assume(fault.message == "division by zero")  # a constant: no other query made here fails the checks
        raise AssertionError from fault
    simple = simplify(plain)
    expected, found = outcome(plain), outcome(simple)
    assert found == expected if isinstance(found, str) or not isinstance(expected, str) else True
    assert outcome(simplify(simple)) == found


@settings(deadline=None)
@given(lists(3), conditions(2))
def test_union_is_of_sets(source: str, condition: str) -> None:
    """The union of a list with itself is its distinct rows, and of both halves of a filter is everything in it."""
    try:
        whole = run(f"unique({source})", RELATIONS, SCHEMA).rows
        parts = f"union(filter({source}, {condition}), filter({source}, not ({condition})))"
        halves = run(parts, RELATIONS, SCHEMA).rows
    except BadQuery:
        assume(False)
    assert run(f"union({source}, {source})", RELATIONS, SCHEMA).rows == whole
    assert sorted(str(row) for row in halves) == sorted(str(row) for row in whole)


@settings(deadline=None)
@given(noise())
def test_any_text_gives_rows_or_bad_query(source: str) -> None:
    """Arbitrary text is answered, or refused with one line and a picture of two whose carets stand under the line."""
    try:
        result = run(source, RELATIONS, SCHEMA)
    except BadQuery as error:
        assert len(error.message.splitlines()) == 1
        assert error.hint is not None
        line, carets = error.hint.split("\n")
        assert re.fullmatch(r" *\^+", carets)
        assert line == "".join(char if char.isprintable() else "?" for char in line)
    else:
        assert result.count >= len(result.rows)


PATTERNS = st.recursive(
    st.sampled_from(
        ["a", "b", ".", "[ab]", "[^a]", r"\w", r"\W", r"\d", r"\s", r"\b", r"\B", "^", r"\Z", "[b-y]", "(?:)"]
    ),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.builds("(?:{}|{})".format, inner, inner),
        st.builds("(?:{}){}".format, inner, st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "{2,3}?"])),
    ),
    max_leaves=12,
)
FLAGS = st.sampled_from(["", "(?i)", "(?s)", "(?m)", "(?is)"])


@settings(deadline=None)
@given(FLAGS, PATTERNS, st.lists(st.text("abAB1 _\n", min_size=1, max_size=12), max_size=4))
def test_patterns_match_as_in_python(flags: str, pattern: str, texts: list[str]) -> None:
    """The linear machine agrees with `re` on what both understand (end of text is \\Z there, \\z here; of the empty
    text they think differently, and Python changed its mind about \\B in 3.14)."""
    try:
        machine = Automaton((flags + pattern).replace(r"\Z", r"\z"))
    except Fault as fault:
        assume("nested repeat" not in fault.message)
        raise
    for text in texts:
        assert machine.search(text, lambda steps: None) == bool(re.search(flags + pattern, text)), text


@settings(deadline=None)
@given(st.one_of(st.text(), st.text("ab()[]{}|*+?\\^$.-,:<>=!Pidx0123", max_size=30)), st.text())
def test_any_pattern_is_understood_or_refused(pattern: str, text: str) -> None:
    """Arbitrary text as a pattern gives an answer or a Fault."""
    try:
        machine = Automaton(pattern)
    except Fault:
        return
    assert machine.search(text, lambda steps: None) in (True, False)


@settings(deadline=None)
@given(lists(3), st.integers(-2, 6))
def test_limit_cuts_rows_and_not_the_count(source: str, limit: int) -> None:
    """A limit shows the first rows; the count stays that of all, and truncated says whether some are missing."""
    try:
        whole = run(source, RELATIONS, SCHEMA)
    except BadQuery:
        assume(False)
    some = run(source, RELATIONS, SCHEMA, limit)
    assert some.rows == list(islice(whole.rows, max(0, limit)))
    assert (some.count, some.truncated) == (whole.count, whole.count > len(some.rows))
