"""Paths in a line of prose spelt anew where what they name has moved; nothing else of the line is touched. Pure."""

import re
from collections.abc import Collection, Mapping

from memcli.claims import from_root

# a path as people write it, as long as it goes: no match begins or ends inside a longer one, or inside a URL
_PATH = r"(?<![\w/\\.+~%-])[\w.+~%-][\w.@+~%-]*(?:/[\w.@+~%-]+)*/?"


def respelt(line: str, moves: Mapping[str, str], folder: str, standing: Collection[str] = ()) -> str:
    """The line with each path that names something moved naming its new place, spelt in the same manner: from the root,
    from the document's folder, or by its last parts alone (whole where the file's own name is another one now).
    `moves`: old path → new path, both from the root; `standing` are paths that did not move: what names one of them
    whole is no short name of another."""
    return re.sub(_PATH, lambda token: _renamed(token.group(), moves, folder, standing), line)


def _renamed(token: str, moves: Mapping[str, str], folder: str, standing: Collection[str]) -> str:
    path = token.rstrip("./")
    end = token[len(path) :]
    dot = "./" if path.startswith("./") else ""
    for was, now in moves.items():
        if path == f"{dot}{was}":
            return f"{dot}{now}{end}"
        if from_root(path, folder) == was:
            relative = _from_folder(now, folder)
            return f"{'' if relative.startswith('../') else dot}{relative}{end}"
    if not {path.removeprefix("./"), from_root(path, folder)}.isdisjoint(standing):
        return token
    for was, now in moves.items():
        plain = path.removeprefix("./")
        if was.endswith(f"/{plain}"):
            short = "/".join(now.split("/")[-1 - plain.count("/") :])
            return f"{dot}{short if short.rpartition('/')[2] == plain.rpartition('/')[2] else now}{end}"
    return token


def _from_folder(path: str, folder: str) -> str:
    """A path from the root as it is spelt in a document in a folder."""
    parts, above = path.split("/"), folder.split("/") if folder else []
    while above and len(parts) > 1 and above[0] == parts[0]:
        above, parts = above[1:], parts[1:]
    return "/".join([*([".."] * len(above)), *parts])
