"""Paths as a user writes them, turned into paths of the repository; whatever leads out of it is refused, not read."""

import os
from collections.abc import Sequence

from memcli.errors import OutsideRepository

HERE = "."


def relative(path: str, cwd: str, root: str, private: Sequence[str] = (), fold_case: bool = False) -> str:
    """The path relative to the root, `/` between the parts, `.` for the root itself.

    `cwd` is the folder that a relative path starts at. Folders are followed through links, the last part is not: a link
    is itself what is meant. `private` are git's own folders. `fold_case` takes the spelling on disk (core.ignoreCase).
    Raises OutsideRepository for a path that ends outside the root, in git's own folder, or is none.
    """
    if not path or "\0" in path:
        raise OutsideRepository("an empty path names nothing" if not path else "a path can't hold a NUL character")
    try:
        full = _resolved(os.path.join(cwd, path), root)
        os.fsencode(full)
    except ValueError:
        raise OutsideRepository("the path holds characters that no file name can hold") from None
    inside = _below(full, root)
    if inside is None:
        raise OutsideRepository(f"{path} is outside the repository", f"paths start at {cwd} and stay below {root}")
    if _is_private(inside) or any(_below(full, folder) is not None for folder in private):
        raise OutsideRepository(f"{path} is git's own, not a file of the repository")
    return (_spelling_on_disk(inside, root) if fold_case else inside) or HERE


_ODD = frozenset(("", ".", ".."))


def is_plain(path: str) -> bool:
    """Whether a stored path is one that `relative` could have given: nothing in it leads up, out, or into `.git`, and a
    file could be called that."""
    try:
        os.fsencode(path)
    except ValueError:
        return False
    return "\0" not in path and _ODD.isdisjoint(path.split("/")) and not _is_private(path)


def _resolved(full: str, root: str) -> str:
    """The path with its folders resolved; wholly resolved where only that lies inside."""
    name = os.path.basename(full)
    if name in ("", ".", ".."):
        return os.path.realpath(full)
    kept = os.path.join(os.path.realpath(os.path.dirname(full)), name)
    return kept if _below(kept, root) is not None else os.path.realpath(full)


def _below(full: str, folder: str) -> str | None:
    """The part of a path below a folder, empty for the folder itself; None when it lies elsewhere."""
    if full == folder:
        return ""
    start = folder.rstrip("/") + "/"
    return full[len(start) :] if full.startswith(start) else None


def _is_private(path: str) -> bool:
    folded = path.casefold()
    return ".git" in folded and ".git" in folded.split("/")


def _spelling_on_disk(path: str, root: str) -> str:
    """The path as the folders list it, where only the case differs."""
    folder, parts = root, []
    for part in path.split("/"):
        try:
            names = os.listdir(folder)
        except OSError:
            names = []
        if part not in names:
            part = next((name for name in names if name.casefold() == part.casefold()), part)
        parts.append(part)
        folder = os.path.join(folder, part)
    return "/".join(parts)
