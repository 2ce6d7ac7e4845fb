"""How far content has moved from a stamp, and what that does to confidence. Pure: values in, values out.

The figures come from DRIFT.md's measurement: 2,260 documentation lines in 34 public repositories, each judged when its
document was next edited.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from math import log
from typing import NamedTuple

from memcli.align import Lines, aligned
from memcli.fingerprint import Fingerprint
from memcli.model import AnchorDrift, Assessment

PATH_GONE = 0.23  # share of lines that stayed true although a path they name is gone (24 % by the labels)
LITERAL_GONE = 0.20  # a named identifier that is nowhere in the code any more: stale 86 % of the time
WORDS_DELETED = 0.20  # what is lost when every line that holds the note's words was deleted (19 → 41 % stale)
ASIDE = 0.25  # what a place weighs that only a name in the text led to, beside the text's own
REMAINS = 0.10  # a file of whose stamped words under a tenth remain counts as gone
SIMILAR = 0.5  # share of lines in common that makes another path the same file (git's threshold for a rename)

_WRAPPED = 4  # tokens; a shorter line found inside another proves nothing

#: most to least, as law 5 grades; a fragment's verdict is its worst anchor's
ORDER = ("gone", "changed", "comments", "reformatted", "moved", "fresh", "unverifiable")


class Change(NamedTuple):
    """How a content differs from the stamped one: verdict fresh, reformatted, comments, changed, or opaque (one of them
    is no text, or too large); numbers (from 1) of the stamped lines that the new content lacks, wherever they moved in
    it; share of the stamped words that remain; of the words that stand in fewer lines now, how much fewer, 0 to 1."""

    verdict: str
    deleted: tuple[int, ...] = ()
    remaining: float = 1.0
    fewer: Mapping[str, float] = {}


class Finding(NamedTuple):
    """What was found of one anchor on a tree, before it is weighed.

    `gone`: the place itself is gone. `share`, 0 to 1: how much of what the fragment speaks about was deleted, of the
    lines that hold its words or, when `drawn`, of the region that its author named. `missing`: named identifiers that
    no code holds any more. `lines`: where the drawn region stands now. `aside`: the text has places of its own, and
    names no such path, only what stands there.
    """

    path: str
    was: str | None = None
    verdict: str = "fresh"
    gone: bool = False
    share: float = 0.0
    drawn: bool = False
    missing: tuple[str, ...] = ()
    evidence: str = ""
    lines: tuple[int, int] | None = None
    aside: bool = False


def compare(old: Fingerprint, new: Fingerprint) -> Change:
    """What became of the old content in the new one."""
    if old.exact == new.exact:
        return Change("fresh")
    if old.binary or new.binary:
        return Change("opaque")
    if old.shape == new.shape:
        return Change("reformatted")
    if old.code == new.code:
        return Change("comments")
    remaining = len(old.words.keys() & new.words.keys()) / len(old.words) if old.words else 1.0
    fewer = {word: round(1 - len(new.words.get(word, ())) / len(places), 4) for word, places in old.words.items()}
    fewer = {word: share for word, share in fewer.items() if share > 0}
    return Change("changed", tuple(deleted_lines(old.lines, new.lines)), remaining, fewer)


def deleted_lines(old: Lines, new: Lines) -> list[int]:
    """Numbers of the old lines that the new content lacks: neither as a line anywhere in it nor wrapped differently."""
    missing = _missing(old, new)
    lost: list[list[int]] = [[]]  # runs of lost lines; a line without tokens does not end one
    for number, line in enumerate(old, 1):
        if number in missing:
            lost[-1].append(number)
        elif line:
            lost.append([])
    stream = _Stream(new)

    def wrapped(numbers: list[int]) -> bool:
        tokens = [token for number in numbers for token in old[number - 1]]
        return len(tokens) >= _WRAPPED and stream.holds(tokens)

    runs = [run for run in lost if run and not wrapped(run)]
    return [number for run in runs for number in run if len(run) == 1 or not wrapped([number])]


class _Stream:
    """The tokens of a content in order, whichever lines they stand in, with the places where lines begin and end."""

    def __init__(self, lines: Lines) -> None:
        pieces = ["\0".join(line) + "\0" for line in lines if line]
        self._text = "\0" + "".join(pieces)
        self._ends = {0, *accumulate(map(len, pieces))}

    def holds(self, tokens: Sequence[str]) -> bool:
        """Whether these tokens make up some whole lines, wrapped in any way. One that grew holds them, and more."""
        wanted = "\0" + "\0".join(tokens) + "\0"
        place = self._text.find(wanted)
        while place >= 0:
            if place in self._ends and place + len(wanted) - 1 in self._ends:
                return True
            place = self._text.find(wanted, place + 1)
        return False


def _missing(old: Lines, new: Lines) -> set[int]:
    """Numbers of the old lines for which the new content has no equal one. Where several are equal and fewer are left,
    those count as lost that did not stay where they were."""
    left, wanted = Counter(new), Counter(line for line in old if line)
    short = {line for line, count in wanted.items() if left[line] < count}
    stayed = {here for here, _ in aligned(old, new)} if any(left[line] for line in short) else set()
    left.subtract(old[place] for place in stayed)
    missing = set()
    for place, line in enumerate(old):
        if line not in short or place in stayed:
            continue
        if left[line] > 0:
            left[line] -= 1
        else:
            missing.add(place + 1)
    return missing


def similarity(old: Fingerprint, new: Fingerprint) -> float:
    """Share of lines that two contents have in common, 0 to 1, of the longer one."""
    ours, theirs = (Counter(line for line in content.lines if line) for content in (old, new))
    longest = max(ours.total(), theirs.total())
    return (ours & theirs).total() / longest if longest else float(old.exact == new.exact)


def words_deleted(words: Iterable[str], old: Fingerprint, change: Change) -> tuple[float, int, int]:
    """DRIFT.md's "wod", in two halves: over the note's words, weighted by their rarity in the file, the share of the
    stamped lines holding them that were deleted, and how much fewer lines hold them now: a word that stands there still
    was changed around, one that went is gone. Gives (share 0 to 1, lines deleted, lines holding any of the words).

    Together they rank the development lines better than either (pairs .703 against .699 and .690).
    """
    gone = set(change.deleted)
    weights = lost = 0.0
    about: set[int] = set()
    for word in words:
        places = old.words.get(word)
        if places:
            weight = log(1 + len(old.lines) / len(places))
            weights += weight
            lost += weight * (len(gone.intersection(places)) / len(places) + change.fewer.get(word, 0.0)) / 2
            about.update(places)
    return (lost / weights if weights else 0.0), len(about & gone), len(about)


def assess(base: float, floor: float, findings: Sequence[Finding]) -> Assessment:
    """Weigh what was found: base × (a path gone ? 0.23 : 1 − 0.20 × words deleted, 1 − 0.77 × region deleted)
    × (a literal gone ? 0.20 : 1), the worst of the anchors counting, and never under the floor.

    What can't be compared does not decay (law 6).
    """
    if not findings:
        return Assessment(base, "unverifiable", "names nothing here that can be checked")
    place = min(_place_factor(finding) for finding in findings)
    literal = LITERAL_GONE if any(finding.missing for finding in findings) else 1.0
    factor = place * literal
    worst = min(findings, key=lambda finding: (_factor(finding), ORDER.index(finding.verdict)))
    confidence = base if factor == 1.0 else round(max(base * factor, min(floor, base)), 4)
    drifts = tuple(
        AnchorDrift(found.path, found.was, found.verdict, round(1 - _factor(found), 4), found.evidence, found.lines)
        for found in findings
    )
    return Assessment(confidence, worst.verdict, worst.evidence, drifts)


def _factor(finding: Finding) -> float:
    return _place_factor(finding) * (LITERAL_GONE if finding.missing else 1.0)


def _place_factor(finding: Finding) -> float:
    if finding.gone:
        return PATH_GONE
    if finding.drawn:
        return 1 - (1 - PATH_GONE) * finding.share
    return 1 - WORDS_DELETED * (ASIDE if finding.aside else 1.0) * finding.share
