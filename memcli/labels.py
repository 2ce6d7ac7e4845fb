"""Where a fragment comes from, when that matters to who reads it: another branch, whose code is not here (law 11)."""

from collections.abc import Sequence

from memcli.context import Context
from memcli.model import Fragment, View

_MATCHING = ("fresh", "moved", "reformatted", "comments", "superseded")  # verdicts of what is here as it was stamped


def labelled(ctx: Context, views: Sequence[View]) -> list[View]:
    """The views, with the branch noted on those that speak about one which is not here: their commit is not in the
    history of what is asked about, and their anchors do not match. Two git calls serve all of them."""
    away = _away(ctx, [view for view in views if _may_be_away(ctx, view)])
    return [
        view._replace(notes=(*view.notes, *_notes(ctx, view.fragment))) if view.id in away else view for view in views
    ]


def _may_be_away(ctx: Context, view: View) -> bool:
    """Whether the label is possible at all: most views are told apart without git."""
    stamp = view.fragment.stamp
    return bool(
        view.fragment.anchors
        and view.verdict not in _MATCHING
        and stamp.commit
        and stamp.branch
        and ctx.repository is not None
        and (ctx.at is not None or stamp.branch != ctx.repository.head().branch)
        and ctx.shelf(view.fragment).checker.is_here(view.fragment)
    )


def _away(ctx: Context, views: Sequence[View]) -> set[str]:
    """The ids of those whose commit is not in the history of the tree that is asked about."""
    head = ctx.tree.commit if ctx.tree else None
    if not views or head is None or ctx.repository is None:
        return set()
    known = ctx.repository.contained({view.fragment.stamp.commit or "" for view in views}, head)
    return {view.id for view in views if view.fragment.stamp.commit not in known}


def _notes(ctx: Context, fragment: Fragment) -> list[str]:
    """The branch, and where the fragment replaced others, which and how to take that back (law 7)."""
    notes = [f"on branch {fragment.stamp.branch}"]
    for ident in fragment.supersedes:
        old = ctx.shelf(fragment).reader.fragment(ident)
        if old is not None and old.superseded_by == fragment.id:
            notes.append(f"replaces {old.name}: `mem supersede {old.name} --undo` takes that back")
    return notes
