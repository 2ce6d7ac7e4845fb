"""What black-box tests share: short ways to fill a memory through the program, and to ask it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.conftest import Repo, Result, run_mem

AUTH = "create_user in src/users.py lowers the address"


def saved(repo: Repo, *args: str, **env: str) -> str:
    """Save something; its id."""
    done = run_mem(repo.path, "save", *args, "--json", input=None, **env)
    assert done.code == 0, done
    return str(done.json["fragments"][0]["id"])


def loaded(repo: Repo, rows: Iterable[Mapping[str, object]]) -> None:
    """Import the rows in one process."""
    done = repo.mem("import", "-", input="".join(json.dumps(row) + "\n" for row in rows))
    assert done.code == 0, done


def shown(repo: Repo, ident: str, *args: str) -> dict[str, Any]:
    """A fragment as it reads now."""
    done = repo.mem("show", ident, "--json", *args)
    assert done.code == 0, done
    fragment: dict[str, Any] = done.json["fragments"][0]
    return fragment


def listed(repo: Repo, *args: str) -> list[dict[str, Any]]:
    """What `mem list` gives."""
    fragments: list[dict[str, Any]] = repo.mem("list", "--json", *args).json["fragments"]
    return fragments


def rewrite(repo: Repo) -> None:
    """Replace all that src/users.py held."""
    repo.write("src/users.py", "\n".join(f"value_{number} = {number}" for number in range(40)) + "\n")


def shell(repo: Repo, script: str, **env: str) -> Result:
    """Run a shell script in the repository, in which $mem is the program."""
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=repo.path, env={**os.environ, "mem": f"{sys.executable} -m memcli", **env},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    return Result(done.returncode, done.stdout, done.stderr)


# Forks for each call, so that what they all import is imported once; each is a process like any other.
FORKS = """
import importlib, json, os, sys, tempfile
import typer, typer.main
from memcli.__main__ import main
from memcli.cli import commands, door, frame, show

for command in commands.COMMANDS:
    importlib.import_module(command.module)

def call(args):
    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    child = os.fork()
    if not child:
        for number, stream in enumerate((open(os.devnull), out, err)):
            os.dup2(stream.fileno(), number)
        sys.argv[1:] = args
        code = -1
        try:
            code = main()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return [code, *(text(stream) for stream in (out, err))]

def text(stream):
    stream.seek(0)
    return stream.read().decode()

print(json.dumps([call(args) for args in json.load(sys.stdin)]))
"""


def answers(repo: Repo, *calls: Sequence[str], **env: str) -> list[Result]:
    """What `mem` answers to many calls, one after the other, with nothing on stdin."""
    done = subprocess.run(
        [sys.executable, "-c", FORKS],
        cwd=repo.path, env={**os.environ, **env}, input=json.dumps(calls),
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [Result(*answer) for answer in json.loads(done.stdout)]


def told(done: Result, code: int, word: str = "") -> None:
    """The answer is an error: its exit code, one line that holds the word, at most a hint, nothing on stdout."""
    assert (done.code, done.out) == (code, ""), done
    first, *rest = done.err.splitlines()
    assert first.startswith("mem: ") and word in first, done.err
    assert len(rest) <= 1 and all(line.startswith("hint: ") for line in rest), done.err
