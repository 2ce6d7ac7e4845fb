"""Whether a text may define a name at all, told without a grammar: most texts that only use it need no tree. Pure.

It errs to one side: a text that defines the name is not turned away.
"""

import re

#: what stands right before a use: an operator (but no end of a comment), or a word of expressions
_OPERATOR = r"(?:[=+|%<-]\s?|!|(?<!\*)/)"
_WORD = r"\b(?:return|await|yield|new|import|not|in|if|elif|and|or|throw|raise|assert)[ \t]+"
_USED = re.compile(rf"(?:{_OPERATOR}|{_WORD})$")
#: a line that brings names in from elsewhere
_BROUGHT = re.compile(r"\s*(?:import|from|use|#\s*include)\s")
#: a bracket before a name and one after it: a call in a call
_ARGUMENT = re.compile(r"[(\[]\s?$")
#: here a dot before a name may stand in its definition: `exports.f =`, `def self.f`, `fun String.f`, `namespace A.B`
_DOTTED = {"javascript", "typescript", "ruby", "kotlin", "c_sharp", "php", "bash"}
#: where a function has a keyword before its name, a statement does not begin with one; where it has a type, it may
_KEYWORDS = {"python", "ruby", "php"}
_TYPED = {"c", "java", "c_sharp"}
_CALL = re.compile(r"\([^\n{}]*\);[ \t]*(?:\n|$)")


def may_define(text: str, name: str, grammar: str) -> bool:
    """False when each place of the name in the text is surely a use; `grammar` is the package of its language."""
    if name.startswith("operator"):
        return True
    language = grammar.removeprefix("tree_sitter_")
    places = re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    return any(not _is_use(text, place.start(), place.end(), language) for place in places)


def _is_use(text: str, start: int, end: int, language: str) -> bool:
    before = text[max(text.rfind("\n", 0, start) + 1, start - 200) : start]
    dotted = before.endswith(".") and language not in _DOTTED
    if dotted or re.match(r"\s*=(?!=)", text[end : end + 8]):
        return dotted
    if _USED.search(before) or _BROUGHT.match(before):
        return True
    if not before.strip() and _is_call(text, start, end, language):
        return True
    return _ARGUMENT.search(before) is not None and text[end : end + 1] == "("


def _is_call(text: str, start: int, end: int, language: str) -> bool:
    """True when the name, with which a line begins, is a function called there."""
    if language in _KEYWORDS:
        return text[end : end + 1] == "("
    ended = text[max(0, start - 200) : start].rstrip()[-1:] in tuple(";{}")  # no type on the line before
    return language in _TYPED and ended and _CALL.match(text, end) is not None
