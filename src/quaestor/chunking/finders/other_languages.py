"""Finders for languages with unusual grammars, such as Elixir and Haskell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quaestor.chunking.defined_names import (
    LONGEST_NAME,
    Finder,
    NodeDefinition,
    Source,
    body_of,
    named_child,
    split_qualified,
)

if TYPE_CHECKING:
    from tree_sitter import Node


_ELIXIR_ATTRIBUTES = {
    "type": "type",
    "typep": "type",
    "opaque": "type",
    "callback": "declaration",
    "macrocallback": "declaration",
}
_ELIXIR_DEFINERS = {
    "defmodule": "module",
    "defprotocol": "interface",
    "defimpl": "extension",
    "def": "function",
    "defp": "function",
    "defn": "function",
    "defdelegate": "function",
    "defguard": "macro",
    "defguardp": "macro",
    "defmacro": "macro",
    "defmacrop": "macro",
    "test": "test",
}


def by_path(kind: str, *path: str, defines: bool = True, members: bool = False) -> Finder:
    """Return a finder that reads the name from a child of a child: the first of each type or field in turn.

    Args:
        kind: what is defined.
        path: types or fields, outermost first.
        defines: whether it is the definition itself.
        members: whether the node's own children are its members.
    """

    def find(node: Node, source: Source) -> NodeDefinition | None:
        label: Node | None = node
        for step in path:
            label = _child(label, step) if label is not None else None
        if label is None:
            return None
        scope, name = split_qualified(source.text(label).strip("\"'`"))
        return NodeDefinition(name, kind, scope, node if members else body_of(node), defines) if name else None

    return find


def by_whole_path(kind: str, *path: str) -> Finder:
    """Return a finder like ``by_path`` for names in which dots and other marks do not separate scopes."""
    find_part = by_path(kind, *path)

    def find(node: Node, source: Source) -> NodeDefinition | None:
        definition = find_part(node, source)
        if definition is None:
            return None
        label = node
        for step in path:
            label = _child(label, step) or label
        return definition._replace(name=source.text(label).strip("\"'`")[:LONGEST_NAME], scope=())

    return find


def _child(node: Node, step: str) -> Node | None:
    field_node = node.child_by_field_name(step)
    return field_node or next((child for child in node.named_children if child.type == step), None)


def dart_member(node: Node, source: Source) -> NodeDefinition | None:
    """A method, getter, setter or constructor, with or without a body; a field."""
    for child in node.named_children:
        if child.type.endswith("_signature"):
            labels = [one for one in child.named_children if one.type == "identifier"]
            return NodeDefinition(source.text(labels[-1]), "method") if labels else None
        if child.type in {"initialized_identifier_list", "static_final_declaration_list"}:
            first = named_child(child, 0)
            label = named_child(first, 0) if first is not None else None
            return NodeDefinition(source.text(label), "field") if label is not None else None
    return None


def dart_extension(node: Node, source: Source) -> NodeDefinition | None:
    """``extension Name on Type``; one without a name is named after its type, which it does not define."""
    label = node.child_by_field_name("name")
    if label is not None:
        return NodeDefinition(source.text(label), "class", (), body_of(node))
    of_type = node.child_by_field_name("class")
    return NodeDefinition(source.text(of_type), "extension", (), body_of(node), defines=False) if of_type else None


def dart_alias(node: Node, source: Source) -> NodeDefinition | None:
    """``typedef Name = Type;`` and ``typedef Type Name(parameters);``."""
    labels = [child for child in node.named_children if child.type == "type_identifier"]
    if not labels:
        return None
    label = labels[0] if "=" in source.text(node) else labels[-1]
    return NodeDefinition(source.text(label), "type")


def julia_function(kind: str) -> Finder:
    """Return a finder for ``function Base.name(arguments) where T`` and macros."""

    def find(node: Node, source: Source) -> NodeDefinition | None:
        signature = named_child(node, 0)
        return _julia_called(signature, source, kind) if signature is not None else None

    return find


def _julia_called(node: Node, source: Source, kind: str) -> NodeDefinition | None:
    while node.type in {"signature", "where_expression", "typed_expression"}:
        inner = named_child(node, 0)
        if inner is None:
            return None
        node = inner
    callee = named_child(node, 0) if node.type == "call_expression" else node if node.type == "identifier" else None
    if callee is None or callee.type not in {"identifier", "field_expression", "operator"}:
        return None
    scope, name = split_qualified(source.text(callee))
    return NodeDefinition(name, kind, scope) if name else None


def julia_assignment(node: Node, source: Source) -> NodeDefinition | None:
    """``name(arguments) = value``, ``const name = value``."""
    if node.type == "const_statement":
        inner = named_child(node, 0)
        if inner is None or inner.type != "assignment":
            return None
        node = inner
    left = named_child(node, 0)
    if left is None:
        return None
    if left.type == "identifier":
        name = source.text(left)
        return NodeDefinition(name, "constant" if name.isupper() else "variable")
    return _julia_called(left, source, "function")


def julia_type(kind: str) -> Finder:
    """Return a finder for ``struct Name{T} <: Parent``."""

    def find(node: Node, source: Source) -> NodeDefinition | None:
        head = _child(node, "type_head")
        name = source.text(head).partition("<:")[0].partition("{")[0].strip() if head is not None else ""
        return NodeDefinition(name, kind) if name.isidentifier() else None

    return find


def ocaml_let(node: Node, source: Source) -> NodeDefinition | None:
    """``let name parameters = value``."""
    pattern = node.child_by_field_name("pattern")
    if pattern is None or pattern.type != "value_name":
        return None
    body = node.child_by_field_name("body")
    called = any(child.type == "parameter" for child in node.named_children)
    function = called or (body is not None and body.type in {"fun_expression", "function_expression"})
    return NodeDefinition(source.text(pattern), "function" if function else "constant")


_R_CLASSES = frozenset({"R6Class", "setRefClass", "new_class", "ggproto"})
_R_MAKERS = {"setGeneric": "function", "setClass": "class", "setRefClass": "class", "setValidity": "function"}


def r_assignment(node: Node, source: Source) -> NodeDefinition | None:
    """``name <- function(arguments)``, ``Name <- R6Class(...)``, ``name <- value``."""
    left, right = node.child_by_field_name("lhs"), node.child_by_field_name("rhs")
    if left is None or right is None or left.type not in {"identifier", "string"}:
        return None
    if source.data[left.end_byte : right.start_byte].strip() not in {b"<-", b"=", b"<<-"}:
        return None
    name = source.text(left).strip("`\"'")
    if right.type == "function_definition":
        return NodeDefinition(name, "function", (), right.child_by_field_name("body"))
    called = right.child_by_field_name("function") if right.type == "call" else None
    is_class = called is not None and source.text(called).rpartition(":")[2] in _R_CLASSES
    return NodeDefinition(name, "class" if is_class else "variable") if name else None


def r_call(node: Node, source: Source) -> NodeDefinition | None:
    """``setGeneric("name", ...)``, ``setClass("Name", ...)``."""
    called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    kind = _R_MAKERS.get(source.text(called)) if called is not None else None
    first = named_child(arguments, 0) if kind and arguments is not None else None
    if kind is None or first is None:
        return None
    name = source.text(first).strip("\"'`")
    return (
        NodeDefinition(name, kind)
        if name and name.replace(".", "_").replace("<", "_").replace("-", "_").isidentifier()
        else None
    )


_LISP_KINDS = {
    "defn": "function", "defn-": "function", "defmulti": "function", "defmacro": "macro", "defprotocol": "interface",
    "defrecord": "class", "deftype": "class", "definterface": "interface", "def": "constant", "defonce": "constant",
    "ns": "module", "define": "function", "define-syntax": "macro", "define-syntax-rule": "macro", "struct": "struct",
    "define-record-type": "struct", "define-struct": "struct", "define-values": "constant", "defun": "function",
    "define/contract": "function", "define-macro": "macro", "deftest": "test", "defmethod": "function",
    "extend-protocol": "extension", "extend-type": "extension",
}  # fmt: skip
_UNDEFINING = frozenset({"defmethod", "deftest", "extend-protocol", "extend-type"})


def lisp_form(node: Node, source: Source) -> NodeDefinition | None:
    """``(defn name [x] ...)``, ``(define (name x) ...)``, ``(s/def name ...)``, ``(struct name (fields))``."""
    parts = [child for child in node.named_children[:4] if child.type in {"sym_lit", "symbol", "list", "list_lit"}]
    if len(parts) < 2 or parts[0].type not in {"sym_lit", "symbol"}:
        return None
    head = source.text(parts[0]).rpartition("/")[2] if parts[0].type == "sym_lit" else source.text(parts[0])
    kind = _LISP_KINDS.get(head)
    if kind is None and not head.startswith(("def", "define-")):
        return None
    label: Node | None = parts[1]
    while label is not None and label.type == "list":
        label = named_child(label, 0)
    if label is None or label.type == "list_lit":
        return None
    name = source.text(label).rpartition(" ")[2][:LONGEST_NAME]  # ^:private name
    if head == "define" and parts[1].type != "list":
        kind = "constant"
    return NodeDefinition(name, kind or "function", (), None, head not in _UNDEFINING) if name else None


def terraform_block(node: Node, source: Source) -> NodeDefinition | None:
    """``resource "kind" "name" { }``, ``variable "name" { }``."""
    labels = [
        source.text(child).strip('"') for child in node.named_children if child.type in {"identifier", "string_lit"}
    ]
    if len(labels) < 2:
        return None
    return NodeDefinition(labels[-1], "type", tuple(labels[:-1]))


def elixir_call(node: Node, source: Source) -> NodeDefinition | None:
    """``def name(arguments) when guard do``, ``defmodule A.B do`` and their kin."""
    target = node.child_by_field_name("target")
    if target is None or target.type != "identifier":
        return None
    kind = _ELIXIR_DEFINERS.get(source.text(target))
    arguments = named_child(node, 1)
    first = named_child(arguments, 0) if kind and arguments is not None else None
    if kind is None or first is None:
        return None
    name = _elixir_name(first, source)
    if not name:
        return None
    # A.B.C is also known as C; in other names dots are part of the name.
    scope, name = split_qualified(name) if first.type == "alias" else ((), name)
    return NodeDefinition(name, kind, scope, body_of(node), kind not in {"extension", "test"})


def elixir_attribute(node: Node, source: Source) -> NodeDefinition | None:
    """``@type name :: ...`` and its kin; ``@callback name(arguments) :: result`` declares what others define."""
    call = named_child(node, 0)
    target = call.child_by_field_name("target") if call is not None else None
    kind = _ELIXIR_ATTRIBUTES.get(source.text(target)) if target is not None else None
    stated = named_child(call, 1) if kind and call is not None else None
    stated = named_child(stated, 0) if stated is not None else None
    while stated is not None and stated.type == "binary_operator":
        stated = stated.child_by_field_name("left")
    name = _elixir_name(stated, source) if stated is not None else None
    return NodeDefinition(name, kind, (), None, kind == "type") if name and kind else None


def _elixir_name(node: Node, source: Source) -> str | None:
    if node.type == "binary_operator":
        operator, left = node.child_by_field_name("operator"), node.child_by_field_name("left")
        if operator is None or left is None:
            return None
        if operator.type != "when":
            return source.text(operator)
        node = left
    if node.type == "call":
        target = node.child_by_field_name("target")
        return source.text(target) if target is not None else None
    if node.type == "string":
        return source.text(node).strip('"')[:LONGEST_NAME]
    return source.text(node) if node.type in {"identifier", "alias"} else None


def haskell_equation(node: Node, source: Source) -> NodeDefinition | None:
    """``name patterns = expression`` or an infix ``a <+> b = expression``."""
    label = node.child_by_field_name("name")
    if label is None:
        infix = named_child(node, 0)
        label = infix.child_by_field_name("operator") if infix is not None else None
    if label is None:
        return None
    return NodeDefinition(source.text(label).strip("()` "), "function")


def haskell_field(node: Node, source: Source) -> NodeDefinition | None:
    """``name :: Type`` of a record: a function that selects it."""
    label = node.child_by_field_name("name")
    return NodeDefinition(source.text(label), "function") if label is not None else None


def haskell_named(kind: str, *, defines: bool = True) -> Finder:
    """Return a finder for classes and instances, whose members are declarations."""

    def find(node: Node, source: Source) -> NodeDefinition | None:
        label = node.child_by_field_name("name")
        if label is None:
            return None
        body = node.child_by_field_name("declarations")
        return NodeDefinition(source.text(label), kind, (), body, defines)

    return find
