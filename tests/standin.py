"""Stand-ins for the program, for tests of what starts it: they write down how they were started."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_PROGRAM = """\
import json, os, sys, time
null = os.stat(os.devnull).st_rdev
facts = {
    "args": sys.argv[1:],
    "cwd": os.getcwd(),
    "session": os.getsid(0),
    "parent": os.getppid(),
    "null": [os.fstat(number).st_rdev == null for number in range(3)],
    "env": dict(os.environ),
}
said = os.environ["STAND_IN"]
with open(said + ".new", "w") as file:
    json.dump(facts, file)
os.rename(said + ".new", said)
while os.path.exists(said + ".wait"):
    time.sleep(0.01)
"""


def eventually(holds: Callable[[], bool]) -> None:
    """Wait for what another process does, as long as it may take on a busy machine."""
    for _ in range(1500):
        if holds():
            return
        time.sleep(0.02)
    raise AssertionError("it did not come")


class StandIn:
    """A `memcli` that `python -m memcli` finds before the real one, in an environment that lets it run."""

    def __init__(self, folder: Path) -> None:
        package = folder / "standin" / "memcli"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "__main__.py").write_text(_PROGRAM)
        self.said = folder / "said"
        self.env = {name: value for name, value in os.environ.items() if name != "MEM_NO_BACKGROUND"}
        self.env |= {"PYTHONPATH": str(package.parent), "STAND_IN": str(self.said)}

    @property
    def facts(self) -> Any:
        """How it was started; waits until it was."""
        eventually(self.said.exists)
        return json.loads(self.said.read_text())
