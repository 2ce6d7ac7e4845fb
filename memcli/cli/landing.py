"""How a continuous integration is told what a branch makes stale: a committed export in, annotations out."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memcli.annotations import github
from memcli.cli import words
from memcli.cli.frame import Call
from memcli.cli.share import lines_of
from memcli.context import Context
from memcli.errors import OutsideRepository
from memcli.landing import spoken_of
from memcli.model import Fragment
from memcli.sweep import Change, Swept
from memcli.transfer import read_lines

SHOWN = 10  # warnings of one step that GitHub shows
_FILES = ("file", "symlink")


class Export(NamedTuple):
    """The fragments of a file that export wrote: its path from the root (None: it is no file of the repository), and
    id → (line, fragment)."""

    path: str | None
    fragments: dict[str, tuple[int, Fragment]]

    @property
    def given(self) -> tuple[Fragment, ...]:
        """The fragments, in the order of their lines."""
        return tuple(fragment for _, fragment in self.fragments.values())


def read_export(call: Call, context: Context, file: str) -> Export:
    """What a file (`-`: stdin) holds. Raises Usage that names the line, or the file that can't be read."""
    found: dict[str, tuple[int, Fragment]] = {}
    for number, fragment in read_lines(context, lines_of(file, call.cwd), file):
        known = found.get(fragment.id)
        if known is None or known[1].updated <= fragment.updated:  # as import: the older never wins
            found[fragment.id] = number, fragment
    return Export(_path_of(call, context, file), found)


def _path_of(call: Call, context: Context, file: str) -> str | None:
    try:
        return context.repository.relative(file, call.cwd) if context.repository and file != "-" else None
    except OutsideRepository:
        return None


def summary(swept: Swept, fallen: Sequence[Change]) -> str:
    """How many annotations there are, said beside them."""
    more = f", of which GitHub shows the first {SHOWN}" if len(fallen) > SHOWN else ""
    return f"{words.count(len(fallen), 'stale fragment')}{more}; {words.count(swept.looked, 'fragment')} looked at"


def annotations(context: Context, fallen: Sequence[Change], export: Export | None) -> Iterator[str]:
    """An annotation for each, in their order."""
    for change in fallen:
        view = change.view
        path, first, last = _place(context, change, export)
        why = f"{words.percent(change.before)} → {words.percent(change.after)}: {view.assessment.evidence}"
        yield github("warning", path, first, last, f"mem: {view.fragment.name}", f"{view.fragment.text} ({why})")


def _place(context: Context, change: Change, export: Export | None) -> tuple[str | None, int, int]:
    """Where to show it: (path, first line, last line) of the anchor that moved most, where it is now; of what is gone
    the fragment's own line in the export, or where it was."""
    fragment, drifts = change.view.fragment, change.view.assessment.anchors
    pairs = zip(fragment.anchors, drifts, strict=False)
    anchor, drift = max(pairs, key=lambda pair: pair[1].drift, default=(None, None))
    if anchor and drift and context.tree and context.tree.entry(drift.path).kind in _FILES:
        return (drift.path, *(drift.lines or spoken_of(context, fragment, anchor, drift.path)))
    if export is None:
        return (drift.path if drift else None), 1, 1
    number, _ = export.fragments[fragment.id]
    return export.path, number, number
