"""The terms of the search index: what a fragment is found by, and which known words are near a misspelt one. Pure.

Most terms are stems of words. Beside them stand marked ones, which no stem looks like: `=stem` for a word of the key,
`==key` for the whole key, `@label` for a path, branch or date as a whole, and `~word` for a word whose stem is spelt
differently, so that typos are compared with words as people write them. `#` begins a hash.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from memcli.model import Fragment
from memcli.text import STOP_WORDS, fold, iso, stems, terms, words

KEY_WORD, WHOLE_KEY, LABEL, SPELLING, HASH = "=", "==", "@", "~", "#"

KEY_WEIGHT = 3  # a word of the key counts as so many in the text
MAX_FREQUENCY, MAX_LENGTH = 255, 65535  # what the index's records hold
MAX_TERM = 200  # bytes; an LMDB key ends at 511
MAX_GUESSES = 8  # words of a query that are compared with the whole vocabulary
_MONTHS = (  # "what did we decide in May 2026?": dates as people write them (recall at 10 on conversations .640 → .660)
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
ALIKE = 0.5  # share of letters in which a word must agree to be named as near


def index_terms(fragment: Fragment) -> tuple[dict[str, int], int]:
    """What a fragment is found by: each term with its weighted frequency (1 to 255), and the document's length in
    weighted terms (0 to 65535). Path, symbol, branch, type, author and date are terms too, but add no length."""
    counts = Counter(terms(fragment.text))
    for term in terms(fragment.key or ""):
        counts[term] += KEY_WEIGHT
    length = sum(counts.values())
    for term in (*_circumstances(fragment), *_key_terms(fragment.key or ""), *_spellings(fragment)):
        counts.setdefault(term, 1)
    return {storable(term): min(count, MAX_FREQUENCY) for term, count in counts.items()}, min(length, MAX_LENGTH)


def _circumstances(fragment: Fragment) -> Iterator[str]:
    branch = fragment.stamp.branch or ""
    date = iso(fragment.created or fragment.stamp.at)[:10]
    wholes = {branch, date, date[:7], *fragment.parents}  # by a parent's id its children are found
    for anchor in fragment.anchors:
        wholes |= {anchor.path, anchor.path.rpartition("/")[2]}
        # a file's suffix says nothing about one fragment: `py` would find nearly all of them
        yield from terms(" ".join((_without_suffix(anchor.path), anchor.symbol or "", *anchor.identifiers)))
    yield from (LABEL + fold(whole) for whole in wholes if whole)
    yield from terms(f"{branch} {fragment.type} {fragment.author} {_spoken_date(date)}")


def _spoken_date(date: str) -> str:
    return f"{_MONTHS[int(date[5:7]) - 1]} {int(date[8:])} {date[:4]}"


def _without_suffix(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return folder + slash + (name[: name.rindex(".")] if "." in name[1:] else name)


def _key_terms(key: str) -> Iterator[str]:
    if key:
        yield WHOLE_KEY + fold(key)
        yield from (KEY_WORD + term for term in terms(key))


def _spellings(fragment: Fragment) -> Iterator[str]:
    spoken = sorted({*words(fragment.text), *words(fragment.key or "")} - STOP_WORDS)
    yield from (SPELLING + word for word, stem in zip(spoken, stems(spoken), strict=True) if word != stem)


def storable(term: str) -> str:
    """The term as valid UTF-8 of at most MAX_TERM bytes; a longer one is hashed."""
    data = term.encode("utf-8", "replace")
    if len(data) <= MAX_TERM:
        return data.decode()
    from memcli.digests import blake2b

    return HASH + blake2b(data, digest_size=16).hexdigest()


def respelt(word: str, vocabulary: Iterable[str]) -> list[str]:
    """The known words nearest to one that is not known: at most one edit away from 4 letters on, two from 8 on (OSA:
    insert, delete, replace, swap neighbours)."""
    edits = 2 if len(word) >= 8 else 1 if len(word) >= 4 else 0
    if not edits:
        return []
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    known = {term.removeprefix(SPELLING) for term in vocabulary if not term.startswith((KEY_WORD, LABEL, HASH))}
    near = extract(word, known, scorer=OSA.distance, score_cutoff=edits, limit=None)
    return sorted(guess for guess, distance, _ in near if distance == near[0][1])


def nearest_words(query: str, vocabulary: Iterable[str], n: int = 3) -> list[str]:
    """At most n known words that are spelt most like one of the query's, nearest first: what to name when nothing was
    found."""
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    known = _spoken(vocabulary)
    asked = [word for word in dict.fromkeys(words(query[:MAX_TERM])) if word not in STOP_WORDS]
    near = [
        (-likeness, word)
        for wanted in asked[:MAX_GUESSES]
        for word, likeness, _ in extract(wanted, known, scorer=OSA.normalized_similarity, score_cutoff=ALIKE, limit=n)
    ]
    return list(dict.fromkeys(word for _, word in sorted(near)))[:n]


def _spoken(vocabulary: Iterable[str]) -> list[str]:
    """The terms that are words as people write them: no labels, no numbers, no bare stems of words spelt otherwise."""
    known = set(vocabulary)
    spelt = {term[1:] for term in known if term.startswith(SPELLING)}
    plain = {term for term in known - set(stems(spelt)) if term.replace("_", "").isalnum() and not term.isdigit()}
    return sorted(spelt | plain)
