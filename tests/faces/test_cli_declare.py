"""Arguments are read alike with typer and without it."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcli.cli import declare, frame
from memcli.cli.commands import COMMANDS, Command
from memcli.cli.declare import Argument, Option


def by_typer(command: Command, args: list[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """The values that typer gives the command's function."""
    seen: dict[str, object] = {}

    def probe(ctx: Any, **values: object) -> None:
        seen.update(values)

    wrapped = declare.for_typer(frame.load(command))
    # the very command that typer builds, with its body replaced by one that notes its values
    monkeypatch.setattr(declare, "for_typer", lambda _: _with_body(wrapped, probe))
    frame.build(command).main(args, prog_name="mem", standalone_mode=False, obj=None)
    return seen


def _with_body(wrapped: Any, body: Any) -> Any:
    body.__signature__, body.__annotations__ = wrapped.__signature__, wrapped.__annotations__
    body.__name__, body.__doc__ = wrapped.__name__, wrapped.__doc__
    return body


def words(command: Command) -> st.SearchStrategy[list[str]]:
    """Argument lists that are mostly valid: the command's own options and values, and some of anything."""
    known = list(declare.parameters(frame.load(command)))
    values = st.sampled_from(["a", "src/a.py", "5", "0.5", "-", "x y", "é", "nan", "-1", "--", "", "1e3", "=x", "7_0"])
    plain: list[st.SearchStrategy[list[str]]] = [values.map(lambda value: [value])]
    for one in known:
        if not isinstance(one.declared, Option):
            continue
        spelling = st.sampled_from(one.declared.spellings)
        if one.type is bool:
            plain.append(spelling.map(lambda name: [name]))
        else:
            plain.append(st.tuples(spelling, values).map(list))
            plain.append(st.tuples(spelling, values).map(lambda pair: [f"{pair[0]}={pair[1]}"]))
    return st.lists(st.one_of(plain), max_size=6).map(lambda lists: [word for part in lists for word in part])


@pytest.mark.parametrize("command", COMMANDS, ids=[command.name for command in COMMANDS])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_is_read_without_typer_is_what_typer_reads(command: Command, data: st.DataObject) -> None:
    """Whatever `parse` gives, typer gives the same; what it leaves open may be anything."""
    args = data.draw(words(command))
    values = declare.parse(frame.load(command), args)
    if values is None:
        return
    with pytest.MonkeyPatch.context() as monkeypatch:
        typers = by_typer(command, args, monkeypatch)
    assert {name: _listed(value) for name, value in values.items()} == {
        name: _listed(value) for name, value in typers.items()
    }


def _listed(value: object) -> object:
    """No values at all are None or an empty list, which commands take for the same; nan is itself."""
    if isinstance(value, list | tuple):
        return list(value) or None
    return "nan" if isinstance(value, float) and value != value else value


@pytest.mark.parametrize("command", COMMANDS, ids=[command.name for command in COMMANDS])
def test_help_and_mistakes_are_left_to_typer(command: Command) -> None:
    """An unknown option, a missing value, too many words, and help are none of `parse`'s business."""
    function = frame.load(command)
    for args in (["--help"], ["-h"], ["--no-such-option"], ["-Z"], ["--limit"]):
        assert declare.parse(function, args) is None, args
    takes_many = any(isinstance(one.declared, Argument) and one.many for one in declare.parameters(function))
    assert (declare.parse(function, ["a", "b", "c", "d"]) is None) is not takes_many
