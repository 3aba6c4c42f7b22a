"""How a syntax node states what it defines: finders of name, kind, stated scope and body.

A finder looks at one node and returns what it defines, or None. Which finder serves which node type is data,
in ``syntax``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST_NAME = 120
_MOST_DECLARATORS = 32

# Kinds whose members are definitions of their own.
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
_GENERICS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_SEPARATORS = re.compile(r"::|[.\\#:]")
_WORD = re.compile(r"\w")
_OPERATOR = re.compile(r"\boperator\b")
_GUARD = re.compile(r"_H(?:H|PP|XX)?_*$|_INCLUDED_*$")
_C_NAME = re.compile(r"~?[^\W\d][\w$]*|operator.*")
_TYPE_WORD = re.compile(r"[\w.:]+")


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes that a tree was parsed from, and their codec."""

    data: bytes
    encoding: str = "utf-8"

    def text(self, node: Node) -> str:
        """Return the text of a node that is short by nature, such as a name."""
        raw = self.data[node.start_byte : min(node.end_byte, node.start_byte + 8 * LONGEST_NAME)]
        return raw.decode(self.encoding, errors="ignore")


@dataclass(frozen=True, slots=True)
class Found:
    """What a node defines.

    Attributes:
        name: the plain name.
        kind: as in ``Chunk.kind``.
        scope: what the name itself says it belongs to: ``Foo`` of ``Foo::bar``.
        body: the node that holds the members or statements.
        defines: whether the definition is here; False for an extension or a prototype.
    """

    name: str
    kind: str
    scope: tuple[str, ...] = ()
    body: Node | None = None
    defines: bool = True


Finder = Callable[["Node", Source], Found | None]


def named(node: Node, index: int) -> Node | None:
    """Return the named child at an index, or None."""
    return node.named_child(index) if index < node.named_child_count else None


def body_of(node: Node) -> Node | None:
    """Return the node that holds a definition's members or statements."""
    body = node.child_by_field_name("body")
    if body is not None:
        return body
    for child in reversed(node.named_children):
        if child.type in _BODIES:
            return child
    return None


def qualified(text: str) -> tuple[tuple[str, ...], str]:
    """Split a stated name into scope and plain name: ``a::B<T>::c`` -> (a, B), c."""
    text = text.strip()
    if not _WORD.search(text):
        return (), text[:LONGEST_NAME]
    if _OPERATOR.search(text):
        before, _, operator = text.rpartition("operator")
        scope, _ = qualified(before + "_") if before else ((), "")
        return scope, ("operator" + operator)[:LONGEST_NAME]
    for _ in range(4):
        shorter = _GENERICS.sub("", text)
        if shorter == text:
            break
        text = shorter
    parts = [part.strip()[:LONGEST_NAME] for part in _SEPARATORS.split(text) if part.strip()]
    return (tuple(parts[:-1]), parts[-1]) if parts else ((), "")


def by_field(kind: str, field: str = "name", *, defines: bool = True) -> Finder:
    """Return a finder that reads the name from a field of the node."""

    def find(node: Node, source: Source) -> Found | None:
        label = node.child_by_field_name(field)
        if label is None:
            return None
        scope, name = qualified(source.text(label))
        return Found(name, kind, scope, body_of(node), defines) if name else None

    return find


def by_child(kind: str, *types: str) -> Finder:
    """Return a finder that reads the name from the first child of one of the given types."""
    wanted = frozenset(types)

    def find(node: Node, source: Source) -> Found | None:
        for child in node.named_children:
            if child.type in wanted:
                scope, name = qualified(source.text(child))
                return Found(name, kind, scope, body_of(node)) if name else None
        return None

    return find


def fixed(kind: str, name: str) -> Finder:
    """Return a finder for a definition whose name is a keyword: ``init``, ``deinit``."""

    def find(node: Node, source: Source) -> Found | None:
        return Found(name, kind, (), body_of(node))

    return find


def _value_kind(name: str, value_type: str, values: dict[str, str]) -> str:
    return values.get(value_type) or ("constant" if name.isupper() else "variable")


# --- Python ---------------------------------------------------------------------------------------------


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


# --- JavaScript, TypeScript -----------------------------------------------------------------------------

_JS_VALUES = {
    "arrow_function": "function",
    "function_expression": "function",
    "function": "function",
    "generator_function": "function",
    "class": "class",
}
_JS_NOISE = frozenset({"module", "exports", "prototype", "this", "window", "self"})


def js_variables(node: Node, source: Source) -> Found | None:
    """``const name = () => ...``, ``let name = class ...``, ``const NAME = value``."""
    for child in node.named_children:
        if child.type == "variable_declarator":
            return _js_declarator(child, source)
    return None


def _js_declarator(node: Node, source: Source) -> Found | None:
    label, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if label is None or label.type != "identifier":
        return None
    name = source.text(label)
    if value is None:
        return Found(name, "variable")
    if value.type == "call_expression":
        if source.data.startswith(b"require", value.start_byte):
            return None
        value = _wrapped_function(value) or value
    kind = _value_kind(name, value.type, _JS_VALUES)
    return Found(name, kind, (), body_of(value))


def _wrapped_function(call: Node) -> Node | None:
    """The function in ``memo(() => ...)``, ``forwardRef(function ...)``, ``defineStore("x", () => ...)``."""
    arguments = call.child_by_field_name("arguments")
    if arguments is None or arguments.named_child_count > 3:
        return None
    for argument in arguments.named_children:
        if argument.type in _JS_VALUES:
            return argument
    return None


def js_statement(node: Node, source: Source) -> Found | None:
    """``module.exports.name = function ...``, ``Foo.prototype.bar = ...``, ``exports.x = 1``."""
    child = named(node, 0)
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
        return Found(parts[-1], "variable", scope) if "exports" in parts[:-1] else None
    return Found(parts[-1], "method" if scope else kind, scope, body_of(right))


def js_member(node: Node, source: Source) -> Found | None:
    """A class field or an object's pair; a method when its value is a function."""
    label = node.child_by_field_name("name") or node.child_by_field_name("key")
    label = label or node.child_by_field_name("property")
    if label is None or label.type == "computed_property_name":
        return None
    name = source.text(label).strip("'\"`")
    value = node.child_by_field_name("value")
    kind = "method" if value is not None and value.type in _JS_VALUES else "field"
    if node.type == "pair" and kind == "field":
        return None
    return Found(name, kind, (), body_of(value) if value is not None and kind == "method" else None)


def ts_module(node: Node, source: Source) -> Found | None:
    """``namespace A.B { }`` and ``declare module "x" { }``."""
    label = node.child_by_field_name("name")
    if label is None:
        return None
    stated = source.text(label)
    if label.type == "string":
        return Found(stated.strip("'\"`"), "module", (), body_of(node))
    scope, name = qualified(stated)
    return Found(name, "module", scope, body_of(node)) if name else None


# --- Go, Rust -------------------------------------------------------------------------------------------

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
    words = _GENERICS.sub("", stated).replace("*", " ").split()
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


# --- C, C++ ---------------------------------------------------------------------------------------------


def _declarator(node: Node) -> tuple[Node, bool] | None:
    """Follow declarators to the declared name; also whether it is a function's."""
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
            inner = named(node, 0)
        if inner is None:
            return node, is_function
        node = inner
    return None


def c_function(node: Node, source: Source) -> Found | None:
    """``int *Foo::bar(int x) { }``."""
    declarator = node.child_by_field_name("declarator")
    found = _declarator(declarator) if declarator is not None else None
    if found is None:
        return None
    scope, name = _c_qualified(source.text(found[0]))
    return Found(name, "method" if scope else "function", scope, body_of(node)) if name else None


def _c_qualified(text: str) -> tuple[tuple[str, ...], str]:
    """Scope and name; of ``MACRO name``, which unknown macros leave behind, the last word."""
    scope, name = qualified(text)
    if not name.startswith("operator"):
        name = name.rpartition(" ")[2]
    return (scope, name) if _C_NAME.fullmatch(name) else ((), "")


def c_macro(node: Node, source: Source) -> Found | None:
    """``#define NAME value``; an include guard is none."""
    label = node.child_by_field_name("name")
    if label is None:
        return None
    name = source.text(label)
    guards = node.child_by_field_name("value") is None and node.type == "preproc_def" and _GUARD.search(name)
    return None if guards else Found(name, "macro")


def c_declaration(node: Node, source: Source) -> Found | None:
    """A prototype, a variable, or a type defined on the way: ``struct A { } a;``."""
    stated = node.child_by_field_name("type")
    if stated is not None and stated.type in C_TYPES:
        found = c_type(stated, source)
        if found is not None:
            return found
    declarator = node.child_by_field_name("declarator")
    declared = _declarator(declarator) if declarator is not None else None
    if declared is None:
        return None
    scope, name = _c_qualified(source.text(declared[0]))
    if not name:
        return None
    if declared[1]:
        return Found(name, "declaration", scope, defines=False)
    return Found(name, "field" if node.type == "field_declaration" else "variable", scope)


C_TYPES = {
    "struct_specifier": "struct",
    "class_specifier": "class",
    "union_specifier": "struct",
    "enum_specifier": "enum",
}


def c_type(node: Node, source: Source) -> Found | None:
    """``struct Name { }``; None for a mention without a body."""
    body, label = node.child_by_field_name("body"), node.child_by_field_name("name")
    if body is None or label is None:
        return None
    scope, name = qualified(source.text(label))
    return Found(name, C_TYPES[node.type], scope, body) if name else None


def c_typedef(node: Node, source: Source) -> Found | None:
    """``typedef struct { } Name;``."""
    declarator = node.child_by_field_name("declarator")
    declared = _declarator(declarator) if declarator is not None else None
    if declared is None:
        return None
    stated = node.child_by_field_name("type")
    kind = C_TYPES.get(stated.type, "type") if stated is not None and body_of(stated) else "type"
    body = body_of(stated) if stated is not None and kind in {"struct", "class"} else None
    return Found(source.text(declared[0]), kind, (), body)


# --- Java, C#, PHP, Kotlin, Swift, Scala ----------------------------------------------------------------


def declarator_field(kind: str) -> Finder:
    """Return a finder for fields and properties that keep their name in a nested declarator."""

    def find(node: Node, source: Source) -> Found | None:
        for _ in range(4):
            label = node.child_by_field_name("name")
            if label is not None:
                return Found(source.text(label).lstrip("$"), kind)
            for child in node.named_children:
                if child.type in _DECLARATORS:
                    node = child
                    break
                if child.type in {"identifier", "name"} and node.type in _DECLARATORS:
                    return Found(source.text(child), kind)
            else:
                return None
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


def csharp_namespace(node: Node, source: Source) -> Found | None:
    """``namespace A.B { }``; the whole dotted name counts as one."""
    label = node.child_by_field_name("name")
    return Found(source.text(label), "module", (), body_of(node)) if label is not None else None


_SWIFT_KINDS = {"extension": "extension", "enum": "enum", "struct": "struct"}


def swift_type(node: Node, source: Source) -> Found | None:
    """class, struct, enum, actor and extension share one node type."""
    label, keyword = node.child_by_field_name("name"), node.child_by_field_name("declaration_kind")
    if label is None:
        return None
    kind = _SWIFT_KINDS.get(keyword.type if keyword is not None else "", "class")
    scope, name = qualified(source.text(label))
    return Found(name, kind, scope, body_of(node), kind != "extension") if name else None


def swift_property(node: Node, source: Source) -> Found | None:
    """``let name = value``, ``var name: Type { get }``."""
    pattern = node.child_by_field_name("name")
    if pattern is None:
        return None
    bound = pattern.child_by_field_name("bound_identifier")
    return Found(source.text(bound), "field") if bound is not None else None


def kotlin_type(node: Node, source: Source) -> Found | None:
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
    return Found(source.text(label), kind, (), body_of(node))


def kotlin_companion(node: Node, source: Source) -> Found | None:
    """``companion object Name { }``."""
    label = node.child_by_field_name("name")
    return Found(source.text(label) if label is not None else "Companion", "class", (), body_of(node))


def scala_extension(node: Node, source: Source) -> Found | None:
    """``extension (s: Type) def ...``."""
    parameters = node.child_by_field_name("parameters")
    stated = source.text(parameters).partition(":")[2] if parameters is not None else ""
    word = _TYPE_WORD.search(stated)
    return Found(word[0], "extension", (), body_of(node), defines=False) if word else None


def scala_package(node: Node, source: Source) -> Found | None:
    """``package a.b { }``; a clause without a body defines nothing."""
    label, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if label is None or body is None:
        return None
    return Found(source.text(label), "module", (), body)


# --- Ruby, Elixir, Lua, Haskell, Zig --------------------------------------------------------------------


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
    return Found(name, kind, (), body_of(node), kind not in {"extension", "test"}) if name else None


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
    return Found(name, _value_kind(name, value.type, {}), scope) if name else None


def lua_field(node: Node, source: Source) -> Found | None:
    """``name = function() end`` within a table."""
    label, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if label is None or value is None or value.type != "function_definition" or label.type != "identifier":
        return None
    return Found(source.text(label), "function", (), body_of(value))


def haskell_equation(node: Node, source: Source) -> Found | None:
    """``name patterns = expression`` or an infix ``a <+> b = expression``."""
    label = node.child_by_field_name("name")
    if label is None:
        infix = named(node, 0)
        label = infix.child_by_field_name("operator") if infix is not None else None
    if label is None:
        return None
    return Found(source.text(label).strip("()` "), "function")


def haskell_named(kind: str, *, defines: bool = True) -> Finder:
    """Return a finder for classes and instances, whose members are declarations."""

    def find(node: Node, source: Source) -> Found | None:
        label = node.child_by_field_name("name")
        if label is None:
            return None
        body = node.child_by_field_name("declarations")
        return Found(source.text(label), kind, (), body, defines)

    return find


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


def as_method(found: Found) -> Found:
    """Return a function that is a member of a type as what it is: a method."""
    return replace(found, kind="method")
