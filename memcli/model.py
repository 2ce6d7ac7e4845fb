"""The words of mem as plain immutable records, and their canonical bytes.

Times are whole milliseconds since the epoch (UTC). Paths are relative to the repository's root with `/` between the
parts; a byte that is not UTF-8 is a lone surrogate (Python's surrogateescape). Blob ids are git's, as lower-case hex.
NamedTuples and not dataclasses: a start-up path counts every import (six dataclasses cost 12 ms, six of these 4).
"""

import json
from typing import Any, NamedTuple

RECORD_VERSION = 1

TYPES = (
    "prompt",
    "purpose",
    "progress",
    "tool_result",
    "result",
    "status",
    "action",
    "error",
    "file",
    "decision",
    "fact",
    "note",
    "preference",
    "context",
    "thinking",
)
SCOPES = ("session", "user", "workspace")
STATES = ("active", "proposed", "rejected", "superseded")
VERDICTS = ("fresh", "moved", "reformatted", "comments", "changed", "gone", "unverifiable", "superseded")


class Anchor(NamedTuple):
    """A place in the repository that a fragment speaks about, with its content at the stamp.

    `kind` is what stood at `path`: file, dir, symlink, submodule or missing. `blob` is the id of what git would store,
    `disk` the id of the bytes on disk (they differ by line ends, LFS and the like); both None for dir and missing.
    `lines` is 1-based and inclusive. `drawn` says that the author named the place (`--path`), not the text.
    `by_name` says that the text names no such path, only identifiers, and that this is where they stood.
    `tracked` says that git knew the path; an absent path that git never knew is unverifiable, not gone (law 6).
    `identifiers` are the code names in the text that occurred in the content at the stamp.
    """

    path: str
    kind: str
    blob: str | None = None
    disk: str | None = None
    lines: tuple[int, int] | None = None
    symbol: str | None = None
    drawn: bool = False
    tracked: bool = True
    identifiers: tuple[str, ...] = ()
    by_name: bool = False


class Stamp(NamedTuple):
    """What the code was when the fragment was written. `commit` and `branch` are labels, never evidence (law 2).

    `dirty` says that an anchor's bytes differed from HEAD's. `at` is the time. `roots` are the repository's root
    commits, kept for user scope only, where a fragment can be read in another repository.
    """

    commit: str | None
    branch: str | None
    dirty: bool
    at: int
    roots: tuple[str, ...] = ()


class Fragment(NamedTuple):
    """One remembered conclusion. `base` is the confidence at its stamp, 0 to 1; the confidence itself is never stored
    here: it is a function of the fragment and a tree (law 1)."""

    id: str
    key: str | None
    type: str
    scope: str
    state: str
    text: str
    base: float
    stamp: Stamp
    anchors: tuple[Anchor, ...] = ()
    parents: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    source: str = "save"
    author: str = ""
    session: str | None = None
    created: int = 0
    updated: int = 0
    approved: int | None = None

    @property
    def name(self) -> str:
        """How people call it: its key, or else the first letters of its id."""
        return self.key or self.id[:SHORT_ID]


SHORT_ID = 8


class AnchorDrift(NamedTuple):
    """How far one anchor is from its stamp: `drift` 0 to 1, `path` where it is now, `was` where it was if that is
    elsewhere, `evidence` in words; `lines` (1-based, inclusive) where the region that its author drew stands now."""

    path: str
    was: str | None
    verdict: str
    drift: float
    evidence: str
    lines: tuple[int, int] | None = None


class Assessment(NamedTuple):
    """A fragment's confidence on one tree, with the drift of each of its anchors in their order.

    `evidence` is the one phrase that explains it best, empty when nothing changed.
    """

    confidence: float
    verdict: str
    evidence: str = ""
    anchors: tuple[AnchorDrift, ...] = ()


class View(NamedTuple):
    """A fragment as it reads on the tree it is asked about. `tokens` of its line in a block, None when not counted;
    `notes` are remarks on how it came here (`earlier session`, `on branch feature`)."""

    fragment: Fragment
    assessment: Assessment
    tokens: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The fragment's id."""
        return self.fragment.id

    @property
    def key(self) -> str | None:
        """The fragment's key."""
        return self.fragment.key

    @property
    def text(self) -> str:
        """The fragment's text."""
        return self.fragment.text

    @property
    def confidence(self) -> float:
        """Its confidence on this tree, 0 to 1."""
        return self.assessment.confidence

    @property
    def verdict(self) -> str:
        """Its verdict on this tree, one of VERDICTS."""
        return self.assessment.verdict


def encode(fragment: Fragment) -> bytes:
    """Canonical bytes of a fragment: sorted keys, no spaces, ASCII, empty fields left out. `decode` gives it back."""
    return canonical({"v": RECORD_VERSION, **_slim(fragment)})


def decode(data: bytes) -> Fragment:
    """The fragment that `encode` wrote. Unknown fields of later versions are passed over.

    Raises ValueError (KeyError, TypeError) when the bytes are not such a record.
    """
    raw, end = _scan(data.decode("ascii"))
    if end != len(data):
        raise ValueError("more than a record")
    return from_record(raw)


_scan = json.JSONDecoder().raw_decode  # json.loads without its looks at white space, a tenth of the time of a record


def from_record(raw: dict[str, Any]) -> Fragment:
    """A fragment from the mapping that `encode` wrote as JSON. Spelt out field by field, because it is done for every
    fragment that is read; the defaults are those of the records."""
    get = raw.get
    return Fragment(
        raw["id"],
        get("key"),
        raw["type"],
        raw["scope"],
        raw["state"],
        raw["text"],
        raw["base"],
        _stamp(raw["stamp"]),
        tuple(_anchor(anchor) for anchor in get("anchors", ())),
        tuple(get("parents", ())),
        tuple(get("supersedes", ())),
        get("superseded_by"),
        get("source", "save"),
        get("author", ""),
        get("session"),
        get("created", 0),
        get("updated", 0),
        get("approved"),
    )


def _stamp(raw: dict[str, Any]) -> Stamp:
    return Stamp(raw["commit"], raw["branch"], raw["dirty"], raw["at"], tuple(raw.get("roots", ())))


def _anchor(raw: dict[str, Any]) -> Anchor:
    get, lines = raw.get, raw.get("lines")
    return Anchor(
        raw["path"],
        raw["kind"],
        get("blob"),
        get("disk"),
        None if lines is None else tuple(lines),
        get("symbol"),
        get("drawn", False),
        get("tracked", True),
        tuple(get("identifiers", ())),
        get("by_name", False),
    )


def canonical(value: object) -> bytes:
    """JSON with one spelling for each value; lone surrogates stay escapes, so any path survives."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def _slim(record: Any) -> dict[str, Any]:
    """A record as a mapping without the fields that hold their default."""
    defaults = record._field_defaults
    slim = {}
    for name, value in zip(record._fields, record, strict=True):
        if name in defaults and value == defaults[name]:
            continue
        if hasattr(value, "_fields"):
            value = _slim(value)
        elif isinstance(value, tuple):
            value = [_slim(item) if hasattr(item, "_fields") else item for item in value]
        slim[name] = value
    return slim
