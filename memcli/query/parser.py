"""Tokens → syntax tree, by precedence climbing. Every node knows its place."""

from collections.abc import Callable

from memcli.query import operators
from memcli.query.lexer import Token, tokens
from memcli.query.place import Fault, Span, suggest
from memcli.query.tree import (
    Binary,
    Call,
    Chain,
    Conditional,
    Element,
    Field,
    Index,
    ListOf,
    Literal,
    Name,
    Node,
    ObjectOf,
    Unary,
    children,
)

MAX_DEPTH = 100  # of parentheses and operators within each other; every later stage recurses no deeper
_CONSTANTS = {"true": True, "false": False, "nil": None, "null": None}


def parse(source: str) -> Node:
    """The tree of a query. Raises Fault, with the place and what was expected there."""
    parser = _Parser(list(tokens(source)))
    tree = parser.expression()
    parser.finish()
    _check_depth(tree)
    return tree


def _check_depth(tree: Node) -> None:
    """Long chains such as a + b + c … are deep trees too, though they are read in a loop."""
    level = [tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in children(node)]
        if not level:
            return
    raise Fault(f"nested more than {MAX_DEPTH} levels deep", level[0].at)


class _Parser:
    """A cursor over the tokens, one method a form of the grammar."""

    def __init__(self, row: list[Token]) -> None:
        self.row = row
        self.index = 0
        self.depth = 0

    @property
    def here(self) -> Token:
        return self.row[self.index]

    def take(self) -> Token:
        token = self.here
        self.index += token.kind != "end"
        return token

    def sees(self, sign: str, ahead: int = 0) -> bool:
        token = self.row[min(self.index + ahead, len(self.row) - 1)]
        return token.kind == "sign" and token.value == sign

    def accept(self, sign: str) -> bool:
        found = self.sees(sign)
        self.index += found
        return found

    def expect(self, sign: str, wanted: str) -> Token:
        if not self.sees(sign):
            raise self.unexpected(wanted)
        return self.take()

    def unexpected(self, wanted: str) -> Fault:
        token = self.here
        found = (
            token.value if token.kind == "end" else "a text" if token.kind == "text" else f'"{clip(str(token.value))}"'
        )
        message = f"expected {wanted}, not {found}"
        if token.kind == "name" and "operator" in wanted:
            message += suggest(str(token.value), sorted(operators.WORDS))
        return Fault(message, token.at)

    def finish(self) -> None:
        if self.here.kind != "end":
            raise self.unexpected("an operator or the end of the query")

    def span(self, start: Span) -> Span:
        return Span(start.start, self.row[self.index - 1].at.end)

    def expression(self, floor: int = operators.CONDITIONAL) -> Node:
        """A value and the operators behind it that bind tighter than `floor`."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Fault(f"nested more than {MAX_DEPTH} levels deep", self.here.at)
        left = self.prefix()
        while (step := self.infix(floor)) is not None:
            left = step(left)
        if floor == operators.CONDITIONAL and self.accept("?"):
            left = self.conditional(left)
        self.depth -= 1
        return left

    def infix(self, floor: int) -> Callable[[Node], Node] | None:
        """How to go on with what stands left, if a binary operator comes that binds tighter than `floor`."""
        op, length = self.operator()
        if op is None or operators.BINARY[op].precedence <= floor:
            return None
        if length == 2:
            return lambda left: self.negated(left, op)
        if op in ("and", "or"):
            return lambda left: self.chain(left, op)
        return lambda left: self.binary(left, op)

    def operator(self) -> tuple[str | None, int]:
        """The binary operator that comes next and the number of its tokens: `not in` has two."""
        token = self.here
        word = operators.SPELLINGS.get(str(token.value), str(token.value))
        if token.kind not in ("sign", "name"):
            return None, 0
        if word == "not":
            after = self.row[self.index + 1]
            return (str(after.value), 2) if after.kind == "name" and after.value in operators.NEGATABLE else (None, 0)
        return (word, 1) if word in operators.BINARY else (None, 0)

    def negated(self, left: Node, op: str) -> Node:
        self.take()
        inner = self.binary(left, op)
        return Unary("not", inner, inner.at)

    def binary(self, left: Node, op: str) -> Node:
        self.take()
        right = self.expression(operators.BINARY[op].precedence)
        return Binary(op, left, right, self.span(left.at))

    def chain(self, left: Node, op: str) -> Node:
        operands = [left]
        while self.operator()[0] == op:
            self.take()
            operands.append(self.expression(operators.BINARY[op].precedence))
        return Chain(op, tuple(operands), self.span(left.at))

    def conditional(self, test: Node) -> Node:
        then = self.expression()
        self.expect(":", "an operator or : and the other value")
        other = self.expression()
        return Conditional(test, then, other, self.span(test.at))

    def prefix(self) -> Node:
        """A value with the operators in front of it."""
        token = self.here
        if token.value == "not" and token.kind == "name":
            return self.unary("not", operators.NOT)
        if self.sees("!"):
            return self.unary("not", operators.TIGHT)
        if self.sees("-"):
            return self.unary("-", operators.TIGHT)
        return self.postfix(self.primary())

    def unary(self, op: str, floor: int) -> Node:
        start = self.take().at
        operand = self.expression(floor)
        return Unary(op, operand, self.span(start))

    def postfix(self, node: Node) -> Node:
        """`.field` and `[index]` behind a value."""
        start = node.at
        while True:
            if self.accept("."):
                node = Field(node, self.field_name(), self.span(start))
            elif self.accept("["):
                index = self.expression()
                self.expect("]", "an operator or ]")
                node = Index(node, index, self.span(start))
            else:
                return node

    def field_name(self) -> str:
        if self.here.kind != "name":
            raise self.unexpected("a field's name after the dot")
        return str(self.take().value)

    def primary(self) -> Node:
        token = self.take()
        match token.kind, token.value:
            case (("text" | "number"), _):
                return Literal(token.value, token.at)
            case "name", str(word) if word not in operators.WORDS:
                return self.word(word, token.at)
            case "sign", "#":
                return Element(token.at)
            case "sign", ".":
                name = self.field_name()
                return Field(Element(token.at), name, self.span(token.at))
            case "sign", "(":
                return self.parenthesis()
            case "sign", "[":
                return ListOf(self.items("]"), self.span(token.at))
            case "sign", "{":
                return self.object(token.at)
        self.index -= token.kind != "end"
        raise self.unexpected("a value")

    def word(self, word: str, at: Span) -> Node:
        if word in _CONSTANTS:
            return Literal(_CONSTANTS[word], at)
        if self.accept("("):
            return Call(word, self.items(")"), at, self.span(at))
        return Name(word, at)

    def parenthesis(self) -> Node:
        inner = self.expression()
        self.expect(")", "an operator or )")
        return inner

    def items(self, closing: str) -> tuple[Node, ...]:
        """Expressions between commas up to the closing sign; a comma may stand behind the last."""
        items: list[Node] = []
        while not self.accept(closing):
            items.append(self.expression())
            if not self.sees(closing):
                self.expect(",", f"an operator, a comma or {closing}")
        return tuple(items)

    def object(self, start: Span) -> Node:
        fields: dict[str, Node] = {}
        while not self.accept("}"):
            name = self.object_name(fields)
            self.expect(":", "a colon after the name")
            fields[name] = self.expression()
            if not self.sees("}"):
                self.expect(",", "an operator, a comma or }")
        return ObjectOf(tuple(fields), tuple(fields.values()), self.span(start))

    def object_name(self, fields: dict[str, Node]) -> str:
        token = self.here
        if token.kind not in ("name", "text"):
            raise self.unexpected("a name, as in {key: .key}")
        if token.value in fields:
            raise Fault(f"the name {clip(str(token.value))} is given twice", token.at)
        self.take()
        return str(token.value)


def clip(word: str) -> str:
    """A word for a message: one that is very long is cut."""
    return word if len(word) <= 40 else word[:39] + "…"
