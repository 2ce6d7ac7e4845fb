"""Shell completions: generated, up to date, and right when the real shells run them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.cli import complete
from memcli.cli.commands import COMMANDS, first_words
from memcli.cli.housekeeping import SHELLS
from tests.conftest import Repo

FOLDER = Path(__file__).resolve().parents[2] / "completions"
FILES = {"bash": "mem.bash", "zsh": "_mem", "fish": "mem.fish"}

Complete = Callable[[str], list[str]]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_files_are_what_the_program_says(shell: str) -> None:
    """completions/ holds, byte for byte, what `mem completion SHELL` prints."""
    assert (FOLDER / FILES[shell]).read_text() == complete.script(shell)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_command_prints_it(shell: str, repo: Repo) -> None:
    """`mem completion SHELL` prints the script, whatever stdout leads to."""
    assert repo.mem("completion", shell).out == complete.script(shell)


def test_every_option_is_known() -> None:
    """Each command's shape holds the options that its help shows."""
    for command in COMMANDS:
        assert any(
            "--help" in option.spellings for option in [*complete.shape(command).options, *complete.global_options()]
        )
    save = next(complete.shape(command) for command in COMMANDS if command.name == "save")
    values = {option.spellings[0]: option.value for option in save.options}
    assert values["--type"] == "types" and values["--path"] == "files" and values["--force"] is None


@pytest.fixture
def program(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`mem` on the PATH."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "mem").write_text(f'#!/bin/sh\nexec {sys.executable} -m memcli "$@"\n')
    (folder / "mem").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


@pytest.fixture
def filled(repo: Repo, program: Path) -> Repo:
    """A store with two keys that share a beginning, and a fragment without a key."""
    repo.mem("save", "decision:auth", "create_user checks the address first")
    repo.mem("save", "decision:limit", "list_users gives 50 at most")
    repo.mem("save", "valid_email wants a dot after the @")
    return repo


def in_bash(repo: Repo, *words: str, breaks: str = "") -> list[str]:
    """What bash's completion offers when the cursor stands at the end of the last word (taken apart as bash does)."""
    script = f"""
        source {FOLDER / "mem.bash"}
        {breaks}
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _mem
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", *words], cwd=repo.path, capture_output=True, text=True, check=True
    )
    assert not done.stderr
    return done.stdout.split("\n")[:-1] if done.stdout.strip() else []


def test_bash_offers_commands(filled: Repo) -> None:
    """The first word is a command; a group's verbs follow it."""
    assert in_bash(filled, "mem", "") == first_words()
    assert in_bash(filled, "mem", "sea") == ["search"]
    assert in_bash(filled, "mem", "-C", ".", "--json", "sw") == ["sweep"]
    assert in_bash(filled, "mem", "hooks", "") == ["install", "uninstall", "status"]


def test_bash_offers_options(filled: Repo) -> None:
    """A dash offers the command's own options and the global ones, and nothing does after --."""
    offered = in_bash(filled, "mem", "save", "--")
    assert {"--type", "--supersedes", "--json"} <= set(offered) and "--dry-run" not in offered
    assert "--all" not in in_bash(filled, "mem", "search", "--", "--")


def test_bash_offers_values(filled: Repo) -> None:
    """Types, scopes and files where an option takes them, also after an equals sign."""
    assert in_bash(filled, "mem", "save", "--type", "pre") == ["preference"]
    assert in_bash(filled, "mem", "save", "--type", "=", "pre") == ["preference"]
    assert in_bash(filled, "mem", "list", "--scope", "") == ["session", "user", "workspace"]
    assert in_bash(filled, "mem", "save", "--path", "src/u") == ["src/users.py"]
    assert in_bash(filled, "mem", "completion", "z") == ["zsh"]
    assert in_bash(filled, "mem", "config", "min") == ["minimum"]


def test_bash_offers_keys_that_hold_colons(filled: Repo) -> None:
    """bash takes `decision:au` apart at the colon; the candidates fit what it left, or the whole where it does not."""
    assert in_bash(filled, "mem", "show", "dec") == ["decision:auth", "decision:limit"]
    assert in_bash(filled, "mem", "show", "decision", ":") == ["auth", "limit"]
    assert in_bash(filled, "mem", "show", "decision", ":", "au") == ["auth"]
    assert in_bash(filled, "mem", "show", "decision:au", breaks="COMP_WORDBREAKS=' '") == ["decision:auth"]


def test_bash_offers_ids(filled: Repo) -> None:
    """An id's beginning is completed, for commands that take several as well, and in another folder."""
    ident = filled.mem("list", "--json").json["fragments"][0]["id"]
    assert in_bash(filled, "mem", "delete", "decision:auth", ident[:4]) == [ident[:8]]
    assert in_bash(filled, "mem", "-C", "src", "show", ident[:10]) == [ident]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("mem se", ["search", "seed"]),
        ("mem show dec", ["decision:auth", "decision:limit"]),
        ("mem show decision:a", ["decision:auth"]),
        ("mem save --type pre", ["preference"]),
        ("mem hooks ", ["install", "status", "uninstall"]),
    ],
)
def test_fish_offers_the_same(line: str, expected: list[str], filled: Repo) -> None:
    """fish's own `complete -C` gives the candidates."""
    if not shutil.which("fish"):
        pytest.skip("fish is not installed")
    script = f"source {FOLDER / 'mem.fish'}; complete -C '{line}'"
    done = subprocess.run(["fish", "-N", "-c", script], cwd=filled.path, capture_output=True, text=True, check=True)
    assert sorted(row.split("\t")[0] for row in done.stdout.splitlines()) == expected and not done.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["mem", "show", "dec"], ["decision:auth", "decision:limit"]),
        (["mem", "save", "--type", "pre"], ["preference"]),
        (["mem", "hooks", ""], ["install", "status", "uninstall"]),
    ],
    ids=" ".join,
)
def test_zsh_offers_the_same(words: list[str], expected: list[str], filled: Repo) -> None:
    """zsh's function adds the candidates (compadd stands in for the line editor, which needs a terminal)."""
    if not shutil.which("zsh"):
        pytest.skip("zsh is not installed")
    script = f"""
        compdef() {{ }}; compset() {{ }}
        compadd() {{ shift; for one in "$@"; do [[ $one == ${{PREFIX}}* ]] && print -r -- $one; done }}
        source {FOLDER / "_mem"}
        words=("$@"); CURRENT=$#; PREFIX=$words[CURRENT]
        _mem
    """
    done = subprocess.run(
        ["zsh", "-f", "-c", script, "zsh", *words], cwd=filled.path, capture_output=True, text=True, check=False
    )
    assert sorted(done.stdout.split()) == expected and not done.stderr


def test_completing_makes_no_store_and_never_fails(repo: Repo, tmp_path: Path) -> None:
    """Where there is nothing, nothing is offered, in silence and with exit 0."""
    for args in (("keys", "x"), ("ids", ""), ("nonsense", ""), (), ("ids", "", "-C", "/nowhere")):
        done = repo.mem("_complete", *args)
        assert (done.code, done.out, done.err) == (0, "", "")
    assert not (repo.path / ".git/mem").exists()
    assert repo.mem("_complete", "types", "no", cwd=tmp_path).out == "note\n"
