"""A query as search looks for it: its words as terms of the index, and what is compared verbatim. Pure."""

import re
from typing import NamedTuple

from memcli.text import fold, terms
from memcli.vocabulary import LABEL

MAX_QUERY, MAX_LITERAL, MAX_TERMS = 10_000, 1_000, 64  # a query's characters, those compared verbatim, its terms

_AROUND = " .,;:!?\"'`()[]{}“”‘’«»"


class Part(NamedTuple):
    """One word of a query: its folded text, the terms it is looked up by, and whether it holds more than word
    characters (`c++`, `-rf`, `src/a.py`), so that it is looked for verbatim as well."""

    text: str
    terms: tuple[str, ...]
    special: bool


class Query(NamedTuple):
    """A query as it is looked for: verbatim (folded, white space as single spaces), and in parts without stop words."""

    literal: str
    parts: tuple[Part, ...]

    @property
    def special(self) -> bool:
        return any(part.special for part in self.parts)


def parse_query(query: str) -> Query:
    """The query's parts. Nothing in it is syntax: any text is a query, and a very long one is cut."""
    query = query[:MAX_QUERY].replace("\0", " ")
    parts: dict[str, Part] = {}
    room = MAX_TERMS
    for piece in query.split():
        part = _part(piece[:MAX_LITERAL], room)
        if room > 0 and part and part.text not in parts:
            parts[part.text] = part
            room -= len(part.terms)
    return Query(" ".join(fold(query).split())[:MAX_LITERAL].strip(), tuple(parts.values()))


def _part(piece: str, room: int) -> Part | None:
    """The part that a piece between white space is; None for a stop word, and for what folds to nothing."""
    text = fold(piece).strip(_AROUND) or fold(piece).strip()
    special = bool(re.search(r"[^\w'’]", text))
    found = dict.fromkeys([*([LABEL + text] if special else []), *terms(piece)])
    return Part(text, tuple(found)[:room], special) if found else None
