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

# raised whenever the same content may get another verdict than before: remembered ones are then passed over
FORMULA = 2
OF_TREE = "tree"  # what is remembered under a content whose verdict depends on the whole tree


class _Open(NamedTuple):
    """A fragment whose findings are made but for the literals that must be looked for in the whole tree."""

    fragment: Fragment
    content: bytes
    found: list["Found"]


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
        self._verdicts: dict[tuple[str, bytes], Assessment | str] = {}
        self._of_tree: set[tuple[str, bytes]] = set()

    def assess(self, fragment: Fragment) -> Assessment:
        """The fragment's confidence on this tree."""
        return self.assess_all([fragment])[0]

    def assess_all(self, fragments: Sequence[Fragment]) -> list[Assessment]:
        """The confidence of each, in their order, with one pass over the tree for all the literals together."""
        if self._tree is not None:
            self._tree.entries({anchor.path for fragment in fragments for anchor in fragment.anchors})
        answers: dict[int, Assessment] = {}
        unsettled: dict[int, _Open] = {}
        for place, fragment in enumerate(fragments):
            found = self._at_once(fragment) or self._open(fragment)
            if isinstance(found, Assessment):
                answers[place] = found
            else:
                unsettled[place] = found
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
        return Scene(self._tree, contents, Renames(self._tree, self._reader, contents))

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
            self.scene.renames.remember(writer)
        looked_around = OF_TREE in self._verdicts.values()
        steady = not looked_around or is_still(self._tree_identity)
        for (ident, content), assessment in self._verdicts.items():
            if steady or (assessment != OF_TREE and (ident, content) not in self._of_tree):
                writer.set_verdict(ident, content, assessment)

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

    def _open(self, fragment: Fragment) -> Assessment | _Open:
        content = self._content(fragment)
        known = self._remembered(fragment.id, content)
        if known is not None:
            return known
        from memcli.findings import find

        found = [find(fragment, anchor, self.scene) for anchor in fragment.anchors]
        return _Open(fragment, content, found)

    def _content(self, fragment: Fragment) -> bytes:
        """A digest of all that the answer is a function of, but for the rest of the tree."""
        assert self._tree is not None
        entries = [self._tree.entry(anchor.path) for anchor in fragment.anchors]
        said = [fragment.base, fragment.key, fragment.text, fragment.anchors]
        return digest(canonical([FORMULA, self._floor, said, entries]))

    def _remembered(self, ident: str, content: bytes) -> Assessment | None:
        """A verdict on this content; where it depends on the whole tree, on this very tree."""
        raw = self._reader.verdict(ident, content)
        if raw == OF_TREE:
            raw = self._reader.verdict(ident, self._with_tree(content))
        return _assessment(raw) if raw else None

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

        fragment, content, found = opened.fragment, opened.content, self._placed(opened)
        answer = drift.assess(fragment.base, self._floor, [self._with_literals(one) for one in found])
        if not all(one.lasting for one in found):
            return answer
        if any(one.of_tree for one in found):
            self._verdicts[fragment.id, content] = OF_TREE
            content = self._with_tree(content)
            self._of_tree.add((fragment.id, content))
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
            held = self._tree.holding(wanted)
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
