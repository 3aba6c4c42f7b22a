"""Makes chunks of pieces: pieces are aligned to lines, large ones split, and small neighbours merged."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import pairwise

from quaestor.chunking.by_lines import lift
from quaestor.chunking.chunk_settings import ChunkSettings
from quaestor.chunking.defined_names import CALLABLES, CONTAINERS
from quaestor.chunking.outline import Piece, head_cuts
from quaestor.core.documents import Chunk

# Shares of the target size. A definition of at least SIZEABLE is a chunk by itself, and only takes in neighbours
# below SLIGHT. A piece below TINY says too little alone and joins any neighbour.
_SIZEABLE = 1 / 4
_SLIGHT = 1 / 8
_TINY = 1 / 16
# Independent items of a list stay together only up to this size.
_ITEMS = 3 / 10

_RANKS = {"macro": 1, "declaration": 1, "type": 0, "constant": 2, "variable": 2, "field": 2, "block": 3}
_NAMELESS = 4
_ENCLOSING = CONTAINERS | {"section"}
_ENCLOSED = _ENCLOSING | CALLABLES


class _Group:
    """Pieces that become one chunk."""

    __slots__ = ("largest", "numbers", "pieces")

    def __init__(self, first: Piece) -> None:
        self.pieces = [first]
        self.numbers = {first.number}
        self.largest = first.end - first.start

    @property
    def start(self) -> int:
        return self.pieces[0].start

    @property
    def end(self) -> int:
        return self.pieces[-1].end

    @property
    def size(self) -> int:
        return self.end - self.start

    @property
    def opens(self) -> bool:
        return any(piece.opens for piece in self.pieces)

    def add(self, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            self.pieces.append(piece)
            self.numbers.add(piece.number)
            self.largest = max(self.largest, piece.end - piece.start)


def align(pieces: list[Piece], data: bytes, start: int) -> list[Piece]:
    """Move every piece's start to the start of its line; pieces that share a line or a head are joined."""
    aligned: list[Piece] = []
    numbers: dict[int, int] = {}
    for piece in pieces:
        line = max(data.rfind(b"\n", 0, piece.start) + 1, start)
        piece.parent = numbers.get(piece.parent, piece.parent)
        shares = line < piece.start and bool(data[line : piece.start].strip())
        if aligned and (shares or line <= aligned[-1].start or _within_head(aligned[-1], piece)):
            _absorb(aligned[-1], piece)
            numbers[piece.number] = aligned[-1].number
        else:
            piece.start = line
            aligned.append(piece)
    if aligned:
        aligned[0].start = start
    for piece, following in pairwise(aligned):
        piece.end = following.start
    if aligned:
        aligned[-1].end = len(data)
    return aligned


def _within_head(piece: Piece, other: Piece) -> bool:
    return piece.head is not None and other.start < piece.head.end


def _absorb(piece: Piece, other: Piece) -> None:
    if piece.kind == "block" and piece.name is None and other.kind != "block":
        piece.name, piece.kind, piece.scope = other.name, other.kind, other.scope
        piece.part = other.part
    piece.defines.extend(other.defines)
    piece.opens = piece.opens or other.opens


def split(pieces: list[Piece], data: bytes, settings: ChunkSettings) -> list[Piece]:
    """Split pieces that exceed the limit; later parts continue the first."""
    whole: list[Piece] = []
    for piece in pieces:
        if piece.end - piece.start <= settings.limit:
            whole.append(piece)
        else:
            whole.extend(_parts(piece, data, settings))
    _settle_names(whole)
    return whole


def _parts(piece: Piece, data: bytes, settings: ChunkSettings) -> list[Piece]:
    """Return the parts of a piece; its members come after the part in which its comments end."""
    begin = piece.head.begin if piece.head is not None else piece.start
    cuts = [*head_cuts(data, piece.start, piece.head, piece.end, settings), piece.end]
    parts = [piece]
    for start in cuts[1:-1]:
        parts.append(Piece(start, piece.number, piece.number, piece.name, piece.kind, piece.scope, part=True))
    for part, end in zip(parts, cuts[1:], strict=True):
        part.end = end
    stating = next(part for part in parts if begin < part.end)
    if stating is not piece:
        stating.opens, piece.opens = piece.opens, False
    return parts


def _settle_names(pieces: list[Piece]) -> None:
    """Assign each definition to the piece with its name, because a comment before it may be a separate piece."""
    starts = [piece.start for piece in pieces]
    for piece in pieces:
        away = [entry for entry in piece.defines if entry[2] >= piece.end]
        if away:
            piece.defines = [entry for entry in piece.defines if entry[2] < piece.end]
        for entry in away:
            pieces[bisect_right(starts, entry[2]) - 1].defines.append(entry)


def group(pieces: list[Piece], settings: ChunkSettings) -> list[list[Piece]]:
    """Merge neighbours into groups, each of which becomes one chunk."""
    groups: list[_Group] = []
    for piece in pieces:
        if groups and _joins(groups[-1], piece, settings):
            groups[-1].add([piece])
        elif len(groups) == 1 and _leads(groups[0], piece, settings):
            groups[0].add([piece])
        else:
            if len(groups) > 1:
                _fold_back(groups, settings)
            groups.append(_Group(piece))
    if len(groups) > 1:
        _fold_back(groups, settings)
    return [merged.pieces for merged in groups]


def _fold_back(groups: list[_Group], settings: ChunkSettings) -> None:
    """Join each group that says too little alone to the previous group."""
    last, before = groups[-1], groups[-2]
    if last.pieces[0].item and before.pieces[-1].item and before.size + last.size > settings.target * _ITEMS:
        return
    if last.opens or last.pieces[0].page or before.size + last.size > settings.limit:
        return
    ends_body = last.pieces[0].part and last.pieces[0].parent in {
        before.pieces[-1].number,
        before.pieces[-1].parent,
    }
    share = _SIZEABLE if ends_body else _TINY
    if last.size < settings.target * share:
        before.add(last.pieces)
        groups.pop()


def _leads(first: _Group, piece: Piece, settings: ChunkSettings) -> bool:
    """Return whether a file's tiny beginning is merged with what follows."""
    tiny = not first.opens and first.size < settings.target * _TINY
    return tiny and not piece.opens and not piece.page and first.size + piece.end - piece.start <= settings.target


def _joins(merged: _Group, piece: Piece, settings: ChunkSettings) -> bool:
    """Return whether a piece joins the previous group."""
    last = merged.pieces[-1]
    size = piece.end - piece.start
    smaller, larger = min(merged.size, size), max(merged.largest, size)
    # The first line of a large definition joins the first of its members.
    leads_in = last.opens and piece.parent in merged.numbers and merged.size < settings.target * _SLIGHT
    if piece.page or (piece.item and last.item and merged.size + size > settings.target * _ITEMS):
        return False
    if piece.opens:
        return leads_in and merged.size + size <= settings.target
    if merged.size + size > settings.target:
        return leads_in and merged.size + size <= settings.limit
    related = piece.parent in merged.numbers or piece.parent == merged.pieces[0].parent
    if not related or (last.part and not piece.part):
        return size < settings.target * _TINY
    if piece.part or leads_in:
        return True
    return larger < settings.target * _SIZEABLE or smaller < settings.target * _SLIGHT


def chunks(groups: list[list[Piece]], data: bytes, encoding: str) -> tuple[Chunk, ...]:
    """Return a chunk with text, lines and names for every group; groups of white space are left out."""
    if not groups:
        return ()
    cuts = [pieces[0].start for pieces in groups] + [groups[-1][-1].end]
    chunks_made = []
    for pieces, (span, text) in zip(groups, lift(data, cuts, encoding), strict=True):
        if span is None:
            continue
        main = _main(pieces)
        kind = main.kind if main.name is not None else "block"
        chunks_made.append(Chunk(span, text, main.name, kind, main.scope, _defines(pieces)))
    return tuple(chunks_made)


def _main(pieces: list[Piece]) -> Piece:
    """Return the definition that a chunk is about: the enclosing one, unless only its first line is here.

    Of definitions that are not within another, it is the largest: what follows the end of a class is not part of it.
    """
    if len(pieces) == 1:
        return pieces[0]
    whole = pieces[-1].end - pieces[0].start
    here = {(*piece.scope, piece.name) for piece in pieces}

    def weight(piece: Piece) -> tuple[int, bool, int, int]:
        size = piece.end - piece.start
        rank = _NAMELESS if piece.name is None else _RANKS.get(piece.kind, 0)
        depth = sum(piece.scope[: at + 1] in here for at in range(len(piece.scope)))
        return (rank, piece.part, depth, -size)

    main = min(pieces, key=weight)
    slight = main.end - main.start < whole / 4
    if slight and main.kind in _ENCLOSING:
        members = [piece for piece in pieces if piece.kind in _ENCLOSED and piece is not main]
        if len(members) == 1 and not members[0].part:
            return members[0]
    return main


def _defines(pieces: list[Piece]) -> tuple[str, ...]:
    entries = [entry for piece in pieces for entry in piece.defines]
    entries.sort(key=lambda entry: entry[0])
    return tuple(dict.fromkeys(name for _, name, _ in entries))
