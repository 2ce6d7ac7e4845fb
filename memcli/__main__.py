"""The roof: the doorkeeper, which answers what must be quick without building a command line, and the one error door.

Nothing heavier than `sys` and `os` is imported at the top: an agent's hook calls us at every turn.
"""

import gc
import os
import sys
from collections.abc import Mapping, Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run `mem` with these arguments (default: the process's own); gives the exit code (DESIGN.md, law 18).

    What escapes a command ends here: a MemError as one line and its hint (with `--json` as a document on stdout), a
    closed pipe and an interrupt quietly, and anything else as a fault of ours with the path of its log.
    """
    if argv is not None:
        return _guarded(list(argv))
    gc.disable()  # a process this short has nothing to collect: a tenth of a `mem list`
    code = _guarded(sys.argv[1:])
    gc.freeze()  # nor has the interpreter's last collection
    return code


def _guarded(args: list[str]) -> int:
    """Answer the arguments, and let no error out."""
    _prepare_streams()
    try:
        code = doorkeeper(args, os.environ)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _silence_stdout()
        return 0
    except Exception as error:  # the one error door: whatever it is, the user gets one line
        code = _report(error, args)
    return code


def doorkeeper(args: list[str], env: Mapping[str, str]) -> int:
    """Answer hooks, `--version`, completions and the background child by themselves, all else by the command line."""
    first = args[0] if args else ""
    if first == "hook":
        from memcli.agents import hook

        return hook.main(args[1:], env)
    if args == ["--version"]:
        from memcli import __version__

        print("mem", __version__)  # noqa: T201  the whole answer
        return 0
    if first == "_complete":
        from memcli.cli import candidates

        return candidates.main(args[1:], env)
    if first == "_background":
        from memcli import background_jobs

        return background_jobs.main(args[1:], env)
    from memcli.cli import frame

    return frame.run(args, env)


def _prepare_streams() -> None:
    """Let no character fail on its way out: a pipe gets UTF-8, a terminal what it can show, a closed stream nothing."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  it lives as long as we do
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")


def _report(error: Exception, args: list[str]) -> int:
    """Print an error where its reader looks for it; gives the exit code. Never raises."""
    from memcli.cli import door

    try:
        return door.report(error, args, os.environ)
    except OSError:  # stderr or stdout is gone as well: nobody is left to be told
        _silence_stdout()
        return getattr(error, "code", 3)


def _silence_stdout() -> None:
    """Let the interpreter's last flush go nowhere: the reader has left."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


if __name__ == "__main__":
    sys.exit(main())
