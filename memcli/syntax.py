"""Source text as tokens, line by line, with comments told apart, for as many languages as share a few comment styles.

Drift compares tokens and not bytes: white space, wrapping, quote kinds and a formatter's commas are no change (law 4).
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_STRINGS = (
    r"""(?P<string>\"\"\"(?s:.*?)\"\"\"|'''(?s:.*?)'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)"""
)
_REST = r"(?P<word>\w+)|(?P<sign>[^\w\s])"

#: comment style → the pattern of its comments
_COMMENTS = {
    "hash": r"\#[^\n]*",
    "slash": r"//[^\n]*|/\*(?s:.*?)\*/",
    "php": r"//[^\n]*|\#(?!\[)[^\n]*|/\*(?s:.*?)\*/",
    "dash": r"--[^\n]*|/\*(?s:.*?)\*/",
    "markup": r"<!--(?s:.*?)-->",
    "semicolon": r"[;\#][^\n]*",
    "percent": r"%[^\n]*",
}

_STYLES = {
    "hash": "py pyi pyx rb sh bash zsh fish yaml yml toml pl pm r jl ex exs nix tf hcl cmake mk make gitignore conf "
    "cfg properties env",
    "slash": "c h cc cpp cxx hh hpp hxx m mm java js jsx mjs cjs ts tsx mts cts go rs kt kts swift scala groovy gradle "
    "cs dart proto css scss less zig v sv json5 jsonc sol glsl",
    "php": "php",
    "dash": "sql lua hs elm ada adb ads vhd vhdl",
    "markup": "html htm xml svg vue svelte xhtml",
    "semicolon": "lisp el clj cljs scm rkt asm s ini",
    "percent": "tex erl hrl pro",
}
_BY_SUFFIX = {suffix: style for style, suffixes in _STYLES.items() for suffix in suffixes.split()}
_BY_NAME = {"makefile": "hash", "dockerfile": "hash", "gemfile": "hash", "rakefile": "hash", "jenkinsfile": "slash"}

#: what a formatter adds, removes or exchanges; no token of these counts
_TRIVIAL = frozenset(",;()[]{}\"'`\\")

_patterns: dict[str, re.Pattern[str]] = {}


class Line(NamedTuple):
    """One line of a file: the tokens of its code and those of its comments."""

    code: tuple[str, ...]
    comment: tuple[str, ...]


def style_of(path: str) -> str:
    """The comment style that the path's name tells: a key of the table above, or "" for prose and the unknown."""
    name = path.rsplit("/", 1)[-1].lower()
    return _BY_NAME.get(name) or _BY_SUFFIX.get(name.rpartition(".")[2], "")


def lines_of(text: str, style: str) -> list[Line]:
    """The file's lines as tokens. A string or comment over several lines gives each line its own part."""
    lines: list[tuple[list[str], list[str]]] = [([], []) for _ in range(text.count("\n") + 1)]
    for number, token, is_comment in _tokens(text, style):
        lines[number][is_comment].append(token)
    return [Line(tuple(code), tuple(comment)) for code, comment in lines]


def _tokens(text: str, style: str) -> Iterator[tuple[int, str, bool]]:
    """(line from 0, token, is a comment's) for each token that is not trivial."""
    number = last = 0
    for match in _pattern(style).finditer(text):
        start = match.start()
        number += text.count("\n", last, start)
        last = start
        kind, token = match.lastgroup, match.group()
        if kind == "word" or (kind == "sign" and token not in _TRIVIAL):
            yield number, token, False
        elif kind in ("string", "comment"):
            for offset, part in enumerate(token.split("\n")):
                for piece in _INNER.findall(part):
                    if piece not in _TRIVIAL:
                        yield number + offset, piece, kind == "comment"


_INNER = re.compile(r"\w+|[^\w\s]")


def _pattern(style: str) -> re.Pattern[str]:
    found = _patterns.get(style)
    if found is None:
        parts = [f"(?P<comment>{_COMMENTS[style]})", _STRINGS] if style else []
        found = _patterns[style] = re.compile("|".join([*parts, _REST]))
    return found


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


def holds(data: bytes, literal: str) -> bool:
    """True when the literal stands in the content as a whole word, in its case."""
    pattern = rb"(?<!\w)" + re.escape(literal.encode("utf-8", "surrogateescape")) + rb"(?!\w)"
    return re.search(pattern, data) is not None
