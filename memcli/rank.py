"""Search: how a query ranks the documents of an index. Pure; the index belongs to the store, a document is its number.

BM25 over stems without stop words, identifiers split and whole, found most of the methods that were measured on
conversations and on documentation (`python -m benchmarks.retrieval`). Beside it everything is looked for verbatim,
because a memory of code is full of things that are no words.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from heapq import nlargest
from math import log
from typing import NamedTuple, Protocol

from memcli.asked import MAX_QUERY, Part, Query, parse_query
from memcli.hits import AT_FIRST, Ranking, Reason
from memcli.model import TYPES
from memcli.text import STOP_WORDS, stems, terms, words
from memcli.vocabulary import KEY_WORD, MAX_GUESSES, WHOLE_KEY, respelt, storable

K1 = 0.9  # how soon more of the same word stops counting; best on conversations between 0.7 and 0.9, elsewhere 1.1
B = 0.4  # how much a long text is held against it; best between 0.3 and 0.45
TYPO_WEIGHT = 0.7  # what a word is worth that was found under another spelling
FAINT = 0.01  # the score of a text that holds the query only inside longer words: after every other hit
SCAN_ALWAYS = 20_000  # documents: up to here every query is looked for verbatim
EXACT = 300_000  # postings that one query counts; of more, the commonest words only decide between the best PRUNED
PRUNED = 1_000
MAX_POSTINGS = 20_000  # what the words of a prompt may lead to


class Index(Protocol):
    """What search asks of an inverted index."""

    def size(self) -> tuple[int, float]:
        """Number of documents and their average length in weighted terms."""

    def frequency(self, term: str) -> int:
        """How many documents hold the term."""

    def postings(self, term: str, newest: int) -> Iterable[tuple[int, int, int]]:
        """(document, weighted frequency, document length) of the documents that hold the term, of more than `newest`
        those written last."""

    def postings_of(self, term: str, docs: Iterable[int]) -> Iterable[tuple[int, int, int]]:
        """The postings of those of these documents that hold the term."""

    def vocabulary(self) -> Iterable[str]:
        """The terms of the index that are words and begin with a letter, or are spellings of them."""

    def texts(self, needles: Collection[str], docs: Iterable[int] | None = None) -> Iterable[tuple[int, str, str]]:
        """(document, folded key, folded text) of each document that may hold a needle, of `docs` or of all."""


def search(query: str, index: Index) -> Ranking:
    """The documents that answer a query.

    Words are looked up by their stems. A word that no document has is looked for inside texts, and if it is in none
    either, under spellings that are one or two typos away. What holds other characters is looked for verbatim, and so
    is the whole query. Raises nothing, whatever the query.
    """
    asked = parse_query(query)
    tally = _Tally(index)
    if not asked.literal or not tally.size:
        return Ranking(asked, {}, (), ())
    unknown = [part for part in asked.parts if not any(index.frequency(storable(term)) for term in part.terms)]
    verbatim = [part for part in asked.parts if part.special or (part in unknown and _tells_inside(part, asked))]
    scanned = bool(verbatim) or tally.size <= SCAN_ALWAYS
    found = _scan(index, asked, verbatim) if scanned else {}
    tally.add_words([word for part in asked.parts if part not in unknown for word in _words_of(part)])
    tally.add_words([word for part in unknown if not found.get(part.text) for word in _guesses(part, index)])
    for part in verbatim:
        tally.add_verbatim(part, found[part.text])
    if not scanned and len(asked.parts) > 1:
        found = _scan(index, asked, (), tally.best(AT_FIRST))
    tally.add_whole(asked, found.get(asked.literal, {}))
    return tally.ranking(asked)


def _tells_inside(part: Part, asked: Query) -> bool:
    """Whether a word that no document has says something where it stands inside longer ones: `rm` in `alarm` does not,
    unless it is all that was asked for."""
    return len(part.text) > 2 or not part.text.isascii() or len(asked.parts) == 1


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
        for doc, count, length in index.postings(storable(term), tally.size):
            norm = K1 * (1 - B + B * length / (tally.average or 1))
            scores[doc] = scores.get(doc, 0.0) + full * count / (count + norm)
        if term not in types:
            in_keys.update(doc for doc, _, _ in index.postings(storable(KEY_WORD + term), tally.size))
    return {doc: (doc in in_keys, score) for doc, score in scores.items()}


class _Word(NamedTuple):
    """A term to look up: the part of the query that it is of, how much it counts, and how it is called."""

    part: Part
    term: str
    weight: float
    why: str


def _words_of(part: Part) -> list[_Word]:
    return [_Word(part, term, 1.0, _short(part.text)) for term in part.terms]


def _guesses(part: Part, index: Index) -> list[_Word]:
    """The words of the index that a misspelt part may have meant."""
    misspelt = [word for word in words(part.text) if word not in STOP_WORDS][:MAX_GUESSES]
    return [
        _Word(Part(part.text, (term,), special=False), term, TYPO_WEIGHT, f"{guess} for {_short(word)}")
        for word in misspelt
        for guess in respelt(word, index.vocabulary())
        for term in stems([guess])
    ]


def _scan(
    index: Index, asked: Query, parts: Iterable[Part], docs: Iterable[int] | None = None
) -> dict[str, dict[int, bool]]:
    """Where the query and these parts of it stand verbatim: each one's documents, and whether it is in the key."""
    needles = {part.text: max(part.text.split(), key=len) for part in parts}
    inside = [needle for text, needle in needles.items() if text in asked.literal]
    needles.setdefault(asked.literal, max(inside or asked.literal.split(), key=len))
    found: dict[str, dict[int, bool]] = {text: {} for text in needles}
    for doc, key, body in index.texts(set(needles.values()), docs):
        for text, needle in needles.items():
            if needle in key and text in key:
                found[text][doc] = True
            elif needle in body and (text in body or text in " ".join(body.split())):
                found[text][doc] = False
    return found


class _Tally:
    """Scores, reasons and answering keys, gathered document by document."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.size, self.average = index.size()
        self.scores: dict[int, float] = {}
        self.reasons: list[Reason] = []
        self.keys: dict[str, set[int]] = {}  # part of the query → documents whose keys hold it
        self.room = EXACT

    def add(self, docs: Iterable[int], points: float, why: str) -> None:
        """Give each of the documents the same."""
        held = frozenset(docs)
        for doc in held:
            self.scores[doc] = self.scores.get(doc, 0.0) + points
        self.reasons.append(Reason(why, None, lambda doc: points if doc in held else 0.0))

    def rarity(self, found: int) -> float:
        """BM25's weight of a term that so many documents hold (the form that is never negative)."""
        return log(1 + (max(self.size - found, 0) + 0.5) / (found + 0.5))

    def best(self, most: int) -> list[int]:
        """The documents that are best so far: those that a costly look is for."""
        return [doc for _, doc in nlargest(most, zip(self.scores.values(), self.scores.keys(), strict=True))]

    def add_words(self, asked: Sequence[_Word]) -> None:
        """BM25 of terms, the rarest first. When EXACT postings have been counted, the commoner ones only decide between
        the best documents so far, and so does in a large store what half of it holds."""
        counted = sorted((self.index.frequency(storable(word.term)), place) for place, word in enumerate(asked))
        for found, place in counted:
            if found:
                self._add_word(asked[place], found)
        for part in dict.fromkeys(word.part for word in asked if not word.part.special):
            self.keys.setdefault(part.text, set()).update(self._keys_with(part.terms))

    def _add_word(self, word: _Word, found: int) -> None:
        term, full = storable(word.term), word.weight * self.rarity(found) * (K1 + 1)
        flat, slope = K1 * (1 - B), K1 * B / (self.average or 1)
        telling = self.size <= SCAN_ALWAYS or found <= self.size / 2
        exact = not self.scores or (telling and found <= self.room)
        self.room -= found if exact else 0
        postings = self.index.postings(term, EXACT) if exact else self.index.postings_of(term, self.best(PRUNED))
        if self.scores:
            scores, before = self.scores, self.scores.get
            for doc, count, length in postings:
                scores[doc] = before(doc, 0.0) + full * count / (count + flat + slope * length)
        else:  # the same, in a third of the time
            self.scores = {doc: full * count / (count + flat + slope * length) for doc, count, length in postings}

        def points(doc: int) -> float:
            held = self.index.postings_of(term, [doc])
            return sum(full * count / (count + flat + slope * length) for _, count, length in held)

        self.reasons.append(Reason(word.why, word.term, points))

    def _keys_with(self, terms: Iterable[str]) -> set[int]:
        """The documents whose keys hold all of the terms: a part of an identifier is not what was asked for."""
        rarest, *others = sorted((storable(KEY_WORD + term) for term in terms), key=self.index.frequency)
        docs = {doc for doc, _, _ in self.index.postings(rarest, EXACT)}
        for term in others:
            docs = {doc for doc, _, _ in self.index.postings_of(term, docs)}
        return docs

    def add_verbatim(self, part: Part, found: dict[int, bool]) -> None:
        """A part that stands in texts as it is; one of special characters counts as much as a word can."""
        self.add(found, self.rarity(len(found)) * (K1 + 1 if part.special else 1), f'"{_short(part.text)}"')
        self.keys.setdefault(part.text, set()).update(doc for doc, in_key in found.items() if in_key)

    def add_whole(self, asked: Query, found: dict[int, bool]) -> None:
        """The whole query verbatim, and the key that it is, come before what has only its words."""
        top = max(self.scores.values(), default=0.0) + 1
        if asked.special or len(asked.parts) > 1:
            self.add(found, top, f'"{_short(asked.literal)}"')
        else:
            self.add([doc for doc in found if doc not in self.scores], FAINT, f'"{_short(asked.literal)}"')
        every = {part.text for part in asked.parts} | {asked.literal}
        if found and asked.special:
            self.keys = {text: {doc for doc, in_key in found.items() if in_key} for text in every}
        keyed = [doc for doc, _, _ in self.index.postings(storable(WHOLE_KEY + asked.literal), EXACT)]
        self.add(keyed, 2 * top, "key")
        for text in every:
            self.keys[text] = self.keys.get(text, set()) | set(keyed)

    def ranking(self, asked: Query) -> Ranking:
        """What was found. A key answers when it has at least half of the query's parts."""
        enough = max(1.0, len(asked.parts) / 2)
        counts = Counter(doc for docs in self.keys.values() for doc in docs)
        answering = {doc for doc, count in counts.items() if count >= enough and doc in self.scores}
        return Ranking(asked, self.scores, answering, self.reasons)


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
