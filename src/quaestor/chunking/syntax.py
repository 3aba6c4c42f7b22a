"""Tables of node types by language: definitions, containers, and nodes that belong to the next one.

Tables only. A language that is absent here is cut by lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from quaestor.chunking import more_syntaxes as further
from quaestor.chunking.defined_names import Finder, Source, by_child, by_field, by_keyword
from quaestor.chunking.finders import classes, other_languages, scripting, systems

if TYPE_CHECKING:
    from tree_sitter import Node


class Syntax(NamedTuple):
    """The node types that make the outline of a language.

    Attributes:
        grammar: the grammar's name.
        finders: finder by node type.
        leading: types that belong to the definition that follows them.
        transparent: types that are replaced by their children.
        holders: statements that may contain definitions, such as ``if`` at a module's top level.
        trailing: types that belong to the definition before them.
        same_name: whether neighbours of one name are one definition (equations, clauses, overloads).
        embedded: whether a file is markup, and only the scripts within it are of this grammar (Vue, Svelte, Astro).
    """

    grammar: str
    finders: Mapping[str, Finder]
    leading: frozenset[str] = frozenset()
    transparent: frozenset[str] = frozenset()
    holders: frozenset[str] = frozenset()
    same_name: bool = False
    trailing: frozenset[str] = frozenset()
    embedded: bool = False

    def leads(self, node: Node, source: Source) -> bool:
        """Return whether a node belongs to what follows; in Elixir ``@doc`` and ``@type`` are of one node type."""
        finder = self.finders.get(node.type)
        return node.type in self.leading and (finder is None or finder(node, source) is None)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_COMMENTS = _set("comment line_comment block_comment doc_comment documentation_comment haddock multiline_comment")

_JAVASCRIPT: dict[str, Finder] = {
    "function_declaration": by_field("function"),
    "generator_function_declaration": by_field("function"),
    "class_declaration": by_field("class"),
    "function_expression": by_field("function"),
    "method_definition": by_field("method"),
    "lexical_declaration": scripting.js_variables,
    "variable_declaration": scripting.js_variables,
    "expression_statement": scripting.js_statement,
    "field_definition": scripting.js_member,
    "pair": scripting.js_member,
}
_TYPESCRIPT: dict[str, Finder] = {
    **_JAVASCRIPT,
    "abstract_class_declaration": by_field("class"),
    "interface_declaration": by_field("interface"),
    "type_alias_declaration": by_field("type"),
    "enum_declaration": by_field("enum"),
    "function_signature": by_field("function"),
    "method_signature": by_field("method"),
    "abstract_method_signature": by_field("method"),
    "public_field_definition": scripting.js_member,
    "internal_module": scripting.ts_module,
    "module": scripting.ts_module,
}
_JS_LEADING = _COMMENTS | {"decorator"}
_JS_TRANSPARENT = _set("export_statement ambient_declaration")

_C: dict[str, Finder] = {
    "function_definition": systems.c_function,
    "declaration": systems.c_declaration,
    "field_declaration": systems.c_declaration,
    "type_definition": systems.c_typedef,
    "struct_specifier": systems.c_type,
    "union_specifier": systems.c_type,
    "enum_specifier": systems.c_type,
    "preproc_def": systems.c_macro,
    "preproc_function_def": systems.c_macro,
}
_C_TRANSPARENT = _set("preproc_ifdef preproc_if preproc_else preproc_elif preproc_elifdef linkage_specification")
_CPP: dict[str, Finder] = {
    **_C,
    "class_specifier": systems.c_type,
    "namespace_definition": by_field("module"),
    "alias_declaration": by_field("type"),
    "concept_definition": by_field("type"),
    "inline_method_definition": systems.c_function,
}

_PYTHON: dict[str, Finder] = {
    "function_definition": by_field("function"),
    "class_definition": by_field("class"),
    "expression_statement": scripting.python_statement,
    "type_alias_statement": by_field("type", "left"),
}
_PYTHON_SYNTAX = Syntax(
    "python",
    _PYTHON,
    _COMMENTS | {"decorator"},
    _set("decorated_definition"),
    _set("if_statement else_clause elif_clause try_statement except_clause finally_clause with_statement block"),
)

SYNTAXES: dict[str, Syntax] = {
    "python": _PYTHON_SYNTAX,
    "starlark": Syntax("starlark", _PYTHON, _COMMENTS, frozenset(), _set("if_statement block")),
    "javascript": Syntax("javascript", _JAVASCRIPT, _JS_LEADING, _JS_TRANSPARENT),
    "typescript": Syntax("typescript", _TYPESCRIPT, _JS_LEADING, _JS_TRANSPARENT, same_name=True),
    **dict.fromkeys(
        ("astro", "svelte", "vue"),
        Syntax("typescript", _TYPESCRIPT, _JS_LEADING, _JS_TRANSPARENT, same_name=True, embedded=True),
    ),
    "tsx": Syntax("tsx", _TYPESCRIPT, _JS_LEADING, _JS_TRANSPARENT, same_name=True),
    "go": Syntax(
        "go",
        {
            "function_declaration": by_field("function"),
            "method_declaration": systems.go_method,
            "type_spec": systems.go_type,
            "type_alias": by_field("type"),
            "const_spec": by_field("constant"),
            "var_spec": by_field("variable"),
        },
        _COMMENTS,
        _set("type_declaration const_declaration var_declaration var_spec_list"),
    ),
    "rust": Syntax(
        "rust",
        {
            "function_item": by_field("function"),
            "function_signature_item": by_field("function"),
            "struct_item": by_field("struct"),
            "union_item": by_field("struct"),
            "enum_item": by_field("enum"),
            "trait_item": by_field("interface"),
            "impl_item": systems.rust_impl,
            "mod_item": by_field("module"),
            "type_item": by_field("type"),
            "associated_type": by_field("type"),
            "const_item": by_field("constant"),
            "static_item": by_field("constant"),
            "macro_definition": by_field("macro"),
        },
        _COMMENTS | {"attribute_item"},
        _set("foreign_mod_item"),
    ),
    "java": Syntax(
        "java",
        {
            "class_declaration": by_field("class"),
            "record_declaration": by_field("class"),
            "interface_declaration": by_field("interface"),
            "annotation_type_declaration": by_field("interface"),
            "enum_declaration": by_field("enum"),
            "method_declaration": by_field("method"),
            "constructor_declaration": by_field("method"),
            "compact_constructor_declaration": by_field("method"),
            "annotation_type_element_declaration": by_field("method"),
            "field_declaration": classes.declarator_field("field"),
            "constant_declaration": classes.declarator_field("field"),
        },
        _COMMENTS,
        _set("enum_body_declarations"),
    ),
    "c": Syntax("c", _C, _COMMENTS, _C_TRANSPARENT),
    "cpp": Syntax(
        "cpp",
        _CPP,
        _COMMENTS | _set("template_parameter_list requires_clause access_specifier"),
        _C_TRANSPARENT | {"template_declaration"},
    ),
    "csharp": Syntax(
        "csharp",
        {
            "namespace_declaration": classes.csharp_namespace,
            "class_declaration": by_field("class"),
            "record_declaration": by_field("class"),
            "struct_declaration": by_field("struct"),
            "interface_declaration": by_field("interface"),
            "enum_declaration": by_field("enum"),
            "delegate_declaration": by_field("type"),
            "method_declaration": by_field("method"),
            "constructor_declaration": by_field("method"),
            "destructor_declaration": by_field("method"),
            "operator_declaration": by_field("method", "operator"),
            "conversion_operator_declaration": by_field("method", "type"),
            "indexer_declaration": by_keyword("method", "this"),
            "local_function_statement": by_field("function"),
            "property_declaration": by_field("field"),
            "event_declaration": by_field("field"),
            "field_declaration": classes.declarator_field("field"),
            "event_field_declaration": classes.declarator_field("field"),
        },
        _COMMENTS,
        _set("global_statement preproc_if preproc_else preproc_elif preproc_region preproc_if_in_top_level"),
    ),
    "ruby": Syntax(
        "ruby",
        {
            "module": by_field("module"),
            "class": by_field("class"),
            "singleton_class": by_field("extension", "value", defines=False),
            "method": by_field("method"),
            "singleton_method": by_field("method"),
            "assignment": scripting.ruby_assignment,
            "call": scripting.ruby_call,
        },
        _COMMENTS,
        _set("body_statement"),
    ),
    "php": Syntax(
        "php",
        {
            "namespace_definition": classes.scala_package,
            "class_declaration": by_field("class"),
            "interface_declaration": by_field("interface"),
            "trait_declaration": by_field("class"),
            "enum_declaration": by_field("enum"),
            "function_definition": by_field("function"),
            "method_declaration": by_field("method"),
            "property_declaration": classes.declarator_field("field"),
            "const_declaration": classes.declarator_field("constant"),
        },
        _COMMENTS,
    ),
    "kotlin": Syntax(
        "kotlin",
        {
            "class_declaration": classes.kotlin_type,
            "object_declaration": by_field("class"),
            "companion_object": classes.kotlin_companion,
            "function_declaration": by_field("function"),
            "secondary_constructor": by_keyword("method", "constructor"),
            "property_declaration": classes.declarator_field("field"),
            "type_alias": by_field("type", "type"),
        },
        _COMMENTS,
    ),
    "swift": Syntax(
        "swift",
        {
            "class_declaration": classes.swift_type,
            "protocol_declaration": by_field("interface"),
            "function_declaration": by_field("function"),
            "protocol_function_declaration": by_field("method"),
            "init_declaration": by_keyword("method", "init"),
            "deinit_declaration": by_keyword("method", "deinit"),
            "subscript_declaration": by_keyword("method", "subscript"),
            "property_declaration": classes.swift_property,
            "protocol_property_declaration": classes.swift_property,
            "typealias_declaration": by_field("type"),
            "macro_declaration": by_child("macro", "simple_identifier"),
        },
        _COMMENTS,
    ),
    "scala": Syntax(
        "scala",
        {
            "class_definition": by_field("class"),
            "object_definition": by_field("class"),
            "trait_definition": by_field("interface"),
            "enum_definition": by_field("enum"),
            "package_clause": classes.scala_package,
            "package_object": by_field("module"),
            "function_definition": by_field("function"),
            "function_declaration": by_field("function"),
            "val_definition": by_field("field", "pattern"),
            "var_definition": by_field("field", "pattern"),
            "val_declaration": by_field("field"),
            "type_definition": by_field("type"),
            "given_definition": by_field("class"),
            "extension_definition": classes.scala_extension,
        },
        _COMMENTS,
    ),
    "bash": Syntax("bash", {"function_definition": by_field("function")}, _COMMENTS),
    "lua": Syntax(
        "lua",
        {
            "function_declaration": by_field("function"),
            "assignment_statement": scripting.lua_assignment,
            "variable_declaration": scripting.lua_assignment,
            "field": scripting.lua_field,
        },
        _COMMENTS,
    ),
    "elixir": Syntax(
        "elixir",
        {"call": other_languages.elixir_call, "unary_operator": other_languages.elixir_attribute},
        _COMMENTS | {"unary_operator"},
        same_name=True,
    ),
    "haskell": Syntax(
        "haskell",
        {
            "signature": other_languages.haskell_equation,
            "function": other_languages.haskell_equation,
            "bind": other_languages.haskell_equation,
            "data_type": by_field("type"),
            "newtype": by_field("type"),
            "type_synomym": by_field("type"),
            "field": other_languages.haskell_field,
            "type_family": by_field("type"),
            "data_family": by_field("type"),
            "class": other_languages.haskell_named("interface"),
            "instance": other_languages.haskell_named("extension", defines=False),
            "pattern_synonym": by_field("function"),
        },
        _COMMENTS | {"pragma"},
        _set("declarations imports header"),
        same_name=True,
    ),
    "zig": Syntax(
        "zig",
        {
            "function_declaration": systems.zig_function,
            "variable_declaration": systems.zig_variable,
            "test_declaration": systems.zig_test,
        },
        _COMMENTS,
    ),
}
SYNTAXES |= {
    language: Syntax(
        language,
        finders,
        _COMMENTS | _set(further.LEADING.get(language, "")),
        _set(further.TRANSPARENT.get(language, "")),
        same_name=language in further.SAME_NAME,
        trailing=_set(further.TRAILING.get(language, "")),
    )
    for language, finders in further.FINDERS.items()
}

SHALLOW = _set(
    """constant_declaration const_spec declaration event_field_declaration field_declaration property_declaration
    state_variable_declaration val_declaration val_definition var_definition var_spec const_item static_item bind"""
)
"""Types for values: such definitions within a function are not indexed."""
