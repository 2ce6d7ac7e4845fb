"""Which fragments a block should hold, best first, each with the reason (DESIGN.md, section 5).

Room goes first to where the work stands (RESUME) and the newest unresolved error, then to what RESUME is derived from
and what depends on it, then to what fits the prompt, then to what is about the path in focus, then to the rest.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from memcli.kinds import CHAIN, RESUMABLE
from memcli.model import View
from memcli.render.graph import Graph, when
from memcli.render.reading import finished, handled

# Much can hang off one piece of work without being told to; what is named and privileged as its dependant is bounded.
DEPENDANTS = 8


class Choice(NamedTuple):
    """A fragment's id and why it stands where it stands in the ranking."""

    id: str
    reason: str


class Marks(NamedTuple):
    """The ids of the newest unfinished work, the newest unresolved error, and what depends on the work; or none.

    `dependants` are the nearest and newest of them, at most `DEPENDANTS`; `more` says that there are others.
    """

    resume: str | None
    error: str | None
    dependants: tuple[str, ...] = ()
    more: bool = False


def marks(graph: Graph) -> Marks:
    """Where to go on, and what went wrong and is not handled."""
    active = [view.fragment for view in graph.views.values() if view.fragment.state == "active"]
    newest = sorted(active, key=lambda fragment: (-when(fragment), fragment.id))
    # lazily: reading the wording costs most, and the newest is rarely done or handled
    resume = (f.id for f in newest if f.type in RESUMABLE and not finished(f.text))
    error = (f.id for f in newest if f.type == "error" and not handled(f.text))
    work = next(resume, None)
    dependants = graph.descendants(work) if work else []
    return Marks(work, next(error, None), tuple(dependants[:DEPENDANTS]), len(dependants) > DEPENDANTS)


def ranking(
    graph: Graph, marked: Marks, relevance: Mapping[str, tuple[bool, float]], path: str | None = None
) -> list[Choice]:
    """All fragments of the graph, the one that deserves room most first; deterministic.

    `relevance` of those that fit the prompt: id → (whether the key does, score).
    """
    first: dict[str, str] = {}
    for choice in _tiers(graph, marked, relevance, path):
        first.setdefault(choice.id, choice.reason)
    return [Choice(ident, reason) for ident, reason in first.items()]


def _tiers(
    graph: Graph, marked: Marks, relevance: Mapping[str, tuple[bool, float]], path: str | None
) -> Iterator[Choice]:
    if marked.resume:
        yield Choice(marked.resume, "the work to resume")
    if marked.error:
        yield Choice(marked.error, "the newest unresolved error")
    if marked.resume:
        for ident in graph.ancestors(marked.resume):
            yield Choice(ident, "the work to resume is derived from it")
    for ident in marked.dependants:
        yield Choice(ident, "depends on the work to resume")
    views = sorted(graph.views.values(), key=_worth)
    yield from _fitting(views, relevance, path)
    yield from (Choice(view.fragment.id, f"about {path}") for view in views if path and _about(view, path))
    yield from (Choice(view.fragment.id, "by confidence and age") for view in views)


def _worth(view: View) -> tuple[float, int, str]:
    return -view.assessment.confidence, -when(view.fragment), view.fragment.id


def _fitting(views: Iterable[View], relevance: Mapping[str, tuple[bool, float]], path: str | None) -> Iterator[Choice]:
    """The views that fit the prompt: those about the path in focus first, then those whose key fits, then by relevance
    × confidence; ties: types of the chain before others, notes last, then the order given."""
    hits = []
    for view in views:
        ident = view.fragment.id
        if ident in relevance:
            (in_key, score), beside = relevance[ident], not (path and _about(view, path))
            hits.append((beside, not in_key, -score * view.confidence, _standing(view.fragment.type), ident))
    for beside, *_, ident in sorted(hits, key=lambda hit: hit[:4]):
        yield Choice(ident, "fits the prompt" if beside else f"fits the prompt, about {path}")


def _standing(kind: str) -> int:
    if kind in CHAIN:
        return 0
    return 2 if kind == "note" else 1


def _about(view: View, path: str) -> bool:
    """Whether an anchor, where it is now, is the path or lies under it."""
    places = view.assessment.anchors or view.fragment.anchors
    folder = path.rstrip("/") + "/"
    return any(f"{place.path}/".startswith(folder) for place in places)
