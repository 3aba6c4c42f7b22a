"""Reads a definition from a syntax node: finders of name, kind, stated scope and body.

A finder looks at one node and returns its definition, or None. The tables in ``syntax`` map node types to finders.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST_NAME = 120

# Kinds whose members are definitions themselves.
CONTAINERS = frozenset({"class", "interface", "struct", "enum", "module", "extension"})
CALLABLES = frozenset({"function", "method", "macro", "test"})

_BODIES = frozenset(
    {
        "annotation_type_body",
        "block",
        "body_statement",
        "class_body",
        "class_declarations",
        "class_member_declarations",
        "closure",
        "compound_statement",
        "contract_body",
        "declaration_list",
        "do_block",
        "enum_body",
        "enum_class_body",
        "enum_declaration",
        "enum_declaration_list",
        "enum_type_body",
        "extension_body",
        "field_declaration_list",
        "function_body",
        "implementation_definition",
        "instance_declarations",
        "interface_body",
        "message_body",
        "mixin_body",
        "object_type",
        "opaque_declaration",
        "protocol_body",
        "service_body",
        "statement_block",
        "struct_declaration",
        "structure",
        "template_body",
        "union_declaration",
        "with_template_body",
    }
)
GENERICS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_SEPARATORS = re.compile(r"::|[.\\#:]")
_WORD = re.compile(r"\w")
_OPERATOR = re.compile(r"\boperator\b")


_NEAR = 200
"""Bytes before a comment that are examined to see whether it begins the file."""


class Source(NamedTuple):
    """The bytes that a tree was parsed from, and their codec."""

    data: bytes
    encoding: str = "utf-8"

    def text(self, node: Node) -> str:
        """Return the text of a short node, such as a name."""
        raw = self.data[node.start_byte : min(node.end_byte, node.start_byte + 8 * LONGEST_NAME)]
        return raw.decode(self.encoding, errors="ignore")

    def starts_line(self, offset: int) -> bool:
        """Return whether only white space precedes an offset in its line."""
        line = self.data.rfind(b"\n", 0, offset) + 1
        return not self.data[line:offset].strip()

    def stands_apart(self, start: int, end: int, following: int, *, code: bool) -> bool:
        """Return whether blank lines separate a comment from what follows it.

        One blank line does not separate a documentation comment, ``/** ... */``, from its function, because much
        JavaScript has one between them. A comment at the beginning of a file is about the file.

        Args:
            start: the offset of the comment.
            end: the offset after it.
            following: the offset of the next node.
            code: whether the next node is code, and not another comment.
        """
        blank = self.data.count(b"\n", max(start, end - 1), following) - 1
        if blank == 1 and code and self.data.startswith(b"/**", start):
            return not self.data[max(0, start - _NEAR) : start].strip()
        return blank > 0


class NodeDefinition(NamedTuple):
    """The definition of a node.

    Attributes:
        name: the plain name.
        kind: the kind as in ``Chunk.kind``.
        scope: the scope within the name itself: ``Foo`` of ``Foo::bar``.
        body: the node with the members or statements.
        defines: whether the definition is here; False for an extension or a prototype.
    """

    name: str
    kind: str
    scope: tuple[str, ...] = ()
    body: Node | None = None
    defines: bool = True


Finder = Callable[["Node", Source], NodeDefinition | None]


def named_child(node: Node, index: int) -> Node | None:
    """Return the named child at an index, or None."""
    return node.named_child(index) if index < node.named_child_count else None


def body_of(node: Node) -> Node | None:
    """Return the node with a definition's members or statements, or None."""
    body = node.child_by_field_name("body")
    if body is not None:
        return body
    for child in reversed(node.named_children):
        if child.type in _BODIES:
            return child
    return None


def split_qualified(text: str) -> tuple[tuple[str, ...], str]:
    """Split a stated name into scope and plain name: ``a::B<T>::c`` -> (a, B), c."""
    text = text.strip()
    if text.isidentifier():
        return (), text[:LONGEST_NAME]
    if not _WORD.search(text):
        return (), text[:LONGEST_NAME]
    if _OPERATOR.search(text):
        before, _, operator = text.rpartition("operator")
        scope, _ = split_qualified(before + "_") if before else ((), "")
        return scope, ("operator" + operator)[:LONGEST_NAME]
    for _ in range(4):
        shorter = GENERICS.sub("", text)
        if shorter == text:
            break
        text = shorter
    parts = [part.strip()[:LONGEST_NAME] for part in _SEPARATORS.split(text) if part.strip()]
    return (tuple(parts[:-1]), parts[-1]) if parts else ((), "")


def by_field(kind: str, field: str = "name", *, defines: bool = True) -> Finder:
    """Return a finder that reads the name from a field of the node."""

    def find(node: Node, source: Source) -> NodeDefinition | None:
        label = node.child_by_field_name(field)
        if label is None:
            return None
        scope, name = split_qualified(source.text(label))
        return NodeDefinition(name, kind, scope, body_of(node), defines) if name else None

    return find


def by_child(kind: str, *types: str) -> Finder:
    """Return a finder that reads the name from the first child of one of the given types."""
    wanted = frozenset(types)

    def find(node: Node, source: Source) -> NodeDefinition | None:
        for child in node.named_children:
            if child.type in wanted:
                scope, name = split_qualified(source.text(child))
                return NodeDefinition(name, kind, scope, body_of(node)) if name else None
        return None

    return find


def by_keyword(kind: str, name: str) -> Finder:
    """Return a finder for a definition whose name is a keyword: ``init``, ``deinit``."""

    def find(node: Node, source: Source) -> NodeDefinition | None:
        return NodeDefinition(name, kind, (), body_of(node))

    return find


def value_kind(name: str, value_type: str, values: dict[str, str]) -> str:
    """Return the kind of a bound name: by its value's node type, else by the name's case."""
    return values.get(value_type) or ("constant" if name.isupper() else "variable")


def as_method(definition: NodeDefinition) -> NodeDefinition:
    """Return a function that is a member of a type as a method."""
    return definition._replace(kind="method")
