"""What the tests of histories share: a fragment saved through the program, and how it reads on every face."""

import json
import os
import re
import subprocess
import sys
from atexit import register
from functools import cache
from typing import Any

from tests.conftest import Repo, Result

_DOOR = """
import importlib, json, os, sys, tempfile
import pygit2, typer, typer.main
from memcli import contents, findings, sweep
from memcli.__main__ import main
from memcli.cli import commands, door, frame, show

for command in commands.COMMANDS:
    importlib.import_module(command.module)

def call(place, env, args):
    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    child = os.fork()
    if not child:
        for number, stream in enumerate((open(os.devnull), out, err)):
            os.dup2(stream.fileno(), number)
        os.chdir(place)
        os.environ.clear()
        os.environ.update(env)
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
    return stream.read().decode("utf-8", "surrogateescape")

for line in sys.stdin:
    place, env, calls = json.loads(line)
    print(json.dumps([call(place, env, args) for args in calls]), flush=True)
"""

KEY = "note:probe"
AUTH = "create_user in src/users.py lowers the address"
GONE_BELOW = 0.3  # the default minimum: what is gone is in no list unless asked for


@cache
def _door() -> "subprocess.Popen[str]":
    """A process that has imported everything and forks for each call: each is a process like any other, but starts in
    no time. It ends with the tests, when its input does."""
    door = subprocess.Popen([sys.executable, "-c", _DOOR], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    register(door.communicate)
    return door


def ask(repo: Repo, *calls: list[str]) -> list[Result]:
    """What `mem` answers to calls in the repository, one after the other."""
    door = _door()
    assert door.stdin and door.stdout
    door.stdin.write(json.dumps([str(repo.path), dict(os.environ), calls]) + "\n")
    door.stdin.flush()
    return [Result(*answer) for answer in json.loads(door.stdout.readline())]


def probe(repo: Repo, text: str = AUTH, *paths: str, key: str = KEY, scope: str = "workspace") -> str:
    """Save a text about places, as a person does; its key."""
    places = [option for path in paths for option in ("--path", path)]
    (done,) = ask(repo, ["save", key, text, "--scope", scope, *places, "--json"])
    assert done.code == 0, done
    return key


def judged(repo: Repo, key: str = KEY, at: str = "") -> dict[str, Any]:
    """A fragment as it reads now, after several faces have said the same of it, with nothing on stderr: show, why and
    list, in data and in words. The first time in a repository every face is asked: search, sweep and render too."""
    place = ["--at", at] if at else []
    data = [["show", key], ["why", key]]
    words = [["why", key], ["list"]]
    if (repo.path, key) not in _LOOKED:
        _LOOKED.add((repo.path, key))
        data += [["list", "--all"], ["search", key, "--all"], ["sweep", "--dry-run", "--check"]]
        words += [["render"], ["show", key]]
    done = ask(repo, *([*call, "--json", *place] for call in data), *([*call, *place] for call in words))
    told = dict(zip([f"{call[0]} json" for call in data] + [call[0] for call in words], done, strict=True))
    documents = [_of(answer, key) for answer in done[: len(data)]]
    fragment = documents[0]
    assert all(_core(document) == _core(fragment) for document in documents), documents
    shown = fragment["confidence"] >= GONE_BELOW
    for name, answer in told.items():
        # a check says no where any fragment is below the minimum, and must where this one is
        codes = {1} if name == "sweep json" and not shown else {0, 1} if name == "sweep json" else {0}
        assert answer.err == "" and answer.code in codes, (name, answer)
    for name in told.keys() & {"list", "render"}:
        assert (key in told[name].out) == shown, (name, told[name])
    _in_words(fragment, [told[name].out for name in told.keys() & {"why", "show"}])
    return fragment


_LOOKED: set[tuple[object, str]] = set()


def _of(answer: Result, key: str) -> dict[str, Any]:
    assert answer.code in (0, 1) and '"error"' not in answer.out[:40], answer
    (found,) = [fragment for fragment in answer.json["fragments"] if fragment["key"] == key]
    return dict(found)


def _core(fragment: dict[str, Any]) -> str:
    """What must not depend on the face that is asked."""
    return json.dumps([fragment[name] for name in ("id", "confidence", "verdict", "anchors", "stamp")])


def _in_words(fragment: dict[str, Any], texts: list[str]) -> None:
    """The texts name the verdict, the confidence and, where it is plain to print, each path."""
    for text in texts:
        assert fragment["verdict"] in text and f"{int(fragment['confidence'] * 100 + 1e-9)}%" in text, text
        for anchor in fragment["anchors"]:
            assert not re.fullmatch(r"[\w./ -]+", anchor["path"]) or anchor["path"] in text, text


def is_fresh(fragment: dict[str, Any]) -> bool:
    """Nothing that matters changed: whole confidence, every anchor where it was."""
    return _whole(fragment, "fresh") and not any(anchor["was"] for anchor in fragment["anchors"])


def is_moved(fragment: dict[str, Any], was: str, now: str) -> bool:
    """Whole confidence, and an anchor went from one path to the other, with evidence."""
    return _whole(fragment, "moved") and (was, now) in where(fragment) and bool(_evidence(fragment))


def is_changed(fragment: dict[str, Any]) -> bool:
    """What the text is about changed: less confidence, still shown, with evidence."""
    less = GONE_BELOW <= fragment["confidence"] < fragment["base"]
    return _found(fragment, "changed") and less and bool(_evidence(fragment))


def is_gone(fragment: dict[str, Any]) -> bool:
    """What the text is about is no more: under the minimum, with evidence."""
    return _found(fragment, "gone") and 0 < fragment["confidence"] < GONE_BELOW and bool(_evidence(fragment))


def is_unverifiable(fragment: dict[str, Any]) -> bool:
    """There is nothing to compare: no decay, and a reason at each place."""
    return _whole(fragment, "unverifiable") and all(anchor["evidence"] for anchor in fragment["anchors"])


def where(fragment: dict[str, Any]) -> list[tuple[str | None, str]]:
    """(was, path) of each anchor."""
    return [(anchor["was"], anchor["path"]) for anchor in fragment["anchors"]]


def _whole(fragment: dict[str, Any], verdict: str) -> bool:
    return _found(fragment, verdict) and bool(fragment["confidence"] == fragment["base"])


def _found(fragment: dict[str, Any], verdict: str) -> bool:
    """Whether it has the verdict; what it has is printed, for the report of a test that fails."""
    said = [fragment["key"], fragment["confidence"], fragment["verdict"], *where(fragment), *_evidence(fragment)]
    sys.stdout.write(f"{said}\n")
    return bool(fragment["verdict"] == verdict)


def _evidence(fragment: dict[str, Any]) -> list[str]:
    return [anchor["evidence"] for anchor in fragment["anchors"] if anchor["evidence"]]


def edit(repo: Repo, old: str, new: str, path: str = "src/users.py") -> None:
    """Replace a text in a file that holds it."""
    target = repo.path / path
    content = target.read_bytes()
    assert old.encode() in content
    target.write_bytes(content.replace(old.encode(), new.encode()))


def move(repo: Repo, old: str, new: str, message: str = "") -> str:
    """`git mv`, and a commit if it is given a message; the commit."""
    (repo.path / new).parent.mkdir(parents=True, exist_ok=True)
    repo.git("mv", old, new)
    return repo.commit(message) if message else ""


def collect(repo: Repo) -> None:
    """Forget every commit that no branch reaches, for good."""
    repo.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    repo.git("gc", "-q", "--prune=now")
