"""How an error reaches its reader, and the log of our own faults. Imported only once something went wrong."""

import errno
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Mapping

from memcli.cli.globals import wants_json
from memcli.errors import MemError

LOG = "fault.log"
MAX_LOG = 256 * 1024
LONGEST = 800  # characters of a message or a hint: what a user wrote may be quoted in it, at any length


def report(error: Exception, args: list[str], env: Mapping[str, str]) -> int:
    """Tell the user what went wrong, as a line on stderr or as the JSON document on stdout; gives the exit code."""
    known = error if isinstance(error, MemError) else _full_disk(error) or _fault(error, env)
    if wants_json(args) and not isinstance(known, OutputFailed):
        document = {"mem": 1, "error": {"kind": known.kind, "message": known.message, "hint": known.hint}}
        print(json.dumps(document), flush=True)  # noqa: T201  the error door prints
        return known.code
    print(f"mem: {_line(known.message)}", file=sys.stderr)  # noqa: T201
    if known.hint and "\n" in known.hint:  # the picture of a place in a query, printable as it is
        print(known.hint, file=sys.stderr)  # noqa: T201
    elif known.hint:
        print(f"hint: {_line(known.hint)}", file=sys.stderr)  # noqa: T201
    return known.code


class Fault(MemError):
    """Something that must not happen: a fault of ours. The log has the traceback."""

    kind = "fault"
    code = 3


class OutputFailed(MemError):
    """What stdout leads to takes no more: a full disk, most likely."""

    kind = "output"


def _full_disk(error: Exception) -> MemError | None:
    """An answer that could not be written to stdout is the environment's matter, not a fault of ours."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return OutputFailed(f"the output can't be written: {error.strerror}", "make room there and run it again")
    return None


def _fault(error: Exception, env: Mapping[str, str]) -> Fault:
    """Log a fault and name the log."""
    text = "".join(traceback.format_exception(error))
    for folder in _folders(env):
        path = os.path.join(folder, LOG)
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            _append(path, text)
        except OSError:
            continue
        return Fault(f"a fault of mem's own: {type(error).__name__}", f"the log {path} says where")
    return Fault(f"a fault of mem's own: {traceback.format_exception_only(error)[-1].strip()}")


def _folders(env: Mapping[str, str]) -> list[str]:
    """Where a log can go: the user's data folder, else the temporary one. Not the repository's store: what failed may
    be the finding of it."""
    from memcli.settings import user_data_dir

    temporary = os.path.join(tempfile.gettempdir(), f"mem-{os.getuid()}")
    try:
        return [user_data_dir(env), temporary]
    except MemError:  # there is no home
        return [temporary]


def _append(path: str, text: str) -> None:
    """Add to the log, which starts anew when it has grown large. Only its owner may read it."""
    fresh = not os.path.exists(path) or os.path.getsize(path) > MAX_LOG
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | (os.O_TRUNC if fresh else os.O_APPEND)
    with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8", errors="backslashreplace") as log:
        log.write(text + "\n")


def _line(text: str) -> str:
    """A message as one line without control characters; angle brackets stay only where a person reads."""
    from memcli.text import escape, unescape

    shown = unescape(escape(text)) if sys.stderr.isatty() else escape(text)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"
