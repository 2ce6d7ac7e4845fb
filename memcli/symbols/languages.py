"""For each language: which nodes of its grammar define something, and where the name stands in them. Data only."""

from typing import NamedTuple


class Rule(NamedTuple):
    """What a node defines. `name`: steps to the node of its name, each the fields or node types that may lead there.

    `kind`: F, what has a body of its own and locals that define nothing outside it. T, a type or a namespace. B, a T
    that without a body is only a mention. V, a variable, constant or member. D, a V that is only declared. M, a V whose
    region is its name. S, a block that lends its name to what is in it and defines nothing (Rust's impl). P, one that
    lends it to all that follows (Java's package). `owner`: a step to the type that it belongs to from outside (Go's
    receiver).
    """

    kind: str
    name: tuple[tuple[str, ...], ...]
    owner: tuple[str, ...] = ()


class Language(NamedTuple):
    """`grammar`: the package; `entry`: its function that gives the language. `rules`: by node type.

    `wrappers`: node types that belong to the one definition in them (`export`, a decorated definition). `above`: node
    types right above a definition that belong to it (attributes that are nodes of their own).
    """

    grammar: str
    entry: str
    rules: dict[str, Rule]
    wrappers: frozenset[str] = frozenset()
    above: frozenset[str] = frozenset()


#: expressions that are functions: a variable with such a value is one, and locals in them define nothing
CLOSURES = {
    "arrow_function", "function_expression", "generator_function", "lambda", "lambda_expression", "lambda_literal",
    "anonymous_function", "anonymous_method_expression", "func_literal", "closure_expression", "do_block",
}  # fmt: skip


def _rules(table: str) -> dict[str, Rule]:
    """Lines of `KIND NAME [OWNER]: type type …`, where NAME is `step/step` and a step `this|or-that` → type → rule."""
    rows = (line.partition(":") for line in table.strip().splitlines())
    return {node: _rule(*spelled.split()) for spelled, _, nodes in rows for node in nodes.split()}


def _rule(kind: str, name: str, owner: str = "") -> Rule:
    return Rule(kind, tuple(tuple(step.split("|")) for step in name.split("/")), tuple(owner.split()))


_PYTHON = Language(
    "tree_sitter_python",
    "language",
    _rules("""
        F name: function_definition
        T name: class_definition
        T left/identifier: type_alias_statement
        V left: assignment
    """),
    frozenset({"decorated_definition", "expression_statement"}),
)

_JAVASCRIPT = Language(
    "tree_sitter_javascript",
    "language",
    _rules("""
        F name: function_declaration generator_function_declaration method_definition
        T name: class_declaration
        V name: variable_declarator
        V property: field_definition
        V key: pair
        V left: assignment_expression
    """),
    frozenset({"export_statement", "lexical_declaration", "variable_declaration", "expression_statement"}),
    frozenset({"decorator"}),
)

_TYPESCRIPT = Language(
    "tree_sitter_typescript",
    "language_typescript",
    _JAVASCRIPT.rules
    | _rules("""
        F name: function_signature method_signature abstract_method_signature
        T name: abstract_class_declaration interface_declaration type_alias_declaration enum_declaration
        T name: internal_module module
        V name: public_field_definition enum_assignment
        D name: property_signature
        M name: enum_body
    """),
    _JAVASCRIPT.wrappers | {"ambient_declaration"},
    _JAVASCRIPT.above,
)

_GO = Language(
    "tree_sitter_go",
    "language",
    _rules("""
        F name: function_declaration method_elem
        F name receiver: method_declaration
        T name: type_spec type_alias
        V name: const_spec var_spec field_declaration
        P package_identifier: package_clause
    """),
    frozenset({"type_declaration", "const_declaration", "var_declaration"}),
)

_RUST = Language(
    "tree_sitter_rust",
    "language",
    _rules("""
        F name: function_item function_signature_item
        T name: struct_item enum_item union_item trait_item mod_item type_item associated_type macro_definition
        V name: const_item static_item enum_variant field_declaration
        S type: impl_item
    """),
    above=frozenset({"attribute_item"}),
)

_JAVA = Language(
    "tree_sitter_java",
    "language",
    _rules("""
        F name: method_declaration constructor_declaration compact_constructor_declaration
        F name: annotation_type_element_declaration
        T name: class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration
        V declarator/name: field_declaration constant_declaration
        V name: enum_constant formal_parameter
        P scoped_identifier|identifier: package_declaration
    """),
)

_C = Language(
    "tree_sitter_c",
    "language",
    _rules("""
        F declarator: function_definition
        B name: struct_specifier union_specifier enum_specifier
        T declarator: type_definition
        T name: preproc_def preproc_function_def
        V declarator: declaration field_declaration
        V name: enumerator
    """),
)

_CPP = Language(
    "tree_sitter_cpp",
    "language",
    _C.rules
    | _rules("""
        B name: class_specifier
        T name: namespace_definition alias_declaration concept_definition
    """),
    frozenset({"template_declaration", "linkage_specification"}),
)

_RUBY = Language(
    "tree_sitter_ruby",
    "language",
    _rules("""
        F name: method singleton_method
        T name: class module
        V left: assignment
    """),
)

_C_SHARP = Language(
    "tree_sitter_c_sharp",
    "language",
    _rules("""
        F name: method_declaration constructor_declaration local_function_statement delegate_declaration
        T name: class_declaration interface_declaration struct_declaration enum_declaration record_declaration
        T name: namespace_declaration
        V name: property_declaration event_declaration variable_declarator enum_member_declaration parameter
        P name: file_scoped_namespace_declaration
    """),
    frozenset({"field_declaration", "event_field_declaration", "variable_declaration"}),
)

_PHP = Language(
    "tree_sitter_php",
    "language_php",
    _rules("""
        F name: function_definition method_declaration
        T name: class_declaration interface_declaration trait_declaration enum_declaration
        V name: const_element property_element enum_case
        V left: assignment_expression
        P name: namespace_definition
    """),
    frozenset({"const_declaration", "property_declaration", "expression_statement"}),
)

_KOTLIN = Language(
    "tree_sitter_kotlin",
    "language",
    _rules("""
        F name user_type: function_declaration
        T name: class_declaration object_declaration companion_object
        T type|identifier: type_alias
        V variable_declaration/identifier user_type: property_declaration
        V identifier: class_parameter enum_entry
        P qualified_identifier|identifier: package_header
    """),
)

_SWIFT = Language(
    "tree_sitter_swift",
    "language",
    _rules("""
        F name: function_declaration protocol_function_declaration init_declaration
        T name: class_declaration protocol_declaration typealias_declaration associatedtype_declaration
        V name/bound_identifier: property_declaration
        V name: enum_entry
        D name/bound_identifier: protocol_property_declaration
    """),
)

_BASH = Language(
    "tree_sitter_bash",
    "language",
    _rules("""
        F name: function_definition
        V name: variable_assignment
    """),
    frozenset({"declaration_command"}),
)

#: suffixes of a file's name → its language
_SUFFIXES = {
    "py pyi": _PYTHON,
    "js jsx mjs cjs": _JAVASCRIPT,
    "ts mts cts": _TYPESCRIPT,
    "tsx": _TYPESCRIPT._replace(entry="language_tsx"),
    "go": _GO,
    "rs": _RUST,
    "java": _JAVA,
    "c": _C,
    "h hpp hh hxx h++ cpp cc cxx c++ ipp inl": _CPP,  # of C, all but its few words that are C++'s keywords
    "rb rake gemspec ru": _RUBY,
    "cs csx": _C_SHARP,
    "php phtml": _PHP,
    "kt kts": _KOTLIN,
    "swift": _SWIFT,
    "sh bash ksh zsh": _BASH,
}
BY_SUFFIX = {suffix: language for suffixes, language in _SUFFIXES.items() for suffix in suffixes.split()}
BY_NAME = {
    "gemfile": _RUBY,
    "rakefile": _RUBY,
    "vagrantfile": _RUBY,
    ".bashrc": _BASH,
    ".profile": _BASH,
    ".zshrc": _BASH,
}
#: what a `#!` line may name → its language
BY_PROGRAM = {"python": _PYTHON, "node": _JAVASCRIPT, "ruby": _RUBY, "php": _PHP} | dict.fromkeys(
    ("sh", "bash", "ksh", "zsh"), _BASH
)
