"""A regular expression as a machine that reads each character of a text once.

The pattern becomes a graph of small states (Thompson's construction); the sets of states that a text really reaches
become the states of a deterministic machine, made when first reached (as in RE2 and grep). Time is at most
(length of the text) × (size of the pattern), whatever the pattern.
"""

from collections.abc import Callable
from typing import NamedTuple

from memcli.query import regex
from memcli.query.place import Fault

MAX_NODES = 4000  # parts of a pattern, after counted repeats are written out
MAX_MOVES = 20_000  # remembered moves; then the machine forgets them, so that memory stays bounded

Spend = Callable[[int], None]


class _Read(NamedTuple):
    """A state that reads one character and goes on to `then`."""

    chars: regex.Chars
    then: int


class _Fork(NamedTuple):
    """A state that goes on to several, reading nothing."""

    to: tuple[int, ...]


class _Pass(NamedTuple):
    """A state that goes on to `then` if the place between two characters is of this kind."""

    edge: str
    then: int


class _Set:
    """A state of the deterministic machine: the states before the next character, and the character before it."""

    __slots__ = ("before", "members", "moves")

    def __init__(self, members: frozenset[int], before: str) -> None:
        self.members = members
        self.before = before
        self.moves: dict[str, _Set | None] = {}  # None: a match ends here


class Automaton:
    """A compiled pattern. Raises Fault, without a place, when the pattern isn't understood or too large."""

    def __init__(self, pattern: str) -> None:
        tree, self.flags = regex.parse(pattern)
        self.states: list[_Read | _Fork | _Pass | None] = [None]  # 0: matched
        self.emitted = 0
        self.start = self._emit(tree, 0)
        self._forget()

    def search(self, text: str, spend: Spend) -> bool:
        """True if the pattern matches somewhere in the text. `spend` is told the work in steps."""
        spend(len(text) >> 2)  # a character costs about a quarter of a step
        here = self.first
        for char in text:
            move = here.moves.get(char, here)
            if move is here and char not in here.moves:
                move = self._move(here, char, spend)
            if move is None:
                return True
            here = move
        return self._reach(here, "")[1]

    def _forget(self) -> None:
        self.known: dict[tuple[frozenset[int], str], _Set] = {}
        self.count = 0
        self.first = self._set(frozenset(), "")

    def _set(self, members: frozenset[int], before: str) -> _Set:
        return self.known.setdefault((members, before), _Set(members, before))

    def _move(self, here: _Set, char: str, spend: Spend) -> _Set | None:
        """The set of states after one more character, remembered for the next time."""
        if self.count > MAX_MOVES:
            self._forget()
        reached, matched = self._reach(here, char)
        spend(2 * len(reached) + 1)
        after: _Set | None = None
        if not matched:
            states = (self.states[index] for index in reached)
            after = self._set(
                frozenset(s.then for s in states if isinstance(s, _Read) and self._holds(s.chars, char)), _class(char)
            )
        here.moves[char] = after
        self.count += 1 + len(reached)
        return after

    def _reach(self, here: _Set, char: str) -> tuple[set[int], bool]:
        """All states that can be reached without reading, and whether one of them is the match."""
        todo = [*here.members, self.start]  # a match may begin at each character
        seen = set(todo)
        while todo:
            state = self.states[todo.pop()]
            if isinstance(state, _Fork):
                ways = state.to
            elif isinstance(state, _Pass) and self._stands(state.edge, here.before, _class(char)):
                ways = (state.then,)
            else:
                continue
            todo += set(ways) - seen
            seen.update(ways)
        return seen, 0 in seen

    def _stands(self, edge: str, before: str, after: str) -> bool:
        """Whether the place between a character of kind `before` and one of kind `after` is such an edge."""
        lines = "m" in self.flags
        match edge:
            case "A" | "^":
                return not before or (lines and edge == "^" and before == "n")
            case "z" | "$":
                return not after or (lines and edge == "$" and after == "n")
        return ((before == "w") != (after == "w")) == (edge == "b")

    def _holds(self, chars: regex.Chars, char: str) -> bool:
        if chars.classes == "." and not chars.ranges:
            return "s" in self.flags or char != "\n"
        found = _is_in(chars, char)
        if not found and "i" in self.flags:
            found = any(_is_in(chars, other) for other in (char.lower(), char.upper()) if len(other) == 1)
        return found != chars.negated

    def _add(self, state: _Read | _Fork | _Pass) -> int:
        self.states.append(state)
        return len(self.states) - 1

    def _emit(self, node: regex.Pattern, then: int) -> int:
        """Add the states of a node in front of the state `then`; gives the first of them."""
        self.emitted += 1  # nodes and not states: `((){999}){999}` has no states, and would write none a million times
        if self.emitted > MAX_NODES:
            raise Fault("the pattern is too large: its counted repeats write it out too many times")
        match node:
            case regex.Chars():
                return self._add(_Read(node, then))
            case regex.Edge(kind):
                return self._add(_Pass(kind, then))
            case regex.Sequence(parts):
                for part in reversed(parts):
                    then = self._emit(part, then)
                return then
            case regex.Either(options):
                return self._add(_Fork(tuple(self._emit(option, then) for option in options)))
        return self._emit_repeat(node, then)

    def _emit_repeat(self, node: regex.Repeat, then: int) -> int:
        if node.most is None:
            loop = self._add(_Fork(()))
            self.states[loop] = _Fork((self._emit(node.part, loop), then))
            then = loop
        for _ in range((node.most or node.least) - node.least):
            then = self._add(_Fork((self._emit(node.part, then), then)))
        for _ in range(node.least):
            then = self._emit(node.part, then)
        return then


def _class(char: str) -> str:
    """What edges need to know of a character: none "", word "w", line break "n", other "o"."""
    if not char:
        return ""
    return "w" if char.isalnum() or char == "_" else "n" if char == "\n" else "o"


_CLASSES: dict[str, Callable[[str], bool]] = {
    "d": str.isdecimal,
    "w": lambda char: char.isalnum() or char == "_",
    "s": str.isspace,
    "D": lambda char: not char.isdecimal(),
    "W": lambda char: not (char.isalnum() or char == "_"),
    "S": lambda char: not char.isspace(),
}


def _is_in(chars: regex.Chars, char: str) -> bool:
    return any(low <= char <= high for low, high in chars.ranges) or any(_CLASSES[c](char) for c in chars.classes)
