"""Which fragments a block should hold, best first, each with the reason (DESIGN.md, section 5).

Room goes first to where the work stands (RESUME) and the newest unresolved error, then to what RESUME is derived from
and what depends on it, then to what the prompt names, then to what is about the path in focus, then to the rest.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memcli.kinds import CHAIN, RESUMABLE
from memcli.model import View
from memcli.render.graph import Graph, when
from memcli.render.reading import finished, handled
from memcli.text import STOP_WORDS, fold, words

# Up to so many words of a prompt it is quicker to look for each than to read the words out of every text.
FEW = 64

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


def ranking(graph: Graph, marked: Marks, prompt: str = "", path: str | None = None) -> list[Choice]:
    """All fragments of the graph, the one that deserves room most first; deterministic."""
    first: dict[str, str] = {}
    for choice in _tiers(graph, marked, prompt, path):
        first.setdefault(choice.id, choice.reason)
    return [Choice(ident, reason) for ident, reason in first.items()]


def _tiers(graph: Graph, marked: Marks, prompt: str, path: str | None) -> Iterator[Choice]:
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
    yield from _named(views, prompt)
    yield from (Choice(view.fragment.id, f"about {path}") for view in views if path and _about(view, path))
    yield from (Choice(view.fragment.id, "by confidence and age") for view in views)


def _worth(view: View) -> tuple[float, int, str]:
    return -view.assessment.confidence, -when(view.fragment), view.fragment.id


def _named(views: Iterable[View], prompt: str) -> Iterator[Choice]:
    """The views that share whole words with the prompt: words of the key before words of the text; ties: types of the
    chain before others, notes last, then the order given."""
    wanted = frozenset(words(prompt)) - STOP_WORDS
    hits = []
    for view in views if wanted else ():
        fragment = view.fragment
        score = _shared(wanted, fragment.key or ""), _shared(wanted, fragment.text)
        if any(score):
            hits.append((-score[0], -score[1], _standing(fragment.type), fragment.id))
    for *_, ident in sorted(hits, key=lambda hit: hit[:3]):
        yield Choice(ident, "fits the prompt")


def _shared(wanted: frozenset[str], text: str) -> int:
    """How many of the wanted words the text holds."""
    if len(wanted) > FEW or not text.isascii():
        return len(wanted.intersection(words(text)))
    folded = fold(text)
    return sum(word in folded and _stands_whole(word, text, folded) for word in wanted)


def _stands_whole(word: str, text: str, folded: str) -> bool:
    """Whether the word stands in an ASCII text as a word of its own, or as parts of an identifier."""
    at = folded.find(word)
    while at >= 0:
        if _parted(text, at) and _parted(text, at + len(word)):
            return True
        at = folded.find(word, at + 1)
    return False


def _parted(text: str, at: int) -> bool:
    """Whether a word begins or ends before this place: an edge, a sign, `create|User`, `HTTP|Server`."""
    before, after, next_one = text[max(at - 1, 0) : at], text[at : at + 1], text[at + 1 : at + 2]
    if not (before.isalnum() and after.isalnum()):
        return True
    return after.isupper() and (not before.isupper() or next_one.islower())


def _standing(kind: str) -> int:
    if kind in CHAIN:
        return 0
    return 2 if kind == "note" else 1


def _about(view: View, path: str) -> bool:
    """Whether an anchor, where it is now, is the path or lies under it."""
    places = view.assessment.anchors or view.fragment.anchors
    folder = path.rstrip("/") + "/"
    return any(f"{place.path}/".startswith(folder) for place in places)
