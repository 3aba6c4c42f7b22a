"""Finders for Elixir and Haskell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quaestor.chunking.defined_names import LONGEST_NAME, Finder, Found, Source, body_of, named, qualified

if TYPE_CHECKING:
    from tree_sitter import Node

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


def elixir_call(node: Node, source: Source) -> Found | None:
    """``def name(arguments) when guard do``, ``defmodule A.B do`` and their kin."""
    target = node.child_by_field_name("target")
    if target is None or target.type != "identifier":
        return None
    kind = _ELIXIR_DEFINERS.get(source.text(target))
    arguments = named(node, 1)
    first = named(arguments, 0) if kind and arguments is not None else None
    if kind is None or first is None:
        return None
    name = _elixir_name(first, source)
    if not name:
        return None
    # A.B.C is known as C, too; of what is not an alias dots are part of the name.
    scope, name = qualified(name) if first.type == "alias" else ((), name)
    return Found(name, kind, scope, body_of(node), kind not in {"extension", "test"})


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


def haskell_equation(node: Node, source: Source) -> Found | None:
    """``name patterns = expression`` or an infix ``a <+> b = expression``."""
    label = node.child_by_field_name("name")
    if label is None:
        infix = named(node, 0)
        label = infix.child_by_field_name("operator") if infix is not None else None
    if label is None:
        return None
    return Found(source.text(label).strip("()` "), "function")


def haskell_field(node: Node, source: Source) -> Found | None:
    """``name :: Type`` of a record: a function that selects it."""
    label = node.child_by_field_name("name")
    return Found(source.text(label), "function") if label is not None else None


def haskell_named(kind: str, *, defines: bool = True) -> Finder:
    """Return a finder for classes and instances, whose members are declarations."""

    def find(node: Node, source: Source) -> Found | None:
        label = node.child_by_field_name("name")
        if label is None:
            return None
        body = node.child_by_field_name("declarations")
        return Found(source.text(label), kind, (), body, defines)

    return find
