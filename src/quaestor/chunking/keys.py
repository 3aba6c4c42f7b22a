"""Cuts configuration along its keys: YAML, JSON, TOML, INI files and properties.

A chunk is labelled with the path of keys that leads to it (``services.db.environment``), a list's item with its name. A
comment belongs to the key below it. Keys are found by lines and indentation, without a parser, because Helm's templates
and JSON with comments have keys, too. Each line is read once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quaestor.chunking.by_lines import lift, split_lines
from quaestor.chunking.chunk_settings import ChunkSettings
from quaestor.chunking.decode import DecodedFile
from quaestor.core.documents import Chunk

LARGEST = 4_000_000
"""The most bytes of a file that is cut along keys; a larger one is data."""

KIND = "key"
_LARGE = 200_000
"""From this number of bytes on, a file is cut into fewer pieces: it is generated, or all data."""

# Shares of the target size: a key with all that it holds is one chunk up to WHOLE, or NESTED if it holds more than LOW
# levels. Siblings are one up to TOGETHER, up to TOLD if a comment says what one of them is, and hardly ever if one
# holds others: each service, each section is found by its own name.
_WHOLE, _NESTED, _TOGETHER, _TOLD, _SLIGHT = 0.5, 0.25, 0.5, 0.2, 0.1
_LOW = 2
_FINE = 50_000
"""Up to this number of bytes, a file is cut as finely as these shares say; a larger one would have thousands of chunks.
"""
_SMALL = 10_000
"""Up to this number of bytes, JSON is cut like other configuration: ``package.json``."""
_LONGEST_NAME = 80
_MOST_NAMED = 3
_TAB = 4
_DEEPEST = 100

_YAML_LINE = re.compile(
    rb"^(?P<indent> *)(?:(?P<separator>---)(?=[ \t\r\n]|\Z)|(?P<comment>#)|(?P<item>-[ \t]+|-(?=\r?$))?"
    rb"(?:(?P<key>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s#\[\]{},&*!|>'\"%@`:-][^\n#:]{0,200}?|[-:/][^\s:][^\n#]{0,200}?)"
    rb"[ ]{0,8}:(?=[ \t\r\n]|\Z)(?P<value>[^\n]*)|(?P<text>[^\s][^\n]*))?)",
    re.MULTILINE,
)
_BLOCK = re.compile(rb"[ \t]*(?:[&!][^\s]+[ \t]+)*[|>][-+0-9]{0,3}[ \t]*(?:#[^\n]*)?\r?$")
_JSON_LINE = re.compile(
    rb"^(?P<indent>[ \t]*)(?:(?P<comment>//|/\*|\*|#)|(?P<item>[\[{])(?P<rest>[^\n]{0,400})"
    rb"|(?P<key>\"[^\"\\\n]{0,200}\"|'[^'\\\n]{0,200}'|[A-Za-z_$][\w$]{0,200})[ \t]*:(?P<value>[^\n]*)"
    rb"|(?P<text>[^\s][^\n]*))?",
    re.MULTILINE,
)
_ASSIGNED = re.compile(
    rb"^(?P<indent>[ \t]*)(?:(?P<comment>[#;!]|//)|(?P<table>\[+[^\[\]\n]{1,200}\]+)(?=[ \t\r]*(?:[#;][^\n]*)?$)"
    rb"|(?P<key>[\w.\"'@/$*-][^=\n(){}<>;]{0,120}?(?=[ \t]{0,8}\+?=)|[\w.-]{1,120}(?=[ \t]{0,8}:[ \t\r\n]))"
    rb"(?P<value>[^\n]*)"
    rb"|(?P<text>[^\s][^\n]*))?",
    re.MULTILINE,
)
_CLOSING = (b"]", b"}", b")")
_MULTILINE = re.compile(rb"\"\"\"|'''")
_MANIFEST_KIND = re.compile(rb"^kind:[ \t]*[\"']?([A-Za-z]\w*)", re.MULTILINE)
_MANIFEST_NAME = re.compile(rb"^metadata:[ \t\r]*\n(?:(?:[ ][^\n]*)?\n)*?[ ]+name:[ \t]*[\"']?([\w.-]+)", re.MULTILINE)
# What an item of a list is called by, the best first.
_NAMING = {name: rank for rank, name in enumerate(("name", "id", "key", "title", "label", "uses", "image", "path"))}
_INLINE_NAME = re.compile(rb"[\"']?\b(name|id|key|title)[\"']?[ \t]*:[ \t]*([\"'][^\"'\n]{1,80}[\"']|[\w.-]{1,80})")


@dataclass(slots=True)  # mutable: an item is named by what follows
class Node:
    """A key, an item of a list or a named part of a template, with its content.

    Attributes:
        start: the offset of its first line, with the comments above.
        level: its depth; following nodes with a greater level belong to it.
        name: the key, or the name of an item; empty for an item without a name.
        rank: how well an item is named; lower is better.
        commented: whether a comment stands above it.
        parent: its place among the nodes; -1 at the top.
        following: the place of the next node that does not belong to it.
        end: the offset of that node.
        height: the number of levels of keys and items within it.
    """

    start: int
    level: int
    name: str
    rank: int = 0
    commented: bool = False
    parent: int = -1
    following: int = 0
    end: int = 0
    height: int = 0


def cut_keys(file: DecodedFile, language: str, settings: ChunkSettings) -> tuple[Chunk, ...]:
    """Return a configuration file cut along its keys; an empty tuple if it has none."""
    data, start = file.data, file.start
    if len(data) > LARGEST:
        return ()
    # JSON is data more often than configuration: cut finely, this project's own results would be half of its chunks.
    return cut_outline(file, [*_NODES[language](data, start)], settings, fine=language != "json")


def cut_outline(
    file: DecodedFile, nodes: list[Node], settings: ChunkSettings, *, fine: bool = True
) -> tuple[Chunk, ...]:
    """Return a file cut along its nodes, each labelled with the names that lead to it; an empty tuple if it has none.

    Unless ``fine``, nodes that hold others are cut like those that do not, as in all files of more than 50 kB.
    """
    if not nodes:
        return ()
    data, start = file.data, file.start
    _outline(nodes, len(data))
    if len(data) > (_LARGE if fine else _SMALL):
        settings = settings._replace(target=settings.limit)
    units = [*_merge([*_units(nodes, start, settings, fine=fine and len(data) <= _FINE)], settings)]
    ends = [*(unit.start for unit in units[1:]), len(data)]
    cuts: list[int] = []
    labels: list[tuple[str, ...]] = []
    for unit, end in zip(units, ends, strict=True):
        own = [*split_lines(data, unit.start, end, settings)] if end - unit.start > settings.limit else [unit.start]
        cuts += own
        labels += [_label(unit, nodes)] * len(own)
    parts = zip(lift(data, [*cuts, len(data)], file.encoding), labels, strict=True)
    return tuple(
        Chunk(span, text, label[-1] if label else None, KIND if label else "block", label[:-1])
        for (span, text), label in parts
        if span is not None
    )


def _outline(nodes: Sequence[Node], end: int) -> None:
    """Set the parent, the end and the following node of each node."""
    above: list[int] = []
    for place, node in enumerate(nodes):
        while above and nodes[above[-1]].level >= node.level:
            _close(nodes, above, place, node.start)
        node.parent = above[-1] if above else -1
        above.append(place)
        if len(above) > _DEEPEST:
            _close(nodes, above, place + 1, node.start)
    while above:
        _close(nodes, above, len(nodes), end)


def _close(nodes: Sequence[Node], above: list[int], following: int, end: int) -> None:
    """End the innermost of the nodes that are open."""
    node = nodes[above.pop()]
    node.following, node.end = following, end
    if above:
        outer = nodes[above[-1]]
        outer.height = max(outer.height, node.height + 1)


@dataclass(slots=True)  # mutable: grows by what is merged into it
class _Unit:
    """Neighbouring lines that make a chunk.

    Attributes:
        start: the offset of the first line.
        end: the offset after the last line.
        parent: the place of the node that holds them; -1 at the top.
        nodes: the places of the keys in it that are siblings; empty for lines before the first key.
        opens: whether it holds the first lines of a key whose members follow.
        commented: whether a comment stands above any of the keys.
        has_members: whether any of the keys holds other keys.
    """

    start: int
    end: int
    parent: int
    nodes: list[int]
    opens: bool = False
    commented: bool = False
    has_members: bool = False


def _units(nodes: Sequence[Node], start: int, settings: ChunkSettings, *, fine: bool) -> Iterator[_Unit]:
    """Yield the lines before the first key, each key that fits into a chunk, and the heads of all others."""
    if nodes[0].start > start:
        yield _Unit(start, nodes[0].start, -1, [], opens=nodes[0].start - start < settings.target * _SLIGHT)
    place = 0
    while place < len(nodes):
        node = nodes[place]
        share = _NESTED if fine and node.height > _LOW else _WHOLE
        whole = node.following <= place + 1 or node.end - node.start <= settings.target * share
        following = node.following if whole else place + 1
        end = node.end if whole else nodes[following].start
        yield _Unit(
            node.start, max(end, node.start), node.parent, [place], not whole, node.commented, fine and node.height > 0
        )
        place = max(following, place + 1)


def _merge(units: Sequence[_Unit], settings: ChunkSettings) -> Iterator[_Unit]:
    """Yield units with each head joined to its first member, and small siblings joined."""
    last = units[0]
    for unit in units[1:]:
        size = unit.end - last.start
        commented, holds = unit.commented or last.commented, unit.has_members or last.has_members
        related = unit.parent == last.parent and last.nodes and not unit.opens
        if last.opens and size <= settings.limit:
            last = replace(unit, start=last.start)
        elif related and size <= settings.target * (_SLIGHT if holds else _TOLD if commented else _TOGETHER):
            last.end, last.commented, last.has_members = unit.end, commented, holds
            last.nodes += unit.nodes
        else:
            yield last
            last = unit
    yield last


def _label(unit: _Unit, nodes: Sequence[Node]) -> tuple[str, ...]:
    """Return the path of keys to a unit; of several siblings the first are named together."""
    names = list(dict.fromkeys(name for place in unit.nodes if (name := nodes[place].name)))
    path = [", ".join(names[:_MOST_NAMED]) + ", …" * (len(names) > _MOST_NAMED)] if names else []
    place = unit.parent
    while place >= 0:
        path.append(nodes[place].name)
        place = nodes[place].parent
    return tuple(name for name in reversed(path) if name)


class Comment:
    """The comment right above a line: its offset and its column."""

    def __init__(self) -> None:
        self._start, self._column = -1, 0

    def read_line(self, start: int, column: int) -> None:
        """Read a line of a comment."""
        if self._start < 0 or column < self._column:
            self._start, self._column = start, column

    def end(self) -> None:
        """Process a line that is not a comment: a comment above it does not belong to the next key."""
        self._start = -1

    def node(self, line: int, level: int, name: str, column: int = 0) -> Node:
        """Return a node that begins at the comment above it, unless the comment is indented further."""
        commented = self._start >= 0 and self._column <= column
        start, self._start = self._start if commented else line, -1
        return Node(start, level, name, commented=commented)


def _yaml_nodes(data: bytes, start: int) -> Iterator[Node]:
    """Yield the keys and items of YAML: those at one column are siblings, items below the key above them."""
    comment, item, inside = Comment(), _ListItem(), -1
    if name := _manifest(data, start):
        yield Node(start, -1, name)
    for line in _YAML_LINE.finditer(data, start):
        column = len(line["indent"])
        if line["separator"] and not column:
            comment.end()
            inside = -1
            yield Node(line.start(), -1, _manifest(data, line.end()))
        elif inside >= 0 and (column > inside or line.end() == line.start() + column):
            continue
        elif line["comment"]:
            comment.read_line(line.start(), column)
        elif not line["key"] and not line["item"]:
            comment.end()
        else:
            inside = -1
            if line["item"]:
                yield item.begin(comment.node(line.start(), 2 * column + 1, "", column), line["text"] or b"")
                column += len(line["item"])
                if line["text"] and _BLOCK.fullmatch(line["text"]):
                    inside = len(line["indent"])
            if line["key"]:
                item.name_by(line["key"], line["value"], 2 * column)
                if not line["item"]:
                    yield comment.node(line.start(), 2 * column, _plain(line["key"]), column)
                if _BLOCK.match(line["value"]):
                    inside = column


class _ListItem:
    """The last item of a list that began, and its name."""

    def __init__(self) -> None:
        self._node: Node | None = None
        self._column = -1

    def begin(self, node: Node, text: bytes) -> Node:
        """Begin an item; ``text`` is the text of its first line."""
        self._node, self._column, node.rank = node, -1, len(_NAMING)
        if match := _INLINE_NAME.search(text, 0, 400):
            self.name_by(match[1], match[2], node.level + 1)
        return node

    def name_by(self, key: bytes, value: bytes, column: int) -> None:
        """Name the item by one of its own keys."""
        node = self._node
        if node is None or column <= node.level:
            return
        if self._column < 0:
            self._column = column
        rank = _NAMING.get(_plain(key), len(_NAMING))
        name = _plain(value.strip().rstrip(b","))
        if column == self._column and rank < node.rank and name and name[0] not in "{[|>&*":
            node.rank, node.name = rank, name


def _manifest(data: bytes, start: int) -> str:
    """Return the kind and the name of the Kubernetes object of the YAML document at ``start``, or ""."""
    end = data.find(b"\n---", start)
    end = len(data) if end < 0 else end + 1
    kind, name = _MANIFEST_KIND.search(data, start, end), _MANIFEST_NAME.search(data, start, end)
    return f"{kind[1].decode()} {name[1].decode()}" if kind and name else ""


def _json_nodes(data: bytes, start: int) -> Iterator[Node]:
    """Yield the keys and items of JSON that begin a line; those with the same indentation are siblings."""
    comment, item = Comment(), _ListItem()
    for line in _JSON_LINE.finditer(data, start):
        column = len(line["indent"].expandtabs(_TAB))
        if line["comment"]:
            comment.read_line(line.start(), column)
        elif line["key"]:
            item.name_by(line["key"], line["value"], column)
            yield comment.node(line.start(), column, _plain(line["key"]), column)
        elif line["item"] and column:
            yield item.begin(comment.node(line.start(), column, "", column), line["rest"])
        else:
            comment.end()


def _assigned_nodes(data: bytes, start: int) -> Iterator[Node]:
    """Yield the sections and keys of TOML, INI files and properties; nothing if most lines are neither."""
    comment, within, others = Comment(), b"", 0
    nodes = []
    for line in _ASSIGNED.finditer(data, start):
        text = line["value"] or line["text"] or b""
        if within:
            within = b"" if within in line[0] else within
            continue
        if line["comment"]:
            comment.read_line(line.start(), 0)
        elif line["table"]:
            nodes.append(comment.node(line.start(), 0, _plain(line["table"].strip(b"[] \t"))))
        elif line["key"] and not line["indent"]:
            nodes.append(comment.node(line.start(), 1, _plain(line["key"])))
        else:
            comment.end()
            others += bool(text) and not line["indent"] and text[:1] not in _CLOSING
        quotes = _MULTILINE.findall(text)
        within = quotes[-1] if len(quotes) % 2 else b""
    return iter(nodes if others <= len(nodes) else ())


def _plain(name: bytes) -> str:
    """Return a key or a value without its quotes."""
    text = name.strip().decode("utf-8", "replace")
    if text[:1] in {'"', "'"}:
        text = text[1:].partition(text[0])[0]
    return " ".join(text[:_LONGEST_NAME].split())


_NODES = {
    "yaml": _yaml_nodes,
    "json": _json_nodes,
    **dict.fromkeys(("toml", "ini", "properties"), _assigned_nodes),
}
