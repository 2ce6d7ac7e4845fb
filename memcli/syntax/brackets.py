"""Which brackets mean something. Formatters add and remove those that only hold a line together.

A pair that only groups counts where the code would be another without it: an operator inside binds weaker than one
beside it. The ranks are JavaScript's, because only its formatters remove such pairs inside of expressions.
"""

import re

from memcli.syntax.languages import Language

CLOSERS = {")": "(", "]": "[", "}": "{"}

_LOWEST, _UNARY, _POSTFIX, _NOTHING = 0, 13, 14, 99
_RANKS = {
    **dict.fromkeys(["=", "=>", "->", "?", ":", "..."], _LOWEST),
    **dict.fromkeys(["||", "??"], 1),
    "&&": 2,
    "|": 4,
    "^": 5,
    "&": 6,
    **dict.fromkeys(["==", "!=", "===", "!=="], 7),
    **dict.fromkeys(["<", ">", "<="], 8),
    **dict.fromkeys(["+", "-"], 10),
    **dict.fromkeys(["*", "/", "%"], 11),
    **dict.fromkeys(["!", "~", "++", "--"], _UNARY),
}
_WORD_RANKS = {
    **dict.fromkeys(["if", "else", "for", "lambda", "yield"], _LOWEST),
    "or": 1,
    "and": 2,
    "not": 3,
    **dict.fromkeys(["in", "is", "instanceof", "as"], 8),
    **dict.fromkeys(["await", "typeof", "void", "delete"], _UNARY),
}
_UNORDERED = frozenset("-/%")  # a - (b - c) is not a - b - c
#: words before a bracket that do not call
_KEYWORDS = frozenset(
    """
    and as assert async await case catch const def default del delete do elif else elseif except export extends fn
    for foreach from func function go guard if import in instanceof is lambda let lock not of or raise range
    return select switch synchronized throw type typeof unless until using var void when where while with yield
    """.split()  # noqa: SIM905 a quoted list would take a screen
)
_BEFORE_VALUE = frozenset(
    "return typeof case in delete void throw new else do await yield instanceof extends".split()  # noqa: SIM905 as above
)
_BEFORE_OBJECT = frozenset(["=", "(", ",", ":", "?", "=>", "&&", "||", "??", "[", "return", "default"])
_GOES_ON = re.compile(r"\s*(?:else|catch|finally|elseif|while|[.?,;)])")  # a statement, after its first block
_NEXT = re.compile(r"[ \t]*([(\[])|\s*(&&|\|\||\?\?|\?\.|[=!]==?|<=|=>|\.(?!\.)|[-+*/%&|^<>?]|(?:and|or|is|in|if)\b)")


class _Group:
    __slots__ = ("before", "calls", "comma", "lowest", "operator", "place", "sign", "stop")

    def __init__(self, sign: str, place: int, before: int, operator: str, calls: bool) -> None:
        self.sign = sign
        self.place = place  # of the bracket among the tokens
        self.before = before  # rank of the operator before it, -1 for none
        self.operator = operator
        self.calls = calls
        self.lowest = _NOTHING  # rank of the weakest operator inside, nested pairs aside
        self.comma = False
        self.stop = 0  # the place after the first statement inside


class Brackets:
    """The open brackets of a text that is being read, and the list of its tokens, which it adds to."""

    def __init__(self, tokens: list[str], language: Language) -> None:
        self.groups: list[_Group] = []
        self._tokens = tokens
        self._language = language
        self._comma = -1  # the place after which a comma stood last

    def word(self, token: str) -> None:
        rank = _WORD_RANKS.get(token)
        if rank is not None:
            self._lower(rank)

    def sign(self, token: str) -> None:
        rank = _RANKS.get(token)
        if rank is not None:
            self._lower(rank if self.after_value() else max(rank, _UNARY) if rank else rank)

    def comma(self) -> None:
        self._comma = len(self._tokens)
        if self.groups:
            self.groups[-1].comma = True
            self._lower(_LOWEST)

    def stop(self) -> None:
        if self.groups and not self.groups[-1].stop:
            self.groups[-1].stop = len(self._tokens)

    def open(self, sign: str, statement: int) -> None:
        if self._language.braces == "none":
            return
        tokens = self._tokens
        calls = sign == "(" and len(tokens) > statement and self._after_name()
        operator = tokens[-1] if tokens else ""
        before = -1 if calls or self._comma == len(tokens) else self._rank_before(operator)
        self.groups.append(_Group(sign, len(tokens), before, operator, calls))
        tokens.append(sign)

    def close(self, match: re.Match[str]) -> None:
        sign = match.group()
        if not self.groups or self.groups[-1].sign != CLOSERS[sign]:
            return
        group = self.groups.pop()
        tokens = self._tokens
        counts = self._counts(group, match)
        tokens.append(sign if counts else "")
        if not counts:
            tokens[group.place] = ""
        if sign == "}" and self._language.braces == "block" and not _GOES_ON.match(match.string, match.end()):
            self.stop()

    def after_value(self) -> bool:
        """Whether an operand has just ended, so that an operator follows and no sign, string or pattern begins."""
        last = self._tokens[-1] if self._tokens else "="
        if _is_word(last):
            return last not in _BEFORE_VALUE
        return last in ("", ")", "]", "}", "++", "--") or last[:1] in '"`\1'

    # which count

    def _counts(self, group: _Group, match: re.Match[str]) -> bool:
        if group.sign == "[":
            return True
        empty = len(self._tokens) == group.place + 1
        if group.sign == "{":
            return self._brace_counts(group, empty)
        if group.calls:
            return not (empty and self._names_class(group.place))
        if empty:
            return group.operator in (")", "]", "}", "")
        return self._grouping_counts(group, match)

    def _brace_counts(self, group: _Group, empty: bool) -> bool:
        one_may_do = self._language.braces == "block" or (
            self._language.braces == "arms" and group.operator in ("=>", "->", "|", "||")
        )
        if one_may_do:
            return 0 < group.stop < len(self._tokens)
        if not self._language.markup:
            return True
        if empty:  # or a comment between elements
            return group.operator in _BEFORE_OBJECT
        inside = self._tokens[group.place + 1 :] if len(self._tokens) == group.place + 2 else [""]
        if inside[0] == '" ':
            self._tokens[-1] = ""  # {" "}, which keeps a space at a line's end
        return not inside[0].startswith('"')

    def _grouping_counts(self, group: _Group, match: re.Match[str]) -> bool:
        if self._language.markup and self._tokens[group.place + 1] == "<":
            return False
        if group.comma and self.groups and (self.groups[-1].calls or self.groups[-1].sign == "["):
            return True
        if group.lowest == _NOTHING or group.operator == "for":
            return False
        if group.lowest < group.before or (group.lowest == group.before and group.operator in _UNORDERED):
            return True
        return group.lowest < self._rank_after(match)

    def _rank_after(self, match: re.Match[str]) -> int:
        found = _NEXT.match(match.string, match.end())
        if not found:
            return -1
        operator = found[2]
        if not operator or operator == ".":
            return _POSTFIX
        return _RANKS.get(operator, _WORD_RANKS.get(operator, -1))

    def _rank_before(self, operator: str) -> int:
        if operator == "in":  # the brackets of `for a in (b, c)` may go
            return -1
        rank = _RANKS.get(operator, _WORD_RANKS.get(operator, -1))
        if 10 <= rank < _UNARY:
            removed = self._tokens.pop()
            rank = rank if self.after_value() else _UNARY
            self._tokens.append(removed)
        return rank

    def _after_name(self) -> bool:
        last = self._tokens[-1]
        return last == "]" or (_is_word(last) and last not in _KEYWORDS)

    def _names_class(self, place: int) -> bool:
        """Whether the dotted name before the bracket is that of a new object or class: there () says nothing."""
        place -= 1
        while place >= 2 and self._tokens[place - 1] == ".":
            place -= 2
        return place > 0 and self._tokens[place - 1] in ("class", "new")

    def _lower(self, rank: int) -> None:
        group = self.groups[-1]
        group.lowest = min(group.lowest, rank)


def _is_word(token: str) -> bool:
    return token[:1].isalnum() or token.startswith(("_", "$"))
