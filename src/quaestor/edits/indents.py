"""How a model's indentation becomes the file's, told from the lines that both have. Never guessed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

from quaestor.edits.keys import indent_of

Indent = Callable[[str], str]
_UNITS = (2, 3, 4, 8)


class UnclearError(ValueError):
    """What the lines have in common does not settle how a new line is to be written."""


def indentation(pairs: Sequence[tuple[str, str]], proposed: Sequence[str], file: Sequence[str]) -> Indent:
    """Return what turns the indentation of a proposed line into the file's.

    Args:
        pairs: (proposed line, line of the file) that are the same but for blanks.
        proposed: all lines of the proposal.
        file: all lines of the file.

    The returned function raises ``UnclearError`` for an indentation that the pairs say nothing about.
    """
    known: dict[str, str] = {}
    for said, there in pairs:
        if not said.strip():
            continue
        own, real = indent_of(said), indent_of(there)
        if known.setdefault(own, real) != real:
            return _refused("lines that are indented alike in the proposal are indented differently in the file")
    if all(own == real for own, real in known.items()):
        return _in_kind(proposed, file, known)
    order = sorted(known, key=len)
    if any(len(known[one]) >= len(known[two]) for one, two in pairwise(order)):
        return _refused("the proposal's indentation does not grow with the file's")
    return _Linear(known, proposed, file)


class _Linear:
    """Widths in the file as a linear function of widths in the proposal."""

    def __init__(self, known: dict[str, str], proposed: Sequence[str], file: Sequence[str]) -> None:
        self._known = known
        self._proposed = proposed
        self._file = file

    def __call__(self, own: str) -> str:
        if own in self._known:
            return self._known[own]
        said = _sole([*self._known, own])
        there = _sole(list(self._known.values())) or said
        if said is None or there is None:
            raise UnclearError("tabs and blanks are mixed in its indentation")
        slope, offset = self._fit(said, there)
        width = slope * len(own) + offset
        if width < 0 or width.denominator != 1:
            raise UnclearError("its indentation has no counterpart in the file")
        return there * int(width)

    def _fit(self, said: str, there: str) -> tuple[Fraction, Fraction]:
        points = sorted({(len(own), len(real)) for own, real in self._known.items()})
        if len(points) == 1:
            slope = self._slope(points[0], said, there)
        else:
            slope = Fraction(points[1][1] - points[0][1], points[1][0] - points[0][0])
        offset = points[0][1] - slope * points[0][0]
        if any(slope * own + offset != real for own, real in points):
            raise UnclearError("its indentation is uneven")
        return slope, Fraction(offset)

    def _slope(self, point: tuple[int, int], said: str, there: str) -> Fraction:
        """Return the slope when one indentation is all that is known: from how both sides indent elsewhere."""
        own, real = unit_of(self._proposed, said), unit_of(self._file, there)
        if own is None or real is None:
            raise UnclearError("one line is too little to tell how deep it is to be indented")
        if own == real or (said == there and not (point[0] and point[1])):
            return Fraction(1)
        slope = Fraction(real, own)
        if slope * point[0] != point[1] and said == there:
            raise UnclearError("one line is too little to tell how deep it is to be indented")
        return slope


def unit_of(lines: Sequence[str], character: str) -> int | None:
    """Return by how many tabs or blanks a text indents; None if that cannot be told."""
    if character == "\t":
        return 1
    widths = sorted({len(indent_of(line)) for line in lines if line.strip() and set(indent_of(line)) <= {" "}})
    steps = {after - before for before, after in pairwise(widths)}
    if widths and widths[0]:
        steps.add(widths[0])
    fitting = [unit for unit in sorted(steps) if unit in _UNITS]
    return fitting[0] if fitting else None


def _in_kind(proposed: Sequence[str], file: Sequence[str], known: dict[str, str]) -> Indent:
    """Return an identity, but for a text that is indented in tabs where the file has blanks, or the reverse."""
    real = _sole([indent_of(line) for line in file if line.strip() and not line.lstrip().startswith("*")])
    own = _sole([indent_of(line) for line in proposed if line.strip() and not line.lstrip().startswith("*")])
    if any(known) or not real or not own or own == real:
        return lambda indent: indent
    wide = unit_of(proposed if own == " " else file, " ")

    def convert(indent: str) -> str:
        if set(indent) != {own}:
            return indent
        if wide is None or (own == " " and len(indent) % wide):
            raise UnclearError("its indentation has no counterpart in the file")
        return real * (len(indent) // wide if own == " " else len(indent) * wide)

    return convert


def _sole(indents: Sequence[str]) -> str | None:
    """Return the one character that all indentation is made of; empty without any, None for a mixture."""
    characters = set("".join(indents))
    return None if len(characters) > 1 else "".join(characters)


def _refused(reason: str) -> Indent:
    def refuse(indent: str) -> str:
        raise UnclearError(reason)

    return refuse
