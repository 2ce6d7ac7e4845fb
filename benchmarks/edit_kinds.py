"""The kinds of edit, by name: (sample, dice) → the files that change (path → text, None deletes it).

None where an edit can't be made honestly on a sample. What breaks the syntax is turned away in one place, by `made`.
"""

from collections.abc import Callable
from random import Random

from benchmarks import edits_around, edits_inside, edits_moving
from benchmarks.editing import Change
from benchmarks.samples import Sample, is_whole, language_of

Edit = Callable[[Sample, Random], Change | None]


def made(kind: str, sample: Sample, dice: Random) -> Change | None:
    """The change that an edit of this kind makes, when it is possible here and leaves every file whole."""
    change = EDITS[kind](sample, dice)
    if change is None or (change == {} and kind != "nothing"):
        return None
    for path, text in change.items():
        before = sample.files.get(path)
        if text is not None and (text == before or not is_whole(text.replace("\r\n", "\n"), language_of(path))):
            return None
    return change


def nothing(sample: Sample, dice: Random) -> Change:
    """No edit at all."""
    return {}


EDITS: dict[str, Edit] = {
    "nothing": nothing,
    "trailing space, blank lines": edits_around.trailing_space,
    "line ends to CRLF": edits_around.crlf,
    "indented by tabs": edits_around.tabs,
    "ruff format, other width": edits_around.formatted,
    "comment in the region": edits_around.comment_inside,
    "comment above the region": edits_around.comment_above,
    "docstring edited": edits_around.docstring,
    "far function rewritten": edits_around.far,
    "lines inserted above": edits_around.above,
    "moved within the file": edits_moving.moved_within,
    "moved to another file": edits_moving.moved_out,
    "file renamed": edits_moving.file_renamed,
    "file renamed, far function rewritten": edits_moving.file_renamed_far,
    "folder renamed": edits_moving.folder_renamed,
    "renamed everywhere": edits_inside.renamed,
    "renamed at its definition only": edits_inside.renamed_once,
    "local variable renamed": edits_inside.local_renamed,
    "a number changed": edits_inside.number_changed,
    "one line changed": edits_inside.one_line,
    "parameter added": edits_inside.parameter,
    "half of the body rewritten": edits_inside.half_rewritten,
    "body rewritten": edits_inside.rewritten,
    "deleted with its uses": edits_inside.deleted,
    "deleted, the name still used": edits_inside.deleted_used,
    "file deleted": edits_moving.file_deleted,
    "file replaced by another": edits_moving.file_replaced,
    "copied elsewhere": edits_moving.copied,
}
