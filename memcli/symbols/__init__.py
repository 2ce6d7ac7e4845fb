"""Where a symbol is defined in a source text: by its language's grammar, or else by indentation and brackets. Pure."""

import re
from functools import lru_cache
from typing import NamedTuple

from memcli.symbols import plain
from memcli.symbols.grammar import language_of, parse, readable
from memcli.symbols.hints import may_define
from memcli.symbols.walk import LENDING, Found, found_in, operator_in
from memcli.syntax import with_lf

#: characters; a larger text gets no tree. At this size parsing and walking take a third of a second, at worst two
LARGEST = 1 << 18


class Definition(NamedTuple):
    """A definition in a text: `open`, `Box.open`, and its lines (from 1, inclusive), with decorators and `export`."""

    name: str
    qualified: str
    first: int
    last: int


class _Outline(NamedTuple):
    """All that a grammar finds in a text, and whether it could read the whole of it."""

    found: tuple[Found, ...]
    whole: bool


def find_definition(text: str, symbol: str, path: str = "") -> tuple[int, int] | None:
    """The lines (from 1, inclusive) of the symbol's definition, with decorators, attributes and `export`; or None.

    The symbol is a name, or one after the names it stands in: `open`, `Box.open`, `Box::open`, `box::Box#open`, as
    much of them as wanted; the path may stand for modules. Of several, that with a body, then the outermost, then the
    first. A local variable is no definition. Where no grammar serves the path, or it can't read the text whole and
    finds nothing, indentation and brackets tell (`plain`).
    """
    names = _split(symbol)
    text = _unix(text)
    language = language_of(text, path)
    if not names or (language is not None and not may_define(text, names[-1], language.grammar)):
        return None
    outline = _outline(text, path)
    if outline is None or not (outline.found or outline.whole):
        return plain.find(text, names)
    best = _best(outline.found, names, path)
    if best is None:
        return None if outline.whole else plain.find(text, names)
    return _mended(best, text, names) if best.broken else (best.first, best.last)


def definitions(text: str, path: str) -> tuple[Definition, ...]:
    """All definitions of the text in its order; () where no grammar serves the path, or the text is too large."""
    outline = _outline(_unix(text), path)
    return tuple(
        Definition(one.names[-1], ".".join(one.names), one.first, one.last)
        for one in (outline.found if outline else ())
        if one.rank != LENDING
    )


@lru_cache(maxsize=16)  # a text is asked about several names, one after the other
def _outline(text: str, path: str) -> _Outline | None:
    language = language_of(text, path) if len(text) <= LARGEST else None
    root = parse(text, language) if language else None
    if root is None or language is None:
        return None
    return _Outline(tuple(found_in(root, language)), not root.has_error)


def _best(found: tuple[Found, ...], names: tuple[str, ...], path: str) -> Found | None:
    modules = tuple(re.split(r"[/.]", path))
    matches = [one for one in found if (modules[:-1] + one.names)[-len(names) :] == names] if names else []
    return min(matches, key=lambda one: (one.rank, len(one.names), one.first), default=None)


def _mended(best: Found, text: str, names: tuple[str, ...]) -> tuple[int, int]:
    """The region of a definition that the grammar could not read whole: a bracket left open makes it swallow what
    follows, which indentation tells better."""
    told = plain.find(text, names)
    if told and best.first <= told[0] <= best.last and told[1] < best.last:
        return best.first, told[1]
    return best.first, best.last


def _split(symbol: str) -> tuple[str, ...]:
    """`(*Server).Start`, `crate::Box#open()` → the names; () for what holds none."""
    spelled = readable(symbol)
    operator = operator_in(spelled)
    if operator:
        return operator
    parts = [part.strip("()*&$#@ ") for part in re.split(r"::|[.#\\]", spelled)]
    return tuple(part for place, part in enumerate(parts) if part and not (place == 0 and part == "crate"))


def _unix(text: str) -> str:
    """With the line ends that a fingerprint counts lines by, and no lone surrogates."""
    return readable(with_lf(text))
