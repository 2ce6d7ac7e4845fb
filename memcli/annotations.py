"""What was found at a line of a file, as a continuous integration shows it beside that line. Pure."""

import re

from memcli.text import escape, quoted

LEVELS = ("notice", "warning", "error")


def github(level: str, path: str | None, line: int, end_line: int, title: str, message: str) -> str:
    """A workflow command of GitHub Actions that annotates lines (from 1, inclusive) of a file of the repository, or the
    run as a whole where no path is given.

    `level` is one of LEVELS. A line is all it takes to give a command, so whatever could end one, or end a property, is
    escaped as GitHub's documentation says (% CR LF, in a property : and , too), after what nobody may see is gone. A
    path that can't be written like that names no file; it stands in the message, as git quotes it.
    """
    properties = {"title": _property(title)}
    if path is not None and _is_sayable(path):
        place = {"file": _encoded(path, ":,"), "line": str(line), "endLine": str(end_line)}
        properties = place | properties
    elif path is not None:
        message = f"{quoted(path)}:{line}: {message}"
    return f"::{level} {','.join(f'{name}={value}' for name, value in properties.items())}::{_data(message)}"


def _is_sayable(path: str) -> bool:
    """Whether a path goes out as it is (law 13): only line ends can be escaped."""
    shown = re.sub(r"[\r\n]", "", path)
    return escape(shown) == shown


def _encoded(text: str, more: str = "") -> str:
    return re.sub(rf"[%\r\n{more}]", lambda sign: f"%{ord(sign.group()):02X}", text)


def _data(text: str) -> str:
    return _encoded(escape(text))


def _property(text: str) -> str:
    return _encoded(escape(text), ":,")
