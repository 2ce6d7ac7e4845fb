"""What the wording of a fragment says about it: is an error handled, is a piece of work done?

The phrases are data (data/phrases.json), lists of whole words in lower case:
`handled` and `done` say that a thing is over; `open` and `unfinished` say that it is not, even beside the former;
`negations` do the same when they stand at most `reach` words before one of the former, with no punctuation between;
`reservations` do when they stand at most twice as far behind, and so does a question mark;
`idioms` hold such a word in another sense (closed file) and are passed over.
"""

import json
import os
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

_PHRASES = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data", "phrases.json")


def handled(text: str) -> bool:
    """Whether an error's text reads as handled (fixed, resolved, closed …) and not as open again or still."""
    return _over(text, "handled", ("open",))


def finished(text: str) -> bool:
    """Whether the text of a progress, result or status reads as done and not as open or with a part left to do."""
    return _over(text, "done", ("open", "unfinished"))


def _over(text: str, over: str, still: tuple[str, ...]) -> bool:
    plain = " ".join(text.casefold().replace("’", "'").split())
    plain = re.sub(_any("idioms"), "…", plain)
    against = [*map(_any, still), _negated(over), _reserved(over), _in_part(over)]
    return bool(re.search(_any(over), plain)) and not any(re.search(pattern, plain) for pattern in against)


@cache
def _any(name: str) -> str:
    return _words(_phrases()[name])


@cache
def _negated(name: str) -> str:
    return f"{_any('negations')} {_few()}{_any(name)}"


@cache
def _reserved(name: str) -> str:
    """fixed, but; done except for; is it fixed?"""
    words = rf"(?:[\w',;:-]+ ){{0,{2 * _phrases()['reach']}}}"
    return rf"{_any(name)}(?:\?|[,;:.]? {words}{_any('reservations')})"


@cache
def _in_part(name: str) -> str:
    """80% done, 3/5 tasks done, merged 3 of 5; but not 5 of 5."""
    some = r"(?<![\w.])(?:\d{1,2} ?%|(\d+) ?/ ?(?!\1\b)\d+|(\d+) (?:out )?of (?!\2\b)\d+)"
    after = r"(\d+) (?:out )?of (?!\3\b)\d+"
    return f"{some} {_few()}{_any(name)}|{_any(name)} {_few()}{after}"


def _few() -> str:
    """A pattern for a few words between two that belong together, with no punctuation."""
    return rf"(?:[\w'-]+ ){{0,{_phrases()['reach']}}}"


def _words(phrases: Iterable[str]) -> str:
    """A pattern for any of the phrases, as whole words."""
    return rf"(?<![\w'-])(?:{'|'.join(re.escape(phrase) for phrase in phrases)})(?![\w'-])"


@cache
def _phrases() -> dict[str, Any]:
    with open(_PHRASES, encoding="utf-8") as file:
        phrases: dict[str, Any] = json.load(file)
    return phrases
