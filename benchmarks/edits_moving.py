"""Edits that move, copy, delete or replace: a definition, its file, its folder."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from random import Random

from benchmarks.editing import Change, uses_replaced, with_lines
from benchmarks.edits_around import far
from benchmarks.samples import Sample, has_word


def moved_within(sample: Sample, dice: Random) -> Change | None:
    """The definition after the last one that follows it in the same block."""
    lines, target = sample.lines, sample.target
    later = [one for one in sample.others if one.first > target.last and one.indent == target.indent]
    same = [one for one in later if _one_block(lines[target.last : one.last], target.indent)]
    if not same:
        return None
    text, after = lines[target.first - 1 : target.last], same[-1].last
    return with_lines(sample, [*lines[: target.first - 1], *lines[target.last : after], "", *text, *lines[after:]])


def _one_block(lines: Sequence[str], indent: str) -> bool:
    return all(line.startswith(indent) for line in lines if line.strip())


def moved_out(sample: Sample, dice: Random) -> Change | None:
    """The definition at the end of another file."""
    others = [p for p in sample.files if p != sample.path and not has_word(sample.files[p], sample.target.name)]
    if sample.target.indent or not others:
        return None
    lines, target = sample.lines, sample.target
    other = dice.choice(others)
    text = "\n".join(lines[target.first - 1 : target.last])
    return {
        sample.path: "\n".join([*lines[: target.first - 1], *lines[target.last :]]),
        other: f"{sample.files[other]}\n\n{text}\n",
    }


def file_renamed(sample: Sample, dice: Random) -> Change:
    """The file under another name in its folder."""
    return {sample.path: None, _other_name(sample.path): sample.files[sample.path]}


def file_renamed_far(sample: Sample, dice: Random) -> Change | None:
    """The file under another name, and another function in it rewritten."""
    change = far(sample, dice)
    return change and {sample.path: None, _other_name(sample.path): change[sample.path]}


def folder_renamed(sample: Sample, dice: Random) -> Change | None:
    """The file's folder under another name, with all that is in it."""
    folder = PurePosixPath(sample.path).parent
    if folder == PurePosixPath("."):
        return None
    below = [path for path in sample.files if PurePosixPath(path).is_relative_to(folder)]
    new = {str(folder.with_name(f"{folder.name}_next") / PurePosixPath(p).relative_to(folder)): p for p in below}
    return {**dict.fromkeys(below), **{path: sample.files[old] for path, old in new.items()}}


def file_deleted(sample: Sample, dice: Random) -> Change:
    """The file gone, its users with another name in place of the target's."""
    return {**uses_replaced(sample), sample.path: None}


def file_replaced(sample: Sample, dice: Random) -> Change:
    """A stranger's text in place of the file's, its users with another name."""
    return {**uses_replaced(sample), sample.path: sample.stranger}


def copied(sample: Sample, dice: Random) -> Change:
    """The file once more beside itself."""
    return {_other_name(sample.path): sample.files[sample.path]}


def _other_name(path: str) -> str:
    place = PurePosixPath(path)
    return str(place.with_name(f"{place.stem}_kept{place.suffix}"))
