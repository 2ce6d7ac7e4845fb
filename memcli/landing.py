"""Before it lands: where a branch left the code it came from, and which fragments were written on the branch itself."""

from collections.abc import Callable, Collection, Sequence

from memcli.context import Context
from memcli.errors import GitFailed, UnknownRevision, Usage
from memcli.model import Anchor, Fragment, View

_FETCH_MORE = (
    "fetch it first: in CI, check out with fetch-depth: 0; else git fetch --unshallow, or git fetch REMOTE BRANCH"
)


def base_of(ctx: Context, rev: str) -> str:
    """The commit where the branch of this tree left a revision's: the merge base of the two.

    Raises Usage where nothing is committed, UnknownRevision, and GitFailed where the clone has no such commit.
    """
    here = ctx.tree.commit if ctx.tree else None
    if here is None:
        raise Usage("there is no commit here yet to compare with", "commit first")
    try:
        other = ctx.history.resolve(rev)
    except UnknownRevision as error:
        raise UnknownRevision(error.message, _FETCH_MORE) from None
    base = ctx.history.merge_base(other, here)
    if base is None:
        why = "this clone is shallow and lacks it" if ctx.history.is_shallow else "their histories are unrelated"
        raise GitFailed(f"{rev} and HEAD have no commit in common here: {why}", _FETCH_MORE)
    return base


def before(ctx: Context, base: str, here: Sequence[View], there: Sequence[View]) -> Callable[[Fragment], float]:
    """The confidence to compare with, of the fragments as they are here and were at the base, in the same order.

    It is that at the base; for what was written on the branch since, about code that the base did not have, its own.
    """
    hidden = [now.fragment for now, then in zip(here, there, strict=True) if _is_hidden(now, then)]
    found = {view.id: view.confidence for view in there}
    found |= {fragment.id: fragment.base for fragment in _written_since(ctx, base, hidden)}
    return lambda fragment: found[fragment.id]


def _is_hidden(now: View, then: View) -> bool:
    """Whether a fall may hide behind a base at which the fragment did not hold either."""
    return now.confidence < now.fragment.base and then.confidence <= now.confidence


def _written_since(ctx: Context, base: str, fragments: Collection[Fragment]) -> list[Fragment]:
    """Those that were stamped at a commit of this branch which the base does not contain."""
    commits = {fragment.stamp.commit for fragment in fragments if fragment.stamp.commit}
    if not commits or ctx.tree is None or ctx.tree.commit is None:
        return []
    own = ctx.history.contained(commits, ctx.tree.commit) - ctx.history.contained(commits, base)
    return [fragment for fragment in fragments if fragment.stamp.commit in own]


def spoken_of(ctx: Context, fragment: Fragment, anchor: Anchor, path: str) -> tuple[int, int]:
    """The lines (from 1, inclusive) where a file holds now what a text says of an anchor that nobody drew: the
    definition of a name in it, else the first line with the rarest of its words; line 1 where it holds none."""
    from memcli.findings import about
    from memcli.fingerprint import is_binary, of_content, text_of
    from memcli.symbols import find_definition

    data = ctx.tree.read(path) if ctx.tree else None
    if data is None or is_binary(data):
        return 1, 1
    defined = (find_definition(text_of(data), name, path) for name in anchor.identifiers)
    lines = next(filter(None, defined), None)
    if lines is not None:
        return lines
    words = of_content(data, path).words
    places = [words[word] for word in about(fragment, anchor) if word in words]
    first = min(places, key=lambda lines: (len(lines), lines))[0] if places else 1
    return first, first
