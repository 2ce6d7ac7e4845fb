"""Types of fragments: which one a key means, and which earlier one a new fragment hangs off (DESIGN.md, section 1)."""

import re
from collections.abc import Iterable

from memcli.errors import Usage
from memcli.model import TYPES
from memcli.text import nearest

CHAIN = ("prompt", "purpose", "progress", "tool_result", "result", "status")
RESUMABLE = frozenset({"progress", "result", "status"})

# What waits for approval when it was captured (law 15); the rest is the record of a workflow.
CONCLUSIONS = frozenset({"decision", "preference", "context", "fact", "note", "purpose", "error"})

AUTOMATIC_KEYS = frozenset({"last_action", "last_files", "checkpoint:summary"})
_AUTOMATIC_FAMILY = "session:"

_FAMILIES = {"tool": "tool_result", "thinking": "thinking", "session": "context", "checkpoint": "context"}
_WHOLE_KEYS = {"last_action": "action", "last_files": "file"}
_KEY_WORDS = (
    ("prompt", {"prompt", "goal", "task"}),
    ("purpose", {"purpose", "why", "reason"}),
    ("progress", {"progress", "wip"}),  # in_progress has the part progress
    ("result", {"result", "output", "done"}),
    ("status", {"status", "state"}),
    ("decision", {"decision", "decided"}),
    ("preference", {"preference", "prefer", "like"}),
    ("context", {"context", "env", "config"}),
    ("file", {"file", "path", "dir"}),
    ("error", {"error", "fail", "bug"}),
)
# Punctuation, humps (createUser, HTTPError) and the border between letters and digits part the words of a key.
_PARTS = r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])"

_NO_PARENTS = frozenset({"preference", "context", "thinking"})


def infer(key: str | None) -> str:
    """The type that a key means when none is given; `note` for no key and for one that says nothing."""
    if not key:
        return "note"
    folded = key.casefold()
    head, colon, _ = folded.partition(":")
    if colon and head in _FAMILIES:
        return _FAMILIES[head]
    if folded in _WHOLE_KEYS:
        return _WHOLE_KEYS[folded]
    if head in TYPES:
        return head
    parts = {part.casefold() for part in re.split(_PARTS, key)}
    return next((kind for kind, words in _KEY_WORDS if words & parts), "note")


def parent_types(kind: str) -> tuple[str, ...]:
    """The types that a fragment of this type hangs off by itself, nearest first; empty when it gets no parent."""
    if kind in _NO_PARENTS:
        return ()
    end = CHAIN.index(kind) if kind in CHAIN else CHAIN.index("tool_result") + 1
    return CHAIN[:end][::-1]


def is_automatic(key: str | None) -> bool:
    """True for the keys of state that mem itself keeps: they are replaced in place, and are no claims."""
    return key is not None and (key in AUTOMATIC_KEYS or key.startswith(_AUTOMATIC_FAMILY))


def check_type(name: str) -> str:
    """The type of this name (case and dashes aside). Raises Usage with the nearest one."""
    return one_of(name, TYPES, "type")


def one_of(name: str, known: Iterable[str], what: str) -> str:
    """The known word that `name` spells, case aside and `-` read as `_`. Raises Usage with the nearest known word."""
    words = tuple(known)
    word = name.strip().casefold().replace("-", "_")
    if word in words:
        return word
    near = nearest(word, words)
    start = f"did you mean {near}? " if near else ""
    raise Usage(f"unknown {what}: {name[:40]!r}", f"{start}{what}s are {', '.join(words)}")
