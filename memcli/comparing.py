"""What changed in the code that a fragment speaks about, line by line, from the stamped content to the one now.

The stamped text is the store's own where it is kept, so that no old commit is needed.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memcli import read
from memcli.context import Context
from memcli.model import Anchor, AnchorDrift, Fragment, View

if TYPE_CHECKING:
    from memcli.git.patch import Hunk, Line

_AROUND = 3  # lines shown around a change, as git does
_NUMBERS = 20  # runs of changed lines that are named where their text can't be shown

Relevant = Callable[["Hunk"], list[int]]


class FileDiff(NamedTuple):
    """The change of one file. `was`: the path at the stamp, where it moved. `deleted`: it is gone. `remark`: why there
    is nothing to show, or less than the file has; empty otherwise. `whole`: the hunks are all there are."""

    path: str
    was: str | None
    verdict: str
    hunks: "tuple[Hunk, ...]" = ()
    remark: str = ""
    deleted: bool = False
    whole: bool = False


class Difference(NamedTuple):
    """The changes of a fragment's files since its stamp: those that changed."""

    view: View
    files: tuple[FileDiff, ...]


def difference(ctx: Context, ident: str, full: bool = False) -> Difference:
    """What changed since the stamp of the fragment that an id or key means: in its regions, or in its files (`full`).

    Raises UnknownId, AmbiguousId.
    """
    view = read.view(ctx, read.pick(ctx, ident))
    places: dict[tuple[str, str | None, str], list[tuple[Anchor, AnchorDrift]]] = {}
    for anchor, drift in zip(view.fragment.anchors, view.assessment.anchors, strict=False):
        places.setdefault((anchor.path, anchor.blob, drift.path), []).append((anchor, drift))
    found = (_file(ctx, view.fragment, anchors, full) for anchors in places.values()) if ctx.tree else ()
    return Difference(view, tuple(file for file in found if file is not None))


def _file(
    ctx: Context, fragment: Fragment, anchors: Sequence[tuple[Anchor, AnchorDrift]], full: bool
) -> FileDiff | None:
    anchor, drift = anchors[0]
    assert ctx.tree is not None
    entry = ctx.tree.entry(drift.path)
    same = entry.is_stamped(anchor)
    file = FileDiff(drift.path, drift.was, _worst(drift for _, drift in anchors), whole=full)
    if same:
        return file if drift.was and anchor.path != drift.path else None
    if anchor.kind not in ("file", "symlink"):
        remark = _no_file(anchor, entry.blob) if drift.verdict != "unverifiable" else drift.evidence
        return file._replace(remark=remark) if remark else None
    if drift.verdict == "unverifiable" and drift.evidence:
        return file._replace(remark=drift.evidence)
    new = ctx.tree.read(drift.path)
    if new is None and entry.kind in ("file", "symlink", "unknown"):
        return file._replace(remark="can't be read here, or is too large to compare")
    return _compared(ctx, fragment, anchors, file._replace(deleted=new is None), new or b"")


def _compared(
    ctx: Context, fragment: Fragment, anchors: Sequence[tuple[Anchor, AnchorDrift]], file: FileDiff, new: bytes
) -> FileDiff:
    from memcli import fingerprint
    from memcli.git.patch import hunks

    anchor = anchors[0][0]
    packed = ctx.shelf(fragment).reader.blob(anchor.blob) if anchor.blob else None
    if packed is not None and fingerprint.is_hashed(packed) and not fingerprint.unpack(packed, anchor.path).binary:
        return file._replace(remark=_numbers(ctx, fragment, anchors, file))
    if packed is not None and fingerprint.is_hashed(packed):
        return file._replace(remark="binary files differ")
    old = packed[1:] if packed is not None else ctx.history.blob(anchor.blob or "", fingerprint.MAX_BYTES)
    if old is None:
        return file._replace(remark="its stamped content is not kept, and not in this clone")
    if fingerprint.is_binary(old) or fingerprint.is_binary(new):
        return file._replace(remark="binary files differ")
    found = hunks(old, new)
    if file.whole:
        return file._replace(hunks=found)
    tests = [_relevant(fragment, anchor, drift, old, new) for anchor, drift in anchors]
    shown = [(hunk, sorted({line for test in tests for line in test(hunk)})) for hunk in found]
    kept = tuple(_cut(hunk, lines) if file.deleted else hunk for hunk, lines in shown if lines)
    return file._replace(hunks=kept, remark="" if kept or not found else "changed elsewhere only: --full shows where")


def _relevant(fragment: Fragment, anchor: Anchor, drift: AnchorDrift, old: bytes, new: bytes) -> Relevant:
    """Tells which lines of a hunk, by their places in it, change what the fragment speaks about at an anchor: lines of
    its author's region, then or now, or lines that hold its words."""
    from memcli import fingerprint
    from memcli.findings import about

    if anchor.lines is None:
        words = about(fragment, anchor)
        then, now = (
            {number for word in words for number in content.words.get(word, ())}
            for content in (fingerprint.of_content(old, anchor.path), fingerprint.of_content(new, drift.path))
        )
        return lambda hunk: [
            place for place, line in enumerate(hunk.lines)
            if (line.origin == "-" and line.old in then) or (line.origin == "+" and line.new in now)
        ]  # fmt: skip
    first, last = anchor.lines
    span = drift.lines or (0, 0)

    def in_region(hunk: "Hunk") -> list[int]:
        found, before = [], hunk.old_start - 1
        for place, line in enumerate(hunk.lines):
            before = line.old or before
            inside = first <= before < last or (line.new is not None and span[0] <= line.new <= span[1])
            if (line.origin == "-" and first <= before <= last) or (line.origin == "+" and inside):
                found.append(place)
        return found

    return in_region


def _cut(hunk: "Hunk", lines: Sequence[int]) -> "Hunk":
    """The part of a deleted file's hunk around these of its lines."""
    first, last = max(0, lines[0] - _AROUND), lines[-1] + _AROUND + 1
    part = hunk.lines[first:last]
    return hunk._replace(old_start=hunk.old_start + first, old_lines=_count(part), lines=part)


def _count(lines: "Iterable[Line]") -> int:
    return sum(line.old is not None for line in lines)


def _numbers(ctx: Context, fragment: Fragment, anchors: Sequence[tuple[Anchor, AnchorDrift]], file: FileDiff) -> str:
    """What can be said of a content of which only hashes are kept."""
    anchor = anchors[0][0]
    change = None if file.deleted else ctx.shelf(fragment).checker.scene.contents.change(anchor, file.path)
    said = "only hashes of its stamped content are kept"
    if change is None or not change.deleted:
        return f"{said}; it is gone" if file.deleted else f"{said}; no line of them was lost"
    regions = [anchor.lines for anchor, _ in anchors if anchor.lines]
    numbers = [n for n in change.deleted if file.whole or not regions or any(a <= n <= b for a, b in regions)]
    return f"{said}; changed lines of it: {_runs(numbers) or 'none of those it speaks about'}"


def _runs(numbers: Sequence[int]) -> str:
    """`3, 7-9` for 3, 7, 8, 9."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    words = [str(first) if first == last else f"{first}-{last}" for first, last in runs]
    return ", ".join(words[:_NUMBERS]) + (" …" if len(words) > _NUMBERS else "")


def _no_file(anchor: Anchor, now: str | None) -> str:
    """What can be said of a folder, a submodule, or what was not there."""
    if anchor.kind == "submodule" and anchor.blob and now:
        return f"submodule: {anchor.blob[:10]} → {now[:10]}"
    return "it is gone" if anchor.kind in ("dir", "submodule") else ""


def _worst(drifts: Iterable[AnchorDrift]) -> str:
    return max(drifts, key=lambda drift: drift.drift).verdict
