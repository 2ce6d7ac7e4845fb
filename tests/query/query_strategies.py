"""Queries made up by hypothesis, as texts: most make sense for test_query_cases.SCHEMA, some go wrong in a row."""

import json

from hypothesis import strategies as st

Texts = st.SearchStrategy[str]
PLAIN_TEXT = st.sampled_from(["error", "note", "a", "", "src/login.py", "main", "tool:make"]).map(json.dumps)
TEXT_FIELDS = st.sampled_from([".id", ".key", ".type", ".text", ".stamp.branch", ".paths[0]"])
NUMBER_FIELDS = st.sampled_from(
    [".tokens", ".confidence", "len(.paths)", "count(memory)", "count(.anchors, .drift > 0)"]
)


def numbers(depth: int) -> Texts:
    """Expressions that give a number or nil, or divide by zero."""
    leaves = st.one_of(st.integers(0, 9).map(str), NUMBER_FIELDS)
    if not depth:
        return leaves
    inner = numbers(depth - 1)
    return st.one_of(
        leaves,
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/", "%", "??"]), inner),
        st.builds("(({}) ? {} : {})".format, conditions(depth - 1), inner, inner),
    )


def conditions(depth: int) -> Texts:
    """Expressions that give a boolean; in a few rows nil, or a mistake."""
    leaves = st.one_of(
        st.sampled_from(
            ["true", "false", ".stamp.dirty", ".key in map(tool_calls, .name)", '"main" in [.stamp.branch]']
        ),
        st.builds("{} {} {}".format, TEXT_FIELDS, st.sampled_from(["==", "!=", "<", ">=", "contains"]), PLAIN_TEXT),
        st.builds("{} {} {}".format, NUMBER_FIELDS, st.sampled_from(["==", "<", ">", "<="]), st.integers(0, 9)),
        st.builds("{} matches {}".format, TEXT_FIELDS, st.sampled_from(['"a+"', '"^(tool|error)"', '"$"'])),
    )
    if not depth:
        return leaves
    inner = conditions(depth - 1)
    return st.one_of(
        leaves,
        st.builds("({} {} {})".format, inner, st.sampled_from(["and", "or", "==", "??"]), inner),
        st.builds("not ({})".format, inner),
        st.builds("{} {} {}".format, numbers(depth - 1), st.sampled_from(["<", "=="]), numbers(depth - 1)),
    )


def lists(depth: int) -> Texts:
    """Expressions that give rows with the columns of `memory`."""
    if not depth:
        return st.just("memory")
    inner = lists(depth - 1)
    return st.one_of(
        inner,
        st.builds("filter({}, {})".format, inner, conditions(2)),
        st.builds("union({}, {})".format, inner, inner),
        st.builds("limit({}, {})".format, inner, st.integers(0, 5)),
        st.builds("sort({}, {}, {})".format, inner, TEXT_FIELDS, st.sampled_from(['"asc"', '"desc"'])),
        st.builds("unique({})".format, inner),
    )


def queries() -> Texts:
    """Whole queries."""
    rows = lists(4)
    return st.one_of(
        rows,
        st.builds("map({}, {{id: .id, n: {}, t: {}}})".format, rows, numbers(2), TEXT_FIELDS),
        st.builds("filter(map({}, {}), # != nil)".format, rows, TEXT_FIELDS),
        st.builds('filter(join({}, tool_calls, "key", "name"), .left_{})'.format, rows, st.just("confidence < 1")),
        st.builds("count({}) + {}".format, rows, st.integers(0, 3)),
    )


WORDS = [
    "filter",
    "map",
    "memory",
    "tool_calls",
    "count",
    "join",
    "union",
    "not",
    "in",
    "and",
    "nil",
    "matches",
    ".key",
]
SIGNS = [*"()[]{},.#-!?:/%*`'\"\\=&\x00\ud800\n日é", "==", "??"]
FRAGMENTS = st.sampled_from([*WORDS, *SIGNS, "1", "0", "1.5", '"a"', '"(a+)+$"', "9" * 30])


def noise() -> Texts:
    """Anything at all, and tokens of the language in any order."""
    return st.one_of(st.text(), st.lists(FRAGMENTS, max_size=30).map(" ".join), st.lists(FRAGMENTS).map("".join))
