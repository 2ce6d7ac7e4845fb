"""How a continuous integration is told what a branch makes stale: a committed export in, annotations out."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memcli.annotations import github
from memcli.cli import words
from memcli.cli.frame import Call
from memcli.cli.share import lines_of
from memcli.context import Context
from memcli.errors import OutsideRepository
from memcli.model import AnchorDrift, Fragment
from memcli.sweep import Change, Swept
from memcli.transfer import read_lines

SHOWN = 10  # warnings of one step that GitHub shows
_FILES = ("file", "symlink")


class Export(NamedTuple):
    """The fragments of a file that export wrote: its path from the root, and id → (line, fragment)."""

    path: str
    fragments: dict[str, tuple[int, Fragment]]

    @property
    def given(self) -> tuple[Fragment, ...]:
        """The fragments, in the order of their lines."""
        return tuple(fragment for _, fragment in self.fragments.values())


def read_export(call: Call, context: Context, file: str) -> Export:
    """What a file (`-`: stdin) holds. Raises Usage that names the line, or the file that can't be read."""
    found = {
        fragment.id: (number, fragment) for number, fragment in read_lines(context, lines_of(file, call.cwd), file)
    }
    try:
        path = context.repository.relative(file, call.cwd) if context.repository else file
    except OutsideRepository:
        path = file
    return Export(path, found)


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


def _place(context: Context, change: Change, export: Export | None) -> tuple[str, int, int]:
    """Where to show it: (path, first line, last line) of the anchor that moved most, where it is now; of what is gone
    the fragment's own line in the export, if there is one."""
    worst = max(
        change.view.assessment.anchors, key=lambda anchor: anchor.drift, default=AnchorDrift("", None, "", 0, "")
    )
    there = context.tree is not None and context.tree.entry(worst.path).kind in _FILES
    if export is not None and not there:
        number, _ = export.fragments[change.view.id]
        return export.path, number, number
    return (worst.path, *(worst.lines or (1, 1)))
