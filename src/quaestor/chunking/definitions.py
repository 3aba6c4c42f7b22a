"""All definitions of a source file with their comments and bodies, for training and for finding relatives."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from quaestor.chunking.decode import decode
from quaestor.chunking.defined_names import CALLABLES, CONTAINERS, NodeDefinition, Source, as_method, named_child
from quaestor.chunking.grammars import LARGEST_PARSED, parse_definitions, unread_parts
from quaestor.chunking.syntax import SYNTAXES, Syntax
from quaestor.core.documents import Span

if TYPE_CHECKING:
    from tree_sitter import Node

# Lines that begin a definition where a grammar loses its way: in dialects (zsh), old versions (proto2), whatever only
# Perl itself can read.
_LOST = {
    "bash": rb"^[ \t]*(?P<word>function[ \t]+)?(?P<name>[A-Za-z_][\w:.-]*)[ \t]*(?(word)(?:\(\))?[ \t]*\{|\(\))",
    "make": rb"^(?P<name>[A-Za-z][\w./-]*)[ \t]*(?:::(?!=)|:(?![:=]))",
    "perl": rb"^(?P<word>sub|package)[ \t]+(?P<name>\w+(?:::\w+)*)",
    "proto": rb"^[ \t]*(?P<word>message|service|enum|rpc)[ \t]+(?P<name>\w+)",
    "sql": rb"(?i:^[ \t]*create[ \t]+(?:or[ \t]+replace[ \t]+)?(?P<word>function|procedure|table|trigger|view)[ \t]+"
    rb"(?:if[ \t]+not[ \t]+exists[ \t]+)?(?:[`\"\[]?\w+[`\"\]]?\.)?[`\"\[]?(?P<name>\w+))",
}
_LOST_LINES = {language: re.compile(one, re.MULTILINE) for language, one in _LOST.items()}
_LOST_KINDS = {
    **{"package": "module", "message": "class", "service": "interface", "enum": "enum", "rpc": "method"},
    **{"table": "type", "view": "type"},
}
_STRINGS = frozenset({"string", "expression_statement", "string_literal"})


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition in a source file.

    Attributes:
        name: the plain name.
        kind: the kind as in ``Chunk.kind``.
        scope: enclosing symbols, outermost first.
        span: all of it, with the comments and decorators that precede it.
        body: its body, or None.
        comment: the comment before it and the docstring in it, markers included.
        begin: offset of the definition itself, after the comments and decorators that precede it.
    """

    name: str
    kind: str
    scope: tuple[str, ...]
    span: Span
    body: Span | None
    comment: str
    begin: int


class LostDefinition(NamedTuple):
    """A definition in what a grammar could not read.

    Attributes:
        line: offset of the line that begins it.
        place: offset of its name.
        name: the plain name.
        kind: the kind as in ``Chunk.kind``.
    """

    line: int
    place: int
    name: str
    kind: str


@dataclass(slots=True)  # mutable: a position in a walk
class _Level:
    """Siblings during a walk, with their enclosing definition; children of transparent nodes count as siblings."""

    nodes: list[Node]
    scope: tuple[str, ...]
    container: str
    transparent: bool = False
    position: int = 0


def definitions(data: bytes, language: str) -> list[Definition]:
    """Return the functions, types and constants of a source file in order; nested ones after their parents.

    Equations, clauses and overloads of one name are one definition. Functions within functions are left
    out. A file that cannot be parsed has none.

    Args:
        data: the file's bytes, as ``decode`` returns them.
        language: the language as ``recognise`` returns it.
    """
    syntax = SYNTAXES.get(language)
    decoded = decode(data)
    if syntax is None or len(data) > LARGEST_PARSED:
        return []
    tree = parse_definitions(decoded.data, syntax.grammar, decoded.encoding, embedded=syntax.embedded)
    if tree is None:
        return []
    walked = _Walk(Source(decoded.data, decoded.encoding), syntax).run(tree.root_node)
    return _with_lost(walked, lost_definitions(tree.root_node, decoded.data, 0, language), decoded.data)


def lost_definitions(root: Node, data: bytes, start: int, language: str) -> list[LostDefinition]:
    """Return the definitions that lines begin in what the grammar of some languages could not read, in order."""
    pattern = _LOST_LINES.get(language)
    if pattern is None or not root.has_error:
        return []
    unread = sorted(unread_parts(root))
    lost = []
    for line in pattern.finditer(data, start):
        place = line.start("name")
        at = bisect_right(unread, (place, len(data))) - 1
        if at >= 0 and place < unread[at][1]:
            word = (line.groupdict().get("word") or b"").strip().lower().decode()
            kind = _LOST_KINDS.get(word, "function")
            lost.append(LostDefinition(line.start(), place, line["name"].decode(), kind))
    return lost


def _with_lost(definitions_found: list[Definition], lost: list[LostDefinition], data: bytes) -> list[Definition]:
    """Return definitions with those that were lost, each of which ends where the next definition begins."""
    known = {(one.name, data.rfind(b"\n", 0, one.begin) + 1) for one in definitions_found} if lost else set()
    lost = [one for one in lost if (one.name, one.line) not in known]
    starts = sorted([*(one.span.start for one in definitions_found), *(one.line for one in lost), len(data)])
    line, counted = 1, 0
    for one in lost:
        line, counted = line + data.count(b"\n", counted, one.line), one.line
        end = one.line + len(data[one.line : starts[bisect_right(starts, one.line)]].rstrip())
        span = Span(one.line, end, line, line + data.count(b"\n", one.line, end))
        definitions_found.append(Definition(one.name, one.kind, (), span, None, "", one.line))
    return sorted(definitions_found, key=lambda one: one.span.start) if lost else definitions_found


class _Walk:
    """One walk over the containers of one tree."""

    def __init__(self, source: Source, syntax: Syntax) -> None:
        self._source = source
        self._syntax = syntax
        self._lead: list[Node] = []
        self._definitions: list[Definition] = []
        self._line, self._counted_to = 1, 0

    def run(self, root: Node) -> list[Definition]:
        stack = [_Level(root.children, (), "")]
        while stack:
            level = stack[-1]
            if level.position == len(level.nodes):
                stack.pop()
                self._lead = [one for one in self._lead if level.transparent and one.is_named]
                continue
            node = level.nodes[level.position]
            level.position += 1
            deeper = self._visit(node, level)
            if deeper is not None:
                stack.append(deeper)
        return self._definitions

    def _visit(self, node: Node, level: _Level) -> _Level | None:
        if not node.is_named:
            if node.type[:1].isalpha() and self._belongs_to_next(node):
                self._lead.append(node)
            return None
        kind = node.type
        self._drop_if_apart(node)
        if self._syntax.leads(node, self._source):
            if self._belongs_to_next(node):
                self._lead.append(node)
            return None
        if kind in self._syntax.transparent or kind in self._syntax.holders or kind == "ERROR":
            return _Level(node.children, level.scope, level.container, transparent=True)
        finder = self._syntax.finders.get(kind)
        defined = finder(node, self._source) if finder is not None else None
        lead, self._lead = self._lead, []
        if defined is None:
            return None
        if defined.kind == "function" and level.container in CONTAINERS and level.container != "module":
            defined = as_method(defined)
        scope = level.scope + defined.scope
        definition = self._definition(node, defined, scope, lead)
        if self._continues(definition):
            definition = self._join_definitions(self._definitions.pop(), definition)
        self._definitions.append(definition)
        if defined.kind in CONTAINERS and defined.body is not None:
            return _Level(defined.body.children, (*scope, defined.name), defined.kind)
        return None

    def _belongs_to_next(self, node: Node) -> bool:
        """Return whether a comment or keyword belongs to what follows; one at a line's end does not."""
        return bool(self._lead) or self._source.starts_line(node.start_byte)

    def _continues(self, previous: Definition) -> bool:
        """Return whether this is another equation, clause or overload of the previous definition."""
        if not self._syntax.same_name or not self._definitions or previous.kind in CONTAINERS:
            return False
        last = self._definitions[-1]
        return (last.name, last.kind, last.scope) == (previous.name, previous.kind, previous.scope)

    @staticmethod
    def _join_definitions(first: Definition, last: Definition) -> Definition:
        span = Span(first.span.start, last.span.end, first.span.start_line, last.span.end_line)
        comment = "\n".join(filter(None, (first.comment, last.comment)))
        return replace(first, span=span, body=last.body or first.body, comment=comment)

    def _drop_if_apart(self, node: Node) -> None:
        """Drop a comment that a blank line separates from what follows."""
        if not self._lead:
            return
        first, last = self._lead[0], self._lead[-1]
        code = node.type not in self._syntax.leading
        if last.is_named and self._source.stands_apart(first.start_byte, last.end_byte, node.start_byte, code=code):
            self._lead = []

    def _definition(self, node: Node, defined: NodeDefinition, scope: tuple[str, ...], lead: list[Node]) -> Definition:
        start = lead[0].start_byte if lead else node.start_byte
        comments = [self._text(one) for one in lead if "comment" in one.type or one.type == "haddock"]
        body = self._span(defined.body.start_byte, defined.body.end_byte) if defined.body is not None else None
        if docstring := self._docstring(defined.body) if defined.kind in CALLABLES | CONTAINERS else "":
            comments.append(docstring)
        span = self._span(start, node.end_byte)
        return Definition(defined.name, defined.kind, scope, span, body, "\n".join(comments), node.start_byte)

    def _docstring(self, body: Node | None) -> str:
        first = named_child(body, 0) if body is not None else None
        if first is None or first.type not in _STRINGS:
            return ""
        text = self._text(first)
        return text.strip() if text.lstrip("rRuUbB")[:1] in {'"', "'"} else ""

    def _text(self, node: Node) -> str:
        return self._source.data[node.start_byte : node.end_byte].decode(self._source.encoding, "replace").strip()

    def _span(self, start: int, end: int) -> Span:
        data = self._source.data
        if start >= self._counted_to:
            self._line += data.count(b"\n", self._counted_to, start)
        else:
            self._line -= data.count(b"\n", start, self._counted_to)
        self._counted_to = start
        return Span(start, end, self._line, self._line + data.count(b"\n", start, max(start, end - 1)))
