"""The confidence of fragments on a tree: compares each anchor with its stamp, remembering what was compared.

Every read goes through here (law 9), so an answer is right even if no sweep ever ran. The common case, in which every
anchor's content is the stamped one, needs neither git nor the modules that compare.
"""

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.errors import GitFailed
from memcli.git.tree import RepositoryTree
from memcli.model import AnchorDrift, Assessment, Fragment, canonical
from memcli.store import Writer
from memcli.store.databases import digest

if TYPE_CHECKING:  # what reads of unchanged files do without is imported where it is used
    from memcli.contents import Kept
    from memcli.drift import Finding
    from memcli.findings import Found, Scene
    from memcli.lookout import Lookout

# raised whenever the same content may get another verdict than before: remembered ones are then passed over
FORMULA = 2
OF_TREE = "tree"  # what is remembered under a content whose verdict depends on the whole tree


class _Trace(NamedTuple):
    """What else than its content a remembered verdict hangs on: the numbers of the anchors that were searched for, and
    the literals that were looked for in the whole tree. With the same answers the verdict is the same."""

    content: bytes
    searched: list[int]
    literals: list[str]


class _Open(NamedTuple):
    """A fragment whose findings are made but for the literals that must be looked for in the whole tree. `trace` is
    what they hang on beside the fragment's content, None where that can't be told."""

    fragment: Fragment
    content: bytes
    found: list["Found"]
    trace: _Trace | None


class Checker:
    """Assesses fragments of one store on one tree. What it learns can be written back with `remember`."""

    def __init__(
        self, tree: RepositoryTree | None, reader: "Kept", floor: float, roots: Callable[[], tuple[str, ...]]
    ) -> None:
        self._tree = tree
        self._reader = reader
        self._floor = floor
        self._roots = roots
        self._held: dict[str, bool] = {}
        self._holders: dict[str, Collection[str]] = {}
        self._verdicts: dict[tuple[str, bytes], Assessment | str | dict[str, Any]] = {}
        self._of_tree: set[tuple[str, bytes]] = set()

    def assess(self, fragment: Fragment) -> Assessment:
        """The fragment's confidence on this tree."""
        return self.assess_all([fragment])[0]

    def assess_all(self, fragments: Sequence[Fragment]) -> list[Assessment]:
        """The confidence of each, in their order, with one pass over the tree for all the literals together."""
        if self._tree is not None:
            self._tree.entries({anchor.path for fragment in fragments for anchor in fragment.anchors})
        answers: dict[int, Assessment] = {}
        traces: dict[int, _Trace | bytes] = {}
        for place, fragment in enumerate(fragments):
            found = self._at_once(fragment) or self._remembered(fragment)
            if isinstance(found, Assessment):
                answers[place] = found
            else:
                traces[place] = found
        self._look_for({name for trace in traces.values() if isinstance(trace, _Trace) for name in trace.literals})
        unsettled: dict[int, _Open] = {}
        for place, trace in traces.items():
            known = self._retraced(fragments[place], trace) if isinstance(trace, _Trace) else None
            if known is not None:
                answers[place] = known
            else:
                unsettled[place] = self._open(fragments[place], trace.content if isinstance(trace, _Trace) else trace)
        opened = [found for one in unsettled.values() for found in one.found]
        self._look_for({literal for found in opened for literal in found.wanted})
        self._ask_for({name for found in opened for name in found.called})
        answers.update((place, self._settle(opened)) for place, opened in unsettled.items())
        return [answers[place] for place in range(len(fragments))]

    @cached_property
    def scene(self) -> "Scene":
        """What anchors were stamped with, what stands in their place now, and the search for what left it. Only where
        there is a tree."""
        from memcli.contents import Contents
        from memcli.findings import Scene
        from memcli.renames import Renames

        assert self._tree is not None
        contents = Contents(self._tree, self._reader)
        return Scene(self._tree, contents, Renames(self._tree, self._reader, contents, self._lookout))

    @cached_property
    def _lookout(self) -> "Lookout":
        from memcli.lookout import Lookout

        assert self._tree is not None
        return Lookout(self._tree, self._reader)

    def is_here(self, fragment: Fragment) -> bool:
        """Whether the tree is of the repository that the fragment's anchors are in: they share a root commit, or, where
        one of them can't be seen (a shallow clone, nothing committed), all the content."""
        if fragment.scope != "user" or not fragment.anchors:
            return True
        if self._tree is None:
            return False
        then, now = set(fragment.stamp.roots), set(self._roots())
        if then and now:
            return not then.isdisjoint(now)
        return all(self._tree.entry(anchor.path).is_stamped(anchor) for anchor in fragment.anchors)

    def remember(self, writer: Writer, is_still: Callable[[str], bool] = lambda _: True) -> None:
        """Write what was learned to the store it came from. `is_still` says whether the tree still has this identity:
        what depends on the whole tree is forgotten if a file changed while it was looked at."""
        if "scene" in self.__dict__:
            self.scene.contents.remember(writer)
        if "_lookout" in self.__dict__:
            self._lookout.remember(writer, is_still)
        steady = not self._of_tree or is_still(self._tree_identity)
        for (ident, content), found in self._verdicts.items():
            if steady or (found != OF_TREE and (ident, content) not in self._of_tree):
                writer.set_verdict(ident, content, found)

    # one fragment

    def _at_once(self, fragment: Fragment) -> Assessment | None:
        """The answer that needs no comparison."""
        if fragment.state == "superseded":
            return Assessment(0.0, "superseded", "superseded")
        if not fragment.anchors:
            return Assessment(fragment.base, "unverifiable", "names nothing here that can be checked")
        if self._tree is None:
            return _unverifiable(fragment, "no repository here to compare with")
        if not self.is_here(fragment):
            return _unverifiable(fragment, "speaks about another repository")
        if all(self._tree.entry(anchor.path).is_stamped(anchor) for anchor in fragment.anchors):
            return Assessment(
                fragment.base,
                "fresh",
                "",
                tuple(AnchorDrift(anchor.path, None, "fresh", 0.0, "", anchor.lines) for anchor in fragment.anchors),
            )
        return None

    def _open(self, fragment: Fragment, content: bytes) -> _Open:
        from memcli.findings import find

        found: list[Found] = []
        searched: list[int] = []
        traceable = True
        for number, anchor in enumerate(fragment.anchors):
            before = self.scene.renames.asked
            found.append(find(fragment, anchor, self.scene))
            if self.scene.renames.asked != before:
                searched.append(number)
            asked = searched[-1:] == [number]
            # a region is looked for in files of any name, and whether git ever knew a path hangs on the history
            free = found[-1].called or (asked and not anchor.tracked) or (found[-1].searched and not asked)
            traceable = traceable and not free
        wanted = sorted({literal for one in found for literal in one.wanted})
        return _Open(fragment, content, found, _Trace(content, searched, wanted) if traceable else None)

    def _content(self, fragment: Fragment) -> bytes:
        """A digest of all that the answer is a function of, but for the rest of the tree."""
        assert self._tree is not None
        entries = [self._tree.entry(anchor.path) for anchor in fragment.anchors]
        said = [fragment.base, fragment.key, fragment.text, fragment.anchors]
        return digest(canonical([FORMULA, self._floor, said, entries]))

    def _remembered(self, fragment: Fragment) -> Assessment | _Trace | bytes:
        """The verdict on the fragment's content as it is now, or what else it hangs on; that content's digest where
        there is neither."""
        content = self._content(fragment)
        raw = self._reader.verdict(fragment.id, content)
        if isinstance(raw, dict):
            return _Trace(content, raw["searched"], raw["literals"])
        if raw == OF_TREE:
            raw = self._reader.verdict(fragment.id, self._with_tree(content))
        return _assessment(raw) if raw else content

    def _retraced(self, fragment: Fragment, trace: _Trace) -> Assessment | None:
        """The remembered verdict, if what it hangs on is as it was."""
        try:
            raw = self._reader.verdict(fragment.id, self._answered(fragment, trace))
        except GitFailed:
            return None
        return _assessment(raw) if raw else None

    def _answered(self, fragment: Fragment, trace: _Trace) -> bytes:
        """A digest of the content, of what else the verdict hangs on, and of what the tree says to that."""
        assert self._tree is not None
        renames = self.scene.renames
        anchors = [fragment.anchors[number] for number in trace.searched]
        places = [renames.folder_of(anchor) if anchor.kind == "dir" else renames.place_of(anchor) for anchor in anchors]
        entries = [self._tree.entry(place) if place else None for place in places]
        missing = [name for name in trace.literals if self._held.get(name) is False]
        return digest(canonical([trace.content.hex(), trace.searched, trace.literals, places, entries, missing]))

    def _with_tree(self, content: bytes) -> bytes:
        return digest(content, self._tree_identity)

    @cached_property
    def _tree_identity(self) -> str:
        assert self._tree is not None
        try:
            return self._tree.identity()
        except GitFailed:  # a broken index, say: then nothing is remembered of this tree, under no name
            return os.urandom(16).hex()

    def _settle(self, opened: _Open) -> Assessment:
        from memcli import drift

        fragment, content, trace, found = opened.fragment, opened.content, opened.trace, self._placed(opened)
        answer = drift.assess(fragment.base, self._floor, [self._with_literals(one) for one in found])
        if not all(one.lasting for one in found):
            return answer
        if trace is None:
            self._verdicts[fragment.id, content] = OF_TREE
            content = self._with_tree(content)
            self._of_tree.add((fragment.id, content))
        elif trace.searched or trace.literals:
            self._verdicts[fragment.id, content] = {"searched": trace.searched, "literals": trace.literals}
            content = self._answered(fragment, trace)
        self._verdicts[fragment.id, content] = answer
        return answer

    def _placed(self, opened: _Open) -> list["Found"]:
        """The findings, those of regions that left their file with the place where they are now."""
        from memcli.findings import elsewhere

        anchors = zip(opened.found, opened.fragment.anchors, strict=True)
        return [elsewhere(one, anchor, self._holders, self.scene) if one.called else one for one, anchor in anchors]

    def _with_literals(self, found: "Found") -> "Finding":
        finding = found.finding
        missing = tuple(literal for literal in found.wanted if self._held.get(literal) is False)
        if not missing:
            return finding
        names = ", ".join(f"`{name}`" for name in missing)
        words = f"{names} {'is' if len(missing) == 1 else 'are'} nowhere in the code any more"
        return finding._replace(
            missing=missing, verdict="gone", evidence=f"{finding.evidence}; {words}" if finding.gone else words
        )

    def _ask_for(self, names: Iterable[str]) -> None:
        """Which files hold these names, in one pass over the tree for all of them."""
        unknown = set(names) - self._holders.keys()
        if unknown and self._tree is not None:
            found = self._tree.where(unknown)
            self._holders.update((name, found.get(name, ())) for name in unknown)

    def _look_for(self, literals: Iterable[str]) -> None:
        wanted = set(literals) - self._held.keys()
        if wanted and self._tree is not None:
            held = self._lookout.holding(wanted)
            self._held.update((literal, literal in held) for literal in wanted)


def _unverifiable(fragment: Fragment, why: str) -> Assessment:
    drifts = tuple(AnchorDrift(anchor.path, None, "unverifiable", 0.0, why) for anchor in fragment.anchors)
    return Assessment(fragment.base, "unverifiable", why, drifts)


def _assessment(raw: list[Any]) -> Assessment:
    confidence, verdict, evidence, anchors = raw
    return Assessment(confidence, verdict, evidence, tuple(_anchor_drift(*anchor) for anchor in anchors))


def _anchor_drift(
    path: str, was: str | None, verdict: str, drift: float, evidence: str, lines: list[int] | None = None
) -> AnchorDrift:
    return AnchorDrift(path, was, verdict, drift, evidence, (lines[0], lines[1]) if lines else None)
