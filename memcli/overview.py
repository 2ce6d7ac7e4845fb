"""Counting: what there is, what has fallen, what waits, when it was last swept."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from memcli import read
from memcli.context import Context
from memcli.model import SCOPES, STATES, TYPES, VERDICTS, View
from memcli.read import Filter
from memcli.remembered import last_sweep
from memcli.scopes import Viewer, visible


class Overview(NamedTuple):
    """The state of the memory that a folder sees.

    `store`: the workspace store's folder, None when there is none yet. `states` counts every fragment, the other
    counts the active ones; words that count nothing are left out. `below` are under the minimum, `stale` those whose
    code changed or is gone (both active, lowest confidence first). `last_sweep`: {at, commit, by} or None.
    """

    store: str | None
    branch: str | None
    states: dict[str, int]
    verdicts: dict[str, int]
    types: dict[str, int]
    scopes: dict[str, int]
    below: int
    stale: tuple[View, ...]
    last_sweep: dict[str, object] | None


def overview(ctx: Context) -> Overview:
    """Count what this context sees, each active fragment as it reads on its tree."""
    views = read.listing(ctx, Filter(minimum=0.0))
    shelves = ctx.shelves
    states = {state: sum(shelf.reader.count(state) for shelf in shelves.values()) for state in STATES}
    stale = [view for view in views if view.assessment.confidence < view.fragment.base]
    viewer = Viewer(minimum=ctx.settings.minimum, every_session=True)
    return Overview(
        store=ctx.store("workspace").folder if "workspace" in shelves else None,
        branch=ctx.repository.head().branch if ctx.repository else None,
        states={state: number for state, number in states.items() if number},
        verdicts=_counts((view.assessment.verdict for view in views), VERDICTS),
        types=_counts((view.fragment.type for view in views), TYPES),
        scopes=_counts((view.fragment.scope for view in views), SCOPES),
        below=sum(not visible(view.fragment, view.assessment.confidence, viewer) for view in views),
        stale=tuple(sorted(stale, key=lambda view: (view.assessment.confidence, view.fragment.name))),
        last_sweep=last_sweep(ctx),
    )


def _counts(words: Iterable[str], order: Iterable[str]) -> dict[str, int]:
    """How often each word occurs, in the order given."""
    found = Counter(words)
    return {word: found[word] for word in order if found[word]}
