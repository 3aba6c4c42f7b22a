"""Cutting source code along its definitions."""

from __future__ import annotations

from typing import NamedTuple

from quaestor.chunking import merge
from quaestor.chunking.chunk_settings import ChunkSettings
from quaestor.chunking.decode import Decoded
from quaestor.chunking.defined_names import Source
from quaestor.chunking.grammars import LARGEST_PARSED, parse, scripts_within
from quaestor.chunking.outline import NO_PARENT, Outline, Piece
from quaestor.chunking.syntax import SYNTAXES
from quaestor.core.documents import Chunk


class Refusal(NamedTuple):
    """Why a file was not cut along its definitions."""

    reason: str


def cut_code(decoded: Decoded, language: str, settings: ChunkSettings) -> tuple[Chunk, ...] | Refusal:
    """Cut source code along its definitions, or say why that is not possible."""
    syntax = SYNTAXES[language]
    data = decoded.data
    if len(data) > LARGEST_PARSED:
        return Refusal(f"too large to parse ({len(data)} bytes)")
    tree = parse(data, syntax.grammar, decoded.encoding, embedded=syntax.embedded)
    if tree is None:
        return Refusal(f"could not be parsed as {language}")
    root = tree.root_node
    pieces = Outline(Source(data, decoded.encoding), syntax, settings).walk(root)
    lost = root.type == "ERROR" and not any(piece.defines for piece in pieces)
    if lost or (not pieces and data[decoded.start :].strip()):
        return Refusal(f"does not parse as {language}")
    if syntax.embedded:
        pieces = _with_markup(pieces, data, decoded.start)
    pieces = merge.split(merge.align(pieces, data, decoded.start), data, settings)
    return merge.chunks(merge.group(pieces, settings), data, decoded.encoding)


def _with_markup(pieces: list[Piece], data: bytes, start: int) -> list[Piece]:
    """Return the pieces of a component's scripts with pieces for the markup before, between and after them."""
    scripts = scripts_within(data)
    places = [data.find(b"\n", end) + 1 or len(data) for _, end in scripts]
    if scripts[0][0] > start:
        places.insert(0, start)
    markup = [
        Piece(place, len(pieces) + number, NO_PARENT) for number, place in enumerate(places) if data[place:].strip()
    ]
    return sorted([*pieces, *markup], key=lambda piece: piece.start)
