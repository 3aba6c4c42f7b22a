"""Finders for C#, Java, Kotlin, PHP, Scala and Swift."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from quaestor.chunking.defined_names import Finder, NodeDefinition, Source, body_of, split_qualified

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPE_WORD = re.compile(r"[\w.:]+")


def declarator_field(kind: str) -> Finder:
    """Return a finder for fields and properties whose name is in a nested declarator."""

    def find(node: Node, source: Source) -> NodeDefinition | None:
        for _ in range(4):
            label = node.child_by_field_name("name")
            if label is not None:
                return NodeDefinition(source.text(label).lstrip("$"), kind)
            inner = next((child for child in node.named_children if child.type in _DECLARATORS), None)
            if inner is None:  # otherwise an identifier is that of the type: ``Style plain;``
                named = (child for child in node.named_children if child.type in {"identifier", "name"})
                word = next(named, None) if node.type in _DECLARATORS else None
                return NodeDefinition(source.text(word), kind) if word is not None else None
            node = inner
        return None

    return find


_DECLARATORS = frozenset(
    {
        "variable_declarator",
        "variable_declaration",
        "property_element",
        "const_element",
        "static_final_declaration",
    }
)


def csharp_namespace(node: Node, source: Source) -> NodeDefinition | None:
    """``namespace A.B { }``; the whole dotted name counts as one."""
    label = node.child_by_field_name("name")
    return NodeDefinition(source.text(label), "module", (), body_of(node)) if label is not None else None


_SWIFT_KINDS = {"extension": "extension", "enum": "enum", "struct": "struct"}


def swift_type(node: Node, source: Source) -> NodeDefinition | None:
    """class, struct, enum, actor and extension share one node type."""
    label, keyword = node.child_by_field_name("name"), node.child_by_field_name("declaration_kind")
    if label is None:
        return None
    kind = _SWIFT_KINDS.get(keyword.type if keyword is not None else "", "class")
    scope, name = split_qualified(source.text(label))
    return NodeDefinition(name, kind, scope, body_of(node), kind != "extension") if name else None


def swift_property(node: Node, source: Source) -> NodeDefinition | None:
    """``let name = value``, ``var name: Type { get }``."""
    pattern = node.child_by_field_name("name")
    if pattern is None:
        return None
    bound = pattern.child_by_field_name("bound_identifier")
    return NodeDefinition(source.text(bound), "field") if bound is not None else None


def kotlin_type(node: Node, source: Source) -> NodeDefinition | None:
    """class, interface and enum class share one node type."""
    label = node.child_by_field_name("name")
    if label is None:
        return None
    kind = "class"
    for child in node.children:
        if child.type in {"interface", "enum"}:
            kind = child.type
        elif child.type == "modifiers" and "enum" in source.text(child).split():
            kind = "enum"
    return NodeDefinition(source.text(label), kind, (), body_of(node))


def kotlin_companion(node: Node, source: Source) -> NodeDefinition | None:
    """``companion object Name { }``."""
    label = node.child_by_field_name("name")
    return NodeDefinition(source.text(label) if label is not None else "Companion", "class", (), body_of(node))


def scala_extension(node: Node, source: Source) -> NodeDefinition | None:
    """``extension (s: Type) def ...``."""
    parameters = node.child_by_field_name("parameters")
    stated = source.text(parameters).partition(":")[2] if parameters is not None else ""
    word = _TYPE_WORD.search(stated)
    return NodeDefinition(word[0], "extension", (), body_of(node), defines=False) if word else None


def scala_package(node: Node, source: Source) -> NodeDefinition | None:
    """``package a.b { }``; a clause without a body defines nothing."""
    label, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if label is None or body is None:
        return None
    return NodeDefinition(source.text(label), "module", (), body)
