"""Makes pieces of a syntax tree: parts of a file that are cut only if they are too large.

A piece extends from its start to the start of the next one, so pieces cover the file whatever the grammar
leaves out. The tree is walked with an explicit stack, never by recursion, and only where necessary:
into containers, and into nodes too large for one chunk.

The head of a definition or statement (its comments and attributes with its first lines) is kept together. If it
exceeds the limit, it is cut within its comment, so that the signature keeps the comment's last part.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from quaestor.chunking.by_lines import LONGEST_CHARACTER, next_character, split_lines
from quaestor.chunking.chunk_settings import ChunkSettings
from quaestor.chunking.defined_names import CALLABLES, CONTAINERS, NodeDefinition, Source, as_method
from quaestor.chunking.grammars import nodes_of
from quaestor.chunking.syntax import SHALLOW, Syntax

if TYPE_CHECKING:
    from tree_sitter import Node


# A node with many tiny children is data: cutting it by lines is as good, and far cheaper.
_FEWEST_BYTES_PER_CHILD = 32
NO_PARENT = -1
_NESTED = 1 << 10  # deeper than any named enclosing definition
_SOUGHT = (CALLABLES | CONTAINERS | {"type"}) - {"test"}

# Words in the types of nodes that precede a name within a definition: modifiers, attribute_list, annotation.
_BEFORE_NAME = ("modif", "attribute", "annotation")


@dataclass(slots=True)  # mutable: cut, merged and named in steps
class Piece:
    """A part of a file with its definitions.

    Attributes:
        start: offset of the first byte.
        number: its index among all pieces.
        parent: the number of the piece that begins the enclosing definition; -1 at the top.
        name: the name of the definition here, or around it.
        kind: the kind as in ``Chunk.kind``.
        scope: enclosing symbols, outermost first.
        part: whether this continues its parent (statements of one body).
        opens: whether its members follow as separate pieces.
        defines: (depth, name, offset of the name) of every definition here.
        item: whether this is an independent item of a list.
        page: whether this begins a page, slide or sheet, which shares no chunk with the previous one.
        end: offset of the next piece.
        head: the end of its comments, and the end of the lines kept with them.
    """

    start: int
    number: int
    parent: int
    name: str | None = None
    kind: str = "block"
    scope: tuple[str, ...] = ()
    part: bool = False
    opens: bool = False
    item: bool = False
    page: bool = False
    defines: list[tuple[int, str, int]] = field(default_factory=list)
    end: int = 0
    head: Head | None = None


class _Frame(NamedTuple):
    """Siblings that are being walked, with their enclosing definition.

    Attributes:
        nodes: the remaining siblings.
        parent: number of the piece that begins their definition.
        owner: the definition whose body this is, if its statements continue it.
        scope: enclosing symbols of definitions found here.
        container: kind of the enclosing definition.
        inside: the piece that already covers these nodes; then only names are collected.
        part: whether pieces here continue their parent.
        transparent: whether they count as their parent's siblings.
    """

    nodes: Iterator[Node]
    parent: int
    owner: NodeDefinition | None
    scope: tuple[str, ...]
    container: str
    inside: Piece | None = None
    part: bool = False
    transparent: bool = False


class Outline:
    """Makes the pieces of a file in one walk over its tree."""

    def __init__(self, source: Source, syntax: Syntax, settings: ChunkSettings) -> None:
        self._source = source
        self._syntax = syntax
        self._settings = settings
        self._deep = tuple(kind for kind in syntax.finders if kind not in SHALLOW)
        self._pieces: list[Piece] = []
        self._stack: list[_Frame] = []
        self._pending: int | None = None
        self._pending_end = 0
        self._visited: set[int] = set()

    def walk(self, root: Node) -> list[Piece]:
        """Return the pieces of a file, given its tree's root."""
        self._stack = [_Frame(iter(root.children), NO_PARENT, None, (), "")]
        while self._stack:
            frame = self._stack[-1]
            node = next(frame.nodes, None)
            if node is None:
                self._stack.pop()
                self._leave(frame)
            else:
                self._visit(node, frame)
        self._note_nested(root)
        return self._pieces

    def _note_nested(self, root: Node) -> None:
        """Collect definitions below the nodes that were walked: functions in functions, calls and expressions."""
        starts = [piece.start for piece in self._pieces]
        if not starts or starts != sorted(starts):
            return
        for node in nodes_of(root, self._syntax.grammar, self._deep):
            definition = self._syntax.finders[node.type](node, self._source) if node.id not in self._visited else None
            if definition is not None and definition.defines and (definition.kind in _SOUGHT):
                piece = self._pieces[max(bisect_right(starts, node.start_byte) - 1, 0)]
                self._note(piece, _NESTED, definition.name, _name_offset(node))

    def _leave(self, frame: _Frame) -> None:
        """Separate comments at the end of a container from what follows it."""
        if self._pending is None or (frame.transparent and self._pending_end > self._pending):
            return
        if frame.inside is None and self._pending_end > self._pending:
            self._add(self._pending, frame)
        self._pending = None

    def _visit(self, node: Node, frame: _Frame) -> None:
        if not node.is_named:
            self._token(node)
            return
        kind = node.type
        if self._syntax.leads(node, self._source):
            self._collect_leading(node, frame)
            return
        if kind in self._syntax.trailing:
            return
        self._flush_if_apart(node, frame)
        if kind in self._syntax.transparent or kind == "ERROR":
            frame = _Frame(
                iter(node.children), frame.parent, frame.owner, frame.scope, frame.container, frame.inside,
                frame.part, transparent=True,
            )  # fmt: skip
            self._stack.append(frame)
            return
        definition = self._find(node, kind, frame)
        start = node.start_byte if self._pending is None else self._pending
        self._pending = None
        if definition is None:
            self._statement(node, start, frame)
        else:
            self._definition(node, start, definition, frame)

    def _token(self, node: Node) -> None:
        """Assign a keyword (``export``) to the definition that follows, and punctuation to what precedes."""
        if self._pending is None and node.type[:1].isalpha() | node.type.startswith("#"):
            self._pending = node.start_byte
            self._pending_end = -1

    def _collect_leading(self, node: Node, frame: _Frame) -> None:
        start = node.start_byte
        if self._pending is None and not self._source.starts_line(start):
            return
        self._flush_if_apart(node, frame)
        if self._pending is None:
            self._pending = start
        self._pending_end = node.end_byte

    def _flush_if_apart(self, node: Node, frame: _Frame) -> None:
        """Make a piece of comments that a blank line separates from the next node."""
        if self._pending is None or self._pending_end < 0:
            return
        code = node.type not in self._syntax.leading
        if not self._source.stands_apart(self._pending, self._pending_end, node.start_byte, code=code):
            return
        if frame.inside is None:
            self._add(self._pending, frame)
        self._pending = None

    def _find(self, node: Node, kind: str, frame: _Frame) -> NodeDefinition | None:
        finder = self._syntax.finders.get(kind)
        definition = finder(node, self._source) if finder is not None else None
        if definition is None:
            return None
        local = frame.owner is not None or frame.part
        if local and definition.kind not in CALLABLES and definition.kind not in CONTAINERS:
            return None
        if definition.kind == "function" and frame.container in CONTAINERS and frame.container != "module":
            return as_method(definition)
        return definition

    def _statement(self, node: Node, start: int, frame: _Frame) -> None:
        """Add a node that defines nothing: as one piece if it is small, else walk into it."""
        size = node.end_byte - node.start_byte
        holder = node.type in self._syntax.holders
        if frame.inside is not None:
            if holder:
                self._enter(node, frame.parent, frame.scope, frame.container, frame.owner, frame.inside)
            return
        piece = self._add(start, frame)
        piece.head = _head_of(node, start, self._source, None, self._settings)
        if size > self._settings.target and self._divisible(node, size):
            part = frame.part or not holder
            self._enter(node, piece.number, frame.scope, frame.container, frame.owner, part=part)
        elif holder and frame.owner is None:
            self._enter(node, frame.parent, frame.scope, frame.container, None, piece)

    def _definition(self, node: Node, start: int, definition: NodeDefinition, frame: _Frame) -> None:
        self._visited.add(node.id)
        scope = frame.scope + definition.scope
        container = definition.kind in CONTAINERS
        inside = frame.inside
        if inside is not None:
            if definition.defines:
                self._note(inside, len(scope), definition.name, _name_offset(node))
            if container and definition.body is not None:
                self._enter(definition.body, frame.parent, (*scope, definition.name), definition.kind, None, inside)
        elif not self._continues(definition, scope, node, frame):
            piece = self._add(start, frame, definition, scope)
            piece.head = _head_of(node, start, self._source, definition, self._settings)
            if definition.defines:
                self._note(piece, len(scope), definition.name, _name_offset(node))
            self._open(node, node.end_byte - start, definition, piece)

    def _open(self, node: Node, size: int, definition: NodeDefinition, piece: Piece) -> None:
        """Walk into a definition: for pieces if it is large, else only for the names of its members."""
        target, limit = self._settings.target, self._settings.limit
        container = definition.kind in CONTAINERS and definition.body is not None
        owner = None if container else definition
        inner = (*piece.scope, definition.name)
        small = node.end_byte - node.start_byte <= target
        if small or (size <= limit and definition.kind in CALLABLES):
            if definition.body is not None and (container or size > target):
                self._enter(definition.body, piece.number, inner, definition.kind, owner, piece)
        elif container or self._divisible(node, size):
            piece.opens = True
            self._enter(definition.body or node, piece.number, inner, definition.kind, owner, part=not container)

    def _continues(self, definition: NodeDefinition, scope: tuple[str, ...], node: Node, frame: _Frame) -> bool:
        """Return whether this is another equation, clause or overload of the previous definition."""
        if not self._syntax.same_name or not self._pieces or definition.kind in CONTAINERS:
            return False
        last = self._pieces[-1]
        same = last.name == definition.name and last.scope == scope and last.parent == frame.parent and not last.part
        return same and node.end_byte - last.start <= self._settings.limit

    def _enter(
        self,
        node: Node,
        parent: int,
        scope: tuple[str, ...],
        container: str,
        owner: NodeDefinition | None,
        inside: Piece | None = None,
        *,
        part: bool = False,
    ) -> None:
        self._stack.append(_Frame(iter(node.children), parent, owner, scope, container, inside, part))

    def _add(
        self, start: int, frame: _Frame, definition: NodeDefinition | None = None, scope: tuple[str, ...] | None = None
    ) -> Piece:
        piece = Piece(start, len(self._pieces), frame.parent, part=frame.part)
        if definition is not None and scope is not None:
            piece.name, piece.kind, piece.scope = definition.name, definition.kind, scope
            piece.part = False
        elif frame.owner is not None:
            piece.name, piece.kind, piece.scope = frame.owner.name, frame.owner.kind, frame.scope[:-1]
        else:
            piece.scope = frame.scope
        self._pieces.append(piece)
        return piece

    @staticmethod
    def _note(piece: Piece, depth: int, name: str, place: int) -> None:
        if all(name != known for _, known, _ in piece.defines[-8:]):
            piece.defines.append((depth, name, place))

    def _divisible(self, node: Node, size: int) -> bool:
        count = node.child_count
        return count > 0 and size >= count * _FEWEST_BYTES_PER_CHILD


def _name_offset(node: Node) -> int:
    """Return the offset of a definition's name; text before it may be cut off."""
    label = node.child_by_field_name("name")
    return node.start_byte if label is None else label.start_byte


class Head(NamedTuple):
    """The extent of the head of a definition or statement.

    Attributes:
        begin: offset after its comments, attributes and decorators.
        end: offset after the first lines that are kept with them.
    """

    begin: int
    end: int


def _head_of(
    node: Node, start: int, source: Source, definition: NodeDefinition | None, settings: ChunkSettings
) -> Head:
    """Return the head of a node whose comments begin at ``start``: as much as fits into a chunk with them.

    That is a small node as a whole, or the part before the body, or the first line. If not even that fits, the head
    leaves space for the comment's last part.
    """
    begin, end = node.start_byte, node.end_byte
    for whole, most in ((start, settings.limit), (begin, settings.target)):
        for end in _ends(node, source.data, definition, settings):
            if end - whole <= most:
                return Head(begin, end)
    return Head(begin, end)


def _ends(node: Node, data: bytes, definition: NodeDefinition | None, settings: ChunkSettings) -> Iterator[int]:
    """Yield the offsets at which a node's head may end, the last one first."""
    if node.end_byte - node.start_byte <= settings.target:
        yield node.end_byte
    if definition is not None and definition.body is not None:
        body = definition.body.start_byte
        line = data.rfind(b"\n", 0, body) + 1
        alone = line > node.start_byte and not data[line:body].strip()
        yield line if alone and data[body : body + 1] != b"{" else _line_end(data, body)
    yield _line_end(data, _stated_at(node))
    yield _line_end(data, node.start_byte)


def _line_end(data: bytes, offset: int) -> int:
    return data.find(b"\n", offset) + 1 or len(data)


def _stated_at(node: Node) -> int:
    """Return the offset of a node after attributes that are part of it."""
    for index in range(node.child_count):
        child = node.child(index)
        if child is not None and not any(word in child.type for word in _BEFORE_NAME):
            return child.start_byte
    return node.start_byte


def head_cuts(data: bytes, start: int, head: Head | None, end: int, settings: ChunkSettings) -> Iterator[int]:
    """Yield the offsets at which ``data[start:end]`` is cut, its start first; none is within a head that fits."""
    if head is None:
        yield from split_lines(data, start, end, settings)
        return
    last_cut = start
    if head.end - start > settings.limit:
        last_cut = _last_of_comment(data, start, head, settings)
        yield from split_lines(data, start, last_cut, settings)
    fits = head.end - last_cut <= settings.limit
    yield from split_lines(data, last_cut, end, settings, head.end if fits else head.begin + 1)


def _last_of_comment(data: bytes, start: int, head: Head, settings: ChunkSettings) -> int:
    """Return where the part of a long comment begins that stays with the signature: at a line or between words."""
    comment_end = start + len(data[start : head.begin].rstrip())
    most = settings.limit - LONGEST_CHARACTER - (head.begin - comment_end)
    room = min(max(settings.target - (head.end - comment_end), settings.target // 2), most)
    if comment_end - room <= start:
        return start
    if room <= LONGEST_CHARACTER:
        return head.begin
    earliest = comment_end - room
    line = data.find(b"\n", earliest - 1, comment_end) + 1
    word = line or data.find(b" ", earliest, comment_end - room // 2) + 1
    return word or next_character(data, earliest)
