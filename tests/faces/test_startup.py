"""Start-up time is a feature: what the quick commands import, told from sys.modules, without a stopwatch."""

import subprocess
import sys

import pytest

from tests.conftest import Repo

HEAVY = {"pygit2", "tiktoken", "apscheduler", "rich", "pydantic", "click", "numpy", "asyncio", "importlib.metadata"}
SNIPPET = """
import os, sys
from memcli.__main__ import main
code = main(sys.argv[1:])
sys.stdout.flush()
print(*sorted(sys.modules), file=sys.stderr)
sys.exit(code)
"""


def imported(repo: Repo, *args: str) -> set[str]:
    """Names of all modules that a process of `mem ARGS` had imported at its end."""
    done = subprocess.run(
        [sys.executable, "-c", SNIPPET, *args], cwd=repo.path, capture_output=True, text=True, check=False
    )
    *talk, modules = done.stderr.splitlines()
    assert done.returncode == 0, talk
    return set(modules.split())


@pytest.fixture
def filled(repo: Repo) -> Repo:
    """A store with fragments about a file that did not change."""
    assert repo.mem("save", "decision:auth", "create_user in src/users.py checks the address first").code == 0
    assert repo.mem("save", "list_users gives 50 at most").code == 0
    return repo


@pytest.mark.parametrize(
    "args",
    [
        ("search", "address"),
        ("list",),
        ("list", "--json"),
        ("render",),
        ("save", "valid_email wants one @"),
        ("show", "decision:auth"),
        ("--help",),
        (),
    ],
    ids=lambda args: " ".join(args) or "overview",
)
def test_quick_commands_import_nothing_heavy(args: tuple[str, ...], filled: Repo) -> None:
    """Reads of an unchanged tree, and a save, need neither pygit2 nor tiktoken, nor what typer could drag in."""
    loaded = imported(filled, *args)
    assert not HEAVY & loaded
    assert not {name for name in loaded if name.split(".")[0] in HEAVY}


@pytest.mark.parametrize(
    "args",
    [("hook", "claude", "SessionStart"), ("hook", "git", "post-commit"), ("--version",), ("_complete", "keys", "")],
    ids=" ".join,
)
def test_the_doorkeeper_needs_no_typer(args: tuple[str, ...], filled: Repo) -> None:
    """Hooks, the version and completions are answered before any command line is built."""
    loaded = imported(filled, *args)
    assert not {"typer", "inspect", "pathlib", "tomllib"} & loaded
    assert not HEAVY & loaded


def test_help_builds_no_command(filled: Repo) -> None:
    """`mem --help` prints the table; typer is not even imported."""
    assert "typer" not in imported(filled, "--help")


def test_one_command_is_built_at_a_time(filled: Repo) -> None:
    """Only the module of the command that was called is imported."""
    loaded = imported(filled, "list")
    assert {name for name in loaded if name.startswith("memcli.cli.")} & {
        "memcli.cli.write", "memcli.cli.code", "memcli.cli.housekeeping", "memcli.cli.complete"
    } == set()  # fmt: skip


def test_a_sweep_with_nothing_new_imports_nothing_heavy(filled: Repo) -> None:
    """The second sweep needs no pygit2, though a fragment had fallen for a file that is gone."""
    assert filled.mem("save", "the readme greets", "--path", "README.md").code == 0
    filled.git("rm", "-q", "README.md")
    filled.commit("less")
    assert "fell" in filled.mem("sweep").out
    loaded = imported(filled, "sweep")
    assert not HEAVY & loaded
    assert not {name for name in loaded if name.split(".")[0] in HEAVY}
