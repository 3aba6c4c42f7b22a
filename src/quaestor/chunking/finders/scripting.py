"""Finders for JavaScript, TypeScript, Lua, Python and Ruby."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quaestor.chunking.defined_names import NodeDefinition, Source, body_of, named_child, split_qualified, value_kind

if TYPE_CHECKING:
    from tree_sitter import Node

_JS_VALUES = {
    "arrow_function": "function",
    "function_expression": "function",
    "function": "function",
    "generator_function": "function",
    "class": "class",
}
_JS_NOISE = frozenset({"module", "exports", "prototype", "this", "window", "self"})


def js_variables(node: Node, source: Source) -> NodeDefinition | None:
    """``const name = () => ...``, ``let name = class ...``, ``const NAME = value``."""
    for child in node.named_children:
        if child.type == "variable_declarator":
            return _js_declarator(child, source)
    return None


def _js_declarator(node: Node, source: Source) -> NodeDefinition | None:
    label, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if label is None or label.type != "identifier":
        return None
    name = source.text(label)
    if value is None:
        return NodeDefinition(name, "variable")
    if source.data.startswith(b"require(", value.start_byte):
        return None  # another file's, or something of it
    if value.type == "call_expression":
        value = _wrapped_function(value) or value
    kind = value_kind(name, value.type, _JS_VALUES)
    return NodeDefinition(name, kind, (), body_of(value))


def _wrapped_function(call: Node) -> Node | None:
    """The function in ``memo(() => ...)``, ``forwardRef(function ...)``, ``defineStore("x", () => ...)``."""
    arguments = call.child_by_field_name("arguments")
    if arguments is None or arguments.named_child_count > 3:
        return None
    for argument in arguments.named_children:
        if argument.type in _JS_VALUES:
            return argument
    return None


def js_statement(node: Node, source: Source) -> NodeDefinition | None:
    """``module.exports.name = function ...``, ``Foo.prototype.bar = ...``, ``exports.x = 1``."""
    child = named_child(node, 0)
    if child is None or child.type != "assignment_expression":
        return None
    left, right = child.child_by_field_name("left"), child.child_by_field_name("right")
    if left is None or right is None or left.type not in {"member_expression", "identifier"}:
        return None
    stated = source.text(left)
    while right.type == "assignment_expression":
        inner = right.child_by_field_name("right")
        if inner is None:
            break
        right = inner
    kind = _JS_VALUES.get(right.type)
    parts = [part for part in stated.split(".") if part.isidentifier() or part.replace("$", "_").isidentifier()]
    scope = tuple(part for part in parts[:-1] if part not in _JS_NOISE)
    if not parts or parts[-1] in _JS_NOISE or len(parts) != stated.count(".") + 1:
        return None
    if kind is None:
        return NodeDefinition(parts[-1], "variable", scope) if "exports" in parts[:-1] else None
    return NodeDefinition(parts[-1], "method" if scope else kind, scope, body_of(right))


def js_member(node: Node, source: Source) -> NodeDefinition | None:
    """A class field or an object's pair; a method if its value is a function."""
    label = node.child_by_field_name("name") or node.child_by_field_name("key")
    label = label or node.child_by_field_name("property")
    if label is None or label.type == "computed_property_name":
        return None
    name = source.text(label).strip("'\"`")
    value = node.child_by_field_name("value")
    kind = "method" if value is not None and value.type in _JS_VALUES else "field"
    if node.type == "pair" and kind == "field":
        return None
    return NodeDefinition(name, kind, (), body_of(value) if value is not None and kind == "method" else None)


def ts_module(node: Node, source: Source) -> NodeDefinition | None:
    """``namespace A.B { }`` and ``declare module "x" { }``."""
    label = node.child_by_field_name("name")
    if label is None:
        return None
    stated = source.text(label)
    if label.type == "string":
        return NodeDefinition(stated.strip("'\"`"), "module", (), body_of(node))
    scope, name = split_qualified(stated)
    return NodeDefinition(name, "module", scope, body_of(node)) if name else None


def python_statement(node: Node, source: Source) -> NodeDefinition | None:
    """``NAME = value`` or ``name: type = value``."""
    child = named_child(node, 0)
    if child is None or child.type != "assignment":
        return None
    left = child.child_by_field_name("left")
    if left is None or left.type != "identifier":
        return None
    name = source.text(left)
    return NodeDefinition(name, "constant" if name.isupper() else "variable")


def ruby_assignment(node: Node, source: Source) -> NodeDefinition | None:
    """``NAME = value``; a class for ``Struct.new`` and ``Class.new``."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "constant":
        return None
    is_class = source.data[right.start_byte : right.start_byte + 12].startswith(
        (b"Struct.new", b"Class.new", b"Data.define")
    )
    return NodeDefinition(source.text(left), "class" if is_class else "constant")


def ruby_call(node: Node, source: Source) -> NodeDefinition | None:
    """``private def name``: the method that is an argument."""
    arguments = node.child_by_field_name("arguments")
    first = named_child(arguments, 0) if arguments is not None else None
    if first is None or first.type not in {"method", "singleton_method"}:
        return None
    label = first.child_by_field_name("name")
    return NodeDefinition(source.text(label), "method", (), body_of(first)) if label is not None else None


def lua_assignment(node: Node, source: Source) -> NodeDefinition | None:
    """``M.name = function() end``, ``local name = value``."""
    assignment = node if node.type == "assignment_statement" else named_child(node, 0)
    if assignment is None or assignment.type != "assignment_statement":
        return None
    variables, values = named_child(assignment, 0), named_child(assignment, 1)
    label = named_child(variables, 0) if variables is not None else None
    value = named_child(values, 0) if values is not None else None
    if label is None or value is None or label.type == "bracket_index_expression":
        return None
    scope, name = split_qualified(source.text(label))
    if value.type == "function_definition":
        return NodeDefinition(name, "function", scope, body_of(value))
    if value.type == "function_call" and source.data.startswith(b"require", value.start_byte):
        return None
    return NodeDefinition(name, value_kind(name, value.type, {}), scope) if name else None


def lua_field(node: Node, source: Source) -> NodeDefinition | None:
    """``name = function() end`` within a table."""
    label, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if label is None or value is None or value.type != "function_definition" or label.type != "identifier":
        return None
    return NodeDefinition(source.text(label), "function", (), body_of(value))
