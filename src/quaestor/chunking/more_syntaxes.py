"""The tables of ``syntax`` for less common languages."""

from __future__ import annotations

from collections.abc import Mapping

from quaestor.chunking.defined_names import Finder, by_child, by_field, fixed
from quaestor.chunking.finders import systems
from quaestor.chunking.finders.other_languages import (
    dart_alias,
    dart_member,
    julia_assignment,
    julia_function,
    julia_type,
    lisp_form,
    nested,
    ocaml_let,
    r_assignment,
    r_call,
    terraform_block,
    whole,
)


def _graphql() -> dict[str, Finder]:
    kinds = {"object": "type", "interface": "interface", "enum": "enum", "input_object": "type", "union": "type"}
    return {
        **{f"{name}_type_definition": nested(kind, "name") for name, kind in {**kinds, "scalar": "type"}.items()},
        "directive_definition": nested("macro", "name"),
        "operation_definition": nested("function", "name"),
        "fragment_definition": nested("function", "fragment_name"),
    }


_OBJECTIVE_C: dict[str, Finder] = {
    "function_definition": systems.c_function,
    "declaration": systems.c_declaration,
    "type_definition": systems.c_typedef,
    "struct_specifier": systems.c_type,
    "union_specifier": systems.c_type,
    "enum_specifier": systems.c_type,
    "preproc_def": systems.c_macro,
    "preproc_function_def": systems.c_macro,
    "protocol_declaration": nested("interface", "identifier", members=True),
    "class_interface": nested("class", "identifier", members=True),
    "class_implementation": nested("class", "identifier", members=True),
    "method_definition": nested("method", "identifier"),
    "method_declaration": nested("declaration", "identifier", defines=False),
}
_LISP: dict[str, Finder] = {"list_lit": lisp_form, "list": lisp_form}

FINDERS: Mapping[str, Mapping[str, Finder]] = {
    "clojure": _LISP,
    "scheme": _LISP,
    "racket": _LISP,
    "cmake": {
        "function_def": nested("function", "function_command", "argument_list", "argument"),
        "macro_def": nested("macro", "macro_command", "argument_list", "argument"),
    },
    "dart": {
        "class_definition": by_field("class"),
        "mixin_declaration": by_child("class", "identifier"),
        "extension_declaration": by_field("class"),
        "extension_type_declaration": by_field("class"),
        "enum_declaration": by_field("enum"),
        "type_alias": dart_alias,
        "function_signature": by_field("function"),
        "getter_signature": by_field("function"),
        "setter_signature": by_field("function"),
        "static_final_declaration": by_child("constant", "identifier"),
        "method_signature": dart_member,
        "declaration": dart_member,
    },
    "erlang": {
        "module_attribute": by_field("module"),
        "fun_decl": nested("function", "clause", "name"),
        "record_decl": by_field("struct"),
        "pp_define": nested("macro", "lhs", "name"),
        "type_alias": nested("type", "name", "name"),
        "opaque": nested("type", "name", "name"),
        "callback": by_field("declaration", "fun", defines=False),
    },
    "fortran": {
        "module": nested("module", "module_statement", "name", members=True),
        "submodule": nested("module", "submodule_statement", "name", members=True),
        "program": nested("module", "program_statement", "name", members=True),
        "subroutine": nested("function", "subroutine_statement", "name"),
        "function": nested("function", "function_statement", "name"),
        "derived_type_definition": nested("type", "derived_type_statement", "type_name"),
    },
    "graphql": _graphql(),
    "groovy": {
        "class_definition": by_field("class"),
        "function_definition": by_field("function", "function"),
        "function_declaration": by_field("function", "function"),
        "declaration": by_field("variable"),
    },
    "hcl": {"block": terraform_block},
    "julia": {
        "module_definition": by_field("module"),
        "function_definition": julia_function("function"),
        "macro_definition": julia_function("macro"),
        "assignment": julia_assignment,
        "const_statement": julia_assignment,
        "struct_definition": julia_type("struct"),
        "abstract_definition": julia_type("type"),
        "primitive_definition": julia_type("type"),
    },
    "just": {"recipe": nested("function", "recipe_header", "name")},
    "make": {
        "rule": whole("function", "targets", "word"),
        "define_directive": by_field("macro"),
        "variable_assignment": by_field("variable"),
    },
    "objc": _OBJECTIVE_C,
    "ocaml": {
        "module_binding": by_child("module", "module_name"),
        "module_type_definition": by_child("interface", "module_type_name"),
        "type_binding": by_field("type"),
        "exception_definition": nested("type", "constructor_declaration", "constructor_name"),
        "let_binding": ocaml_let,
        "class_binding": by_child("class", "class_name"),
        "method_definition": by_child("method", "method_name"),
        "external": by_child("function", "value_name"),
        "value_specification": nested("declaration", "value_name", defines=False),
    },
    "perl": {
        "package_statement": by_child("module", "package_name"),
        "function_definition": by_field("function"),
        "use_constant_statement": by_field("constant", "constant"),
    },
    "powershell": {
        "function_statement": whole("function", "function_name"),
        "class_statement": nested("class", "simple_name", members=True),
        "class_method_definition": by_child("method", "simple_name"),
        "enum_statement": by_child("enum", "simple_name"),
    },
    "proto": {
        "message": by_child("class", "message_name"),
        "enum": by_child("enum", "enum_name"),
        "service": by_child("interface", "service_name"),
        "rpc": by_child("method", "rpc_name"),
    },
    "r": {"binary_operator": r_assignment, "call": r_call},
    "solidity": {
        "contract_declaration": by_field("class"),
        "library_declaration": by_field("class"),
        "interface_declaration": by_field("interface"),
        "struct_declaration": by_field("struct"),
        "enum_declaration": by_field("enum"),
        "function_definition": by_field("function"),
        "modifier_definition": by_field("function"),
        "constructor_definition": fixed("method", "constructor"),
        "event_definition": by_field("type"),
        "error_declaration": by_field("type"),
        "user_defined_type_definition": by_field("type"),
        "state_variable_declaration": by_field("field"),
    },
    "sql": {
        "create_table": nested("type", "object_reference"),
        "create_view": nested("type", "object_reference"),
        "create_materialized_view": nested("type", "object_reference"),
        "create_type": nested("type", "object_reference"),
        "create_function": nested("function", "object_reference"),
        "create_procedure": nested("function", "object_reference"),
        "create_trigger": nested("function", "object_reference"),
    },
    "vim": {
        "function_definition": whole("function", "function_declaration", "name"),
        "command_statement": by_field("macro"),
    },
}
"""Finders by language; each grammar has its language's name."""

LEADING: Mapping[str, str] = {
    "clojure": "dis_expr",
    "dart": "annotation metadata",
    "erlang": "spec",
    "julia": "string_literal",
}
TRANSPARENT: Mapping[str, str] = {
    "dart": "static_final_declaration_list",
    "fortran": "internal_procedures",
    "graphql": "document definition type_system_definition type_definition executable_definition",
    "hcl": "body",
    "julia": "macrocall_expression macro_argument_list",
    "objc": "implementation_definition preproc_ifdef preproc_if preproc_else linkage_specification",
    "ocaml": "module_definition value_definition type_definition class_definition object_expression",
    "powershell": "statement_list",
    "sql": "statement",
}
TRAILING: Mapping[str, str] = {"dart": "function_body"}
SAME_NAME = frozenset({"erlang"})
"""Node types by language, as in ``Syntax``, separated by blanks."""
