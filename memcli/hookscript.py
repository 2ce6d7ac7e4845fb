"""The text of a hook with mem's block in it: where the block goes, how it reads, how it comes out again. Bytes in,
bytes out, but for the scripts in `hooks/` that the block is made from.

A hook is somebody else's program: whatever stands in it outside our two marks comes back byte for byte.
"""

import ast
import os
import re
import shlex
from collections.abc import Sequence
from typing import NamedTuple

_BEGIN = re.compile(rb"^# >>> mem >>>[^\n]*\n", re.MULTILINE)
_END = re.compile(rb"^# <<< mem <<<[^\n]*(?:\n|\Z)", re.MULTILINE)
_SHEBANG = b"#!/bin/sh\n"
_OURS = b" (nothing else stood in this file: it goes with the block)"

# The line of the scripts that names the program; install writes in its place how it was started itself.
_PROGRAM = b"        set -- mem\n"

#: the hooks whose block may stop what git is about to do
CHECKS = ("pre-commit", "pre-push")

_SHELLS = re.compile(r"(ba|da|k|mk|z|a)?sh|ksh93|sh5?", re.ASCII)
_PYTHONS = re.compile(r"(python|pypy)[0-9.]*", re.ASCII)

# A shell script that hands its own text to another program: that one reads the block too, in its own language.
_OTHER_READER = re.compile(rb"""^[^#\n]*\bexec\b[^\n]*[\s"']\$\{?0\}?["']?(\s|$)""", re.MULTILINE)


class UnfitError(Exception):
    """This hook can't take the block, or not give it back, and stays as it is; the message says why. `by_hand` says
    that a line which its owner adds would do instead."""

    def __init__(self, reason: str, by_hand: bool = True) -> None:
        super().__init__(reason)
        self.by_hand = by_hand


class Span(NamedTuple):
    """Where the block stands in a hook, and whether the whole file was made for it."""

    start: int
    end: int
    ours: bool


def made(hook: str, command: Sequence[str]) -> bytes:
    """A new hook that holds the block only."""
    return _SHEBANG + _mark_as_ours(_shell_block(hook, command))


def put(content: bytes, hook: str, command: Sequence[str]) -> bytes:
    """A hook's content with the block for this command in it; a block that stands there is replaced where it stands.

    Raises UnfitError for what is neither a shell nor a Python script, or can't be read as one.
    """
    old = find(content)
    language = _language(content)
    block = _python_block(hook, command) if language == "python" else _shell_block(hook, command)
    if old:
        return _replaced(content, old, block)
    at = _after_prologue(content) if language == "python" else _after_shebang(content)
    head, tail = content[:at], content[at:]
    if head and not head.endswith(b"\n"):  # the file ends here, without a line feed, and shall do so again
        return head + b"\n" + block.removesuffix(b"\n")
    return head + block + tail


def without(content: bytes) -> bytes | None:
    """What stood there before the block was put in, later edits kept; None when nothing did and nothing came."""
    span = find(content)
    if span is None:
        return content
    start = span.start
    if start and not content.endswith(b"\n") and span.end == len(content):
        start -= 1
    rest = content[:start] + content[span.end :]
    return None if span.ours and rest == _SHEBANG else rest


def find(content: bytes) -> Span | None:
    """Where the block stands; None when there is none. Raises UnfitError when its marks are no longer one pair."""
    begins, ends = list(_BEGIN.finditer(content)), list(_END.finditer(content))
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or ends[0].start() < begins[0].end():
        raise UnfitError(
            "the marks `# >>> mem >>>` and `# <<< mem <<<` in it are no longer one pair: delete what is left of mem's"
            " lines and marks by hand",
            by_hand=False,
        )
    return Span(begins[0].start(), ends[0].end(), _OURS in ends[0].group())


def _replaced(content: bytes, old: Span, block: bytes) -> bytes:
    if old.ours:
        block = _mark_as_ours(block)
    if not content[old.start : old.end].endswith(b"\n"):
        block = block.removesuffix(b"\n")
    return content[: old.start] + block + content[old.end :]


def _mark_as_ours(block: bytes) -> bytes:
    return block.removesuffix(b"\n") + _OURS + b"\n"


def _shell_block(hook: str, command: Sequence[str]) -> bytes:
    """The block out of the script in `hooks/`, marks included, starting this command."""
    with open(os.path.join(_scripts(), hook), "rb") as file:
        block = file.read().removeprefix(_SHEBANG)
    program = b" ".join(shlex.quote(word).encode("utf-8", "surrogateescape") for word in command)
    return block.replace(_PROGRAM, _PROGRAM.replace(b"mem", program), 1)


def _python_block(hook: str, command: Sequence[str]) -> bytes:
    """The same for a Python script: it lets a shell run the shell's block, and takes no names of the script's own."""
    first, *lines, last = _shell_block(hook, command).splitlines(keepends=True)
    shell = b"".join(lines).decode("utf-8", "surrogateescape")
    run = f'["sh", "-c", {shell!a}, "{hook}"] + __import__("sys").argv[1:]'
    call = f'__import__("os").spawnv(0, "/bin/sh", {run})'
    if hook in CHECKS:  # the others' status does not matter
        call = f"if {call} == 1:\n        raise SystemExit(1)"
    body = f"try:\n    {call}\nexcept OSError:\n    pass\n"
    return first + body.encode("ascii") + last


def _scripts() -> str:
    """The folder of the hook scripts: inside an installed package, beside it in a checkout."""
    here = os.path.dirname(os.path.abspath(__file__))
    packaged = os.path.join(here, "data", "hooks")
    return packaged if os.path.isdir(packaged) else os.path.join(os.path.dirname(here), "hooks")


def _language(content: bytes) -> str:
    """What the hook is written in: shell or python. Git gives a text without a first line `#!` to the shell."""
    if b"\0" in content:
        raise UnfitError("it is a compiled program, or carries data whose place counts")
    first = content.split(b"\n", 1)[0]
    if not first.startswith(b"#!"):
        return "shell"
    if first.endswith(b"\r"):
        raise UnfitError("its lines end in CR LF, with which no system here can start it; save it with LF")
    words = first[2:].decode("utf-8", "replace").split()
    name = _interpreter(words)
    if _PYTHONS.fullmatch(name):
        return "python"
    if not _SHELLS.fullmatch(name):
        raise UnfitError(f"it is run by {name or 'nothing'}, and mem knows shell and Python scripts only")
    if _OTHER_READER.search(content):
        raise UnfitError("it hands its own text to another program")
    return "shell"


def _interpreter(words: list[str]) -> str:
    """The program's name in the words after `#!`, through `env`, its options and assignments."""
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return os.path.basename(words[0]) if words else ""


def _after_shebang(content: bytes) -> int:
    if not content.startswith(b"#!"):
        return 0
    return content.find(b"\n") + 1 or len(content)


def _after_prologue(content: bytes) -> int:
    """Where a Python script's first own statement may stand: below its comments at the top, its docstring and its
    imports from `__future__`."""
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the user's code: not ours to say
            body = ast.parse(content).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UnfitError("it is no Python 3 that can be read here") from None
    prologue = body[: _prologue(body)]
    after = body[len(prologue) :]
    last = (prologue[-1].end_lineno or 0) if prologue else _comment_lines(content)
    if b"\r" in content.replace(b"\r\n", b"\n") or (after and after[0].lineno <= last):
        raise UnfitError("its first lines can't be taken apart")
    return sum(len(line) for line in content.splitlines(keepends=True)[:last])


def _prologue(body: list[ast.stmt]) -> int:
    """How many statements have to stay first: the docstring and the imports from `__future__`."""
    count = 1 if body and _is_docstring(body[0]) else 0
    while count < len(body) and getattr(body[count], "module", None) == "__future__":
        count += 1
    return count


def _is_docstring(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _comment_lines(content: bytes) -> int:
    """How many lines at the top must stay there: the one with `#!`, and one below it that names the encoding."""
    second = content.split(b"\n", 2)[1:2]
    return 2 if second and re.match(rb"[ \t\f]*#.*?coding[:=]", second[0]) else 1
