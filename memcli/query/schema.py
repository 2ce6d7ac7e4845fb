"""The relations that a query can name, and their fields (DESIGN.md, section 6)."""

from collections.abc import Collection, Mapping
from typing import Any

FRAGMENT = (
    "id",
    "key",
    "type",
    "scope",
    "state",
    "text",
    "confidence",
    "base",
    "verdict",
    "anchors",
    "stamp",
    "parents",
    "supersedes",
    "superseded_by",
    "source",
    "author",
    "session",
    "created",
    "updated",
    "approved",
    "tokens",
)
ALIASES = {
    "value": "text",
    "namespace": "scope",
    "references": "parents",
    "createdAt": "created",
    "updatedAt": "updated",
}

SCHEMA: Mapping[str, Collection[str]] = {
    "memory": (*FRAGMENT, *ALIASES, "paths"),
    "tool_calls": ("name", "args", "result", "timestamp"),
    "tasks": ("id", "desc", "status", "rounds", "note"),
    "files": ("path", "fragments", "drift"),
    "commits": ("id", "author", "date", "subject", "paths"),
    "events": ("at", "kind", "id", "scope", "key", "by"),
}


def memory_row(fragment: Mapping[str, Any]) -> dict[str, Any]:
    """A row of `memory`: a fragment's JSON, its other names for fields, and the distinct paths of its anchors."""
    aliases = {alias: fragment.get(name) for alias, name in ALIASES.items()}
    paths = list(dict.fromkeys(anchor["path"] for anchor in fragment.get("anchors", ())))
    return {**fragment, **aliases, "paths": paths}
