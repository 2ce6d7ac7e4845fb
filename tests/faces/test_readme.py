"""The README shows what the program prints, and names every command and setting."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli.cli.commands import COMMANDS
from memcli.settings import OPTIONS

PROJECT = Path(__file__).resolve().parent.parent.parent
README = (PROJECT / "README.md").read_text()


def plain(text: str) -> str:
    """The text without what differs from run to run: ids, commits, times, folders."""
    text = re.sub(r"\b[k-z]{8}(?:[k-z]{8})?\b", "ID", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", text)
    text = re.sub(r"\b[0-9a-f]{7,40}\b", "COMMIT", text)
    return re.sub(r"/\S*mem-demo-\w+", "FOLDER", text)


def shown() -> Iterator[str]:
    """Each command of the README's console blocks, with the lines that it is shown to print."""
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        yield from (f"$ {part}".rstrip() for part in block.split("$ ")[1:])


@pytest.fixture(scope="module")
def demo() -> str:
    """What `make demo` prints."""
    done = subprocess.run(
        [sys.executable, str(PROJECT / "docs/demo.py")],
        env={name: value for name, value in os.environ.items() if name != "MEM_NO_BACKGROUND"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_the_readme_shows_is_what_the_program_prints(demo: str) -> None:
    """Each shown command, and what it is shown to print, stands in the demo's output, from its first line on."""
    printed = plain(demo)
    parts = list(shown())
    assert len(parts) >= 9
    for part in parts:
        assert plain(part) in printed, part


def test_every_command_is_in_the_readme() -> None:
    """The table of commands is complete."""
    assert [command.name for command in COMMANDS if f"`mem {command.name}" not in README] == []


def test_every_setting_is_in_the_readme() -> None:
    """Each key with its default, as the program has it."""
    for option in OPTIONS:
        if option.key.startswith("approve."):
            continue
        default = "" if option.default is None else f"`{str(option.default).lower()}`"
        default = f'`"{option.default}"`' if isinstance(option.default, str) else default
        assert f"| `{option.key}` | {default} |".replace("|  |", "| |") in README, option.key
