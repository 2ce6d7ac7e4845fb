"""The definitions in a syntax tree, by the rules of its language. No recursion: no nesting is too deep."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from memcli.symbols.languages import CLOSURES, Language, Rule

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST = 32  # names in a qualified name; what is nested deeper is as if it stood there
_LONGEST = 300  # bytes of a name as the source spells it; longer is an expression
_NO_NAME = re.compile(r"[\s()\[\]{}+*/<>,;\"'`]|->")
_OPERATOR = re.compile(r"((?:[^\s()]+(?:::|[.#]))?)operator(\(\)|\[\]|\s*[^\s\w(\[]+|\s+\w[\w:]*)")
_LENT = {"exports", "module", "prototype", "this", "window", "globalThis"}  # JavaScript's words before a member's name
_PATTERNS = {"pattern_list", "tuple_pattern", "expression_list", "left_assignment_list"}
_MEMBERS = {"attribute", "call", "element_reference", "subscript"}  # assigned to, they define nothing: `box.size = 1`
_BODIES = {"function_body", "block"}

#: how surely a place is the definition that a name means; the least wins
BODY, VALUE, DECLARED, LENDING = range(4)


class Found(NamedTuple):
    """A definition: its name with those it stands in, its lines (from 1, inclusive), how sure (one of the ranks above),
    and whether the grammar could not read all of it."""

    names: tuple[str, ...]
    first: int
    last: int
    rank: int
    broken: bool


class _Place(NamedTuple):
    """Where a node stands: the names around it, whether in a function, and what right around it belongs to it."""

    names: tuple[str, ...] = ()
    local: bool = False
    outer: "Node | None" = None
    lead: int | None = None  # row of the first attribute right above


def found_in(root: "Node", language: Language) -> Iterator[Found]:
    """All definitions below the node, in the order of the text."""
    stack = [(root, _Place())]
    while stack:
        node, place = stack.pop()
        kind = node.type
        inner = place
        if place.outer is not None or place.lead is not None:
            inner = _Place(place.names, place.local)
        if kind in language.rules:
            found, inner = _apply(language.rules[kind], node, place)
            yield from found
        elif kind in language.wrappers and _holds_one(node, language):
            inner = place._replace(outer=place.outer or node)
        elif kind in CLOSURES:
            inner = _Place(inner.names, True)
        children = node.named_children
        if language.above or node == root:
            stack.extend(reversed(list(_places(children, inner, language))))
        else:
            stack.extend([(child, inner) for child in reversed(children)])


def _holds_one(wrapper: "Node", language: Language) -> bool:
    return sum(child.type in language.rules or child.type in language.wrappers for child in wrapper.named_children) == 1


def _places(children: list["Node"], place: _Place, language: Language) -> Iterator[tuple["Node", _Place]]:
    """A node's children with their places: attributes above one belong to it, a package's clause names the rest."""
    lead: int | None = None
    for child in children:
        kind = child.type
        if kind in language.above:
            lead = child.start_point[0] if lead is None else lead
        elif lead is not None and "comment" in kind:
            continue
        elif kind in language.rules and language.rules[kind].kind == "P" and not child.child_by_field_name("body"):
            names = _names(language.rules[kind], child)
            place = place._replace(names=names[0][1] if names else ())
        else:
            yield child, place if lead is None else place._replace(lead=lead)
            lead = None


def _apply(rule: Rule, node: "Node", place: _Place) -> tuple[list[Found], _Place]:
    """What the node defines by its rule, and the place of what is in it."""
    kind = "F" if rule.kind in "VD" and _is_function(node) else rule.kind
    named = _names(rule, node)
    if not named or (kind == "B" and node.child_by_field_name("body") is None):
        return [], _Place(place.names, place.local or kind == "F")
    if kind in "VDM" and place.local:
        return [], _Place(place.names, True)
    around = (place.names + _owner(rule, node, named[0][0]))[:_DEEPEST]
    found = [_found(around + names, name if kind == "M" else node, place, _rank(kind, node)) for name, names in named]
    if kind == "M":
        return found, _Place(place.names)
    return found, _Place((around + named[0][1])[:_DEEPEST], kind == "F")


def _found(names: tuple[str, ...], node: "Node", place: _Place, rank: int) -> Found:
    region = place.outer or node
    first = region.start_point[0] if place.lead is None else place.lead
    end, column = region.end_point
    last = end - 1 if column == 0 and end > first else end  # some nodes hold the line end that closes them
    return Found(names, first + 1, max(first, last) + 1, rank, node.has_error)


def _rank(kind: str, node: "Node") -> int:
    if kind == "S" or _text(node.child_by_field_name("declaration_kind")) == "extension":
        return LENDING
    if kind in "VM":
        return DECLARED if _is_prototype(node) else VALUE
    if kind == "F":
        return BODY if _has_body(node) else DECLARED
    return DECLARED if kind == "D" else BODY


def _has_body(node: "Node") -> bool:
    """True for a function with a body; of Python's, one that is more than `...`, as overloads have it."""
    body = node.child_by_field_name("body") or next((one for one in node.named_children if one.type in _BODIES), None)
    if body is None:
        return _is_function(node)
    return body.end_byte - body.start_byte != 3 or body.text != b"..."


def _is_function(node: "Node") -> bool:
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    return value is not None and (value.type in CLOSURES or value.type == "class")


def _is_prototype(node: "Node") -> bool:
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = _inner_declarator(declarator)
    return declarator is not None


def _names(rule: Rule, node: "Node") -> list[tuple["Node", tuple[str, ...]]]:
    """The nodes at which the name stands, or those of several variables, each with its name's parts."""
    nodes = [node]
    for step in rule.name:
        nodes = [inner for outer in nodes for inner in _step(step, outer)]
    if rule.kind not in "VDM":
        del nodes[1:]  # what else a grammar calls so is a type
    named = [(one, _parts(_text(_innermost(one)))) for one in nodes if one.type not in _MEMBERS]
    return [(one, parts) for one, parts in named if parts]


def _step(step: tuple[str, ...], node: "Node") -> list["Node"]:
    """The node's children in the first of these fields, or of the first of these types, that it has."""
    for wanted in step:
        found = node.children_by_field_name(wanted) or [one for one in node.named_children if one.type == wanted]
        if found:
            return [part for one in found for part in (one.named_children if one.type in _PATTERNS else [one])]
    return []


def _innermost(node: "Node") -> "Node":
    """The name in C's declarators: pointers, arrays, parameters stand around it."""
    inner: Node | None = node
    while inner is not None:
        node, inner = inner, _inner_declarator(inner)
    return node


def _inner_declarator(node: "Node") -> "Node | None":
    if not node.type.endswith("_declarator") or node.type == "variable_declarator":
        return None
    return node.child_by_field_name("declarator") or (node.named_children[-1] if node.named_child_count else None)


def _owner(rule: Rule, node: "Node", name: "Node") -> tuple[str, ...]:
    """The type before the name that the definition belongs to: `func (s *Server[T]) Start`, `fun String.shout()`."""
    before = [one for one in _step(rule.owner, node) if one.end_byte <= name.start_byte] if rule.owner else []
    words = re.findall(r"\w+", re.sub(r"\[.*\]|<.*>", "", _text(before[0]))) if before else []
    return tuple(words[-1:])


def _parts(spelled: str) -> tuple[str, ...]:
    """A name as the source spells it → its parts: `ns::Box<T>::open` → ns, Box, open; () for what is no name."""
    operator = operator_in(spelled)
    if operator:
        return operator
    bare = re.sub(r"<[^<>]*>", "", spelled) if "<" in spelled else spelled
    parts = [part.lstrip("$#").strip("\"'`") for part in re.split(r"::|[.\\]", bare)]
    parts = [part for place, part in enumerate(parts, 1) if place == len(parts) or part not in _LENT]
    return () if any(not part or _NO_NAME.search(part) for part in parts) else tuple(parts)


def operator_in(spelled: str) -> tuple[str, ...]:
    """The parts of a name of C++'s operators: `Box<T>::operator ==` → Box, operator==; () for any other name."""
    found = _OPERATOR.match(spelled)
    if found is None:
        return ()
    around = re.findall(r"\w+", re.sub(r"<[^<>]*>", "", found[1]))
    return (*around, re.sub(r"\s+(?=\W)|\s+$", "", f"operator{found[2]}"))


def _text(node: "Node | None") -> str:
    if node is None or node.end_byte - node.start_byte > _LONGEST:
        return ""
    return (node.text or b"").decode("utf-8", "replace")
