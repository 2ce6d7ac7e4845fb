"""What a project's manifests say about how to work with it: one claim for each script and documented target. Pure."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from memcli.claims import Claim

_LONGEST = 200  # characters of a command; what is longer says how, not what


def claims_of(path: str, text: str) -> list[Claim]:
    """The claims in a manifest of the repository, each at the line that holds it; none in one that can't be read."""
    reader = _READERS.get(path.rpartition("/")[2])
    return list(reader(path, text)) if reader else []


def _package_json(path: str, text: str) -> Iterator[Claim]:
    try:
        scripts = json.loads(text).get("scripts", {})
    except (ValueError, RecursionError, AttributeError):
        return
    for name, command in scripts.items() if isinstance(scripts, dict) else ():
        if isinstance(command, str) and len(command) <= _LONGEST:
            quoted = re.escape(json.dumps(name, ensure_ascii=False))
            yield from _claim(text, rf"^\s*{quoted}\s*:", f"`npm run {name}` runs `{command}` ({path})")


def _pyproject(path: str, text: str) -> Iterator[Claim]:
    data = _toml(text)
    project = data.get("project")
    scripts = project.get("scripts") if isinstance(project, dict) else None
    for name, target in scripts.items() if isinstance(scripts, dict) else ():
        yield from _claim(text, rf"^\s*[\"']?{re.escape(name)}[\"']?\s*=", f"`{name}` starts `{target}` ({path})")
    python = project.get("requires-python") if isinstance(project, dict) else None
    if isinstance(python, str):
        yield from _claim(text, r"^\s*requires-python\s*=", f"Python {python} is required ({path})")


def _cargo(path: str, text: str) -> Iterator[Claim]:
    workspace = _toml(text).get("workspace")
    members = workspace.get("members") if isinstance(workspace, dict) else None
    if isinstance(members, list) and members:
        said = f"the Cargo workspace has the members {', '.join(f'`{member}`' for member in members)} ({path})"
        yield from _claim(text, r"^\s*members\s*=", said)


def _go_mod(path: str, text: str) -> Iterator[Claim]:
    for module in re.findall(r"(?m)^module\s+(\S+)", text):
        yield from _claim(text, r"^module\s", f"the Go module is {module} ({path})")


def _makefile(path: str, text: str) -> Iterator[Claim]:
    for target, said in re.findall(r"(?m)^([\w.-]+)\s*:(?![=:])[^#\n]*##\s*(.+?)\s*$", text):
        yield from _claim(text, rf"^{re.escape(target)}\s*:", f"`make {target}`: {said} ({path})")


def _claim(text: str, pattern: str, said: str) -> Iterator[Claim]:
    """The claim at the first line that has the pattern."""
    found = re.search(pattern, text, re.MULTILINE)
    if found:
        number = text.count("\n", 0, found.end()) + 1
        yield Claim(number, number, said, code=True)


def _toml(text: str) -> dict[str, Any]:
    from tomllib import TOMLDecodeError, loads

    try:
        return loads(text)
    except (TOMLDecodeError, RecursionError):
        return {}


_READERS: dict[str, Callable[[str, str], Iterator[Claim]]] = {
    "package.json": _package_json,
    "pyproject.toml": _pyproject,
    "Cargo.toml": _cargo,
    "go.mod": _go_mod,
    "Makefile": _makefile,
}
MANIFESTS = tuple(_READERS)
