"""Finders for Go, Rust and Zig."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quaestor.chunking.defined_names import GENERICS, LONGEST_NAME, Found, Source, body_of, named, qualified

if TYPE_CHECKING:
    from tree_sitter import Node

_GO_TYPES = {"struct_type": "struct", "interface_type": "interface"}


def go_type(node: Node, source: Source) -> Found | None:
    """``type Name struct { }``."""
    label, stated = node.child_by_field_name("name"), node.child_by_field_name("type")
    if label is None:
        return None
    return Found(source.text(label), _GO_TYPES.get(stated.type if stated else "", "type"))


def go_method(node: Node, source: Source) -> Found | None:
    """``func (r *Receiver[T]) Name()``."""
    label, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
    if label is None:
        return None
    stated = source.text(receiver).strip("()") if receiver is not None else ""
    words = GENERICS.sub("", stated).replace("*", " ").split()
    return Found(source.text(label), "method", tuple(words[-1:]), body_of(node))


def rust_impl(node: Node, source: Source) -> Found | None:
    """``impl<T> Trait for Type<T> { }``: an extension of the type."""
    label = node.child_by_field_name("type")
    if label is None:
        return None
    while (inner := label.child_by_field_name("type")) is not None:
        label = inner
    scope, name = qualified(source.text(label).lstrip("&*"))
    return Found(name, "extension", scope, body_of(node), defines=False) if name else None


_ZIG_VALUES = {
    "struct_declaration": "struct",
    "enum_declaration": "enum",
    "union_declaration": "struct",
    "opaque_declaration": "struct",
    "error_set_declaration": "enum",
}


def zig_variable(node: Node, source: Source) -> Found | None:
    """``const Name = struct { }``, ``const name = value``; an import is none."""
    children = node.named_children
    if len(children) < 2 or children[0].type != "identifier":
        return None
    name, value = source.text(children[0]), children[-1]
    if value.type == "builtin_function" and source.data.startswith(b"@import", value.start_byte):
        return None
    kind = _ZIG_VALUES.get(value.type)
    return Found(name, kind or "constant", (), value if kind else None)


def zig_test(node: Node, source: Source) -> Found | None:
    """``test "what it shows" { }``."""
    label = named(node, 0)
    if label is None or label.type not in {"string", "identifier"}:
        return None
    return Found(source.text(label).strip('"')[:LONGEST_NAME], "test", (), body_of(node), defines=False)
