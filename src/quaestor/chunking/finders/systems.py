"""Finders for C, C++, Go, Rust and Zig."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from quaestor.chunking.defined_names import (
    GENERICS,
    LONGEST_NAME,
    NodeDefinition,
    Source,
    body_of,
    named_child,
    split_qualified,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_DECLARATORS = 32
_GUARD = re.compile(r"_H(?:H|PP|XX)?_*$|_INCLUDED_*$")
_C_NAME = re.compile(r"~?[^\W\d][\w$]*|operator.*")


def _declarator(node: Node) -> tuple[Node, bool] | None:
    """Return the node of the declared name, and whether it is a function's."""
    is_function = False
    for _ in range(_MOST_DECLARATORS):
        if node.type == "function_declarator":
            is_function = True
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type in {
            "reference_declarator",
            "parenthesized_declarator",
            "attributed_declarator",
        }:
            # The declarator may follow text that the grammar cannot read: (CALLED *name).
            inner = next((child for child in node.named_children if child.type != "ERROR"), None)
        if inner is None:
            return node, is_function
        node = inner
    return None


def c_function(node: Node, source: Source) -> NodeDefinition | None:
    """``int *Foo::bar(int x) { }``, and ``struct EXPORTED Foo { }``, which reads like one."""
    declarator, returned = node.child_by_field_name("declarator"), node.child_by_field_name("type")
    declared = _declarator(declarator) if declarator is not None else None
    if declared is None:
        return None
    if not declared[1] and returned is not None and returned.type in C_TYPES and declared[0].type == "identifier":
        return NodeDefinition(source.text(declared[0]), C_TYPES[returned.type], (), body_of(node))
    scope, name = _c_qualified(source.text(declared[0]))
    return NodeDefinition(name, "method" if scope else "function", scope, body_of(node)) if name else None


def _c_qualified(text: str) -> tuple[tuple[str, ...], str]:
    """Return scope and name; of ``MACRO name``, which remains of unknown macros, the last word."""
    scope, name = split_qualified(text)
    if not name.startswith("operator"):
        name = name.rpartition(" ")[2]
    return (scope, name) if _C_NAME.fullmatch(name) else ((), "")


def c_macro(node: Node, source: Source) -> NodeDefinition | None:
    """``#define NAME value``, except include guards."""
    label = node.child_by_field_name("name")
    if label is None:
        return None
    name = source.text(label)
    guards = node.child_by_field_name("value") is None and node.type == "preproc_def" and _GUARD.search(name)
    return None if guards else NodeDefinition(name, "macro")


def c_declaration(node: Node, source: Source) -> NodeDefinition | None:
    """A prototype, a variable, or a type defined together with it: ``struct A { } a;``."""
    stated = node.child_by_field_name("type")
    if stated is not None and stated.type in C_TYPES:
        definition = c_type(stated, source)
        if definition is not None:
            return definition
    declarator = node.child_by_field_name("declarator")
    declared = _declarator(declarator) if declarator is not None else None
    if declared is None:
        return None
    scope, name = _c_qualified(source.text(declared[0]))
    if not name:
        return None
    if declared[1]:
        return NodeDefinition(name, "declaration", scope, defines=False)
    return NodeDefinition(name, "field" if node.type == "field_declaration" else "variable", scope)


C_TYPES = {
    "struct_specifier": "struct",
    "class_specifier": "class",
    "union_specifier": "struct",
    "enum_specifier": "enum",
}


def c_type(node: Node, source: Source) -> NodeDefinition | None:
    """``struct Name { }``; None for a mention without a body."""
    body, label = node.child_by_field_name("body"), node.child_by_field_name("name")
    if body is None or label is None:
        return None
    scope, name = split_qualified(source.text(label))
    return NodeDefinition(name, C_TYPES[node.type], scope, body) if name else None


def c_typedef(node: Node, source: Source) -> NodeDefinition | None:
    """``typedef struct { } Name;``."""
    declarator = node.child_by_field_name("declarator")
    declared = _declarator(declarator) if declarator is not None else None
    if declared is None:
        return None
    stated = node.child_by_field_name("type")
    kind = C_TYPES.get(stated.type, "type") if stated is not None and body_of(stated) else "type"
    body = body_of(stated) if stated is not None and kind in {"struct", "class"} else None
    # Of (CALLED* name)(int) the last word.
    words = re.findall(r"\w+", source.text(declared[0]))
    return NodeDefinition(words[-1], kind, (), body) if words else None


_GO_TYPES = {"struct_type": "struct", "interface_type": "interface"}


def go_type(node: Node, source: Source) -> NodeDefinition | None:
    """``type Name struct { }``."""
    label, stated = node.child_by_field_name("name"), node.child_by_field_name("type")
    if label is None:
        return None
    return NodeDefinition(source.text(label), _GO_TYPES.get(stated.type if stated else "", "type"))


def go_method(node: Node, source: Source) -> NodeDefinition | None:
    """``func (r *Receiver[T]) Name()``."""
    label, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
    if label is None:
        return None
    stated = source.text(receiver).strip("()") if receiver is not None else ""
    words = GENERICS.sub("", stated).replace("*", " ").split()
    return NodeDefinition(source.text(label), "method", tuple(words[-1:]), body_of(node))


def rust_impl(node: Node, source: Source) -> NodeDefinition | None:
    """``impl<T> Trait for Type<T> { }``: an extension of the type."""
    label = node.child_by_field_name("type")
    if label is None:
        return None
    while (inner := label.child_by_field_name("type")) is not None:
        label = inner
    scope, name = split_qualified(source.text(label).lstrip("&*"))
    return NodeDefinition(name, "extension", scope, body_of(node), defines=False) if name else None


_ZIG_VALUES = {
    "struct_declaration": "struct",
    "enum_declaration": "enum",
    "union_declaration": "struct",
    "opaque_declaration": "struct",
    "error_set_declaration": "enum",
}


def zig_variable(node: Node, source: Source) -> NodeDefinition | None:
    """``const Name = struct { }``, ``const name = value``, except imports."""
    children = node.named_children
    if len(children) < 2 or children[0].type != "identifier":
        return None
    name, value = source.text(children[0]), children[-1]
    if value.type == "builtin_function" and source.data.startswith(b"@import", value.start_byte):
        return None
    kind = _ZIG_VALUES.get(value.type)
    return NodeDefinition(name, kind or "constant", (), value if kind else None)


def zig_function(node: Node, source: Source) -> NodeDefinition | None:
    """``fn name() void { }``; ``fn List(T: type) type { return struct { } }`` defines a type."""
    label, body = node.child_by_field_name("name"), body_of(node)
    if label is None:
        return None
    name = source.text(label)
    for statement in reversed(body.named_children) if body is not None else ():
        returned = named_child(statement, 0)
        value = named_child(returned, 0) if returned is not None and returned.type == "return_expression" else None
        if value is not None and value.type in _ZIG_VALUES:
            return NodeDefinition(name, _ZIG_VALUES[value.type], (), value)
    return NodeDefinition(name, "function", (), body)


def zig_test(node: Node, source: Source) -> NodeDefinition | None:
    """``test "what it shows" { }``."""
    label = named_child(node, 0)
    if label is None or label.type not in {"string", "identifier"}:
        return None
    return NodeDefinition(source.text(label).strip('"')[:LONGEST_NAME], "test", (), body_of(node), defines=False)
