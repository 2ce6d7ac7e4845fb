"""The frame of the command line: global options, help, dispatch, the error door."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.cli.commands import COMMANDS, find
from memcli.cli.globals import SWITCHES, Globals
from memcli.cli.show import Style
from memcli.errors import Usage
from memcli.text import quoted
from tests.conftest import Repo, run_mem

VALUED = {"--key", "-k", "--limit"}
WORD = st.text(alphabet="abc:/=- ", max_size=6).filter(
    lambda word: word not in SWITCHES and not word.startswith("--author")
)


def test_global_options_stand_anywhere() -> None:
    """Before or after the verb is the same, and what is left is the command's own."""
    options = Globals()
    assert options.take_leading(["--json", "-C", "x", "save", "--json", "text"]) == ["save", "--json", "text"]
    assert options.take(["a", "-q", "--author=Ada", "-C", "y", "b"], VALUED) == ["a", "b"]
    assert (options.json, options.quiet, options.author, options.folders) == (True, True, "Ada", ["x", "y"])


def test_after_two_dashes_all_is_text() -> None:
    """What stands after -- is never taken for an option, however it looks."""
    options = Globals()
    assert options.take(["a", "--", "-q", "--json", "-C"], VALUED) == ["a", "--", "-q", "--json", "-C"]
    assert not options.quiet and not options.json and not options.folders


def test_the_value_of_an_option_is_a_value() -> None:
    """`--key -q` is the key `-q`; `--key=-q` as well; only then come switches."""
    options = Globals()
    assert options.take(["--key", "-q", "--limit=-v", "-k", "-C", "-q"], VALUED) == [
        "--key",
        "-q",
        "--limit=-v",
        "-k",
        "-C",
    ]
    assert options.quiet and not options.verbose and not options.folders


@given(st.lists(WORD))
def test_other_words_pass_unchanged(words: list[str]) -> None:
    """Words that are no global option come out as they went in, in their order."""
    plain = [word for word in words if word not in ("-C", "--")]
    assert Globals().take(plain, ()) == plain


def test_a_missing_value_is_named() -> None:
    """-C at the very end is a usage error that names it."""
    with pytest.raises(Usage, match="-C"):
        Globals().take(["-C"], ())


def test_a_command_of_two_words_is_found_first() -> None:
    """`hooks install` is one command; what follows is left."""
    command, rest = find(["hooks", "install", "x"])
    assert command is not None and command.name == "hooks install" and rest == ["x"]
    assert find(["nothing"]) == (None, ["nothing"])


def test_the_help_names_every_command(repo: Repo) -> None:
    """`mem --help` lists the whole table and exits 0; `mem help` and `mem -h` say the same."""
    done = repo.mem("--help")
    assert done.code == 0 and not done.err
    assert all(f"  {command.name} " in done.out and command.help in done.out for command in COMMANDS)
    assert repo.mem("help").out == repo.mem("-h").out == done.out


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_has_help(command: object, repo: Repo) -> None:
    """`mem COMMAND --help` works for each row of the table and begins with how it is used."""
    name = getattr(command, "name")  # noqa: B009
    done = repo.mem(*name.split(), "--help")
    assert done.code == 0 and done.out.startswith(f"Usage: mem {name}")


def test_the_version(repo: Repo) -> None:
    """`mem --version` says the version of the package, wherever it stands."""
    assert repo.mem("--version").out == repo.mem("list", "--version").out
    assert repo.mem("--version").out.startswith("mem 0.")


def test_an_unknown_command_names_the_nearest(repo: Repo) -> None:
    """A mistyped command exits 2 with one line, and a hint with the nearest."""
    done = repo.mem("serach", "x")
    assert (done.code, done.out) == (2, "")
    assert done.err == "mem: unknown command: serach\nhint: did you mean `mem search`?\n"


@pytest.mark.parametrize(
    "args",
    [
        ("search",),
        ("list", "--limit", "x"),
        ("list", "--nonsense"),
        ("hooks",),
        ("hooks", "no"),
        ("--nonsense",),
        ("show", "a", "b"),
        ("-C",),
        ("list", "-C", "/nowhere"),
    ],
    ids=" ".join,
)
def test_usage_errors_are_one_line(args: tuple[str, ...], repo: Repo) -> None:
    """Whatever is wrong with the arguments: exit 2, one line, at most one hint; with --json a document."""
    done = repo.mem(*args)
    assert (done.code, done.out) == (2, "")
    lines = done.err.splitlines()
    assert lines[0].startswith("mem: ") and len(lines) <= 2 and all(line.startswith("hint: ") for line in lines[1:])
    told = repo.mem("--json", *args)
    assert told.code == 2 and not told.err
    assert set(told.json) == {"mem", "error"} and told.json["error"]["kind"] == "usage"
    assert f"mem: {told.json['error']['message']}" == lines[0]


def test_a_folder_is_changed_to_as_git_does(repo: Repo, tmp_path: Path) -> None:
    """-C adds up, and stands on either side of the verb."""
    repo.mem("save", "create_user lowers the address")
    for args in (("-C", "app", "list"), ("list", "-C", str(tmp_path), "-C", "app/src")):
        assert "create_user" in run_mem(tmp_path, *args).out


def test_a_closed_pipe_ends_quietly(repo: Repo) -> None:
    """A reader that leaves makes no traceback and no message."""
    script = f"{sys.executable} -m memcli --help | true; {sys.executable} -m memcli completion bash | head -1"
    done = subprocess.run(
        ["bash", "-c", script], cwd=repo.path, capture_output=True, text=True, check=False, env=os.environ
    )
    assert done.stderr == "" and done.stdout.startswith("# bash completion")


def test_a_full_disk_is_named(repo: Repo) -> None:
    """An answer that can't be written is one line and exit 2, not a fault of ours."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "memcli", "completion", "bash"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2 and done.stderr.startswith("mem: the output can't be written: ")
    assert len(done.stderr.splitlines()) <= 2


def test_a_fault_of_ours_has_a_log(repo: Repo, sealed: Path) -> None:
    """Anything unforeseen exits 3 with one line and the path of a log that holds the traceback."""
    snippet = """if True:
        import sys
        from memcli.__main__ import main
        from memcli.cli import commands
        commands.find = None
        sys.exit(main(["list"]))
    """
    done = subprocess.run([sys.executable, "-c", snippet], cwd=repo.path, capture_output=True, text=True, check=False)
    lines = done.stderr.splitlines()
    assert done.returncode == 3 and len(lines) == 2 and "TypeError" in lines[0]
    log = sealed / ".local/share/mem/fault.log"
    assert str(log) in lines[1] and "Traceback" in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600


def test_no_stdout_is_no_fault(repo: Repo) -> None:
    """With stdout closed from the start a command still ends in order."""
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m memcli --help >&-; {sys.executable} -m memcli completion bash >&-"],
        cwd=repo.path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr and "fault" not in done.stderr


@given(st.text(max_size=60))
def test_stored_words_are_harmless(text: str) -> None:
    """No style lets a control character through, and to a pipe no angle bracket (law 13)."""
    for style in (Style(terminal=True), Style(terminal=False), Style(terminal=False, raw=True)):
        shown = [style.clean(text), *style.block(text), style.path(text)]
        assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for line in shown for char in line)
        if style.escaped:
            assert not any("<" in line or ">" in line for line in shown)


def test_a_path_that_is_not_utf8_is_quoted_as_git_does() -> None:
    """Bytes that are no UTF-8 are octal escapes in quotes; other paths stay as they are."""
    assert quoted("src/café.py") == "src/café.py"
    assert quoted("caf\udce9.py") == '"caf\\351.py"'


def test_errors_carry_no_control_characters(repo: Repo) -> None:
    """What a user typed comes back on stderr without its escape sequences."""
    done = repo.mem("show", "\x1b[31mred\x1b[0m")
    assert done.code == 1 and "\x1b" not in done.err


def test_json_errors_are_one_document(repo: Repo) -> None:
    """With --json an error goes to stdout alone, with its kind, message and hint."""
    done = repo.mem("show", "nosuch", "--json")
    assert done.code == 1 and not done.err
    assert json.loads(done.out)["error"]["kind"] == "unknown-id"


def test_global_switches_can_be_written_together(repo: Repo) -> None:
    """`-qv` is `-q -v`, before and after the verb; with a letter of the command's own it is the command's."""
    for call in (("-qv", "list"), ("list", "-qv"), ("list", "-vq", "-n1"), ("list", "-an1")):
        assert repo.mem(*call).code == 0, call
    assert repo.mem("list", "-qz").code == 2
