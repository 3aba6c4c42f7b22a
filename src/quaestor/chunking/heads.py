"""The head of a definition or statement: its comments and attributes with its first lines, which no cut parts.

A head that exceeds the limit is cut within its comment, so that the signature keeps the comment's last part.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from quaestor.chunking.by_lines import LONGEST_CHARACTER, next_character, split_lines
from quaestor.chunking.chunk_settings import ChunkSettings
from quaestor.chunking.defined_names import Found, Source

if TYPE_CHECKING:
    from tree_sitter import Node

# Words in the types of nodes that stand before a name within a definition: modifiers, attribute_list, annotation.
_BEFORE_NAME = ("modif", "attribute", "annotation")


class Head(NamedTuple):
    """Where something begins, and how far its head reaches.

    Attributes:
        begin: offset of what follows its comments, attributes and decorators.
        end: offset after the first lines that stay with these.
    """

    begin: int
    end: int


def head_of(node: Node, start: int, source: Source, found: Found | None, settings: ChunkSettings) -> Head:
    """Return the head of a node whose comments begin at ``start``: as much of it as fits in a chunk with these.

    That is all of what is small, or what precedes the body, or the first line. Where not even that fits, it is as much
    as leaves room for the comment's last part.
    """
    begin, end = node.start_byte, node.end_byte
    for whole, most in ((start, settings.limit), (begin, settings.target)):
        for end in _ends(node, source.data, found, settings):
            if end - whole <= most:
                return Head(begin, end)
    return Head(begin, end)


def _ends(node: Node, data: bytes, found: Found | None, settings: ChunkSettings) -> Iterator[int]:
    """Yield where a node's head may end, the furthest first."""
    if node.end_byte - node.start_byte <= settings.target:
        yield node.end_byte
    if found is not None and found.body is not None:
        body = found.body.start_byte
        line = data.rfind(b"\n", 0, body) + 1
        alone = line > node.start_byte and not data[line:body].strip()
        yield line if alone and data[body : body + 1] != b"{" else _line_end(data, body)
    yield _line_end(data, _stated_at(node))
    yield _line_end(data, node.start_byte)


def _line_end(data: bytes, offset: int) -> int:
    return data.find(b"\n", offset) + 1 or len(data)


def _stated_at(node: Node) -> int:
    """Return where a node says what it is, after attributes that are part of it."""
    for index in range(node.child_count):
        child = node.child(index)
        if child is not None and not any(word in child.type for word in _BEFORE_NAME):
            return child.start_byte
    return node.start_byte


def head_cuts(data: bytes, start: int, head: Head | None, end: int, settings: ChunkSettings) -> Iterator[int]:
    """Yield the offsets at which ``data[start:end]`` is cut, its own start first; none is within a head that fits."""
    if head is None:
        yield from split_lines(data, start, end, settings)
        return
    kept = start
    if head.end - start > settings.limit:
        kept = _last_of_comment(data, start, head, settings)
        yield from split_lines(data, start, kept, settings)
    fits = head.end - kept <= settings.limit
    yield from split_lines(data, kept, end, settings, head.end if fits else head.begin + 1)


def _last_of_comment(data: bytes, start: int, head: Head, settings: ChunkSettings) -> int:
    """Return where that part of a long comment begins which stays with the signature: at a line, or between words."""
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
