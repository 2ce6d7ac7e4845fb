"""From what an author says to anchors: the places that `--path` draws, and those that the text names by itself."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from memcli import mentions
from memcli.contents import pack_folder
from memcli.context import Context
from memcli.errors import Usage
from memcli.fingerprint import is_binary, listing_id, text_of
from memcli.git.tree import Tree
from memcli.model import Anchor, Fragment
from memcli.symbols import find_definition
from memcli.syntax import holds, is_documentation

if TYPE_CHECKING:  # saving alone does without
    from memcli.findings import Scene

_WARNINGS = 5  # lines of warnings; a long text may name hundreds of things
_LOOKED_INTO = 50  # files that hold a name and are looked into for its definition
_NAMED_FILES = 3  # files that identifiers alone may anchor a text to: a word found everywhere is about nothing


class Drawn(NamedTuple):
    """A place as an author writes it: a path, and lines (from 1, inclusive) or a symbol in it."""

    path: str
    lines: tuple[int, int] | None = None
    symbol: str | None = None


class Anchored(NamedTuple):
    """The anchors of a text, and what it names that is not there: one line each."""

    anchors: tuple[Anchor, ...]
    warnings: tuple[str, ...]


def find_anchors(
    ctx: Context, text: str, drawn: Sequence[str], tree: Tree | None = None, folder: str | None = None
) -> Anchored:
    """The anchors for a text in a tree, this context's if none is given; none outside a repository. Paths in the text
    begin at the root, or at the folder (the current one if none is given).

    Raises OutsideRepository, and Usage for lines that make no sense.
    """
    tree = tree or ctx.tree
    if tree is None or ctx.repository is None:
        return Anchored((), ())
    finder = _Finder(ctx, tree, folder)
    for spec in drawn:
        finder.draw(spec)
    for path in mentions.paths(text):
        finder.mention(path)
    finder.name(mentions.identifiers(text))
    more = len(finder.warnings) - _WARNINGS
    rest = [f"and {more} more things that the text names and are not there"] if more > 0 else []
    return Anchored(tuple(finder.anchors), (*finder.warnings[:_WARNINGS], *rest))


def completed_anchors(ctx: Context, fragment: Fragment, tree: Tree) -> tuple[Anchor, ...]:
    """The anchors of a fragment that came without their content, with what stands there in a tree and what the text
    names; as they are where the content came along."""
    bare = [anchor for anchor in fragment.anchors if not anchor.blob and anchor.kind == "missing"]
    if not bare or ctx.repository is None:
        return fragment.anchors
    finder = _Finder(ctx, tree)
    for anchor in bare:
        finder.place(stood_at(anchor, tree))
    finder.name(mentions.identifiers(fragment.text))
    found = iter(finder.anchors)
    return (*(next(found) if anchor in bare else anchor for anchor in fragment.anchors), *found)


def stood_at(anchor: Anchor, tree: Tree) -> Anchor:
    """The anchor with the content that stands at its path; what can't be told counts as not there."""
    entry = tree.entry(anchor.path)
    if entry.kind == "dir":
        listing = pack_folder(tree, anchor.path)
        return anchor._replace(kind="dir", blob=listing_id(listing) if listing else None, disk=None)
    kind = "missing" if entry.kind == "unknown" else entry.kind
    return anchor._replace(kind=kind, blob=entry.blob, disk=entry.disk)


def restamped(anchor: Anchor, text: str, scene: "Scene") -> Anchor:
    """The anchor of a text at the place where its content is now, with the content that is there."""
    tree, path = scene.tree, anchor.path
    if tree.entry(path).kind == "missing":
        path = scene.renames.place_of(anchor) or scene.renames.folder_of(anchor) or path
    if tree.entry(path).kind == "unknown":
        return anchor  # it can't be read here: what it was stays known
    now = stood_at(anchor._replace(path=path, lines=scene.contents.region_of(anchor, path)), tree)
    data = tree.read(path) if anchor.symbol else None
    if data is not None:
        now = now._replace(lines=find_definition(text_of(data), anchor.symbol or "", path))
    return now._replace(identifiers=literals_in(tree, now, text))


def literals_in(tree: Tree, anchor: Anchor, text: str) -> tuple[str, ...]:
    """The code names of a text, and the anchor's symbol, that the anchor's content holds. What counts as a literal
    existed in code: names that only documentation holds are none (DRIFT.md)."""
    return _held(tree, anchor, _with_symbol(anchor, mentions.identifiers(text)))


def _with_symbol(anchor: Anchor, names: list[str]) -> list[str]:
    own = re.findall(r"\w+", anchor.symbol or "")[-1:]
    return list(dict.fromkeys((*names, *own)))


def _held(tree: Tree, anchor: Anchor, names: Iterable[str]) -> tuple[str, ...]:
    data = tree.read(anchor.path) if anchor.kind == "file" and not is_documentation(anchor.path) else None
    if data is None or is_binary(data):
        return ()
    return tuple(name for name in names if holds(data, name))


class _Finder:
    def __init__(self, ctx: Context, tree: Tree, folder: str | None = None) -> None:
        assert ctx.repository is not None
        self._folder = ctx.repository.prefix if folder is None else folder
        self._ctx = ctx
        self._repository = ctx.repository
        self._tree = tree
        self.anchors: list[Anchor] = []
        self.warnings: list[str] = []

    def draw(self, spec: str) -> None:
        """An anchor where the author pointed; a place that isn't there is kept and warned about."""
        place = self._parse(spec)
        entry = self._tree.entry(place.path)
        anchor = stood_at(Anchor(place.path, "", drawn=True, lines=place.lines, symbol=place.symbol), self._tree)
        if entry.kind == "missing":
            self.warnings.append(f"{place.path or '.'} is not there: nothing to compare with until it is")
        self.place(anchor)

    def place(self, anchor: Anchor) -> None:
        """An anchor with its content, and with its lines if its author drew some."""
        if anchor.kind != "missing" and (anchor.symbol or anchor.lines):
            anchor = self._region(anchor)
        self.anchors.append(anchor)

    def mention(self, path: str) -> None:
        """An anchor for a path that the text names, when it is there."""
        found = self._resolve(path)
        if found is None:
            self.warnings.append(f"the text names {path}, which is not there")
        elif all(anchor.path != found for anchor in self.anchors):
            self.anchors.append(stood_at(Anchor(found, ""), self._tree))

    def name(self, identifiers: Iterable[str]) -> None:
        """Give each identifier to the anchors whose content holds it; one that none holds to the file that defines it,
        or to one that uses it: as long as it is there, the name is not gone from the code."""
        wanted = list(identifiers)
        drawn_on = any(anchor.kind == "file" for anchor in self.anchors)
        self.anchors = [a._replace(identifiers=_held(self._tree, a, _with_symbol(a, wanted))) for a in self.anchors]
        held = {name for anchor in self.anchors for name in anchor.identifiers}
        rest = [name for name in wanted if name not in held]
        where = self._tree.where(rest) if rest else {}
        for name in rest:
            if name in where:
                self._anchor_name(name, sorted(where[name], key=self._nearest))
            elif drawn_on:
                self.warnings.append(f"the text names `{name}`, which no code here holds")

    def _anchor_name(self, name: str, paths: list[str]) -> None:
        """Anchor a name to the one file that defines it, or to the only one that holds it; where there are several
        (`__init__`) and the text has places of its own, to the nearest."""
        found = (path for path in paths[:_LOOKED_INTO] if self._defines(path, name))
        defining = paths if len(paths) == 1 else list(islice(found, 2))
        target = defining[0] if len(defining) == 1 else paths[0] if self.anchors else None
        known = {anchor.path: place for place, anchor in enumerate(self.anchors)}
        if target in known:
            place = known[target]
            self.anchors[place] = self.anchors[place]._replace(identifiers=(*self.anchors[place].identifiers, name))
        elif target is not None and sum(anchor.by_name for anchor in self.anchors) < _NAMED_FILES:
            named = Anchor(target, "", identifiers=(name,), by_name=True)
            self.anchors.append(stood_at(named, self._tree))

    def _nearest(self, path: str) -> tuple[int, str]:
        """Orders files by the folders that they share with a place of the text's own."""
        own = [anchor.path for anchor in self.anchors if not anchor.by_name]
        return -max((_shared_folders(path, place) for place in own), default=0), path

    def _defines(self, path: str, name: str) -> bool:
        text = self._text(path)
        return text is not None and find_definition(text, name, path) is not None

    def _region(self, anchor: Anchor) -> Anchor:
        """The anchor with the lines it is about, cut to those that exist."""
        text = self._text(anchor.path)
        if text is None:
            self.warnings.append(f"{anchor.path} is no text, or over 1 MiB: anchored to the whole file")
            return anchor._replace(lines=None)
        if anchor.symbol:
            lines = find_definition(text, anchor.symbol, anchor.path)
            if lines is None:
                self.warnings.append(f"{anchor.path} has no definition of {anchor.symbol}: anchored to the whole file")
            return anchor._replace(lines=lines)
        assert anchor.lines is not None
        first, last = anchor.lines
        size = text.count("\n") + (not text.endswith("\n") and text != "")
        if first > size:
            self.warnings.append(f"{anchor.path} has {size} lines: anchored to the whole file")
            return anchor._replace(lines=None)
        return anchor._replace(lines=(first, min(last, size)))

    def _text(self, path: str) -> str | None:
        data = self._tree.read(path)
        return None if data is None or is_binary(data) else text_of(data)

    def _parse(self, spec: str) -> Drawn:
        """A place from `P`, `P:10`, `P:10-40` or `P#symbol`; a path that is there with such a name is that path."""
        whole = self._repository.relative(spec, self._ctx.cwd)
        if self._tree.entry(whole).kind != "missing":
            return Drawn(whole)
        path, colon, numbers = spec.rpartition(":")
        first, dash, last = numbers.partition("-")
        if colon and path and _is_line(first) and (_is_line(last) or not dash):
            return Drawn(self._repository.relative(path, self._ctx.cwd), _span(spec, int(first), int(last or first)))
        path, hash_sign, symbol = spec.rpartition("#")
        if hash_sign and path and symbol:
            return Drawn(self._repository.relative(path, self._ctx.cwd), None, symbol)
        return Drawn(whole)

    def _resolve(self, path: str) -> str | None:
        """The path in the tree that prose means: from the root, from the folder, or by a unique file name."""
        for candidate in dict.fromkeys([path, f"{self._folder}/{path}" if self._folder else path]):
            if self._tree.entry(candidate).kind not in ("missing", "unknown"):
                return candidate
        ending = f"/{path}"
        matches = [known for known in self._tree.files() if known.endswith(ending)]
        return matches[0] if len(matches) == 1 else None


def _shared_folders(path: str, other: str) -> int:
    pairs = zip(path.split("/")[:-1], other.split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _is_line(text: str) -> bool:
    """A line's number; longer than this has no file, and int() refuses what is much longer."""
    return text.isdecimal() and len(text) < 10


def _span(spec: str, first: int, last: int) -> tuple[int, int]:
    if not 0 < first <= last:
        raise Usage(f"no such lines: {spec}", "lines count from 1, the first before the last: src/a.py:10-40")
    return first, last
