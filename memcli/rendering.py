"""Rendering: which fragments go into the block, its budget, and the counts that are remembered for it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from memcli import read, render, tokens
from memcli.context import Context
from memcli.errors import Usage
from memcli.model import Fragment, View
from memcli.read import Filter
from memcli.render import Block, Options
from memcli.shapes import fragment_json
from memcli.shortlist import Shortlist, shortlist


class Wanted(NamedTuple):
    """What to render. `budget` in tokens, None for the configured one; or `window` less `reserve` less the prompt's own
    tokens. `format` memory, markdown or json. `rule`: say the standing rule before the block."""

    budget: int | None = None
    window: int | None = None
    reserve: int = 0
    prompt: str = ""
    path: str | None = None
    format: str = "memory"
    encoding: str | None = None
    rule: bool = False


class Told(NamedTuple):
    """A fragment, whether the block holds it, and why."""

    view: View
    shown: bool
    reason: str


class Rendered(NamedTuple):
    """The block, what it was chosen from, its budget, and the counts found on the way, for `remember`."""

    block: Block
    found: Shortlist
    budget: int
    counter: tokens.Counter
    encoding: str

    @property
    def text(self) -> str:
        """What goes to stdout; empty when there is nothing to say."""
        return self.block.text

    def told(self) -> Iterator[Told]:
        """Why each fragment is in the block or out of it: what deserves room most first, then what is hidden."""
        views = {view.id: view for view in self.found.views}
        shown = set(self.block.shown)
        for ident, reason in self.block.reasons.items():
            yield Told(views[ident], ident in shown, reason)
        for view in self.found.hidden:
            yield Told(view, False, "below the minimum confidence")


def render_block(ctx: Context, wanted: Wanted) -> Rendered:
    """The block for what this context sees, valid for its tree as it is now.

    Raises BudgetTooSmall, UnknownEncoding, Usage.
    """
    encoding = ctx.settings.encoding if wanted.encoding is None else wanted.encoding
    budget = _budget(ctx, wanted, encoding)
    counter = tokens.Counter(lambda key: _known(ctx, key), encoding, budget, ctx.env)
    found = shortlist(ctx, budget, wanted.prompt, wanted.path)
    options = options_for(ctx, wanted, budget)._replace(relevance=found.relevance, unseen=found.unseen)
    views = found.views
    if wanted.format == "markdown":
        block = render.markdown(views, options, counter)
    elif wanted.format == "json":
        block = render.listing(views, options, counter, _json_line)
    else:
        block = render.block(views, options, counter)
    return Rendered(block, found, budget, counter, encoding)


def options_for(ctx: Context, wanted: Wanted, budget: int) -> Options:
    """What the pure renderer needs to know beside the fragments."""
    proposals = sum(shelf.reader.count("proposed") for shelf in ctx.shelves.values())
    encoding = ctx.settings.encoding if wanted.encoding is None else wanted.encoding
    return Options(
        now=ctx.now,
        budget=budget,
        path=wanted.path,
        proposals=proposals,
        rule=wanted.rule,
        counted=lambda view: _known(ctx, _line_key(encoding, view.fragment)),
    )


def remember(ctx: Context, fresh: dict[bytes, int]) -> None:
    """Keep counts for the next render, if there is a store to keep them in. Raises the store's errors."""
    scope = next(iter(ctx.shelves), None)  # the one that `_known` asks
    if fresh and scope is not None:
        with ctx.writing(scope) as writer:
            for key, count in fresh.items():
                writer.set_token_count(key, count)


def count_all(ctx: Context) -> int:
    """Count every piece that a render could need and nobody counted yet; gives how many there were. Loads the tokenizer
    only if there are any."""
    views = read.listing(ctx, Filter())
    options = options_for(ctx, Wanted(), ctx.settings.budget)
    encoding = ctx.settings.encoding
    missing = _uncounted(ctx, encoding, render.pieces(views, options))
    fresh = {key: tokens.count(piece, encoding, ctx.env) for key, piece in missing.items()}
    remember(ctx, fresh | _lines(ctx, views, encoding, fresh))
    return len(fresh)


def _lines(ctx: Context, views: Iterable[View], encoding: str, fresh: Mapping[bytes, int]) -> dict[bytes, int]:
    """The tokens of each fragment's plain line that were not kept yet, by the fragment: one look-up tells a render that
    a line does not fit, without putting it together."""
    found = {}
    for view in views:
        key = _line_key(encoding, view.fragment)
        pieces = [tokens.piece_key(encoding, piece) for piece in render.plain_line(view, ctx.now)]
        counts = [fresh.get(piece) or _known(ctx, piece) for piece in pieces]
        if _known(ctx, key) is None and None not in counts:
            found[key] = sum(count or 0 for count in counts)
    return found


def _line_key(encoding: str, fragment: Fragment) -> bytes:
    """Under what the count of a plain line is kept: all that the line is made of, the text by its version."""
    said = f"line {encoding} {fragment.id} {fragment.updated} {fragment.type} {fragment.key or ''}"
    return said.encode("utf-8", "surrogatepass")


def token_count(ctx: Context, view: View) -> int | None:
    """The tokens of a fragment's line in the block, if every piece of it was counted."""
    counts = [_known(ctx, tokens.piece_key(ctx.settings.encoding, piece)) for piece in render.plain_line(view, ctx.now)]
    return None if None in counts else sum(count or 0 for count in counts)


def _uncounted(ctx: Context, encoding: str, pieces: Iterable[str]) -> dict[bytes, str]:
    keyed = ((tokens.piece_key(encoding, piece), piece) for piece in pieces)
    return {key: piece for key, piece in keyed if _known(ctx, key) is None}


def _known(ctx: Context, key: bytes) -> int | None:
    shelf = ctx.shelves.get("workspace") or ctx.shelves.get("user")
    return shelf.reader.token_count(key) if shelf else None


def _budget(ctx: Context, wanted: Wanted, encoding: str) -> int:
    if wanted.window is None:
        budget = ctx.settings.budget if wanted.budget is None else wanted.budget
    else:
        budget = wanted.window - wanted.reserve
        if wanted.prompt:  # charged or counted as pieces are, so that a short one loads no tokenizer
            budget -= tokens.Counter(lambda key: _known(ctx, key), encoding, budget, ctx.env)(wanted.prompt)
        budget = budget if wanted.budget is None else min(budget, wanted.budget)
    if budget <= 0:
        raise Usage(f"a budget of {budget} tokens leaves no room", "--budget is the number of tokens for all of stdout")
    return budget


def _json_line(view: View) -> str:
    import json

    return json.dumps(fragment_json(view))
