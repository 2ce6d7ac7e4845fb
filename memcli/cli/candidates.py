"""`mem _complete KIND WORD [-C DIR]…`: candidates for the shells, one a line. Light: no typer, no git program.

It is asked at every press of the tab key: whatever goes wrong, it prints nothing and exits 0.
"""

import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping

from memcli.errors import MemError
from memcli.model import SCOPES, SHORT_ID, STATES, TYPES

MOST = 500  # more than anyone reads
FIXED = {"types": TYPES, "scopes": SCOPES, "states": STATES}


def main(args: list[str], env: Mapping[str, str]) -> int:
    """Print the candidates of a kind that begin with the word; 0 always."""
    kind, word = [*args, "", ""][:2]
    try:
        for folder in args[3::2]:
            os.chdir(os.path.expanduser(folder))
        found = FIXED[kind] if kind in FIXED else _stored(kind, word, env)
        sys.stdout.writelines(f"{name}\n" for name in found if name.startswith(word) and _plain(name))
    except (MemError, OSError):
        return 0
    return 0


def _stored(kind: str, word: str, env: Mapping[str, str]) -> Iterable[str]:
    """Names of settings; keys; or what names a fragment: its key, or its short id (its whole id once that is typed)."""
    if kind == "settings":
        from memcli.settings import OPTIONS

        return [option.key for option in OPTIONS]
    from memcli.context import Context

    with Context.open(os.getcwd(), env, time.time_ns() // 1_000_000) as context:
        readers = [shelf.reader for shelf in context.shelves.values()]
        names: Iterator[str] = (key for reader in readers for key in reader.keys(word))
        found = list(dict.fromkeys(_first(names)))
        if kind == "ids":
            found += [_short(ident, word) for reader in readers for ident in reader.with_prefix(word, MOST)]
    return found


def _first(names: Iterator[str]) -> Iterator[str]:
    for _, name in zip(range(MOST), names, strict=False):
        yield name


def _short(ident: str, word: str) -> str:
    return ident if len(word) >= SHORT_ID else ident[:SHORT_ID]


def _plain(name: str) -> bool:
    """A name that a shell can show: printable, and text."""
    return name.isprintable()
