"""Where the words of a query stand in a text, to be marked for a reader. Pure."""

import re
from collections.abc import Collection, Iterator

from memcli.text import fold, stems, words


def spans(shown: str, found: Collection[str], verbatim: Collection[str]) -> list[tuple[int, int]]:
    """The stretches of a text (begin, end; apart, in order) that are words of one of the terms `found`, or hold one of
    the folded texts `verbatim`."""
    joined: list[tuple[int, int]] = []
    for begin, end in sorted([*_words(shown, found), *_verbatim(shown, verbatim)]):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((begin, end))
    return joined


def _words(shown: str, found: Collection[str]) -> Iterator[tuple[int, int]]:
    for word in re.finditer(r"\w+", shown):
        if not set(stems(words(word.group()))).isdisjoint(found):
            yield word.span()


def _verbatim(shown: str, verbatim: Collection[str]) -> Iterator[tuple[int, int]]:
    folded = fold(shown)
    if len(folded) != len(shown):  # ligatures and the like: places in one are no places in the other
        return
    for text in filter(None, verbatim):
        for place in re.finditer(re.escape(text), folded):
            yield place.span()
