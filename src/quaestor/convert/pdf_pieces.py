"""The text of a PDF page in pieces with their positions, and the lines drawn on it, as pypdf reads them.

pypdf reports the position of a piece only where it begins a new one. So one operator is inserted before each move
within a line: it ends a piece there and leaves the text unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pypdf import PageObject
from pypdf.generic import ArrayObject, ContentStream, FloatObject, NameObject

_MOST_STROKES = 4_000
_SHOWS = re.compile(rb"T[jJ]|['\"]")
_MOVES = frozenset({b"Td", b"TD", b"Tm", b"T*", b"BT", b"cm"})
_STROKES, _FILLS = frozenset({b"S", b"s", b"B", b"B*", b"b", b"b*"}), frozenset({b"f", b"F", b"f*"})
_GAP = 800
"""In thousandths of the font's size: a wider gap within one string separates two cells."""
_THIN = 3.0
_ORDINARY_WIDTH = 500.0
_BOLD = ("bold", "black", "heavy", "cmbx")

Operation = tuple[list[Any], bytes]


class Piece(NamedTuple):
    """A piece of text.

    Attributes:
        text: its text, with surrounding blanks and line ends.
        x: its left edge.
        y: its baseline, upward.
        right: its right edge, estimated.
        size: the size of its letters; 0 if the position is unknown or the text does not run from left to right.
        bold: whether its font is called bold.
    """

    text: str
    x: float
    y: float
    right: float
    size: float
    bold: bool = False


class Stroke(NamedTuple):
    """A horizontal or vertical line, by its two ends; a filled bar counts as a line."""

    x: float
    y: float
    right: float
    top: float


@dataclass(slots=True)  # mutable: grows while a page is read
class Pieces:
    """A page's text in pieces, and its lines.

    Attributes:
        texts: its text, in reading order.
        strokes: the lines drawn on it.
        operators: the number of bytes of drawing operators that were read.
    """

    operators: int
    texts: list[Piece] = field(default_factory=list)
    strokes: list[Stroke] = field(default_factory=list)


def pieces_of(page: PageObject, largest: int) -> Pieces | None:
    """Return a page's pieces, or None if its operators exceed ``largest`` bytes or it has no text."""
    if (contents := page.get("/Contents")) is None:
        return None
    content = ContentStream(contents.get_object(), page.pdf, "bytes")
    if len(data := content.get_data()) > largest or not _SHOWS.search(data):
        return None
    widths = _Widths(page)
    content.operations = list(_split_at_moves(content.operations, widths))
    page[NameObject("/Contents")] = content
    reading = _PageReader(widths, len(data))
    page.extract_text(visitor_operand_before=reading.see_operator, visitor_text=reading.see_text)
    return reading.pieces


def _split_at_moves(operations: Sequence[Operation], widths: _Widths) -> Iterator[Operation]:
    """Yield operators that end a piece before each move and at each wide gap within a string."""
    ahead = 0.0  # the distance moved within a string by inserted operators
    has_moved = False
    for operands, operator in operations:
        widths.follow(operator, operands)
        if operator in (b"'", b'"', b"T*") and ahead:
            yield _move(-ahead), b"Td"
        elif operator in (b"Td", b"TD") and ahead and len(operands) == 2:
            operands = [FloatObject(float(operands[0]) - ahead), operands[1]]
        if operator in _MOVES or operator in (b"'", b'"'):
            ahead, has_moved = 0.0, True
        if operator not in (b"Tj", b"TJ"):
            yield operands, operator
            continue
        if has_moved:
            yield _SAME, b"cm"
        has_moved = False
        parts = list(_parts(operands[0], widths)) if operator == b"TJ" and operands else []
        if len(parts) < 2:
            yield operands, operator
            continue
        for number, (part, advance) in enumerate(parts):
            if number:
                yield _SAME, b"cm"
            yield [part], b"TJ"
            if number < len(parts) - 1:
                ahead += advance
                yield _move(advance), b"Td"


_SAME = [FloatObject(number) for number in (1, 0, 0, 1, 0, 0)]


def _move(advance: float) -> list[FloatObject]:
    return [FloatObject(advance), FloatObject(0)]


def _parts(string: object, widths: _Widths) -> Iterator[tuple[ArrayObject, float]]:
    """Yield the parts of a string between wide gaps, each with the advance of the part and the gap after it."""
    if not isinstance(string, ArrayObject):
        return
    part, advance = ArrayObject(), 0.0
    for one in string:
        if isinstance(one, bytes | str):
            part.append(one)
            advance += widths.of(one)
            continue
        offset = float(one) if isinstance(one, int | float) else 0.0
        advance -= offset * widths.size / 1000
        if offset < -_GAP and part:
            yield part, advance
            part, advance = ArrayObject(), 0.0
        else:
            part.append(one)
    if part:
        yield part, advance


class _Widths:
    """The widths of strings in the current font, by the font's own list, without reading its glyphs."""

    def __init__(self, page: PageObject) -> None:
        self.size = 12.0
        self._font: tuple[Mapping[int, float], int, float] = ({}, 1, _ORDINARY_WIDTH)
        self._saved_states: list[tuple[float, tuple[Mapping[int, float], int, float]]] = []
        resources = page.get("/Resources", {}).get_object()
        fonts = resources.get("/Font", {}).get_object() if isinstance(resources, dict) else {}
        self._fonts = fonts if isinstance(fonts, dict) else {}
        self._known: dict[str, tuple[Mapping[int, float], int, float]] = {}

    def follow(self, operator: bytes, operands: Sequence[Any]) -> None:
        """Process an operator that selects a font, or saves or restores the selection."""
        if operator == b"q":
            self._saved_states.append((self.size, self._font))
        elif operator == b"Q" and self._saved_states:
            self.size, self._font = self._saved_states.pop()
        elif operator == b"Tf" and len(operands) == 2:
            self.size = float(operands[1]) if isinstance(operands[1], int | float) else self.size
            name = str(operands[0])
            if name not in self._known:
                self._known[name] = _widths_of(self._fonts.get(name))
            self._font = self._known[name]

    def of(self, string: bytes | str) -> float:
        """Return the width of a string, before the matrices apply."""
        data = string if isinstance(string, bytes) else string.encode("latin-1", "replace")
        widths, length, usual = self._font
        codes = data if length == 1 else (int.from_bytes(data[at : at + 2]) for at in range(0, len(data), 2))
        return sum(widths.get(code, usual) for code in codes) * self.size / 1000


def _widths_of(font: Any) -> tuple[Mapping[int, float], int, float]:
    """Return the widths of a font's codes, the bytes of a code, and the width of all other codes."""
    try:
        font = font.get_object()
        if font.get("/Subtype") != "/Type0":
            first, widths = int(font.get("/FirstChar", 0)), font.get("/Widths", []).get_object()
            return {first + number: float(width) for number, width in enumerate(widths)}, 1, _ORDINARY_WIDTH
        inner = font["/DescendantFonts"][0].get_object()
        return dict(_read_widths(inner.get("/W", []))), 2, float(inner.get("/DW", 1000))
    except (AttributeError, KeyError, TypeError, ValueError, IndexError):
        return {}, 1, _ORDINARY_WIDTH


def _read_widths(widths: Sequence[Any]) -> Iterator[tuple[int, float]]:
    """Yield the widths in ``/W``: a list after one code, or one width after a range of two codes."""
    rest = iter(widths)
    for first in rest:
        second = next(rest).get_object()
        if isinstance(second, list):
            yield from ((int(first) + number, float(width)) for number, width in enumerate(second))
        else:
            width = float(next(rest))
            yield from ((code, width) for code in range(int(first), min(int(second), int(first) + 70_000) + 1))


class _PageReader:
    """Collects pieces and lines from pypdf's callbacks while it reads a page."""

    def __init__(self, widths: _Widths, operators: int) -> None:
        self.pieces = Pieces(operators)
        self._widths = widths
        self._wide = 0.0
        self._path: list[Stroke] = []
        self._subpath_start: tuple[float, float] | None = None
        self._at: tuple[float, float] | None = None

    def see_text(self, text: str, cm: list[float], tm: list[float], font: object, _size: float) -> None:
        """Add a piece of text, with the width of the text shown since the last one."""
        if not text:
            return
        a, b, _, d, x, y = _product(tm, cm)
        level = abs(b) < 1e-3 * abs(a) and a > 0 and d
        size = abs(d) * self._widths.size if level else 0.0
        self.pieces.texts.append(Piece(text, x, y, x + self._wide * a, size, _is_bold(font)))
        self._wide = 0.0

    def see_operator(self, operator: bytes, operands: Sequence[Any], cm: list[float], _tm: list[float]) -> None:
        """Process an operator that shows text, selects a font or draws."""
        self._widths.follow(operator, operands)
        if operator in (b"Tj", b"'") and operands and isinstance(operands[0], bytes | str):
            self._wide += self._widths.of(operands[0])
        elif operator == b"TJ" and operands and isinstance(operands[0], ArrayObject):
            self._wide += sum(advance for _, advance in _parts(operands[0], self._widths))
        elif operator in _STROKES or operator in _FILLS:
            self._end_path(operator in _FILLS)
        elif operator == b"n":
            self._path = []
        elif operator in (b"re", b"m", b"l", b"h", b"c", b"v", b"y"):
            self._draw(operator, operands, cm)

    def _draw(self, operator: bytes, operands: Sequence[Any], cm: list[float]) -> None:
        """Process a step of a path; curves and slanting lines surround no cell."""
        places = [float(one) for one in operands if isinstance(one, int | float)]
        at = (
            self._subpath_start
            if operator == b"h"
            else _transform_point(places[-2], places[-1], cm)
            if len(places) >= 2
            else None
        )
        if operator == b"re" and len(places) == 4:
            x, y, width, height = places
            at = _transform_point(x, y, cm)
            self._path.append(_stroke(at, _transform_point(x + width, y + height, cm)))
        elif operator in (b"l", b"h") and self._at and at and len(self._path) <= _MOST_STROKES:
            line = _stroke(self._at, at)
            self._path += [line] if min(line.right - line.x, line.top - line.y) < _THIN else []
        if operator in (b"m", b"re"):
            self._subpath_start = at
        self._at = at

    def _end_path(self, filled: bool) -> None:
        """Keep the lines of a path, but of filled shapes only bars, because others are backgrounds of cells."""
        kept = [one for one in self._path if not filled or min(one.right - one.x, one.top - one.y) < _THIN]
        self.pieces.strokes += kept[: _MOST_STROKES - len(self.pieces.strokes)]
        self._path = []


def _is_bold(font: object) -> bool:
    """Return whether a font's name says that it is bold: ``ABCDEF+Lato-SemiBold``, ``CMBX12``."""
    name = str(font.get("/BaseFont", "")).lower() if isinstance(font, dict) else ""
    return any(word in name for word in _BOLD)


def _stroke(one: tuple[float, float], other: tuple[float, float]) -> Stroke:
    (left, right), (low, top) = sorted((one[0], other[0])), sorted((one[1], other[1]))
    return Stroke(left, low, right, top)


def _transform_point(x: float, y: float, m: Sequence[float]) -> tuple[float, float]:
    return x * m[0] + y * m[2] + m[4], x * m[1] + y * m[3] + m[5]


def _product(m: Sequence[float], n: Sequence[float]) -> tuple[float, float, float, float, float, float]:
    x, y = _transform_point(m[4], m[5], n)
    return (
        m[0] * n[0] + m[1] * n[2],
        m[0] * n[1] + m[1] * n[3],
        m[2] * n[0] + m[3] * n[2],
        m[2] * n[1] + m[3] * n[3],
        x,
        y,
    )
