"""Real repositories in temporary folders, with HOME and GIT_* sealed, and `mem` as a process."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

GITCONFIG = """\
[user]
\tname = Ada
\temail = ada@example.org
[init]
\tdefaultBranch = main
[commit]
\tgpgsign = false
[protocol "file"]
\tallow = always
[gc]
	auto = 0
[maintenance]
	auto = false
[advice]
\tdetachedHead = false
"""


class Result(NamedTuple):
    """What a process said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Repo:
    """A real git repository, driven by the git program and by `mem` as a process."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def git(self, *args: str, check: bool = True, **env: str) -> str:
        done = subprocess.run(
            ["git", *args], cwd=self.path, env={**os.environ, **env}, capture_output=True, check=False
        )
        if check and done.returncode:
            raise AssertionError(f"git {args}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, path: str, content: str | bytes) -> Path:
        target = self.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    def commit(self, message: str = "work", **files: str) -> str:
        """Write the files (`a__py` stands for a.py), add all, commit; gives the commit id."""
        for name, content in files.items():
            self.write(name.replace("__", "."), content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def mem(self, *args: str, input: str | bytes | None = None, cwd: Path | None = None, **env: str) -> Result:
        return run_mem(cwd or self.path, *args, input=input, **env)


def run_mem(cwd: Path, *args: str, input: str | bytes | None = None, **env: str) -> Result:
    """`mem` as a process in a folder; stdin is closed unless given."""
    data = input.encode("utf-8", "surrogateescape") if isinstance(input, str) else input
    done = subprocess.run(
        [sys.executable, "-m", "memcli", *args],
        cwd=cwd,
        env={**os.environ, **env},
        input=data if data is not None else b"",
        capture_output=True,
        check=False,
        timeout=120,
    )
    return Result(done.returncode, done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode(errors="replace"))


@pytest.fixture(autouse=True)
def sealed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of its own; nothing of the machine's git, agents or mem settings gets in."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if (
            name.startswith(("GIT_", "MEM_", "CLAUDE", "CODEX", "GEMINI", "CURSOR", "XDG_", "OPENCODE", "COPILOT"))
            or name == "CI"
        ):
            monkeypatch.delenv(name)
    config = home / ".gitconfig"
    config.write_text(GITCONFIG)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(home.parent))
    monkeypatch.setenv("MEM_NO_BACKGROUND", "1")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parent.parent))
    yield home


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository with a first commit holding src/users.py and README.md."""
    path = tmp_path / "app"
    path.mkdir()
    made = Repo(path)
    made.git("init", "-q")
    made.write("src/users.py", USERS)
    made.write("README.md", "# app\n\nA small app.\n")
    made.commit("first")
    return made


USERS = '''\
"""Users of the app."""

import re

LIMIT = 50


def create_user(name, email):
    """Create a user after checking the address."""
    if not valid_email(email):
        raise ValueError("bad address")
    return {"name": name, "email": email.lower()}


def valid_email(email):
    """True for an address with one @ and a dot after it."""
    return bool(re.fullmatch(r"[^@]+@[^@]+\\.[^@]+", email))


def list_users(store, limit=LIMIT):
    """The newest users first, at most limit of them."""
    users = sorted(store.values(), key=lambda user: user["created"], reverse=True)
    return users[:limit]
'''
