"""Occurrences of a name in a source file and their roles, by the syntax tree.

Types are not resolved: a call of another thing of the same name counts, too. Comments and strings do not count.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from quaestor.chunking.defined_names import CALLABLES, CONTAINERS, NodeDefinition, Source, named_child
from quaestor.chunking.grammars import LARGEST_PARSED, parse
from quaestor.chunking.syntax import SYNTAXES, Syntax
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.related import Role

if TYPE_CHECKING:
    from tree_sitter import Node

_CALLS = frozenset(
    """apply call call_expression command constructor_invocation function_call function_call_expression
    instance_expression invocation_expression jsx_opening_element jsx_self_closing_element macro_invocation
    member_call_expression method_invocation new_expression nullsafe_member_call_expression object_creation_expression
    scoped_call_expression""".split()
)
# Where a call says what it calls; a call without these fields says it in its first child.
_CALLEES = ("function", "name", "method", "constructor", "macro", "target", "type")
# A qualified name's last part stands for all of it.
_QUALIFIED = lazy_regex(
    r"attribute|member|field_expression|selector|scoped|qualified|navigation|scope_resolution|nested_type|index_expression|^dot$|command_name|user_type"
)
_GENERIC = lazy_regex(r"generic|template_(?:function|method|type)|instantiation")
_IMPORT = lazy_regex(r"import|^use_|include|export_specifier|^using_directive$|namespace_use")
_NEW_NAME = lazy_regex(
    r"parameter|^keyword_argument$|^named_argument$|label|^method_(?:elem|spec)$|^for_in_clause$|^value_argument_label$"
)
# What a type inherits from or implements stands in one of these, alone or in a list, qualified, or with arguments.
_BASES = lazy_regex(
    r"heritage|extends|implements|superclass|super_interfaces|^interfaces$|^mixins$|base_(?:class_)?clause|base_list"
    r"|interface_clause|delegation_specifier|inheritance|behaviour|^class_interface$|^instance$"
)
_AROUND_BASE = lazy_regex(
    r"^(?:user_type|constructor_invocation|explicit_delegation|type_list|primary_constructor_base_type|user_defined_type"
    r"|class_path)$"
)
_BASES_WITHIN = {
    "argument_list": "class_definition",
    "arguments": "class_definition",
    "trait_bounds": "trait_item",
    "type_elem": "interface_type",
}
"""What holds bases within a certain node only."""
_INCLUDES = lazy_regex(rb"(?:include|extend|prepend|use|defimpl|behaviour|@behaviour)\b")
"""Calls that make what they are given a base, in Ruby and Elixir."""
_ALIASES = lazy_regex(rb"(?:alias|import|require)\b")
_QUOTED = lazy_regex(r"comment|string|^text$|heredoc")
# Fields and variants that a type declares, which are no definitions of their own. Some grammars do not mark the name.
_MEMBERS = frozenset(
    """container_field enum_assignment enum_body enum_case enum_constant enum_entry enum_member_declaration enum_variant
    enumerator field_declaration property_signature simple_enum_case""".split()
)
_UNMARKED_MEMBERS = frozenset("class_parameter constructor_declaration enum_entry".split())
_ENCLOSING = CALLABLES | CONTAINERS
# Here a bare name of another file means nothing unless the file imports it.
_IMPORTING = frozenset({"python", "javascript", "typescript", "tsx"})
_WILDCARD = lazy_regex(r"^[ \t]*from[ \t]+[\w.]+[ \t]+import[ \t]+\*", re.MULTILINE)
_HIGHEST = 64


class Occurrence(NamedTuple):
    """One occurrence of a name.

    Attributes:
        role: ``definition``, ``call``, ``base``, ``reference`` or ``import``.
        start_line: the first line, 1-based.
        end_line: the last line, inclusive: of the whole definition, or the line itself.
        symbols: enclosing definitions, outermost first; a definition's own name comes last.
        unqualified: whether the name is unqualified: ``send``, not ``client.send``.
        base: the name that qualifies it: ``client``.
        member: whether it is a definition inside a class or similar.
    """

    role: Role
    start_line: int
    end_line: int
    symbols: tuple[str, ...]
    unqualified: bool = False
    base: str = ""
    member: bool = False


@lru_cache(maxsize=64)
def word_pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of a name as a whole word; a hyphen is a letter of names that hold one."""
    letters = r"\w$-" if "-" in name else r"\w$"
    before = rf"(?<![{letters}])" if re.match(r"\w", name) else ""
    after = rf"(?![{letters}])" if re.search(r"\w\Z", name) else ""
    return re.compile(f"{before}{re.escape(name)}{after}")


def occurrences(text: str, language: str, name: str) -> list[Occurrence] | None:
    """Return where ``name`` is defined and used in a file, in order; None if the file cannot be parsed.

    Args:
        text: the whole file.
        language: the language as ``recognise`` names it.
        name: a plain name.
    """
    syntax = SYNTAXES.get(language)
    data = text.encode("utf-8", "surrogatepass")
    # The markup of a component uses what its script defines.
    if syntax is None or syntax.embedded or len(data) > LARGEST_PARSED:
        return None
    tree = parse(data, syntax.grammar)
    if tree is None:
        return None
    return list(_Reader(Source(data), syntax, name).read(tree.root_node, _offsets(text, name)))


def uses_of_definition(
    places: list[Occurrence], name: str, text: str, language: str, outside: Collection[str], *, home: bool
) -> list[Occurrence]:
    """Return the uses that can refer to a definition.

    Args:
        places: the name's occurrences in the file.
        name: the name.
        text: the file.
        language: the language as ``recognise`` names it.
        outside: names that the file imports from outside this corpus.
        home: whether the definition is in this file.
    """
    uses = [one for one in places if one.role != "definition" and one.base not in outside]
    if language not in _IMPORTING:
        return uses
    own = [one for one in places if one.role == "definition"] if home else []
    imported = any(one.role == "import" for one in uses) or bool(_WILDCARD.search(text))
    # A bare name is this file's own or imported; a method is never called by its bare name.
    if any(not one.member for one in own) or (imported and name not in outside):
        return uses
    return [one for one in uses if not one.unqualified]


def defining_pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of a name after a keyword that defines it."""
    words = "class|const|def[a-z]*|enum|fn|fun|func|function|interface|let|object|record|struct|trait|type|union"
    words += "|val|var"
    return re.compile(rf"\b(?:{words})\b-?[\s*]*(?:\([^)\n]*\)\s*)?{word_pattern(name).pattern}")


def member_pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of a name where a line, or what a brace opens, may declare it as a field or a variant."""
    modifiers = r"(?:(?:case|mutable|private|protected|pub(?:\([^)\n]*\))?|public|readonly|static|\w+,)[ \t]+)*"
    return re.compile(rf"(?:^|[{{|])[ \t]*{modifiers}{word_pattern(name).pattern}(?![ \t]*[.+-])", re.MULTILINE)


def may_use(texts: Iterable[str], language: str, name: str) -> bool:
    """Return whether a file may use another file's ``name``, judged by the chunks that contain it.

    Cheaper than ``occurrences``, and never False where ``uses_of_definition`` finds something.
    """
    if language not in _IMPORTING:
        return True
    return any(_evidence(name).search(text) for text in texts)


@lru_cache(maxsize=16)
def _evidence(name: str) -> re.Pattern[str]:
    word = word_pattern(name).pattern
    qualified = rf"\.\s*{word}"
    imported = rf"\b(?:import|require|export|from)\b[^\n]*{word}|^[ \t]*(?:type[ \t]+)?{word}[ \t]*(?:,|as\b|$|[)}}])"
    required = rf"{word}[^\n;]*=\s*require\b"
    return re.compile(f"{qualified}|{imported}|{required}|{_WILDCARD.pattern}", re.MULTILINE)


def enclosing_names(text: str, language: str, line: int) -> tuple[str, ...]:
    """Return the names of the definitions around a line, outermost first; empty if there are none."""
    syntax = SYNTAXES.get(language)
    data = text.encode("utf-8", "surrogatepass")
    if syntax is None or len(data) > LARGEST_PARSED:
        return ()
    tree = parse(data, syntax.grammar, embedded=syntax.embedded)
    if tree is None:
        return ()
    lines = data.split(b"\n")
    if not 1 <= line <= len(lines):
        return ()
    start = sum(len(one) + 1 for one in lines[: line - 1])
    blanks = len(lines[line - 1]) - len(lines[line - 1].lstrip())
    node = tree.root_node.descendant_for_byte_range(start + blanks, start + blanks)
    return _Reader(Source(data), syntax, "").symbols(node)


def _offsets(text: str, name: str) -> Iterator[int]:
    """Yield the byte offsets of a name."""
    at, offset = 0, 0
    for match in word_pattern(name).finditer(text):
        offset += len(text[at : match.start()].encode("utf-8", "surrogatepass"))
        at = match.start()
        yield offset


class _Reader:
    """Reads the role of a name at places of one tree."""

    def __init__(self, source: Source, syntax: Syntax, name: str) -> None:
        self._source = source
        self._syntax = syntax
        self._name = name.encode("utf-8", "surrogatepass")

    def read(self, root: Node, offsets: Iterable[int]) -> Iterator[Occurrence]:
        defined: set[int] = set()
        for offset in offsets:
            node = root.descendant_for_byte_range(offset, offset + len(self._name))
            # A comment or a string is one larger node; a name is a node of its own, or ends a module's in Elixir.
            if node is None or node.end_byte != offset + len(self._name):
                continue
            if node.start_byte != offset and node.type != "alias":
                continue
            if _QUOTED.search(node.type) or (node.parent is not None and _is_quoted(node.parent)):
                continue
            definition = self._definition(node)
            if definition is not None and definition.id not in defined:
                defined.add(definition.id)
                if self._is_local(definition):
                    continue
                yield self._occurrence_at(
                    definition, "definition", self.symbols(definition), member=self._is_within_type(definition)
                )
                continue
            if _is_member(node):
                symbols = (*self.symbols(node.parent), self._source.text(node))
                yield self._occurrence_at(node, "definition", symbols, member=True)
                continue
            role = None if self._is_declared(node) else self._role(node)
            if role is not None:
                qualified = _is_qualified(node)
                base = self._base(node) if qualified else ""
                yield self._occurrence_at(node, role, self.symbols(node.parent), unqualified=not qualified, base=base)

    def symbols(self, node: Node | None) -> tuple[str, ...]:
        """Return the names of the functions and types around a node, and its own if it is one."""
        names: list[tuple[str, ...]] = []
        while node is not None and len(names) < _HIGHEST:
            definition = self._find_definition(node)
            if definition is not None and (definition.kind in _ENCLOSING or (not names and self._names(definition))):
                names.append((*definition.scope, definition.name))
            node = node.parent
        return tuple(name for group in reversed(names) for name in group)

    def _names(self, definition: NodeDefinition) -> bool:
        return definition.name.encode("utf-8", "surrogatepass") == self._name

    def _find_definition(self, node: Node) -> NodeDefinition | None:
        finder = self._syntax.finders.get(node.type)
        return finder(node, self._source) if finder is not None else None

    def _definition(self, node: Node) -> Node | None:
        """Return the definition that a name node names; None if it names none."""
        above, definition = self._named_by(node)
        return above if definition is not None and definition.defines else None

    def _is_declared(self, node: Node) -> bool:
        """Return whether a name node only declares what is defined elsewhere: ``int f(void);``."""
        _, definition = self._named_by(node)
        return definition is not None and definition.kind == "declaration" and not definition.defines

    def _named_by(self, node: Node) -> tuple[Node | None, NodeDefinition | None]:
        """Return the node that a name node names, with its definition; None for each that does not exist."""
        above = node.parent
        for _ in range(8):
            if above is None:
                break
            definition = self._find_definition(above)
            if definition is not None:
                before_body = definition.body is None or node.start_byte < definition.body.start_byte
                return (above, definition) if before_body and self._names(definition) else (None, None)
            above = above.parent
        return None, None

    def _is_local(self, definition: Node) -> bool:
        """Return whether a definition is a variable within a function."""
        own = self._find_definition(definition)
        if own is None or own.kind not in ("variable", "constant", "field"):
            return False
        above = definition.parent
        while above is not None:
            outer = self._find_definition(above)
            if outer is not None and outer.kind in CALLABLES:
                return True
            above = above.parent
        return False

    def _role(self, node: Node) -> Role | None:
        parent = node.parent
        if parent is None or (_NEW_NAME.search(parent.type) and _is_new_name(parent, node)):
            return None
        if parent.type == "token_tree":
            follows = self._source.data[node.end_byte : node.end_byte + 1]
            return "call" if follows == b"(" else "reference"
        if self._is_base(node):
            return "base"
        if _is_called(node):
            return "call"
        above: Node | None = parent
        for _ in range(8):
            if above is None:
                break
            if _IMPORT.search(above.type) or self._is_required(above, node) or self._is_aliased(above, node):
                return "import"
            above = above.parent
        return "reference"

    def _is_base(self, node: Node) -> bool:
        """Return whether a type inherits from what a node names, or implements it."""
        child, parent = node, node.parent
        while parent is not None and (_AROUND_BASE.match(parent.type) or _stands_for(parent, child)):
            child, parent = parent, parent.parent
        above = parent.parent if parent is not None else None
        if parent is None or above is None:
            return False
        stated = parent.child_by_field_name("trait" if parent.type == "impl_item" else "name")
        if parent.type == "impl_item":
            return stated is not None and stated.id == child.id
        if parent.type == "field_declaration":
            # A struct of Go embeds what has no name of its own; a field of Java or C++ has its name in a declarator.
            return stated is None and parent.child_by_field_name("declarator") is None
        if parent.type == "use_declaration":
            return child.type in ("name", "qualified_name")  # a trait of PHP; Rust imports by such a node
        included = above.type == "call" and _INCLUDES.match(self._source.data, above.start_byte) is not None
        within = _BASES_WITHIN.get(parent.type)
        return (above.type == within or included) if within else _BASES.search(parent.type) is not None

    def _is_required(self, declarator: Node, node: Node) -> bool:
        """Return whether a name is assigned by ``= require(...)``, alone or in a destructuring."""
        if declarator.type != "variable_declarator":
            return False
        bound, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
        if bound is None or value is None or node.end_byte > bound.end_byte:
            return False
        return self._source.data.startswith(b"require(", value.start_byte)

    def _is_aliased(self, call: Node, node: Node) -> bool:
        """Return whether a call in Elixir imports the module that a node names: ``alias Shop.Client``."""
        return (
            node.type == "alias"
            and call.type == "call"
            and _ALIASES.match(self._source.data, call.start_byte) is not None
        )

    def _is_within_type(self, definition: Node) -> bool:
        above = definition.parent
        while above is not None:
            outer = self._find_definition(above)
            if outer is not None and outer.kind in _ENCLOSING:
                return outer.kind in CONTAINERS and outer.kind != "module"
            above = above.parent
        return False

    def _base(self, node: Node) -> str:
        """Return the first name before the dots: ``a`` of ``a.b.send``."""
        before = named_child(node.parent, 0) if node.parent is not None else None
        while before is not None and before.named_child_count and _QUALIFIED.search(before.type):
            before = named_child(before, 0)
        return self._source.text(before) if before is not None and not before.named_child_count else ""

    def _occurrence_at(
        self,
        node: Node,
        role: Role,
        symbols: tuple[str, ...],
        *,
        unqualified: bool = False,
        base: str = "",
        member: bool = False,
    ) -> Occurrence:
        end = max(node.end_byte - 1, node.start_byte)
        first = node.start_point[0] + 1
        # A node may take in the line feed after it.
        last = first + self._source.data.count(b"\n", node.start_byte, end)
        return Occurrence(role, first, last, symbols, unqualified, base, member)


def _is_member(node: Node) -> bool:
    """Return whether a name node names a field or a variant in the type that declares it."""
    parent = node.parent
    if parent is None or not (parent.type in _MEMBERS or parent.type in _UNMARKED_MEMBERS):
        return False
    names = parent.children_by_field_name("name")
    if not names and parent.type in _UNMARKED_MEMBERS:
        names = [one for one in parent.named_children if one.type == node.type][:1]
    return any(one.id == node.id for one in names)


def _is_called(node: Node) -> bool:
    child = node
    while (parent := child.parent) is not None:
        if parent.type in _CALLS:
            return _is_callee(parent, child)
        if not _stands_for(parent, child):
            return False
        child = parent
    return False


def _stands_for(parent: Node, child: Node) -> bool:
    """Return whether a node is one of its children qualified or with type arguments: ``shop.Client``, ``List<T>``."""
    qualified = _QUALIFIED.search(parent.type) is not None and parent.end_byte == child.end_byte
    return qualified or (_GENERIC.search(parent.type) is not None and parent.start_byte == child.start_byte)


def _is_callee(call: Node, child: Node) -> bool:
    fields = [call.child_by_field_name(field) for field in _CALLEES]
    stated = [field.id for field in fields if field is not None]
    if stated:
        return child.id in stated
    first = named_child(call, 0)
    return first is not None and first.id == child.id


def _is_new_name(parent: Node, node: Node) -> bool:
    """Return whether a node is a new name, bound by a parameter, a keyword argument or a loop."""
    stated = [parent.child_by_field_name(field) for field in ("name", "pattern", "declarator", "left")]
    known = [one.id for one in stated if one is not None]
    if known:
        return node.id in known
    first = named_child(parent, 0)
    return first is not None and first.id == node.id


def _is_qualified(node: Node) -> bool:
    parent = node.parent
    if parent is None:
        return False
    if _QUALIFIED.search(parent.type) or parent.child_by_field_name("object") is not None:
        return parent.end_byte == node.end_byte and parent.start_byte != node.start_byte
    return False


def _is_quoted(node: Node) -> bool:
    return bool(_QUOTED.search(node.type)) and node.child_count <= 3 and "interpolation" not in node.type
