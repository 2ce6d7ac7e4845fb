"""Which grammar reads a file, and the tree it makes of it. The only importer of tree-sitter, and only when asked."""

import importlib.util
import re
from functools import lru_cache
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

from memcli.symbols.languages import BY_NAME, BY_PROGRAM, BY_SUFFIX, Language

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


def language_of(text: str, path: str) -> Language | None:
    """The language that the path's name tells, or else the text's `#!` line; None when no grammar serves it."""
    name = path.rsplit("/", 1)[-1].lower()
    stem, dot, suffix = name.rpartition(".")
    if name in BY_NAME or (dot and stem):
        return BY_NAME.get(name) or BY_SUFFIX.get(suffix)
    found = re.match(r"#![^\n]*?\b(python|node|ruby|php|bash|sh|ksh|zsh)[\d.]*(?:\s|$)", text) if path else None
    return BY_PROGRAM[found[1]] if found else None


def parse(text: str, language: Language) -> "Node | None":
    """The root of a readable text's tree; None when the grammar is not installed or does not fit this tree-sitter."""
    parser = _parser(language.grammar, language.entry)
    return parser.parse(text.encode()).root_node if parser else None


def readable(text: str) -> str:
    """The text without lone surrogates: what was no UTF-8 stands as a letter, in names as in the rest."""
    return re.sub("[\ud800-\udfff]", "ø", text)


@lru_cache(maxsize=32)
def _parser(grammar: str, entry: str) -> "Parser | None":
    """A parser for the grammar. Its compiled part is loaded alone: the package around it imports importlib.resources
    for queries that are not used here, which costs 15 ms."""
    try:
        from tree_sitter import Language as Grammar
        from tree_sitter import Parser

        package = importlib.util.find_spec(grammar)
        folder = package.submodule_search_locations if package else None
        spec = PathFinder.find_spec(f"{grammar}._binding", folder) if folder else None
        if spec is None or spec.loader is None:
            return None
        binding = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(binding)
        return Parser(Grammar(getattr(binding, entry)()))
    except (ImportError, AttributeError, ValueError):  # ValueError: made for another version of tree-sitter
        return None
