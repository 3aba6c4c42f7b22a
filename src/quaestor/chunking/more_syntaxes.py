"""The tables of ``syntax`` for less common languages."""

from __future__ import annotations

from collections.abc import Mapping

from quaestor.chunking.defined_names import Finder, by_child, by_field, by_keyword
from quaestor.chunking.finders import systems
from quaestor.chunking.finders.other_languages import (
    by_path,
    by_whole_path,
    dart_alias,
    dart_extension,
    dart_member,
    julia_assignment,
    julia_function,
    julia_type,
    lisp_form,
    ocaml_let,
    r_assignment,
    r_call,
    terraform_block,
)


def _graphql() -> dict[str, Finder]:
    kinds = {"object": "type", "interface": "interface", "enum": "enum", "input_object": "type", "union": "type"}
    return {
        **{f"{name}_type_definition": by_path(kind, "name") for name, kind in {**kinds, "scalar": "type"}.items()},
        "directive_definition": by_path("macro", "name"),
        "operation_definition": by_path("function", "name"),
        "fragment_definition": by_path("function", "fragment_name"),
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
    "protocol_declaration": by_path("interface", "identifier", members=True),
    "class_interface": by_path("class", "identifier", members=True),
    "class_implementation": by_path("class", "identifier", members=True),
    "method_definition": by_path("method", "identifier"),
    "method_declaration": by_path("declaration", "identifier", defines=False),
}
_LISP: dict[str, Finder] = {"list_lit": lisp_form, "list": lisp_form}

FINDERS: Mapping[str, Mapping[str, Finder]] = {
    "clojure": _LISP,
    "scheme": _LISP,
    "racket": _LISP,
    "cmake": {
        "function_def": by_path("function", "function_command", "argument_list", "argument"),
        "macro_def": by_path("macro", "macro_command", "argument_list", "argument"),
    },
    "dart": {
        "class_definition": by_field("class"),
        "mixin_declaration": by_child("class", "identifier"),
        "extension_declaration": dart_extension,
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
        "fun_decl": by_path("function", "clause", "name"),
        "record_decl": by_field("struct"),
        "pp_define": by_path("macro", "lhs", "name"),
        "type_alias": by_path("type", "name", "name"),
        "opaque": by_path("type", "name", "name"),
        "callback": by_field("declaration", "fun", defines=False),
    },
    "fortran": {
        "module": by_path("module", "module_statement", "name", members=True),
        "submodule": by_path("module", "submodule_statement", "name", members=True),
        "program": by_path("module", "program_statement", "name", members=True),
        "subroutine": by_path("function", "subroutine_statement", "name"),
        "function": by_path("function", "function_statement", "name"),
        "derived_type_definition": by_path("type", "derived_type_statement", "type_name"),
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
    "just": {"recipe": by_path("function", "recipe_header", "name")},
    "make": {
        "rule": by_whole_path("function", "targets", "word"),
        "define_directive": by_field("macro"),
        "variable_assignment": by_field("variable"),
    },
    "objc": _OBJECTIVE_C,
    "ocaml": {
        "module_binding": by_child("module", "module_name"),
        "module_type_definition": by_child("interface", "module_type_name"),
        "type_binding": by_field("type"),
        "exception_definition": by_path("type", "constructor_declaration", "constructor_name"),
        "let_binding": ocaml_let,
        "class_binding": by_child("class", "class_name"),
        "method_definition": by_child("method", "method_name"),
        "external": by_child("function", "value_name"),
        "value_specification": by_path("declaration", "value_name", defines=False),
    },
    "perl": {
        "package_statement": by_child("module", "package_name"),
        "function_definition": by_field("function"),
        "use_constant_statement": by_field("constant", "constant"),
    },
    "powershell": {
        "function_statement": by_whole_path("function", "function_name"),
        "class_statement": by_path("class", "simple_name", members=True),
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
        "constructor_definition": by_keyword("method", "constructor"),
        "event_definition": by_field("type"),
        "error_declaration": by_field("type"),
        "user_defined_type_definition": by_field("type"),
        "state_variable_declaration": by_field("field"),
    },
    "sql": {
        "create_table": by_path("type", "object_reference"),
        "create_view": by_path("type", "object_reference"),
        "create_materialized_view": by_path("type", "object_reference"),
        "create_type": by_path("type", "object_reference"),
        "create_function": by_path("function", "object_reference"),
        "create_procedure": by_path("function", "object_reference"),
        "create_trigger": by_path("function", "object_reference"),
    },
    "vim": {
        "function_definition": by_whole_path("function", "function_declaration", "name"),
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
