"""Long output on a terminal goes through the pager that git would use; to a pipe it goes as it is."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO

# what git gives its pager: less stays out of the way of what fits on the screen, and lets colours through
_SETTINGS = {"LESS": "FRX", "LV": "-c"}


@contextmanager
def through(command: str, env: Mapping[str, str]) -> Iterator[IO[str]]:
    """A stream into the pager; stdout itself when there is none. Whoever closes the pager has read enough."""
    if command in ("", "cat"):
        yield sys.stdout
        return
    from subprocess import PIPE, Popen

    sys.stdout.flush()
    settings = {**_SETTINGS, **env}
    # a shell, because git's own setting is a shell's words: `less -S`, `delta | less`
    with Popen(command, shell=True, stdin=PIPE, env=settings, encoding="utf-8", errors="replace") as process:  # noqa: S602
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            yield process.stdin
        with suppress(BrokenPipeError):
            process.stdin.close()
        while process.poll() is None:
            with suppress(KeyboardInterrupt):  # the pager's own key for "stop there"
                process.wait()
