"""Claims of documents as fragments in memory, each stamped at the commit that wrote it: anchors and contents of then.

Made for hundreds of claims born in as many commits: no commit's whole tree is searched. A name that stands in the code
today is looked for, as of then, in the file that defines it today; one that stands nowhere today, only in the contents
that have gone since, each read once.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from memcli import mentions
from memcli.anchoring import find_anchors, stood_at
from memcli.births import Birth, births
from memcli.claims import Claim, Document, from_root, relative_names
from memcli.context import Context
from memcli.errors import GitFailed
from memcli.fingerprint import MAX_BYTES, is_binary, text_of
from memcli.git.tree import Entry, Tree
from memcli.model import Anchor, Fragment, Stamp
from memcli.symbols import find_definition
from memcli.syntax import holds, is_documentation

Progress = Callable[[int, int], None]

_MOST_READ = 20_000  # old contents that are looked into for names that are gone: bounds the search to seconds
_EVERYWHERE = 12  # files; which of more of them defines a name is not worth looking for


class Claimed(NamedTuple):
    """A claim in a document, as a fragment without an id. `absent`: the paths it names that were not there then."""

    path: str
    claim: Claim
    fragment: Fragment
    absent: tuple[str, ...] = ()


def stamped_claims(
    ctx: Context, documents: Sequence[tuple[str, Document]], progress: Progress | None = None
) -> list[Claimed]:
    """All claims of the documents, each with the anchors that its text named at the commit that wrote it; without any
    where it names nothing. What is not committed yet is stamped now. A document of which git can't tell who wrote its
    lines (the clone lacks old contents) is left out with a note; raises GitFailed when that is so of all."""
    born: list[tuple[str, Birth]] = []
    failed: list[GitFailed] = []
    for number, (path, document) in enumerate(documents):
        try:
            born += [(path, birth) for birth in _births(ctx, path, document)]
        except GitFailed as error:
            failed.append(error)
        if progress:
            progress(number, len(documents))
    if failed and len(failed) == len(documents):
        raise failed[0]
    ctx.notes += [error.message for error in failed]
    return stamped_births(ctx, born, progress)


def _births(ctx: Context, path: str, document: Document) -> list[Birth]:
    if is_committed(ctx, path):
        return births(ctx.history, path, document)
    return [Birth(claim, None) for claim in document.claims]


def is_committed(ctx: Context, path: str) -> bool:
    """Whether HEAD has a file at the path, so that git can tell who wrote its lines."""
    head = ctx.tree.commit if ctx.tree else None
    return head is not None and ctx.history.look(head, path).kind == "file"


def stamped_births(ctx: Context, born: Sequence[tuple[str, Birth]], progress: Progress | None = None) -> list[Claimed]:
    """The claims at these paths with the anchors that they named at their births, as `stamped_claims`."""
    names = {name for _, birth in born if not birth.claim.code for name in mentions.identifiers(birth.claim.names)}
    past = _Past(ctx, names)
    found: dict[int, Claimed] = {}
    by_birth: dict[str | None, list[int]] = {}
    for number, (_, birth) in enumerate(born):
        by_birth.setdefault(birth.commit, []).append(number)
    for commit, numbers in by_birth.items():
        tree = _Then(ctx.history.tree(commit), past) if commit else ctx.tree
        assert tree is not None
        subject = ctx.history.subject(commit) if commit else None
        at = subject.time if subject else ctx.now
        for number in numbers:
            found[number] = _claimed(ctx, *born[number], tree, at)
        if progress:
            progress(len(found), 2 * len(born))
    return [found[number] for number in range(len(born))]


def _claimed(ctx: Context, path: str, birth: Birth, tree: Tree, at: int) -> Claimed:
    folder = path.rpartition("/")[0]
    names = relative_names(birth.claim.names, folder)
    if birth.claim.code:
        anchors = _places(names, folder, tree)
    else:
        anchors = [anchor for anchor in find_anchors(ctx, names, (), tree, folder).anchors if anchor.path != path]
    if birth.at:
        own, line = birth.at
        anchors = [stood_at(Anchor(own, "", drawn=True, lines=(line, line)), tree), *anchors]
    stamp = Stamp(birth.commit, None, False, at)
    text = birth.claim.text
    fragment = Fragment("", None, "note", "workspace", "active", text, 1.0, stamp, tuple(anchors), source="seed")
    absent = () if birth.claim.code else _absent(names, folder, tree, anchors)
    return Claimed(path, birth.claim, fragment, absent)


def _places(names: str, folder: str, tree: Tree) -> list[Anchor]:
    """What a line of code names: paths alone, and only by their whole name, because it may be an example."""
    found: dict[str, None] = {}
    for path in mentions.paths(names):
        for candidate in (path, from_root(path, folder) or path):
            if tree.entry(candidate).kind not in ("missing", "unknown"):
                found[candidate] = None
                break
    return [stood_at(Anchor(path, ""), tree) for path in found]


def _absent(names: str, folder: str, tree: Tree, anchors: Sequence[Anchor]) -> tuple[str, ...]:
    """The paths in a text that no anchor stands for."""
    known = {anchor.path for anchor in anchors}
    return tuple(
        path
        for path in mentions.paths(names)
        if path not in known
        and from_root(path, folder) not in known
        and not any(one.endswith(f"/{path}") for one in known)
        and tree.entry(path).kind == "missing"
    )


class _Past:
    """What holds the names that the claims speak of, today and in contents that are gone; asked by `_Then`."""

    def __init__(self, ctx: Context, names: Collection[str]) -> None:
        assert ctx.tree is not None
        self.history = ctx.history
        self._tree = ctx.tree
        self._today = ctx.tree.where(names) if names else {}
        self._places: dict[str, str | None] = {}
        self.gone = {name for name in names if name not in self._today}
        self._now = set(ctx.tree.files().values())
        self._held: dict[str, tuple[str, ...]] = {}
        self._needles = [(name, name.encode("utf-8", "surrogateescape")) for name in self.gone]

    def place_of(self, name: str) -> str | None:
        """The one file that defines the name today, or alone holds it; None where that tells no place."""
        if name not in self._places:
            paths = sorted(self._today.get(name, ()))
            if 1 < len(paths) <= _EVERYWHERE:
                paths = [path for path in paths if self._defines(path, name)]
            self._places[name] = paths[0] if len(paths) == 1 else None
        return self._places[name]

    def _defines(self, path: str, name: str) -> bool:
        data = self._tree.read(path)
        text = None if data is None or is_binary(data) else text_of(data)
        return text is not None and find_definition(text, name, path) is not None

    def held_by(self, path: str, blob: str | None) -> tuple[str, ...]:
        """Which of the names that are gone a file of then held; none if it is as it was, or is no code."""
        if blob is None or blob in self._now or is_documentation(path):
            return ()
        if blob not in self._held:
            if len(self._held) >= _MOST_READ:
                return ()
            data = self.history.blob(blob, MAX_BYTES) or b""
            if is_binary(data):  # what looks like a name in a picture is chance
                data = b""
            self._held[blob] = tuple(name for name, raw in self._needles if raw in data and holds(data, name))
        return self._held[blob]


class _Then:
    """The tree of a birth: a `Tree` whose `where` searches by what is known of today."""

    def __init__(self, tree: Tree, past: _Past) -> None:
        self._tree = tree
        self._past = past
        self._entries: dict[str, Entry] = {}

    @property
    def commit(self) -> str | None:
        """The commit of the birth."""
        return self._tree.commit

    def entry(self, path: str) -> Entry:
        """What stood at the path."""
        if path not in self._entries:
            self._entries[path] = self._tree.entry(path)
        return self._entries[path]

    def read(self, path: str) -> bytes | None:
        """The content at the path."""
        return self._tree.read(path)

    def files(self) -> Mapping[str, str | None]:
        """All files of then."""
        return self._all

    @cached_property
    def _all(self) -> Mapping[str, str | None]:
        return self._tree.files()

    def lacks(self, path: str) -> bool:
        """Whether the content of then is not in this clone."""
        return self._tree.lacks(path)

    def below(self, folder: str) -> Mapping[str, str]:
        """The files of then below a folder."""
        return self._tree.below(folder)

    def holding(self, literals: Collection[str]) -> set[str]:
        """Those of the literals that were in the code, as far as `where` finds them."""
        return set(self.where(literals))

    def where(self, literals: Collection[str]) -> Mapping[str, Collection[str]]:
        """The files of then that held the literals: the one where each stands today, or, if nowhere, any."""
        found: dict[str, Collection[str]] = {}
        for name in literals:
            path = self._past.place_of(name)
            data = self.read(path) if path else None
            if path and data is not None and holds(data, name):
                found[name] = {path}
        gone = self._past.gone.intersection(literals)
        return found | {name: self._held[name] for name in gone if name in self._held}

    @cached_property
    def _held(self) -> Mapping[str, set[str]]:
        """The names that stand nowhere today → the files that held them."""
        held: dict[str, set[str]] = {}
        for path, blob in self.files().items():
            for name in self._past.held_by(path, blob):
                held.setdefault(name, set()).add(path)
        return held

    def knew(self, path: str) -> bool:
        """Whether the history of then knew the path."""
        return self._tree.knew(path)

    def identity(self) -> str:
        """The identity of the whole tree of then."""
        return self._tree.identity()
