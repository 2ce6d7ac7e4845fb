"""What holds for each command: exit codes and documents of law 18, and ids that all of them accept (law 14)."""

import json
import re

import pytest

from memcli.cli.commands import COMMANDS
from tests.conftest import Repo
from tests.faces.black_box import AUTH, answers, loaded, rewrite, saved

ONE, TWO, THREE, FOUR = ("k" * 15 + letter for letter in "lmno")


@pytest.fixture
def filled(repo: Repo) -> Repo:
    """Two active fragments, two proposals."""
    rows = [{"id": ONE, "text": "the first text", "key": "note:one"}, {"id": TWO, "text": "the second text"}]
    rows += [{"id": ident, "text": f"proposal {ident[-1]}", "state": "proposed"} for ident in (THREE, FOUR)]
    loaded(repo, rows)
    return repo


#: command → what it is called with, its exit code, the list of its document; in an order in which each makes sense
CALLS: tuple[tuple[str, list[str], int, str | None], ...] = (
    ("save", ["note:new", AUTH], 0, "fragments"),
    ("confirm", [TWO], 0, "fragments"),
    ("supersede", [ONE, "--by", TWO], 0, "fragments"),
    ("supersede", [ONE, "--undo"], 0, "fragments"),
    ("search", ["text"], 0, "fragments"),
    ("search", ["zebra"], 1, "fragments"),
    ("list", [], 0, "fragments"),
    ("list", ["--type", "decision"], 0, "fragments"),
    ("query", ["memory"], 0, "rows"),
    ("query", ["filter(memory, .type == 'error')"], 0, "rows"),
    ("render", [], 0, "fragments"),
    ("show", [ONE], 0, "fragments"),
    ("why", [ONE], 0, "fragments"),
    ("diff", [ONE, TWO], 0, "files"),
    ("history", [ONE], 0, "points"),
    ("sweep", [], 0, "changes"),
    ("sweep", ["--check"], 0, "changes"),
    ("sweep", ["--all-stores"], 0, "stores"),
    ("audit", [], 0, "lines"),
    ("hooks install", [], 0, "hooks"),
    ("hooks status", [], 0, "hooks"),
    ("hooks uninstall", [], 0, "hooks"),
    ("pending", [], 0, "fragments"),
    ("approve", [THREE], 0, "fragments"),
    ("reject", [FOUR], 0, "fragments"),
    ("init", [], 0, None),
    ("seed", ["--dry-run"], 0, "lines"),
    ("export", [], 0, "fragments"),
    ("import", ["rows.jsonl"], 0, None),
    ("stats", [], 0, None),
    ("config", [], 0, "settings"),
    ("completion", ["bash"], 0, None),
    ("delete", [TWO], 0, "fragments"),
)


def test_the_calls_cover_the_table() -> None:
    """A command that is added is added here."""
    assert {name for name, *_ in CALLS} == {command.name for command in COMMANDS}


def test_each_document_is_one(filled: Repo) -> None:
    """`--json` is one document with `mem: 1` and the command's name, on one line to a pipe; nothing else is said."""
    filled.write("rows.jsonl", '{"text": "an imported text"}\n')
    calls = [[*name.split(), *args, "--json"] for name, args, *_ in CALLS] + [["--json"]]
    expected = [(name, code, rows) for name, _, code, rows in CALLS] + [("overview", 0, None)]
    for call, done, (name, code, rows) in zip(calls, answers(filled, *calls), expected, strict=True):
        assert done.code == code, (call, done)
        document = done.json
        assert (document["mem"], document["command"]) == (1, name)
        assert done.out.endswith("}\n") and (name == "render" or done.out.count("\n") == 1)
        assert rows is None or isinstance(document[rows], list)


def test_each_line_is_one(filled: Repo) -> None:
    """`--jsonl` is an object a line: of the document's list, or the whole document where it has none."""
    changing = ("save", "confirm", "supersede", "approve", "reject", "delete", "import", "init")
    calls = [(name, [*name.split(), *args], rows) for name, args, _, rows in CALLS if name not in changing]
    given = answers(filled, *([*call, form] for _, call, _ in calls for form in ("--json", "--jsonl")))
    for (name, call, rows), whole, lines in zip(calls, given[::2], given[1::2], strict=True):
        assert whole.code == lines.code, (call, whole, lines)
        parsed = [json.loads(line) for line in lines.out.splitlines()]
        if rows is None:
            assert parsed == [whole.json], call
        elif not name.startswith("hooks"):
            assert parsed == whole.json[rows], call
    saved_one, saved_other = answers(filled, ["--jsonl", "save", "text in a line"], ["save", "other text", "--json"])
    assert set(saved_one.json) == set(saved_other.json["fragments"][0])


def test_errors_are_documents_too(filled: Repo) -> None:
    """With `--json` or `--jsonl` each kind of error is `{"mem": 1, "error": {kind, message, hint}}` and its exit code,
    with nothing on stderr; before or after the command, and where the arguments make no sense."""
    calls = {
        ("show", "nosuch"): ("unknown-id", 1),
        ("show", "kkkk"): ("ambiguous-id", 2),
        ("save", ""): ("refused", 1),
        ("save", "token ghp_" + "a1B2" * 9): ("refused", 1),
        ("save", "x y z", "--type", "nosuch"): ("usage", 2),
        ("save", "x y z", "--path", "../x"): ("outside-repository", 2),
        ("list", "--nosuch"): ("usage", 2),
        ("nosuch",): ("usage", 2),
        ("list", "--at", "nosuch"): ("unknown-revision", 2),
        ("query", "filter("): ("bad-query", 2),
        ("render", "--encoding", "nosuch"): ("unknown-encoding", 2),
        ("render", "--budget", "9"): ("budget", 1),
        ("-C", "/nowhere", "list"): ("usage", 2),
        ("import", "/nowhere"): ("usage", 2),
    }
    for flag in ("--json", "--jsonl"):
        plain = answers(filled, *calls)
        for call, done, said in zip(calls, answers(filled, *([flag, *call] for call in calls)), plain, strict=True):
            kind, code = calls[call]
            assert (done.code, done.err) == (code, "") and said.code == code, (call, done)
            assert list(done.json) == ["mem", "error"] and done.json["mem"] == 1
            error = done.json["error"]
            assert (set(error), error["kind"]) == ({"kind", "message", "hint"}, kind), call
            assert said.err.splitlines()[0] == f"mem: {error['message']}" and not said.out
    (outside,) = answers(filled, ["-C", "/", "save", "x", "--json"])
    assert outside.json["error"]["kind"] == "no-repository"


def test_ids_of_one_are_ids_of_all(filled: Repo) -> None:
    """Whatever a command prints as a name, in text or JSON, every command that takes an id accepts, and the beginning
    of it too; in upper case as well."""
    ident = saved(filled, AUTH)
    rewrite(filled)
    printed = {ident, ident[:8], ident[:9].upper()}
    calls = (["list", "--min-confidence", "0"], ["search", "--all", "address"], ["list", "--keys", "--all"],
             ["show", ident], ["sweep"], ["list", "--stale"], ["why", ident], ["save", AUTH],
             ["save", "other text", "--ref", ident],
             ["render", "--json"], ["query", "memory"], ["export"], ["_complete", "ids", ident[:3]])  # fmt: skip
    for call, done in zip(calls, answers(filled, *calls), strict=True):
        assert done.code == 0, (call, done)
        words = re.findall(r"\b[k-z]{8,16}\b", done.out)
        assert words, (call, done.out)
        printed |= {word for word in words if word.startswith(ident[:3])}
    for name in sorted(printed):
        takers = (["show", name], ["why", name], ["confirm", name], ["save", f"text for {name}", "--ref", name],
                  ["supersede", ONE, "--by", name], ["supersede", ONE, "--undo"])  # fmt: skip
        for call, done in zip(takers, answers(filled, *takers), strict=True):
            assert done.code == 0, (call, done)
    for name in ("note:one", ONE, THREE[:16]):
        assert filled.mem("show", name, "--json").json["fragments"][0]["id"] in (ONE, THREE)
    done = filled.mem("delete", ident[:8])
    assert done.code == 0 and filled.mem("show", ident).code == 1


def test_what_is_talk_goes_to_stderr(filled: Repo) -> None:
    """Data alone is on stdout: notes, warnings and hints are on stderr, and -q takes the notes and reports away."""
    loud, quiet = answers(filled, ["save", "parse_all in src/none.py"], ["-q", "save", "parse_it in src/nope.py"])
    assert re.fullmatch(r"saved [k-z]{16}\n", loud.out) and loud.err.startswith("mem: ")
    assert quiet == (0, "", "")
    assert filled.mem("show", "nosuch", "-q").err.startswith("mem: ")
