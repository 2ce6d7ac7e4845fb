"""Does a tree make sense here: are its names known, its calls complete, its constants possible?

Each node gets a shape: what kind of value it gives and, for rows, which columns. What can't be known before there are
rows (what stands in a field) has the shape `any` and is looked at when the query runs.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from memcli.query import evaluate, functions, tree
from memcli.query.automaton import Automaton
from memcli.query.functions import FUNCTIONS
from memcli.query.parser import clip
from memcli.query.place import Fault, suggest

Schema = Mapping[str, Collection[str]]


class Shape(NamedTuple):
    """`kind` is list, row, scalar or any. `columns` are those of the row or of the list's rows, None if unknown.
    `name` is what a message calls the rows."""

    kind: str
    columns: tuple[str, ...] | None = None
    name: str = "this row"


ANY = Shape("any")
SCALAR = Shape("scalar")
_VALUE = ("value",)  # the one column of rows that are no objects


def check(node: tree.Node, schema: Schema) -> Shape:
    """The shape of a query's result. Raises Fault at the first thing that can't be right."""
    shape = _Checker(schema).shape(node, None)
    _check_constants(node)
    return shape


def columns(shape: Shape) -> tuple[str, ...] | None:
    """The columns of a result of this shape, None if only its rows can tell."""
    return _VALUE if shape.kind == "scalar" else shape.columns


def _check_constants(node: tree.Node) -> None:
    """Work out what hangs on no row, so that 1 / 0 is a mistake over an empty relation too."""
    if _is_constant(node):
        evaluate.constant(node)
        return
    if isinstance(node, tree.Binary) and node.op == "matches" and isinstance(node.right, tree.Literal):
        _check_pattern(node.right)
    for child in tree.children(node):
        _check_constants(child)


def _check_pattern(node: tree.Literal) -> None:
    if not isinstance(node.value, str):
        raise Fault("matches wants a text on its right", node.at)
    try:
        Automaton(node.value)
    except Fault as fault:
        raise fault.placed(node.at) from None


def _is_constant(node: tree.Node) -> bool:
    if isinstance(node, tree.Name | tree.Call | tree.Element):
        return False
    return all(_is_constant(child) for child in tree.children(node))


class _Checker:
    """Walks a tree; `element` is the shape of the row that `#` means, None outside filter, map and the like."""

    def __init__(self, schema: Schema) -> None:
        self.schema = {name: _ordered(fields) for name, fields in schema.items()}

    def shape(self, node: tree.Node, element: Shape | None) -> Shape:
        match node:
            case tree.Name():
                return self.relation(node, element)
            case tree.Call():
                return self.call(node, element)
            case tree.Element():
                return self.element(node, element)
            case tree.Field():
                return self.field(node, element)
            case tree.Index():
                return self.index(node, element)
            case tree.Conditional(test, then, other, _):
                self.shape(test, element)
                return _either(self.shape(then, element), self.shape(other, element))
            case tree.Binary("??", left, right, _):
                return _either(self.shape(left, element), self.shape(right, element))
            case tree.ObjectOf():
                self.below(node, element)
                return Shape("row", node.names)
            case tree.ListOf():
                return _list_of([self.shape(item, element) for item in node.items])
        self.below(node, element)
        return SCALAR

    def below(self, node: tree.Node, element: Shape | None) -> None:
        for child in tree.children(node):
            self.shape(child, element)

    def relation(self, node: tree.Name, element: Shape | None) -> Shape:
        if node.name in self.schema:
            return Shape("list", self.schema[node.name], node.name)
        if element is not None and node.name in (element.columns or ()):
            raise Fault(f"a field is written with a dot: .{node.name}", node.at)
        if node.name in FUNCTIONS:
            raise Fault(f"{node.name} is a function: {FUNCTIONS[node.name].usage}", node.at)
        raise Fault(f"unknown relation {clip(node.name)}{suggest(node.name, self.schema)}", node.at)

    def element(self, node: tree.Element, element: Shape | None) -> Shape:
        if element is None:
            raise Fault("there is no row here; # and .field stand inside filter, map, sort or count", node.at)
        return element

    def field(self, node: tree.Field, element: Shape | None) -> Shape:
        if isinstance(node.of, tree.Element) and element is None:
            self.element(tree.Element(node.at), element)
        of = self.shape(node.of, element)
        if of.kind == "list":
            raise Fault(f"a list has no fields; for one of each row, map(…, .{node.name})", node.at)
        if of.kind == "scalar":
            raise Fault(f"a plain value has no field {clip(node.name)}", node.at)
        if of.columns is not None and node.name not in of.columns:
            raise Fault(f"{of.name} has no field .{clip(node.name)}{suggest(node.name, of.columns, '.')}", node.at)
        return ANY

    def index(self, node: tree.Index, element: Shape | None) -> Shape:
        of = self.shape(node.of, element)
        self.shape(node.key, element)
        return _row_of(of) if of.kind == "list" else ANY

    def call(self, node: tree.Call, element: Shape | None) -> Shape:
        function = FUNCTIONS.get(node.name)
        if function is None:
            if node.name in self.schema:
                raise Fault(f"{node.name} is a relation and written without parentheses", node.at)
            raise Fault(f"unknown function {clip(node.name)}{suggest(node.name, FUNCTIONS)}", node.name_at)
        if not function.least <= len(node.arguments) <= (function.most or len(node.arguments)):
            raise Fault(f"too {_many(node, function)} arguments, {len(node.arguments)}, for {function.usage}", node.at)
        _check_texts(node, function)
        shapes = self.arguments(node, function, element)
        return _given(node, shapes)

    def arguments(self, node: tree.Call, function: functions.Function, element: Shape | None) -> list[Shape]:
        shapes: list[Shape] = []
        for position, argument in enumerate(node.arguments):
            row = _row_of(shapes[0]) if position == function.body else element
            shape = self.shape(argument, row)
            if position in function.lists or function.most is None:
                _check_list(node.name, argument, shape)
            shapes.append(shape)
        return shapes


def _ordered(fields: Collection[str]) -> tuple[str, ...]:
    return tuple(fields if isinstance(fields, list | tuple | dict) else sorted(fields))


def _many(node: tree.Call, function: functions.Function) -> str:
    return "few" if len(node.arguments) < function.least else "many"


def _check_texts(node: tree.Call, function: functions.Function) -> None:
    for position in function.texts:
        argument = node.arguments[position] if position < len(node.arguments) else None
        if argument and not (isinstance(argument, tree.Literal) and isinstance(argument.value, str)):
            raise Fault(f"expected a text in quotes: {function.usage}", argument.at)
    if node.name == "sort":
        _check_sort(node.arguments[1:])


def _check_sort(rest: tuple[tree.Node, ...]) -> None:
    for position, argument in enumerate(rest):
        if (
            isinstance(argument, tree.Literal)
            and (position or len(rest) == 1)
            and argument.value in functions.DIRECTIONS
        ):
            continue
        if position:
            raise Fault('expected "asc" or "desc"', argument.at)
        if isinstance(argument, tree.Literal):
            raise Fault("sort by a value of each row, such as .created", argument.at)


def _check_list(name: str, argument: tree.Node, shape: Shape) -> None:
    if shape.kind in ("scalar", "row"):
        raise Fault(f"{name} wants a list here, such as memory", argument.at)


def _row_of(shape: Shape) -> Shape:
    """The shape of a list's rows."""
    return ANY if shape.columns is None or shape.kind != "list" else Shape("row", shape.columns, shape.name)


def _list_of(rows: list[Shape]) -> Shape:
    """The shape of a list with rows of these shapes."""
    return Shape("list", _merged([_VALUE if row.kind in ("scalar", "list") else row.columns for row in rows]))


def _merged(several: list[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    known = [columns for columns in several if columns is not None]
    if len(known) < len(several) or not several:
        return None
    return tuple(dict.fromkeys(name for columns in known for name in columns))


def _either(one: Shape, other: Shape) -> Shape:
    return Shape(one.kind, _merged([one.columns, other.columns])) if one.kind == other.kind else ANY


def _given(node: tree.Call, shapes: list[Shape]) -> Shape:
    """The shape of what a call gives, from those of its arguments."""
    match node.name:
        case "filter" | "sort" | "limit" | "unique":
            return Shape("list", shapes[0].columns, shapes[0].name)
        case "map":
            return _list_of([shapes[1]])
        case "union":
            return Shape("list", _merged([shape.columns for shape in shapes]))
        case "join":
            return _joined(node, shapes)
        case "first" | "last":
            return _row_of(shapes[0])
    return SCALAR


def _joined(node: tree.Call, shapes: list[Shape]) -> Shape:
    prefixed: list[tuple[str, ...] | None] = []
    for shape, field, prefix in zip(shapes, node.arguments[2:], ("left_", "right_"), strict=False):
        name = str(field.value) if isinstance(field, tree.Literal) else ""
        if shape.columns is not None and name not in shape.columns:
            raise Fault(f"{shape.name} has no field {clip(name)}{suggest(name, shape.columns)}", field.at)
        prefixed.append(None if shape.columns is None else tuple(prefix + column for column in shape.columns))
    return Shape("list", _merged(prefixed))
