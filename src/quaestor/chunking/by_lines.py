"""Cuts files that are neither code nor prose, and pieces that are too large, by lines.

It works on bytes. Every function takes linear time, even for one line of many megabytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from quaestor.chunking.chunk_settings import ChunkSettings
from quaestor.core.documents import Chunk, Span

_CONTINUATION_MASK = 0xC0
_CONTINUATION = 0x80
LONGEST_CHARACTER = 4


def split_lines(data: bytes, start: int, end: int, settings: ChunkSettings, whole: int = 0) -> Iterator[int]:
    """Yield the offsets at which ``data[start:end]`` is cut, its own start first.

    A cut is at the last blank line or line end before ``target``, else at the first line end before ``limit``,
    else between two characters. No cut is before the offset ``whole``, which is within ``limit``.
    """
    position = start
    while position < end:
        yield position
        position = _next_cut(data, position, end, settings, whole)


def _next_cut(data: bytes, start: int, end: int, settings: ChunkSettings, whole: int) -> int:
    if end - start <= settings.target:
        return end
    blank = data.rfind(b"\n\n", max(start + settings.target // 2, whole - 2), start + settings.target)
    if blank >= 0:
        return blank + 2
    newline = data.rfind(b"\n", max(start, whole - 1), start + settings.target)
    if newline < 0:
        newline = data.find(b"\n", max(start + settings.target, whole - 1), min(end, start + settings.limit))
    if newline >= 0:
        return newline + 1
    if end - start <= settings.limit:
        return end
    return _between_characters(data, max(start + settings.limit // 2, whole - 1), start + settings.limit)


def split_by_count(data: bytes, start: int, end: int, settings: ChunkSettings) -> Iterator[int]:
    """Yield the offsets at which ``data[start:end]`` is cut into ``settings.lines`` lines each, its own start first.

    Lines that together exceed the limit are cut as by ``split_lines``.
    """
    position = start
    while position < end:
        following = position
        for _ in range(settings.lines or 1):
            following = data.find(b"\n", following, end) + 1 or end
            if following == end:
                break
        if following - position <= settings.limit:
            yield position
        else:
            yield from split_lines(data, position, following, settings)
        position = following


def _between_characters(data: bytes, earliest: int, cut: int) -> int:
    space = data.rfind(b" ", earliest, cut)
    if space >= 0:
        return space + 1
    for earlier in range(cut, cut - LONGEST_CHARACTER, -1):
        if data[earlier] & _CONTINUATION_MASK != _CONTINUATION:
            return earlier
    return cut


def next_character(data: bytes, offset: int) -> int:
    """Return the offset, or that of the next character if it is within one."""
    while offset < len(data) and data[offset] & _CONTINUATION_MASK == _CONTINUATION:
        offset += 1
    return offset


def cut_lines(data: bytes, start: int, encoding: str, settings: ChunkSettings) -> tuple[Chunk, ...]:
    """Cut ``data`` from ``start`` into chunks by lines."""
    split = split_lines if settings.lines is None else split_by_count
    cuts = [*split(data, start, len(data), settings), len(data)]
    return tuple(Chunk(span, text) for span, text in lift(data, cuts, encoding) if span is not None)


def lift(data: bytes, cuts: list[int], encoding: str) -> Iterator[tuple[Span | None, str]]:
    """Yield the span and text between neighbouring offsets; the span is None if there is only white space."""
    line = 1 + data.count(b"\n", 0, cuts[0]) if cuts else 1
    for start, end in pairwise(cuts):
        raw = data[start:end]
        newlines = raw.count(b"\n")
        if not raw or raw.isspace():
            yield None, ""
        else:
            last = line + newlines - raw.endswith(b"\n")
            yield Span(start, end, line, last), raw.decode(encoding)
        line += newlines
