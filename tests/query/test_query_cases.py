"""The query language by examples: each block of cases/*.txt is a query and what comes of it.

A block is the query, then either `= ROW` lines (JSON; a lone `=` for none) or a line of carets and `! MESSAGE`.
Lines that begin with // speak to the reader.
"""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memcli.errors import BadQuery
from memcli.query import run

HERE = Path(__file__).parent
WORLD: dict[str, list[dict[str, Any]]] = json.loads((HERE / "world.json").read_text())
SCHEMA = {
    "memory": tuple(WORLD["memory"][0]),
    "tool_calls": tuple(WORLD["tool_calls"][0]),
    "tasks": ("id", "desc", "status", "rounds", "note"),
}
RELATIONS = {name: (lambda rows=rows: iter(rows)) for name, rows in WORLD.items()}


class Case(NamedTuple):
    """A query, and its rows or the carets' line and the message."""

    source: str
    rows: list[Any]
    carets: str
    message: str


def read_cases(text: str) -> list[Case]:
    """The cases of a file."""
    return [case for block in re.split(r"\n\s*\n", text) if (case := read_case(block.splitlines())) is not None]


def read_case(lines: list[str]) -> Case | None:
    lines = [line for line in lines if line and not line.startswith("//")]
    rows = [line[1:] for line in lines if line.startswith("=")]
    carets = [line for line in lines if re.fullmatch(r" *\^+", line)]
    messages = [line[2:] for line in lines if line.startswith("! ")]
    source = [line for line in lines if line[0] not in "=!" and line not in carets]
    if not lines:
        return None
    if bool(rows) == bool(messages) or len(messages) != len(carets):
        raise AssertionError(f"no case: {lines}")
    return Case("\n".join(source), [json.loads(row) for row in rows if row.strip()], "".join(carets), "".join(messages))


CASES = [
    pytest.param(case, id=f"{path.stem}-{number}")
    for path in sorted((HERE / "cases").glob("*.txt"))
    for number, case in enumerate(read_cases(path.read_text(encoding="utf-8")), 1)
]


@pytest.mark.parametrize("case", CASES)
def test_case(case: Case) -> None:
    """The query gives these rows in this order and counts them, or is refused with this message at this place."""
    if case.message:
        with pytest.raises(BadQuery) as caught:
            run(case.source, RELATIONS, SCHEMA)
        assert caught.value.hint == f"{case.source}\n{case.carets}"
        assert re.fullmatch(r"column \d+: (.*)", caught.value.message)[1] == case.message  # type: ignore[index]
        return
    result = run(case.source, RELATIONS, SCHEMA)
    assert [list(row) for row in result.rows] == [list(row) for row in case.rows]
    assert json.dumps(result.rows) == json.dumps(case.rows)
    assert (result.count, result.truncated, result.notes) == (len(case.rows), False, ())
