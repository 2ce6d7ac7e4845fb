"""Text as mem compares, searches and shows it: folding, words, normal form, escaping, times.

Patterns are kept as strings and compiled at first use (`re` remembers them), because most commands need only a few.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any
from unicodedata import category, combining, normalize

from memcli.errors import Usage

# Words that say nothing about what a text is about: the usual English list of search engines, contractions cut.
STOP_WORDS = frozenset(
    """
    a about above after again against ain all am an and any are aren as at be because been before being below between
    both but by can could couldn did didn do does doesn doing don down during each few for from further had hadn has
    hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself just me
    mightn more most mustn my myself needn no nor not now of off on once only or other our ours ourselves out over own
    same shan she should shouldn so some such than that the their theirs them themselves then there these they this
    those through to too under until up very was wasn we were weren what when where which while who whom why will with
    won would wouldn you your yours yourself yourselves
    """.split()  # noqa: SIM905 a list of 170 quoted words would take a screen
)

# A run of word characters; what an apostrophe adds (user's, don't) belongs to it but is no part of the word.
_WORD = r"(\w+)(?:['’](?:s|t|re|ve|ll|d|m)\b)?"
_HUMPS = r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
# Scripts written without spaces: kana, Han, Hangul syllables, and Han beyond the basic plane.
_CJK = (
    "[\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+"
)
# Control characters, the bidirectional ones, the byte order mark, and tag characters (they spell text nobody sees).
_HIDDEN = "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
_SURROGATE = "[\ud800-\udfff]"

_FIRST_MS, _LAST_MS = -62135596800000, 253402300799999  # the years 1 to 9999: what a date can say


def fold(text: str) -> str:
    """The text as it is compared: compatibility forms, accents and case folded away.

    It works on each character by itself, so the fold of a part is a part of the fold. Idempotent.
    """
    if text.isascii():
        return text.lower()
    return _unaccented(_unaccented(text).casefold())


def _unaccented(text: str) -> str:
    if text.isascii():
        return text
    return "".join(c for c in normalize("NFKD", text) if not combining(c) and category(c) != "Mn")


def word_groups(text: str) -> Iterator[tuple[str, ...]]:
    """Each word of the text, in order, as the tuple of its forms: an identifier whole and then its parts, a run of CJK
    as overlapping bigrams, any other word alone; all folded."""
    plain = text if text.isascii() else normalize("NFC", _unaccented(text))
    for word in re.findall(_WORD, plain):
        if word.isascii():
            yield _forms(word)
        else:
            yield from _by_script(word)


def words(text: str) -> list[str]:
    """The folded words of the text in order: createUser gives createuser, create, user; CJK gives bigrams."""
    return [form for group in word_groups(text) for form in group]


def _by_script(word: str) -> Iterator[tuple[str, ...]]:
    end = 0
    for run in re.finditer(_CJK, word):
        if run.start() > end:
            yield _forms(word[end : run.start()])
        yield _bigrams(run.group())
        end = run.end()
    if end < len(word):
        yield _forms(word[end:])


def _forms(word: str) -> tuple[str, ...]:
    if word.isascii() and "_" not in word and word == word.lower():
        return (word,)
    parts = [part for part in re.split(_HUMPS, word) if part]
    return tuple(dict.fromkeys([fold(form) for form in [word, *parts]])) if parts else ()


def _bigrams(run: str) -> tuple[str, ...]:
    return tuple(run[at : at + 2] for at in range(max(1, len(run) - 1)))


def telling(text: str) -> list[str]:
    """The folded words of the text without stop words, uncut: what tells of a line of code whether a note is about
    it. Stems say it worse (AUC .743 against .748 on the development lines of DRIFT.md)."""
    return [word for word in words(text) if word not in STOP_WORDS]


def stems(words: Iterable[str]) -> list[str]:
    """The folded words without stop words, each cut to its English stem."""
    kept: list[str] = _stemmer().stemWords([word for word in words if word not in STOP_WORDS])
    return kept


def terms(text: str) -> list[str]:
    """What search looks for in a text: the stems of its words, in order, with repetitions."""
    return stems(words(text))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    from Stemmer import Stemmer

    return Stemmer("english")


def without(text: str, word: str) -> str:
    """The text with a space for each place where the word stands whole, as a run of word characters or of several."""
    kept, start, place = [], 0, text.find(word)
    while place >= 0:  # a pattern would have to be compiled for each word
        end = place + len(word)
        if _is_word(text[place - 1 : place]) or _is_word(text[end : end + 1]):
            place = text.find(word, place + 1)
        else:
            kept.append(text[start:place])
            start, place = end, text.find(word, end)
    return " ".join([*kept, text[start:]])


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def normal(text: str) -> str:
    """The form in which two texts are the same text: case, white space, quotation marks and the punctuation that ends
    a word aside. What stands inside words or makes them (C++, C#, a.b, x != y) stays, and so do accents. Idempotent.
    """
    folded = text.lower() if text.isascii() else normalize("NFC", normalize("NFD", text).casefold()).replace("’", "'")
    kept = [word.strip(_QUOTES).rstrip(_ENDS) for word in folded.split()]
    return " ".join(word for word in kept if word) or " ".join(folded.split())


_QUOTES = "\"'`“”„‘«»"
_ENDS = _QUOTES + ".,;:!"


def escape(text: str) -> str:
    """The text as one line that an agent or a terminal may read (law 13): angle brackets as `&lt;` `&gt;`, line breaks
    as ` / `, no control or bidirectional characters; a byte that is no text shows as U+FFFD."""
    shown = text.replace("<", "&lt;").replace(">", "&gt;")
    if shown.isascii() and shown.isprintable():
        return shown.strip()
    lines = (re.sub(_HIDDEN, "", line.replace("\t", " ")).strip() for line in shown.splitlines())
    return re.sub(_SURROGATE, "\ufffd", " / ".join(line for line in lines if line))


def unescape(text: str) -> str:
    """The text with `&lt;` and `&gt;` read as the characters, as save does with what was copied from a block."""
    return text.replace("&lt;", "<").replace("&gt;", ">")


def visible(line: str) -> str:
    """A line of code with its control and bidirectional characters spelt out (`^[`, `<U+202E>`); tabs stay. A byte that
    is no text shows as U+FFFD."""
    if line.isascii() and line.isprintable():
        return line
    shown = re.sub(_HIDDEN, lambda found: _spelt(found.group()), line)
    return re.sub(_SURROGATE, "\ufffd", shown)


def quoted(path: str) -> str:
    """A path as git prints it: in quotes, with escapes, when it holds a quote, a backslash, or what can't be shown."""
    if visible(path) == path and not any(sign in path for sign in '"\\\t'):
        return path
    known = {34: '\\"', 92: "\\\\", 9: "\\t", 10: "\\n"}
    raw = path.encode("utf-8", "surrogateescape")
    return '"' + "".join(known.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in raw) + '"'


def _spelt(sign: str) -> str:
    if sign == "\t":
        return sign
    return f"^{chr(ord(sign) ^ 64)}" if sign.isascii() else f"<U+{ord(sign):04X}>"


def iso(ms: int) -> str:
    """Milliseconds since the epoch as `2026-11-29T20:00:00.123Z`. Times beyond the years 1 to 9999 show their end."""
    from time import gmtime

    ms = min(max(ms, _FIRST_MS), _LAST_MS)
    year, month, day, hour, minute, second, *_ = gmtime(ms // 1000)
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms % 1000:03}Z"


def parse_time(text: str) -> int:
    """Milliseconds since the epoch of an ISO-8601 date or time; one without a zone is UTC. Raises Usage."""
    from datetime import UTC, datetime, timedelta

    try:
        moment = datetime.fromisoformat(text.strip())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    except (ValueError, OverflowError):
        raise Usage(f"not a time: {escape(text)[:40]}", "write it as 2026-11-29 or 2026-11-29T20:00:00Z") from None


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that is spelt most like the word, for a hint; None when none is close."""
    from difflib import get_close_matches

    known = {fold(candidate): candidate for candidate in candidates}
    close = get_close_matches(fold(word), known, n=1, cutoff=0.6)
    return known[close[0]] if close else None
