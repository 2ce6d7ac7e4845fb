"""A small plot for the terminal: shares over time as filled columns."""

from collections.abc import Sequence

ROWS = 4
WIDEST = 72
_EIGHTHS = " ▁▂▃▄▅▆▇█"


def plot(values: Sequence[tuple[int, float]], width: int, blocks: bool = True) -> list[str]:
    """The steps of a value (0 to 1) along positions, each holding until the next: rows from the top, with their scale.

    `values` are (position from 0, value), in order; the last one gets its column at the right end.
    """
    columns = max(2, min(width, WIDEST) - 6)
    last = max(1, values[-1][0])
    heights = []
    for column in range(columns):
        until = column * last / (columns - 1)
        heights.append(next(value for position, value in reversed(values) if position <= until + 1e-9))
    rows = []
    for row in range(ROWS, 0, -1):
        cells = "".join(_cell(height * ROWS * 8 - (row - 1) * 8, blocks) for height in heights)
        rows.append(f"{100 * row // ROWS:>4}% {cells}".rstrip())
    return rows


def _cell(eighths: float, blocks: bool) -> str:
    filled = max(0, min(8, round(eighths)))
    return _EIGHTHS[filled] if blocks else "#" if filled >= 6 else "." if filled >= 2 else " "
