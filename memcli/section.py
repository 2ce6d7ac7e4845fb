"""A section of somebody's file that is ours: what stands between two marks is written anew, the rest never touched."""

import os
from typing import NamedTuple

from memcli.context import Context
from memcli.errors import HalfMarked, Usage

BEGIN = b"<!-- mem:begin (written by `mem render --into`) -->"
END = b"<!-- mem:end -->"
_OPENS, _CLOSES = b"<!-- mem:begin", b"<!-- mem:end"  # whatever else a mark says


class _Marks(NamedTuple):
    """Where a section's marks stand: the first and last byte of its lines, without the last one's line end."""

    start: int
    end: int


def write(ctx: Context, path: str, body: str) -> bool:
    """Put a text (lines, each ended; or nothing) between the marks of a file; says whether that changed the file.

    A file without marks gets them at its end, one that is not there is made; where there is nothing to say, neither.
    A link is followed inside the work tree and stays one. Raises HalfMarked, and Usage where the file can't be written,
    was changed meanwhile, or is a link that leads out of the work tree.
    """
    target = _target(ctx, path)
    try:
        before = _content(target)
        after = placed(before or b"", body.encode("utf-8", "surrogateescape"), path)
        if after == (before or b""):
            return False
        _replace(target, before, after, path)
    except OSError as error:
        raise Usage(f"can't write {path}: {error.strerror}") from None
    return True


def placed(content: bytes, body: bytes, name: str) -> bytes:
    """The content of a file with the body between its marks, in the file's line ends, every other byte as it was.

    `name` is the file's, for the error. Raises HalfMarked.
    """
    marks = _marks(content, name)
    if marks is None and not body:
        return content
    first = content[marks.start :] if marks else content  # the line that tells which line ends are in use
    ends = b"\r\n" if first[: first.find(b"\n") + 1].endswith(b"\r\n") else b"\n"
    section = ends.join([BEGIN, *body.split(b"\n")[:-1], END])
    if marks:
        return content[: marks.start] + section + content[marks.end :]
    gap = b"" if not content else ends if content.endswith(b"\n") else ends * 2
    return content + gap + section + ends


def _marks(content: bytes, name: str) -> _Marks | None:
    """Where the section stands; None when the file has no mark at all. A mark is a line of its own."""
    opened: list[int] = []
    closed: list[int] = []
    at = 0
    for line in content.splitlines(keepends=True) if _OPENS in content or _CLOSES in content else ():
        bare = line.strip()
        if bare.endswith(b"-->") and bare.startswith(_OPENS):
            opened.append(at)
        elif bare.endswith(b"-->") and bare.startswith(_CLOSES):
            closed.append(at + len(line.rstrip(b"\r\n")))
        at += len(line)
    if not opened and not closed:
        return None
    if len(opened) != 1 or len(closed) != 1 or closed[0] < opened[0]:
        raise HalfMarked(
            f"{name} has {len(opened)} mem:begin and {len(closed)} mem:end where one pair in this order belongs",
            "put the marks right, or take them all out; nothing was written",
        )
    return _Marks(opened[0], closed[0])


def _target(ctx: Context, path: str) -> str:
    """The file itself. Raises Usage for a link that leads out of the work tree, or to nothing."""
    full = os.path.normpath(os.path.join(ctx.cwd, path))
    target = os.path.realpath(full)
    root = ctx.repository.root if ctx.repository else None
    if root and _inside(full, root) and not _inside(target, root):
        raise Usage(f"{path} is a link that leads out of the repository", "name the file that is meant")
    if os.path.islink(full) and not os.path.exists(target):
        raise Usage(f"{path} is a link to nothing")
    return target


def _inside(path: str, root: str) -> bool:
    return path.startswith(os.path.join(os.path.realpath(root), ""))


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _replace(target: str, before: bytes | None, after: bytes, name: str) -> None:
    """Put the new content in the file's place in one step, with the mode it had."""
    draft = f"{target}.{os.getpid()}.new"
    try:
        with open(draft, "xb") as file:
            file.write(after)
            if before is not None:
                os.fchmod(file.fileno(), os.stat(target).st_mode & 0o7777)
            file.flush()
            os.fsync(file.fileno())
        if _content(target) != before:
            raise Usage(f"{name} was changed meanwhile", "run it again")
        os.replace(draft, target)
    finally:
        if os.path.exists(draft):
            os.unlink(draft)
