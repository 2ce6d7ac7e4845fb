"""Bounds: long, deep, costly and huge queries end in an answer or one clear error. Steps are counted, not seconds."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from memcli.errors import BadQuery
from memcli.query import SCHEMA as FULL_SCHEMA
from memcli.query import evaluate, memory_row, run
from memcli.query.automaton import MAX_MOVES, Automaton
from memcli.query.parser import MAX_DEPTH
from memcli.query.place import Fault
from memcli.query.simplify import simplify
from tests.query.test_query_cases import RELATIONS, SCHEMA
from tests.query.test_query_laws import planned


def refused(source: str, relations: Any = RELATIONS) -> BadQuery:
    """The error of a query that must have one."""
    with pytest.raises(BadQuery) as caught:
        run(source, relations, SCHEMA)
    return caught.value


NESTS = {
    "parentheses": ("(", "1", ")"),
    "lists": ("[", "1", "]"),
    "objects": ("{a: ", "1", "}"),
    "filters": ("filter(", "memory", ", true)"),
    "counts": ("[count(", "memory", ")]"),
    "minus": ("- ", "1", ""),
    "not": ("not ", "true", ""),
    "conditionals": ("true ? 1 : ", "1", ""),
    "sums to the left": ("", "1", " + 1"),
    "sums to the right": ("1 + (", "1", ")"),
    "fields": ("", "first(memory)", ".stamp"),
    "indexes": ("", "memory", "[0]"),
}


@pytest.mark.parametrize("name", NESTS)
def test_deep_nesting_is_refused_and_shallow_is_not(name: str) -> None:
    """Thousands of levels are a BadQuery that says so, never a RecursionError; a third of the bound is fine."""
    before, core, after = NESTS[name]
    assert "nested more than 100 levels" in refused(before * 3000 + core + after * 3000).message
    assert "nested" not in run_or_message(before * (MAX_DEPTH // 3) + core + after * (MAX_DEPTH // 3))


def run_or_message(source: str) -> str:
    try:
        return str(run(source, RELATIONS, SCHEMA).rows)
    except BadQuery as error:
        return error.message


@pytest.mark.parametrize("name", NESTS)
def test_the_deepest_query_runs_on_a_deep_stack(name: str) -> None:
    """At the bound itself every stage still has room, when the caller already stands some hundred calls deep."""
    before, core, after = NESTS[name]
    sources = [before * depth + core + after * depth for depth in range(MAX_DEPTH // 2 - 3, MAX_DEPTH + 1)]

    def deeper(calls: int) -> list[str]:
        return deeper(calls - 1) if calls else [run_or_message(source) for source in sources]

    found = deeper(250)
    assert not any("nested too deeply" in message for message in found)
    assert "nested more than 100 levels" in found[-1]


def test_a_long_chain_of_or_is_not_deep() -> None:
    """A thousand alternatives are a long query and not a deep one."""
    tests = " or ".join(f'.key == "k{number}"' for number in range(1000))
    assert run(f"filter(memory, {tests} or .type == 'note')", RELATIONS, SCHEMA).count == 1


def test_long_source_is_refused() -> None:
    """64 KiB of query are read, one character more is not; the picture shows a window of it."""
    fill = " " * (64 * 1024 - len("memory"))
    assert run(fill + "memory", RELATIONS, SCHEMA).count == 4
    error = refused(fill + " memory")
    assert "longer than 65536" in error.message
    assert all(len(line) <= 80 for line in str(error.hint).split("\n"))


def test_long_name_is_cut_in_the_message() -> None:
    """A message stays one readable line whatever the query's words are."""
    assert len(refused("x" * 60_000).message) < 200


def test_huge_literals_are_refused() -> None:
    """Digits without end, with and without exponent, are too large, not a crash and not infinity."""
    for source in ("9" * 60_000, "9" * 60_000 + ".5", "1e" + "9" * 6000, "9223372036854775808"):
        assert "too large" in refused(source).message


def test_numbers_of_rows_stay_within_bounds() -> None:
    """Arithmetic with huge numbers that stand in rows ends in an error, not in ever larger numbers."""
    rows = {"memory": lambda: [{"tokens": 10**400}]}
    for body in (".tokens + 1", ".tokens * 1.5", ".tokens / 2", ".tokens % 7.5", "-.tokens"):
        assert "too large" in refused(f"map(memory, {body})", rows).message


def many(count: int) -> Mapping[str, Any]:
    rows = [{"id": str(number), "key": "same", "text": "a" * 200} for number in range(count)]
    return {"memory": lambda: rows, "tool_calls": lambda: rows}


def doubling(levels: int) -> str:
    """A query whose value holds itself twice on each level."""
    source = "memory"
    for _ in range(levels):
        source = f"map({source}, [#, #])"
    return source


COSTLY = {
    "a join of joins": 'join(join(memory, memory, "id", "id"), memory, "left_key", "key")',
    "lists that double": doubling(45),
    "texts that double": "map(" * 40 + "map(memory, .text)" + ", # + #)" * 40,
    "lists within lists": f"map(map(memory, [{'#, ' * 999}#]), [{'#, ' * 999}#])",
    "a list for each row": "map(memory, len(filter(map(tool_calls, {t: .name}), .t != 'x')))",
    "a long query": f"filter(memory, {' or '.join(['.key == .id'] * 1000)})",
    "a union of thousands": f"union({', '.join(['memory'] * 5000)})",
    "patterns of rows": "filter(memory, .text matches .text + .id)",
}


@pytest.mark.parametrize("name", COSTLY)
def test_costly_queries_are_stopped(name: str) -> None:
    """What would take hours or all memory runs into its budget of steps; here a small one, over a thousand rows."""
    with pytest.raises(Fault, match="too costly: it takes more than 400,000 steps"):
        list(evaluate.rows(planned(COSTLY[name]), many(1000), 400_000))


def test_a_join_of_a_billion_rows_is_stopped() -> None:
    """The same with the budget that users have, and the error says what helps."""
    with pytest.raises(BadQuery, match=r"too costly: .* filter before join"):
        run('join(memory, memory, "key", "key")', many(32_000), SCHEMA)


def test_what_hangs_on_no_row_is_worked_out_once() -> None:
    """A list or a count of another relation inside a filter costs no more over a thousand rows than over one."""
    source = "filter(memory, .id in map(tool_calls, .name) or count(memory, .id == .key) > 0)"
    assert list(evaluate.rows(simplify(planned(source)), many(1000), 400_000)) == []


EXPLOSIVE = [
    "(a|a)*$",
    "(a|aa)+$",
    "a*a*a*a*a*a*b",
    "(.*a){12}b",
    "(a?){30}a{30}b",
    "(a|b)*a(a|b){14}c",
    "^(([a-z])+.)+[A-Z]$",
]


@pytest.mark.parametrize("pattern", EXPLOSIVE)
def test_patterns_that_explode_elsewhere_are_linear_here(pattern: str) -> None:
    """The work on a text of 64 KiB is at most so many steps a character as the pattern has parts."""
    spent: list[int] = []
    machine = Automaton(pattern)
    machine.search("a" * 65_536, spent.append)
    assert sum(spent) <= 65_536 * (2 * len(machine.states) + 2)


def test_machine_forgets_moves() -> None:
    """A pattern whose deterministic machine would have thousands of states keeps a bounded number of them, and
    still answers rightly."""
    machine = Automaton("(a|b)*a(a|b){12}c")
    text = "".join("ab"[bin(number * 2654435761).count("1") % 2] for number in range(6_000))
    assert not machine.search(text, lambda steps: None)
    assert machine.search(text + "a" + "b" * 12 + "c", lambda steps: None)
    assert machine.count <= MAX_MOVES + 2 * len(machine.states)


def test_nested_repeats_are_refused_and_separated_ones_are_not() -> None:
    """(a+)+ and its like are refused; a repeat with something fixed between its repeats is none of them."""
    for pattern in ("(a+)+$", "(a*)*", "(?:a+|b*)+", "(x+x+)+y", "((a+)?)*", "(a+){2,}", "a**", "a+*"):
        assert "repeat" in refused(f"filter(memory, .text matches {pattern!r})").message
    for pattern in (r"`(\w+/)+\w+`", "'(a+)?'", r"`^(\d{1,3}\.){3}\d+$`"):
        assert run(f"filter(memory, .text matches {pattern})", RELATIONS, SCHEMA).count >= 0


def test_values_nested_beyond_the_stack() -> None:
    """A captured argument may be nested deeper than Python's stack; comparing it is a BadQuery."""
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    error = refused("unique(map(tool_calls, .args))", {"tool_calls": lambda: [{"args": deep}]})
    assert "nested too deeply" in error.message


def test_limit_is_cut_with_a_note() -> None:
    """At most 500 rows come out, with a note when more were asked for; the count is of all."""
    result = run("memory", many(600), SCHEMA, 1000)
    assert (len(result.rows), result.count, result.truncated) == (500, 600, True)
    assert result.notes == ("the limit 1000 was cut to 500",)
    assert len(run("memory", many(600), SCHEMA).rows) == 50


def test_columns_are_known_without_rows() -> None:
    """An empty result has the columns that its rows would have had, in the order of the schema or the query."""
    assert run("tasks", RELATIONS, SCHEMA).columns == SCHEMA["tasks"]
    assert run("map(tasks, {b: .id, a: 1})", RELATIONS, SCHEMA).columns == ("b", "a")
    assert run("map(tasks, .id == nil)", RELATIONS, SCHEMA).columns == ("value",)
    assert run("map(memory, .stamp)", RELATIONS, SCHEMA).columns == ("commit", "branch", "dirty")
    assert run("join(tasks, tasks, 'id', 'id')", RELATIONS, SCHEMA).columns[:2] == ("left_id", "left_desc")


def test_relations_are_read_once_and_left_alone() -> None:
    """A relation named twice is read once, so both places see the same rows; rows given out are copies."""
    reads: list[int] = []
    rows = [{"id": "a", "key": "k"}]

    def read() -> Iterator[Mapping[str, object]]:
        reads.append(1)
        return iter(rows)

    result = run('join(memory, memory, "id", "id")', {"memory": read}, SCHEMA)
    assert (result.count, len(reads)) == (1, 1)
    run("memory", {"memory": read}, SCHEMA).rows[0]["id"] = "changed"
    assert rows == [{"id": "a", "key": "k"}]


def test_relation_without_provider_is_empty() -> None:
    """A relation of the schema that nobody provides has no rows: tasks without a goal."""
    assert run("tasks", {}, FULL_SCHEMA).count == 0


def test_picture_of_one_line_of_many() -> None:
    """In a query of several lines the picture shows the line of the mistake, and the message names it."""
    error = refused('filter(\n\tmemory,\n\t.typ == "x"\n)')
    assert error.message.startswith("line 3, column 2: ")
    assert error.hint == ' .typ == "x"\n ^^^^'


def test_picture_of_a_long_line() -> None:
    """Far to the right in a long line, the picture still fits a terminal and its carets stand under the word."""
    error = refused(f"filter(memory, {' or '.join(['true'] * 200)} or .typ and {' and '.join(['true'] * 200)})")
    line, carets = str(error.hint).split("\n")
    assert len(line) <= 80
    assert line[carets.index("^") :].startswith(".typ ")
    assert carets.count("^") == 4


def test_memory_row_has_the_other_names() -> None:
    """A fragment's JSON as a row of memory: all its fields, the other names, and distinct paths in their order."""
    anchors = [{"path": "b"}, {"path": "a"}, {"path": "b"}]
    fragment = dict.fromkeys(FULL_SCHEMA["memory"]) | {
        "text": "t",
        "scope": "user",
        "parents": ["p"],
        "anchors": anchors,
    }
    row = memory_row({name: fragment[name] for name in fragment if name not in ("paths", "value", "references")})
    assert (row["value"], row["namespace"], row["references"], row["paths"]) == ("t", "user", ["p"], ["b", "a"])
    assert set(row) == set(FULL_SCHEMA["memory"])
