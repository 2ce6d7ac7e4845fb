"""The main job, told on this very repository: `make demo`.

It clones the repository into a temporary folder, installs the git hook there, and runs the real program: what is
printed is the command and what the command said. The README shows parts of it, and a test compares.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
MEM = [sys.executable, "-P", "-m", "memcli"]
PATIENCE = 30.0  # seconds that the hook's sweep may take

SAVES = (
    (
        "decision:lock",
        "`begin_write` waits 10 s for the lock, then says who is in the way",
        "memcli/store/turns.py#begin_write",
    ),
    (
        "decision:renames",
        "`similarity` compares lines, so a renamed file is found again when half of them stayed",
        "memcli/drift.py#similarity",
    ),
    (
        "error:sigbus",
        "a data file cut short kills the process; header() in memcli/store/datafile.py looks first",
        None,
    ),
    ("decision:tests", "tests run with unittest", None),
    ("decision:tests", "tests run with pytest on two cores, see Makefile", None),
)


class Demo:
    """A clone with a home of its own; `mem` and `git` run in it and are echoed with their output."""

    def __init__(self, folder: Path) -> None:
        self.repo = folder / "mem"
        self.env = {name: value for name, value in os.environ.items() if name not in ("CI", "MEM_NO_BACKGROUND")}
        self.env = {name: value for name, value in self.env.items() if not name.startswith(("GIT_", "MEM_", "XDG_"))}
        self.env |= {"HOME": str(folder), "MEM_AUTHOR": "Ada", "NO_COLOR": "1", "GIT_CONFIG_NOSYSTEM": "1"}
        if "PYTHONPATH" not in self.env:
            self.env["PYTHONPATH"] = str(PROJECT)
        self.quiet("git", "clone", "-q", str(PROJECT), str(self.repo), cwd=folder)
        for name, value in (("user.name", "Ada"), ("user.email", "ada@example.org"), ("commit.gpgsign", "false")):
            self.quiet("git", "config", name, value)

    def mem(self, *args: str) -> None:
        """Run `mem` and show both the command and what it said."""
        self.show(f"mem {shlex.join(args)}".rstrip())
        print(self.run(*MEM, *args), flush=True)

    def git(self, *args: str) -> None:
        """Run git and show the command."""
        self.show(f"git {shlex.join(args)}")
        self.run("git", *args)

    def show(self, command: str) -> None:
        print(f"$ {command}", flush=True)

    def say(self, words: str) -> None:
        print(f"\n# {words}", flush=True)

    def run(self, *command: str) -> str:
        """What the command printed, its talk on stderr after its data. Ends the demo when it failed."""
        done = subprocess.run(command, cwd=self.repo, env=self.env, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{shlex.join(command)} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
        return (done.stdout + done.stderr).rstrip()

    def quiet(self, *command: str, cwd: Path | None = None) -> None:
        subprocess.run(command, cwd=cwd or self.repo, env=self.env, check=True)

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a text in a file of the clone, which must hold it."""
        target = self.repo / path
        text = target.read_text()
        if old not in text:
            sys.exit(f"{path} holds no {old!r} any more: the demo must be told anew")
        target.write_text(text.replace(old, new))

    def await_sweep(self) -> None:
        """Wait until the hook's sweep, which runs in the background, has seen HEAD."""
        head = self.run("git", "rev-parse", "HEAD")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            last = json.loads(self.run(*MEM, "--json"))["last_sweep"]
            if last and last["commit"] == head:
                return
            time.sleep(0.1)
        sys.exit(f"the hook's sweep did not come within {PATIENCE:.0f} s")


def main() -> None:
    """Tell the story from the first save to the confidence that came back."""
    with tempfile.TemporaryDirectory(prefix="mem-demo-") as folder:
        demo = Demo(Path(folder))
        print("# This repository, cloned, is the code base.", flush=True)
        demo.mem("init", "--yes", "--hooks")
        remember(demo)
        find(demo)
        change(demo)
        come_back(demo)


def remember(demo: Demo) -> None:
    demo.say("Five fragments about real files and functions. The last one takes the place of the one before it.")
    for key, text, path in SAVES:
        demo.mem("save", key, text, *(["--path", path] if path else []))


def find(demo: Demo) -> None:
    demo.say("Found again: by words, as a list, by a query, and as a block for an agent's prompt.")
    demo.mem("search", "lock wait")
    demo.mem("list")
    demo.mem("query", 'map(filter(memory, .type == "decision"), {key: .key, confidence: .confidence, paths: .paths})')
    demo.mem("render", "--budget", "400")


def change(demo: Demo) -> None:
    demo.say("A real change: similarity() gives way to another function. The hook sweeps after the commit.")
    text = (demo.repo / "memcli/drift.py").read_text()
    start = text.index("def similarity(")
    body = text[start : text.index("\n\n\n", start)]
    demo.edit(
        "memcli/drift.py", body, "def overlap(left: set[str], right: set[str]) -> int:\n    return len(left & right)"
    )
    demo.git("commit", "-qam", "Compare sets of words")
    demo.await_sweep()
    demo.say("What the hook's sweep found, why, and the block without it.")
    demo.mem()
    demo.mem("why", "decision:renames")
    demo.mem("render", "--budget", "400")


def come_back(demo: Demo) -> None:
    demo.say("A revert, and the confidence is back: it is a function of the code, never a counter.")
    demo.git("revert", "--no-edit", "HEAD")
    demo.await_sweep()
    demo.mem("search", "renamed file")
    demo.mem()


if __name__ == "__main__":
    main()
