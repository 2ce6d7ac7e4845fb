"""Regular expressions for `matches`: pattern → tree. The tree is run by `automaton`, in time linear in the text.

Why not Python's `re`: even `a*b` takes time quadratic in the text there, and `(a|a)*b` exponential, so that no refusal
of some patterns bounds the rest; texts have up to 64 KiB and a search can't be interrupted. Understood are literals,
`.`, sets, `\\d \\w \\s` and their capitals, `^ $ \\A \\z \\b \\B`, groups (named ones too), `|`, `* + ? {m} {m,} {m,n}`
(lazy ones too), and flags `(?ims)` in front. Back references and look-around are refused: no linear machine has them.
Refused as well is a repeat of nothing but repeats, `(a+)+`: the machine would not mind, but it's a slip that makes
other tools hang.
"""

from typing import NamedTuple, TypeAlias

from memcli.query.place import Fault

MAX_PATTERN = 4096  # characters
MAX_GROUPS = 20  # groups within groups
MAX_COUNT = 1000  # of a counted repeat, as in Go's regexp


class Chars(NamedTuple):
    """One character: within one of the ranges or of the classes (`d`, `w`, `s`), or not if negated."""

    ranges: tuple[tuple[str, str], ...] = ()
    classes: str = ""
    negated: bool = False


class Sequence(NamedTuple):
    """One part after the other."""

    parts: tuple["Pattern", ...]


class Either(NamedTuple):
    """One of several."""

    options: tuple["Pattern", ...]


class Repeat(NamedTuple):
    """`least` to `most` times; most None is without end."""

    part: "Pattern"
    least: int
    most: int | None


class Edge(NamedTuple):
    """A place between characters: `^`, `$`, `A`, `z`, `b` or `B`."""

    kind: str


Pattern: TypeAlias = Chars | Sequence | Either | Repeat | Edge

_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "0": "\0"}
_CODES = {"x": 2, "u": 4, "U": 8}


def parse(pattern: str) -> tuple[Pattern, frozenset[str]]:
    """The tree of a pattern, and its flags out of `i m s`. Raises Fault, without a place, for what isn't understood."""
    if len(pattern) > MAX_PATTERN:
        raise Fault(f"the pattern is longer than {MAX_PATTERN} characters")
    reader = _Reader(pattern)
    flags = reader.flags()
    tree = reader.either(0)
    if reader.rest:
        raise reader.fault("a ) without its (")
    return tree, flags


def only_repeats(node: Pattern) -> bool:
    """True if the node repeats something without end, and holds nothing that must stand once between the repeats."""
    return _endless(node) and not _firm(node)


def _endless(node: Pattern) -> bool:
    match node:
        case Repeat(part, _, most):
            return most is None or _endless(part)
        case Sequence(parts) | Either(parts):
            return any(_endless(part) for part in parts)
    return False


def _firm(node: Pattern) -> bool:
    match node:
        case Chars():
            return True
        case Repeat(part, least, most):
            return least > 0 and most is not None and _firm(part)
        case Sequence(parts):
            return any(_firm(part) for part in parts)
        case Either(options):
            return all(_firm(option) for option in options)
    return False


class _Reader:
    """Reads a pattern from left to right, one method a level of the grammar."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    @property
    def rest(self) -> int:
        return len(self.pattern) - self.at

    def fault(self, message: str) -> Fault:
        return Fault(f"in the pattern, character {self.at + 1}: {message}")

    def accept(self, sign: str) -> bool:
        if self.pattern.startswith(sign, self.at):
            self.at += len(sign)
            return True
        return False

    def take(self) -> str:
        if not self.rest:
            raise self.fault("it ends too early")
        self.at += 1
        return self.pattern[self.at - 1]

    def flags(self) -> frozenset[str]:
        end = self.pattern.find(")")
        if self.pattern.startswith("(?") and end > 2 and set(self.pattern[2:end]) <= set("ims"):
            self.at = end + 1
            return frozenset(self.pattern[2:end])
        return frozenset()

    def either(self, depth: int) -> Pattern:
        if depth > MAX_GROUPS:
            raise self.fault(f"more than {MAX_GROUPS} groups within each other")
        options = [self.sequence(depth)]
        while self.accept("|"):
            options.append(self.sequence(depth))
        return Either(tuple(options)) if len(options) > 1 else options[0]

    def sequence(self, depth: int) -> Pattern:
        parts: list[Pattern] = []
        while self.rest and self.pattern[self.at] not in "|)":
            parts.append(self.repeat(self.atom(depth)))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def repeat(self, part: Pattern) -> Pattern:
        start = self.at
        bounds = self.bounds()
        if bounds is None:
            return part
        self.accept("?")  # a lazy repeat matches the same texts
        again = self.at
        if self.bounds() is not None:
            self.at = again
            raise self.fault("a repeat of a repeat; put the first into a group")
        least, most = bounds
        if (most is None or most > 1) and only_repeats(part):
            self.at = start
            raise self.fault("nested repeat: what is repeated consists of repeats only, as in (a+)+; one is enough")
        return Repeat(part, least, most)

    def bounds(self) -> tuple[int, int | None] | None:
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.accept(sign):
                return bounds
        end = self.pattern.find("}", self.at)
        least, comma, most = self.pattern[self.at + 1 : end].partition(",")
        braced = self.pattern.startswith("{", self.at) and end > 0
        if not braced or not _is_count(least) or not (_is_count(most) or not most):
            return None  # a brace that counts nothing is a character, as everywhere
        self.at = end + 1
        return self.counts(least, most if comma else least)

    def counts(self, least: str, most: str) -> tuple[int, int | None]:
        low, high = int(least), int(most) if most else None
        if low > MAX_COUNT or (high is not None and not low <= high <= MAX_COUNT):
            raise self.fault(f"a count must rise and end at {MAX_COUNT}")
        return low, high

    def atom(self, depth: int) -> Pattern:
        char = self.take()
        match char:
            case "(":
                return self.group(depth)
            case "[":
                return self.charset()
            case ".":
                return Chars(classes=".")
            case "^" | "$":
                return Edge(char)
            case "\\":
                return self.escaped()
            case "*" | "+" | "?":
                self.at -= 1
                raise self.fault(f"{char} has nothing to repeat")
        return Chars(((char, char),))

    def group(self, depth: int) -> Pattern:
        if self.accept("?"):
            self.group_head()
        inner = self.either(depth + 1)
        if not self.accept(")"):
            raise self.fault("a ( without its )")
        return inner

    def group_head(self) -> None:
        if self.accept(":"):
            return
        if (self.accept("P<") or self.accept("<")) and self.rest and self.pattern[self.at] not in "=!":
            end = self.pattern.find(">", self.at)
            if self.pattern[self.at : end].isidentifier():
                self.at = end + 1
                return
        raise self.fault("only (?:…), (?P<name>…) and flags in front such as (?i) are understood")

    def escaped(self) -> Pattern:
        char = self.take()
        if char in "AzbB":
            return Edge(char)
        return self.chars(char)

    def chars(self, char: str) -> Chars:
        """What stands after a backslash, as a set of characters."""
        if char in "dws":
            return Chars(classes=char)
        if char in "DWS":
            return Chars(classes=char.lower(), negated=True)
        one = _CONTROL.get(char) or self.code(char)
        return Chars(((one, one),))

    def code(self, char: str) -> str:
        if char in _CODES:
            digits = self.pattern[self.at : self.at + _CODES[char]]
            self.at += len(digits)
            return _character(digits, _CODES[char]) or self.refuse(char)
        return self.refuse(char) if char.isalnum() else char

    def refuse(self, char: str) -> str:
        raise self.fault(f"\\{char} isn't understood here{' (back reference)' if char.isdigit() else ''}")

    def charset(self) -> Pattern:
        negated = self.accept("^")
        sets = [self.member()]  # a ] right at the front is a character
        while not self.accept("]"):
            sets.append(self.member())
        ranges = tuple(span for one in sets if not one.negated for span in one.ranges)
        classes = "".join(one.classes.upper() if one.negated else one.classes for one in sets)
        return Chars(ranges, classes, negated)

    def member(self) -> Chars:
        if self.accept("[:"):
            raise self.fault(r"[:name:] isn't understood; write \w, \d, \s or the characters")
        first = self.one()
        if not self.pattern.startswith("-", self.at) or self.pattern.startswith("-]", self.at):
            return first
        self.at += 1
        last = self.one()
        if not first.ranges or not last.ranges or first.ranges[0][0] > last.ranges[0][0]:
            raise self.fault("a range must go from a lower to a higher character")
        return Chars(((first.ranges[0][0], last.ranges[0][0]),))

    def one(self) -> Chars:
        char = self.take()
        return self.chars(self.take()) if char == "\\" else Chars(((char, char),))


def _is_count(digits: str) -> bool:
    return digits.isascii() and digits.isdigit() and len(digits) <= 6


def _character(digits: str, length: int) -> str | None:
    """The character of a hexadecimal code of exactly this length; None when there is none."""
    if len(digits) != length or not set(digits) <= set("0123456789abcdefABCDEF"):
        return None
    code = int(digits, 16)
    return chr(code) if code <= 0x10FFFF else None
