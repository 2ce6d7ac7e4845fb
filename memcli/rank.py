"""Search: how a query ranks the documents of an index. Pure; the index belongs to the store, a document is its number.

BM25 over stems without stop words, identifiers split and whole: of the methods measured on conversations and on code
this found most (recall at 10 .646, MRR .493). Beside it everything is looked for verbatim, because a memory of code is
full of things that are no words.
"""

import re
from collections.abc import Iterable, Sequence
from math import log
from typing import NamedTuple, Protocol

from memcli.model import TYPES
from memcli.text import STOP_WORDS, fold, stems, terms, words
from memcli.vocabulary import KEY_WORD, LABEL, MAX_GUESSES, WHOLE_KEY, respelt, storable
from memcli.vocabulary import index_terms as index_terms  # what the index holds and how it is searched, in one place
from memcli.vocabulary import nearest_words as nearest_words

K1 = 1.1  # how soon more of the same word stops counting; best between 0.9 and 1.2
B = 0.45  # how much a long text is held against it; best between 0.4 and 0.5
TYPO_WEIGHT = 0.7  # what a word is worth that was found under another spelling
FAINT = 0.01  # the score of a text that holds the query only inside longer words: after every other hit

MAX_QUERY, MAX_LITERAL, MAX_TERMS = 10_000, 1_000, 64  # a query's characters, those compared verbatim, its terms
SCAN_ALWAYS = 20_000  # documents: up to here (some 40 ms) every query is looked for verbatim
MAX_POSTINGS = 20_000  # what the words of a prompt may lead to
MAX_WHY = 4

_AROUND = " .,;:!?\"'`()[]{}“”‘’«»"


class Index(Protocol):
    """What search asks of an inverted index."""

    def size(self) -> tuple[int, float]:
        """Number of documents and their average length in weighted terms."""

    def postings(self, term: str) -> Sequence[tuple[int, int, int]]:
        """(document, weighted frequency, document length) of each document that holds the term."""

    def frequency(self, term: str) -> int:
        """How many documents hold the term."""

    def vocabulary(self) -> Iterable[str]:
        """Every term of the index."""

    def texts(self) -> Iterable[tuple[int, str, str]]:
        """(document, folded key, folded text) of every document."""


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


class Hit(NamedTuple):
    """A document found: its score (above 0; comparable within one search), whether its key answers, and the reasons."""

    doc: int
    score: float
    key_hit: bool
    why: tuple[str, ...]


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


def search(query: str, index: Index) -> list[Hit]:
    """The documents that answer a query, best first: those whose key answers, then by score.

    Words are looked up by their stems. A word that no document has is looked for inside texts, and if it is in none
    either, under spellings that are one or two typos away. What holds other characters is looked for verbatim, and so
    is the whole query. Raises nothing, whatever the query.
    """
    asked = parse_query(query)
    tally = _Tally(index)
    if not asked.literal or not tally.size:
        return []
    unknown = [part for part in asked.parts if not tally.add_words(part)]
    verbatim = [part for part in asked.parts if part.special or part in unknown]
    found = _scan(index, asked, verbatim) if verbatim or tally.size <= SCAN_ALWAYS else {}
    for part in verbatim:
        tally.add_verbatim(part, found[part.text])
    tally.add_guesses([part for part in unknown if not found[part.text]])
    tally.add_whole(asked, found.get(asked.literal, {}))
    return tally.hits(asked)


def fitting(prompt: str, index: Index) -> dict[int, tuple[bool, float]]:
    """How the documents fit a prompt, by whole words alone: document → (whether a word of its key does, BM25's score).

    Of a very long prompt its beginning and its end count, and of its words the rarest.
    """
    said = prompt if len(prompt) <= MAX_QUERY else f"{prompt[: MAX_QUERY // 2]} {prompt[-MAX_QUERY // 2 :]}"
    known = sorted((index.frequency(storable(term)), term) for term in set(terms(said)))
    types = set(terms(" ".join(TYPES)))  # no key fits by the type it begins with
    tally, in_keys = _Tally(index), set[int]()
    scores, room = tally.scores, MAX_POSTINGS
    for frequency, term in known:
        if not frequency or room <= 0:
            continue
        room -= frequency
        full = tally.rarity(frequency) * (K1 + 1)
        for doc, count, length in index.postings(storable(term)):
            norm = K1 * (1 - B + B * length / (tally.average or 1))
            scores[doc] = scores.get(doc, 0.0) + full * count / (count + norm)
        if term not in types:
            in_keys.update(doc for doc, _, _ in index.postings(storable(KEY_WORD + term)))
    return {doc: (doc in in_keys, score) for doc, score in scores.items()}


def _scan(index: Index, asked: Query, parts: Iterable[Part]) -> dict[str, dict[int, bool]]:
    """Where the query and these parts of it stand verbatim: each one's documents, and whether it is in the key."""
    needles = [(text, max(text.split(), key=len)) for text in {asked.literal, *(part.text for part in parts)}]
    found: dict[str, dict[int, bool]] = {text: {} for text, _ in needles}
    for doc, key, body in index.texts():
        for text, longest in needles:
            if longest in key and text in key:
                found[text][doc] = True
            elif longest in body and (text in body or text in " ".join(body.split())):
                found[text][doc] = False
    return found


class _Tally:
    """Scores, reasons and answering keys, gathered document by document."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.size, self.average = index.size()
        self.scores: dict[int, float] = {}
        self.why: dict[int, dict[str, None]] = {}
        self.keys: dict[int, set[str]] = {}

    def add(self, doc: int, score: float, why: str) -> None:
        self.scores[doc] = self.scores.get(doc, 0.0) + score
        self.why.setdefault(doc, {})[why] = None

    def add_key(self, part: Part, docs: Iterable[int]) -> None:
        for doc in docs:
            self.keys.setdefault(doc, set()).add(part.text)

    def rarity(self, found: int) -> float:
        """BM25's weight of a term that so many documents hold (the form that is never negative)."""
        return log(1 + (max(self.size - found, 0) + 0.5) / (found + 0.5))

    def add_words(self, part: Part, weight: float = 1.0, why: str | None = None) -> bool:
        """BM25 of a part's terms. False when no document has any of them."""
        known = False
        for term in part.terms:
            postings = self.index.postings(storable(term))
            known = known or bool(postings)
            full = weight * self.rarity(len(postings)) * (K1 + 1)
            for doc, count, length in postings:
                norm = K1 * (1 - B + B * length / (self.average or 1))
                self.add(doc, full * count / (count + norm), why or _short(part.text))
        if known and not part.special:
            self.add_key(part, self.keys_with(part.terms))
        return known

    def keys_with(self, terms: Iterable[str]) -> set[int]:
        """The documents whose keys hold all of the terms: a part of an identifier is not what was asked for."""
        return set.intersection(
            *({doc for doc, _, _ in self.index.postings(storable(KEY_WORD + term))} for term in terms)
        )

    def add_verbatim(self, part: Part, found: dict[int, bool]) -> None:
        """A part that stands in texts as it is; one of special characters counts as much as a word can."""
        score = self.rarity(len(found)) * (K1 + 1 if part.special else 1)
        for doc in found:
            self.add(doc, score, f'"{_short(part.text)}"')
        self.add_key(part, (doc for doc, in_key in found.items() if in_key))

    def add_guesses(self, parts: Iterable[Part]) -> None:
        """The words of the index that misspelt parts may have meant."""
        misspelt = [(part, word) for part in parts for word in words(part.text) if word not in STOP_WORDS]
        for part, word in misspelt[:MAX_GUESSES]:
            for guess in respelt(word, self.index.vocabulary()):
                meant = Part(part.text, tuple(stems([guess])), special=False)
                self.add_words(meant, TYPO_WEIGHT, f"{guess} for {_short(word)}")

    def add_whole(self, asked: Query, found: dict[int, bool]) -> None:
        """The whole query verbatim, and the key that it is, come before what has only its words."""
        every = {part.text for part in asked.parts} or {asked.literal}
        top = max(self.scores.values(), default=0.0) + 1
        for doc in found:
            if asked.special or len(asked.parts) > 1:
                self.add(doc, top, f'"{_short(asked.literal)}"')
            elif doc not in self.scores:
                self.add(doc, FAINT, f'"{_short(asked.literal)}"')
        if found and asked.special:
            self.keys = {doc: every for doc, in_key in found.items() if in_key}
        for doc, _, _ in self.index.postings(storable(WHOLE_KEY + asked.literal)):
            self.add(doc, 2 * top, "key")
            self.keys[doc] = every

    def hits(self, asked: Query) -> list[Hit]:
        """Best first. A key answers when it has at least half of the query's parts. Ties: the newest first."""
        enough = max(1.0, len(asked.parts) / 2)
        found = [
            Hit(doc, score, len(self.keys.get(doc, ())) >= enough, tuple(self.why[doc])[:MAX_WHY])
            for doc, score in self.scores.items()
        ]
        return sorted(found, key=lambda hit: (not hit.key_hit, -hit.score, -hit.doc))


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
