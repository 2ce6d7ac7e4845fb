"""What was found out by looking through all of a tree, and how much of that still stands on the tree as it is now.

Where a vanished file is, and which code holds a name, are questions to the whole repository. A sweep keeps the answers
with a snapshot of the tree that they are true of; on a later tree only what changed since is looked at. The answers are
the same as those of a look at everything (tests/deeds/test_lookout.py).
"""

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from memcli.contents import Kept
from memcli.errors import GitFailed
from memcli.git.tree import UNSEEN, RepositoryTree
from memcli.listing import Nearness
from memcli.store import Writer
from memcli.syntax import is_documentation

_FORMULA = 1  # raised whenever the same tree may get other answers than before
_FEW = 500  # changed files that git searches for names one by one; of more it searches all


class Place(NamedTuple):
    """Where a vanished content is: `path`, None for nowhere; `exact`: the very content. `horizon`: the farthest file
    that it was compared with, None when that were all that come into question. `whole`: the stamped content was kept,
    so that like ones could be looked for."""

    path: str | None
    exact: bool = False
    horizon: Nearness | None = None
    whole: bool = True


def _is_clean(snapshot: Mapping[str, Any] | None) -> bool:
    return snapshot is not None and not snapshot["dirty"]


class _Look(NamedTuple):
    snapshot: Mapping[str, Any] | None
    identity: str


Question = tuple[str, str, bool]  # path and blob of what vanished, and whether git knew it when it was stamped


class Lookout:
    """The answers that a store keeps of a work tree, brought up to date question by question."""

    def __init__(self, tree: RepositoryTree, kept: Kept) -> None:
        self._tree = tree
        self._kept = kept
        self._places: dict[Question, Place] = {}
        self._witnesses: dict[str, str | None] = {}
        self.news = False  # whether anything was learned that the store does not know

    def remember(self, writer: Writer, is_still: Callable[[str], bool]) -> None:
        """Write the answers, with the tree that they are true of, to the store they came from; not if the tree has
        changed while it was looked at: `is_still` is asked whether it has this identity."""
        if not self.news or not self._tree.name or not is_still(self._look.identity):
            return
        places, witnesses = self._places, self._witnesses
        if self._stands and not self.changed:  # the same tree: what nobody asked for this time is true as well
            places, witnesses = self._kept_places | places, self._kept_witnesses | witnesses
        answers = [[*question, *place] for question, place in sorted(places.items())]
        record = {"formula": _FORMULA, "snapshot": self._look.snapshot, "places": answers, "literals": witnesses}
        writer.set_meta(self._name, record)

    @cached_property
    def changed(self) -> Mapping[str, bool]:
        """The paths that may differ from when the answers were found (see `RepositoryTree.changed_since`)."""
        return self._changed or {}

    @cached_property
    def changed_files(self) -> Mapping[str, str | None]:
        """Those of the changed paths that are files of the tree → their blob ids."""
        files = self._tree.listed(self.changed)
        unread = self._tree.entries([path for path, blob in files.items() if blob is None])
        return {**files, **{path: entry.blob for path, entry in unread.items()}}

    # vanished contents

    def place(self, question: Question) -> Place | None:
        """The answer that was kept, true of the tree but for what changed since; None when there is none."""
        tracked = question[2]
        if not self._stands or not (tracked or self._memory["snapshot"]["commit"] == self._tree.commit):
            return None  # whether git knows a path by now hangs on the history
        return self._kept_places.get(question)

    def found(self, question: Question, place: Place) -> None:
        """Take an answer that is true of the tree now."""
        self._places[question] = place
        self.news = self.news or bool(self.changed) or not self._stands or self._kept_places.get(question) != place

    # names

    def holding(self, literals: Collection[str]) -> set[str]:
        """Those of the literals that the tree's code holds; all where git can't search: only evidence decays."""
        wanted = set(literals) - self._witnesses.keys()
        try:
            if wanted:
                found = self._unchanged(wanted)
                rest = wanted - found.keys()
                seen = self._tree.witnesses(rest) if rest else {}
                self._witnesses |= found | {literal: seen.get(literal) for literal in rest}
                self.news = self.news or bool(rest) or bool(self.changed)
        except GitFailed:
            return {literal for literal in literals if self._witnesses.get(literal, literal) is not None}
        return {literal for literal in literals if self._witnesses[literal] is not None}

    def _unchanged(self, wanted: Collection[str]) -> dict[str, str | None]:
        """The answers that stand, after a look at the changed files, where there are few, and at submodules."""
        if not (self._stands and _is_clean(self._memory["snapshot"]) and _is_clean(self._look.snapshot)):
            return {}  # what is not committed is known by stats alone, which two writes in a moment can leave the same
        known = {name: self._kept_witnesses[name] for name in wanted if name in self._kept_witnesses}
        doubtful = {name for name, path in known.items() if path in (None, UNSEEN) or path in self.changed}
        files = [path for path in self.changed if not is_documentation(path)]
        if len(files) > _FEW:
            return {name: path for name, path in known.items() if name not in doubtful}
        seen = self._tree.witnesses(doubtful, files) if doubtful else {}
        return {
            name: seen.get(name, path)
            for name, path in known.items()
            if name not in doubtful or name in seen or path is None
        }

    # what was kept

    @cached_property
    def _look(self) -> "_Look":
        """What the tree was when the first question was asked. Raises GitFailed."""
        return _Look(self._tree.snapshot(), self._tree.identity()) if self._tree.name else _Look(None, "")

    @property
    def _name(self) -> str:
        return f"lookout:{self._tree.name}"

    @cached_property
    def _memory(self) -> Any:
        record = self._kept.meta(self._name) if self._tree.name else None
        return record if isinstance(record, dict) and record.get("formula") == _FORMULA else None

    @cached_property
    def _changed(self) -> Mapping[str, bool] | None:
        _ = self._look  # before any file is read
        return self._tree.changed_since(self._memory["snapshot"]) if self._memory else None

    @property
    def _stands(self) -> bool:
        return self._changed is not None

    @cached_property
    def _kept_places(self) -> dict[Question, Place]:
        answers = self._memory["places"] if self._stands else []
        return {
            (path, blob, tracked): Place(place, exact, tuple(horizon) if horizon else None, whole)
            for path, blob, tracked, place, exact, horizon, whole in answers
        }

    @cached_property
    def _kept_witnesses(self) -> dict[str, str | None]:
        return dict(self._memory["literals"]) if self._stands else {}
