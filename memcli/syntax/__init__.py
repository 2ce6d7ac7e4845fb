"""Source text as tokens, with comments told apart: `languages` says what differs, `tokens` reads, `brackets` and
`imports` tell what only looks different.

Drift compares tokens and not bytes: white space, wrapping, quote kinds and a formatter's commas are no change (law 4).
"""

import re

from memcli.syntax.languages import style_of
from memcli.syntax.tokens import Reading, read

__all__ = ["DOCUMENTATION", "Reading", "holds", "is_documentation", "read", "style_of", "with_lf"]

#: suffixes of prose: a name that lives on only there is gone from the code (DRIFT.md)
DOCUMENTATION = ("md", "mdx", "mdc", "markdown", "rst", "txt", "adoc", "asciidoc", "org", "textile")
_NO_DOCUMENTS = r"cmakelists\.txt|(?:[\w-]+-)?(?:requirements|constraints)(?:[-_.][\w-]+)*\.txt"
_DOCUMENTS = (
    r"(?:licen[cs]e|copying|changelog|changes|authors|notice|readme|contributing)(?:[-._]|$)"
    r"|\.(?:cursor|cline|windsurf|roo|goose)(?:rules|hints)$"
)


def is_documentation(path: str) -> bool:
    """True for a file that speaks about code and holds none: there a name proves nothing about the code."""
    name = path.rsplit("/", 1)[-1].lower()
    suffix = name.rpartition(".")[2]
    if re.fullmatch(_NO_DOCUMENTS, name):
        return False
    return suffix in DOCUMENTATION or (not style_of(path) and re.match(_DOCUMENTS, name) is not None)


def with_lf(text: str) -> str:
    """The text with lines that end in LF alone. They are git's lines: a CR by itself ends one only in a text of the old
    kind, which has no others."""
    text = text.replace("\r\n", "\n")
    return text if "\n" in text else text.replace("\r", "\n")


def holds(data: bytes, literal: str) -> bool:
    """True when the literal stands in the content as a whole word, in its case."""
    wanted = literal.encode("utf-8", "surrogateescape")
    place = data.find(wanted)
    while place >= 0:  # a pattern for each of a store's names would take longer to compile than this to look
        end = place + len(wanted)
        if not (_is_word(data[place - 1 : place]) or _is_word(data[end : end + 1])):
            return True
        place = data.find(wanted, place + 1)
    return False


def _is_word(sign: bytes) -> bool:
    return sign.isalnum() or sign == b"_"
