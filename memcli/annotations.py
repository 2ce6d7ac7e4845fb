"""What was found at a line of a file, as a continuous integration shows it beside that line. Pure."""

from memcli.text import escape

LEVELS = ("notice", "warning", "error")


def github(level: str, path: str, line: int, end_line: int, title: str, message: str) -> str:
    """A workflow command of GitHub Actions that annotates lines (from 1, inclusive) of a file of the repository.

    `level` is one of LEVELS. A line is all it takes to give a command, so whatever could end one, or end a property, is
    escaped as GitHub's documentation says (% CR LF, in a property : and , too), after what nobody may see is gone.
    """
    properties = {"file": path, "line": str(line), "endLine": str(end_line), "title": title}
    said = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {said}::{_data(message)}"


def _data(text: str) -> str:
    return escape(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
