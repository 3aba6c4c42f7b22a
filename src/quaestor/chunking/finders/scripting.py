"""Finders for Lua, Python and Ruby."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quaestor.chunking.defined_names import Found, Source, body_of, named, qualified, value_kind

if TYPE_CHECKING:
    from tree_sitter import Node


def python_statement(node: Node, source: Source) -> Found | None:
    """``NAME = value`` or ``name: type = value``."""
    child = named(node, 0)
    if child is None or child.type != "assignment":
        return None
    left = child.child_by_field_name("left")
    if left is None or left.type != "identifier":
        return None
    name = source.text(left)
    return Found(name, "constant" if name.isupper() else "variable")


def ruby_assignment(node: Node, source: Source) -> Found | None:
    """``NAME = value``; a class for ``Struct.new`` and ``Class.new``."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "constant":
        return None
    made = source.data[right.start_byte : right.start_byte + 12].startswith(
        (b"Struct.new", b"Class.new", b"Data.define")
    )
    return Found(source.text(left), "class" if made else "constant")


def ruby_call(node: Node, source: Source) -> Found | None:
    """``private def name``: the method that is an argument."""
    arguments = node.child_by_field_name("arguments")
    first = named(arguments, 0) if arguments is not None else None
    if first is None or first.type not in {"method", "singleton_method"}:
        return None
    label = first.child_by_field_name("name")
    return Found(source.text(label), "method", (), body_of(first)) if label is not None else None


def lua_assignment(node: Node, source: Source) -> Found | None:
    """``M.name = function() end``, ``local name = value``."""
    assignment = node if node.type == "assignment_statement" else named(node, 0)
    if assignment is None or assignment.type != "assignment_statement":
        return None
    variables, values = named(assignment, 0), named(assignment, 1)
    label = named(variables, 0) if variables is not None else None
    value = named(values, 0) if values is not None else None
    if label is None or value is None or label.type == "bracket_index_expression":
        return None
    scope, name = qualified(source.text(label))
    if value.type == "function_definition":
        return Found(name, "function", scope, body_of(value))
    if value.type == "function_call" and source.data.startswith(b"require", value.start_byte):
        return None
    return Found(name, value_kind(name, value.type, {}), scope) if name else None


def lua_field(node: Node, source: Source) -> Found | None:
    """``name = function() end`` within a table."""
    label, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if label is None or value is None or value.type != "function_definition" or label.type != "identifier":
        return None
    return Found(source.text(label), "function", (), body_of(value))
