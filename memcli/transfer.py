"""Export and import: fragments as JSON lines, byte-stable, states included, without any file's text."""

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from memcli import gate, kinds, scopes
from memcli.anchoring import completed_anchors, find_anchors
from memcli.contents import salt_of
from memcli.context import Context
from memcli.errors import MemError, Refused, Usage
from memcli.git.head import is_commit_id
from memcli.git.paths import HERE, is_plain
from memcli.git.tree import Tree
from memcli.model import STATES, Anchor, Fragment, Stamp, canonical, encode, from_record
from memcli.save import by_person, keep_folder, new_id, packed, with_its_key
from memcli.store import Reader, Writer
from memcli.text import iso, parse_time

_KINDS = ("file", "dir", "symlink", "submodule", "missing")
_TIMES = ("created", "updated", "approved")

#: field → the types that a line may give it; what isn't here is passed over
_LINE = {
    "text": (str,),
    **dict.fromkeys(("key", "superseded_by", "session"), (str, type(None))),
    **dict.fromkeys(("id", "type", "scope", "state", "source", "author"), (str,)),
    **dict.fromkeys(_TIMES, (str, int, type(None))),
    "base": (int, float),
    "stamp": (dict,),
    **dict.fromkeys(("anchors", "parents", "supersedes"), (list,)),
}
_STAMP = {
    **dict.fromkeys(("commit", "branch"), (str, type(None))),
    "dirty": (bool,),
    "at": (str, int, type(None)),
    "roots": (list, tuple),
}
_ANCHOR = {
    **dict.fromkeys(("path", "kind"), (str,)),
    **dict.fromkeys(("blob", "disk", "symbol"), (str, type(None))),
    "lines": (list, type(None)),
    **dict.fromkeys(("drawn", "tracked", "by_name"), (bool,)),
    "identifiers": (list,),
}


class Imported(NamedTuple):
    """What became of the lines: how many were added, updated, unchanged, proposed; (number, reason) of the others."""

    added: int
    updated: int
    unchanged: int
    proposed: int
    refused: tuple[tuple[int, str], ...]


def export(ctx: Context, states: Collection[str] = STATES, scope: str | None = None) -> Iterator[Fragment]:
    """The fragments to export, oldest first, then by id: an order that no import changes."""
    found = [
        fragment
        for shelf in ctx.shelves.values()
        for state in states
        for fragment in shelf.reader.fragments(shelf.reader.newest(state))
        if scope in (None, fragment.scope)
    ]
    return iter(sorted(found, key=lambda fragment: (fragment.created, fragment.id)))


def export_line(fragment: Fragment) -> str:
    """A fragment as one line of JSON, times in ISO-8601, without its line feed. `parse_line` gives it back."""
    # these are written though they be empty: a line without them has them filled in
    always = {"source": fragment.source, "author": fragment.author, "anchors": []}
    record = {**always, **json.loads(encode(fragment))}
    record["stamp"]["at"] = iso(fragment.stamp.at)
    for name in _TIMES:
        if record.get(name) is not None:
            record[name] = iso(record[name])
    return canonical(record).decode()


def keep_copy(ctx: Context) -> None:
    """Write the export to the file that the setting `export.auto` names (relative to the root), if it names one.

    In one step, and only when something changed. Raises Usage when it can't be written.
    """
    if ctx.settings.export_auto is None or ctx.repository is None:
        return
    path = os.path.join(ctx.repository.root or ctx.repository.git_dir, os.path.expanduser(ctx.settings.export_auto))
    data = "".join(f"{export_line(fragment)}\n" for fragment in export(ctx, scope="workspace")).encode()
    draft = f"{path}.{os.getpid()}.new"
    try:
        if os.path.exists(path):
            with open(path, "rb") as file:
                if file.read() == data:
                    return
        with open(draft, "wb") as file:
            file.write(data)
        os.replace(draft, path)
    except OSError as error:
        raise Usage(f"can't write {path}: {error.strerror}", "`mem config` says where export.auto is set") from None


def import_lines(ctx: Context, lines: Iterable[str], propose: bool = False) -> Imported:
    """Store the fragments of the lines, each in its scope, in one transaction for each scope.

    A line needs only `text`. What export wrote comes back as it was; an older version never overwrites a newer one. A
    line that can't be understood or that the gate refuses is counted and passed over.
    """
    parsed: dict[str, list[tuple[int, Fragment]]] = {"workspace": [], "user": []}
    refused: list[tuple[int, str]] = []
    trees = _Trees(ctx)
    for number, fragment in _each(ctx, lines, trees):
        if isinstance(fragment, MemError):
            refused.append((number, fragment.message))
        else:
            parsed["user" if fragment.scope == "user" else "workspace"].append((number, fragment))
    tally = dict.fromkeys(("added", "updated", "unchanged", "proposed"), 0)
    for scope, fragments in parsed.items():
        if fragments:
            with ctx.writing(scope) as writer:
                for number, given in fragments:
                    try:
                        fragment = _as_allowed(ctx, writer, given)
                    except Refused as error:
                        refused.append((number, error.message))
                        continue
                    tally[_put(writer, fragment, propose)] += 1
                    trees.keep(writer, fragment)
    return Imported(**tally, refused=tuple(sorted(refused)))


def read_lines(ctx: Context, lines: Iterable[str], name: str) -> Iterator[tuple[int, Fragment]]:
    """The fragments of the lines with the numbers of those, as an import would complete them; nothing is stored.

    Raises Usage for a line that can't be understood or that the gate refuses, at its place in `name`.
    """
    for number, fragment in _each(ctx, lines, _Trees(ctx)):
        if isinstance(fragment, MemError):
            raise Usage(f"{name}:{number}: {fragment.message}", fragment.hint or "it takes the lines of `mem export`")
        yield number, fragment


def parse_line(line: str, ctx: Context) -> Fragment:
    """The fragment that a line means, what it leaves out filled in. Raises Usage, or Refused by the gate."""
    return _fragment(_parsed(line), ctx)


def _each(ctx: Context, lines: Iterable[str], trees: "_Trees") -> Iterator[tuple[int, Fragment | MemError]]:
    """Each line's number with its fragment, or with what is wrong with the line; blank ones are passed over."""
    _ = ctx.tree  # a revision that is none is an error of its own, not one of each line
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            raw = _parsed(line)
            yield number, trees.completed(_fragment(raw, ctx), anchored="anchors" in raw)
        except MemError as error:
            yield number, error


def _parsed(line: str) -> dict[str, Any]:
    """The known fields of a line. Raises Usage."""
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError):
        raise Usage("not a line of JSON") from None
    if not isinstance(raw, dict) or "text" not in raw:
        raise Usage("no `text` in the line")
    return _typed(raw, _LINE, "the line")


def _fragment(fields: dict[str, Any], ctx: Context) -> Fragment:
    raw = dict(fields)
    raw["stamp"] = _typed(raw.get("stamp", _stamp_now(ctx)._asdict()), _STAMP, "stamp")
    raw["anchors"] = [_typed(anchor, _ANCHOR, "an anchor") for anchor in raw.get("anchors", [])]
    raw["text"], raw["key"] = gate.check_text(raw["text"]), gate.check_key(raw.get("key"))
    gate.check_secrets(raw["text"], raw["key"], [anchor.get("path", "") for anchor in raw["anchors"]])
    return _checked(from_record(_filled(raw, ctx)))


def _typed(raw: object, fields: Mapping[str, tuple[type, ...]], where: str) -> dict[str, Any]:
    """The known fields of a mapping from JSON. Raises Usage when one holds another type than it may."""
    if not isinstance(raw, dict):
        raise Usage(f"{where} is no object")
    for name, types in fields.items():
        value = raw.get(name)
        if name in raw and (not isinstance(value, types) or (isinstance(value, bool) and bool not in types)):
            raise Usage(f"`{name}` of {where} is {type(value).__name__}, not {types[0].__name__}")
    return {name: value for name, value in raw.items() if name in fields}


def _as_allowed(ctx: Context, reader: Reader, fragment: Fragment) -> Fragment:
    """The fragment as who imports may store it (law 15). An agent's counts as the agent's, whoever the line says wrote
    it; it changes nothing that a person wrote or approved, and waits where an agent's save would. Raises Refused."""
    if not ctx.asker.is_agent:
        return fragment
    known = reader.fragment(fragment.id)
    if known is not None and known != fragment and by_person(known):
        raise Refused(f"a person wrote or approved {known.name}: an agent's import can't change it")
    if known is None:
        base = min(fragment.base, gate.PROGRAM_BASE)
        fragment = fragment._replace(author=ctx.asker.name, approved=None, base=base)
    olds = [old for ident in fragment.supersedes if (old := reader.fragment(ident))]
    over = any(by_person(old) for old in (*olds, *with_its_key(reader, fragment)))
    candidate = gate.Candidate(
        fragment.text, scope=fragment.scope, is_agent=True, source="import", supersedes_person=over
    )
    if fragment.state == "active" and gate.policy(candidate, ctx.settings.approve).outcome == "propose":
        return fragment._replace(state="proposed", approved=None)
    return fragment


def _stamp_now(ctx: Context) -> Stamp:
    """The stamp of a line that brings none: it speaks about the code as it is."""
    head = ctx.repository.head() if ctx.repository else None
    return Stamp(head.commit, head.branch, False, ctx.now) if head else Stamp(None, None, False, ctx.now)


def _filled(raw: dict[str, Any], ctx: Context) -> dict[str, Any]:
    """The record with its times as milliseconds and what a short line leaves out."""
    created = _time(raw.get("created"), ctx.now)
    return {
        "id": new_id(),
        "type": kinds.infer(raw["key"]),
        "scope": "workspace",
        "state": "active",
        "base": gate.base_confidence(not ctx.asker.is_agent),
        "source": "import",
        "author": ctx.asker.name,
        **raw,
        "stamp": {
            "commit": None,
            "branch": None,
            "dirty": False,
            **raw["stamp"],
            "at": _time(raw["stamp"].get("at"), ctx.now),
        },
        "anchors": [{"path": ".", "kind": "missing", **anchor} for anchor in raw["anchors"]],
        "created": created,
        "updated": _time(raw.get("updated"), created),
        "approved": None if raw.get("approved") is None else _time(raw["approved"], 0),
    }


def _time(value: str | int | None, default: int) -> int:
    """Milliseconds within what a date can say. Raises Usage."""
    if value is None:
        return default
    return parse_time(value) if isinstance(value, str) else parse_time(iso(value))


def _checked(fragment: Fragment) -> Fragment:
    """The fragment, when every field holds what it may. Raises Usage."""
    kinds.check_type(fragment.type)
    scopes.check_scope(fragment.scope)
    scopes.check_state(fragment.state)
    gate.check_confidence(fragment.base)
    for ident in (fragment.id, *fragment.parents, *fragment.supersedes, *filter(None, [fragment.superseded_by])):
        if not isinstance(ident, str) or not re.fullmatch("[k-z]{16}", ident):
            raise Usage(f"{str(ident)[:20]!r} is not an id", "an id has sixteen letters from k to z")
    for anchor in fragment.anchors:
        _check_anchor(anchor)
    if fragment.scope == "session" and not fragment.session:
        raise Usage("a line of session scope names no session")
    return fragment


def _check_anchor(anchor: Anchor) -> None:
    """Raises Usage where a field of the anchor holds what it can't."""
    what = f"the anchor at {anchor.path[:60]!r}"
    lines = anchor.lines
    if lines is not None and not (
        len(lines) == 2 and all(isinstance(n, int) for n in lines) and 0 < lines[0] <= lines[1]
    ):
        raise Usage(f"{what} has lines that are none")
    if not all(isinstance(name, str) for name in anchor.identifiers):
        raise Usage(f"{what} has identifiers that are none")
    if anchor.kind not in _KINDS:
        raise Usage(f"{what} is of kind {anchor.kind[:20]!r}", f"there are {', '.join(_KINDS)}")
    if not all(is_commit_id(ident) for ident in (anchor.blob, anchor.disk) if ident is not None):
        raise Usage(f"{what} has a content whose id is none")
    if anchor.path != HERE and not is_plain(anchor.path):
        raise Usage(f"{what} is outside the repository")


def _put(writer: Writer, fragment: Fragment, propose: bool) -> str:
    """Store one imported fragment; tells what became of it."""
    known = writer.fragment(fragment.id)
    if known is not None and (known.updated >= fragment.updated or known == fragment):
        return "unchanged"
    for twin in writer.with_text(fragment.text) if known is None else ():
        if twin.scope == fragment.scope and twin.state == fragment.state == "active" and twin.key == fragment.key:
            return "unchanged"
    if propose and fragment.state == "active":
        return _proposed(writer, fragment, known)
    writer.put(_over(writer, fragment))
    return "added" if known is None else "updated"


def _proposed(writer: Writer, fragment: Fragment, known: Fragment | None) -> str:
    """Store the fragment for approval; a newer version of a known one beside it, which it would supersede."""
    if known is not None:
        twins = (twin for twin in writer.with_text(fragment.text) if twin.state in ("proposed", "rejected"))
        if any(known.id in twin.supersedes for twin in twins):
            return "unchanged"
        fragment = fragment._replace(id=new_id(), supersedes=(*fragment.supersedes, known.id))
    writer.put(fragment._replace(state="proposed", approved=None))
    return "proposed"


def _over(writer: Writer, fragment: Fragment) -> Fragment:
    """The fragment, after it took the place of the active one that has its key; an older one than that comes in as
    superseded."""
    for other in with_its_key(writer, fragment) if fragment.state == "active" else ():
        if other.updated > fragment.updated:
            return fragment._replace(state="superseded", superseded_by=other.id)
        writer.put(other._replace(state="superseded", superseded_by=fragment.id))
        fragment = fragment._replace(supersedes=tuple(dict.fromkeys((*fragment.supersedes, other.id))))
    return fragment


class _Trees:
    """The contents that imported anchors were stamped with, from the commits that the repository still has."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._trees: dict[str, Tree | None] = {}

    def completed(self, fragment: Fragment, anchored: bool) -> Fragment:
        """The fragment with the content of each anchor that came without one, as it was at its stamped commit, or is
        now if the line brought no stamp. Where the line named no anchors, with those that its text names."""
        stamp = fragment.stamp
        tree = self._ctx.tree if stamp == _stamp_now(self._ctx) else self._at(stamp.commit)
        if tree is None:
            return fragment
        if not anchored:
            return fragment._replace(anchors=find_anchors(self._ctx, fragment.text, (), tree).anchors)
        return fragment._replace(anchors=completed_anchors(self._ctx, fragment, tree))

    def keep(self, writer: Writer, fragment: Fragment) -> None:
        """Keep the fingerprints of a fragment's contents where git still has them."""
        if self._ctx.repository is None:
            return
        salt = salt_of(writer)
        for anchor in fragment.anchors:
            if not anchor.blob or writer.has_blob(anchor.blob):
                continue
            tree = self._at(fragment.stamp.commit) or self._ctx.tree
            if anchor.kind == "dir" and tree is not None:
                keep_folder(writer, anchor, tree)
            elif anchor.kind in ("file", "symlink"):
                data = self._content(fragment.stamp, anchor)
                if data is not None:
                    writer.set_blob(anchor.blob, packed(data, anchor, salt))

    def _content(self, stamp: Stamp, anchor: Anchor) -> bytes | None:
        tree = self._at(stamp.commit)
        if tree is not None and tree.entry(anchor.path).blob == anchor.blob:
            return tree.read(anchor.path)
        now = self._ctx.tree
        if now is not None and now.entry(anchor.path).blob == anchor.blob:
            return now.read(anchor.path)
        assert self._ctx.repository is not None
        return self._ctx.history.blob(anchor.blob or "")

    def _at(self, commit: str | None) -> Tree | None:
        if commit is None or self._ctx.repository is None:
            return None
        if commit not in self._trees:
            try:
                self._trees[commit] = self._ctx.history.tree(self._ctx.history.resolve(commit))
            except MemError:
                self._trees[commit] = None
        return self._trees[commit]
