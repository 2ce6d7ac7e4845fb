"""How far a long deed is, on a terminal's stderr: one line that is written over, once a second has passed."""

import sys
import time
from collections.abc import Callable

WAIT, PAUSE = 1.0, 0.1  # seconds before the first line, and between two


def progress(what: str, quiet: bool) -> Callable[[int, int], None] | None:
    """What to call with (done, of); None where nobody watches. The last call takes the line away."""
    stream = sys.stderr
    if quiet or not stream.isatty():
        return None
    began = last = time.monotonic()
    shown = False

    def tell(done: int, of: int) -> None:
        nonlocal last, shown
        now = time.monotonic()
        if done >= of:
            if shown:
                stream.write("\r\x1b[K")
                stream.flush()
        elif now - began >= WAIT and now - last >= PAUSE:
            stream.write(f"\r{what} {done} of {of}\x1b[K")
            stream.flush()
            last, shown = now, True

    return tell
