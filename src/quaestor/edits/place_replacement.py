"""Applying one replacement to a file's text, at the only place that its search text quotes, or not at all.

Tried in this order, the first that finds anything decides: the exact lines; the lines but for blanks and typography;
the same after repairs that lose nothing (line numbers, blank lines around, a line written twice); runs of lines with
``...`` between them; lines that agree for the most part. If that finds two places, the change is refused. Pure.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from quaestor.edits.file_text import Line, Text, block_lines
from quaestor.edits.indents import LineMender, UnclearError
from quaestor.edits.plans import How, Kind, Refusal, Replace
from quaestor.edits.quoted_places import (
    Alignment,
    alignments,
    indent_of,
    is_elision,
    key,
    new_elision,
    split_at_elisions,
    strictest,
    weight,
    windows,
    without_numbers,
    without_outer_blanks,
    without_repeats,
)
from quaestor.edits.three_way_merge import ConflictError, Hunk, MergedLines, hunks, merge, slides, span

_Block = tuple[list[str], list[str]]

# Measured by benchmarks/edits.py: below, places that only look alike come in; above, nothing more is kept out.
_ENOUGH = 0.6
_MARGIN = 0.1
_LEAST_WEIGHT = 20
_LISTED = 10
_MOST_WAYS = 1000
_MOST_GAPS = 50


@dataclass(frozen=True, slots=True)
class ReplacedText:
    """A text with the replacement in it.

    Attributes:
        text: the new text.
        how: how well the search text fitted.
        line: where the place begins, from 1.
    """

    text: Text
    how: How
    line: int


class _NoPlace(Exception):
    def __init__(self, kind: Kind, message: str, places: Sequence[int] = ()) -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.lines = tuple(place + 1 for place in places[:_LISTED])


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines to search for, their replacement, and the lines of the file that they quote."""

    search: list[str]
    replace: list[str]
    places: tuple[int | None, ...]

    @property
    def stop(self) -> int:
        return next(place for place in reversed(self.places) if place is not None) + 1


def fit(text: Text, change: Replace, *, prose: bool = False, dots_are_code: bool = False) -> ReplacedText | Refusal:
    """Return the text with a replacement made, or why it cannot be.

    Args:
        text: the text of the file.
        change: what to search for and what to put there.
        prose: whether blanks at line ends and typographic quotes may be meant.
        dots_are_code: whether three dots alone are a statement of the language.
    """
    try:
        search, replace = _lines_to_search(text, change)
        pieces, how = _find_pieces(text.strings, search, replace)
        return _LineWriter(text, pieces, prose=prose, dots_are_code=dots_are_code).write_pieces(how)
    except _NoPlace as refused:
        return Refusal(change.path, refused.kind, f"{change.path!r}: {refused}", refused.lines)


def _lines_to_search(text: Text, change: Replace) -> tuple[list[str], list[str]]:
    """Return the lines to search for and to put there, by the one reading of the block that the file bears out."""
    readings = [
        (block_lines(one), block_lines(two)) for one, two in ((change.search, change.replace), *change.readings)
    ]
    if len(readings) == 1:
        return readings[0]
    borne_out = [reading for reading in readings if windows(text.strings, reading[0])]
    if len(borne_out) != 1:
        raise _NoPlace("not found", "the block has several dividers; write it with longer marks around it")
    return borne_out[0]


def _find_pieces(file: list[str], search: list[str], replace: list[str]) -> tuple[list[_Piece], How]:
    bare = without_numbers(search, replace) or (search, replace)
    for one, two in _block_readings(search, replace, bare):
        places, normal = strictest(file, one)
        if len(places) > 1:
            raise _several(places)
        if places:
            _check_alone(file, one)
            numbers = tuple(range(places[0], places[0] + len(one)))
            how: How = "exact" if normal is str and one is search else "whitespace"
            return [_Piece(one, two, numbers)], how
    if any(is_elision(line) for line in bare[0]):
        return _pieces_between_gaps(file, *bare), "elided"
    return [_fuzzy(file, *bare)], "fuzzy"


def _block_readings(search: list[str], replace: list[str], bare: _Block) -> Iterator[_Block]:
    """Yield both texts as they are, and as a repair makes them that loses nothing."""
    yield search, replace
    yield bare
    yield from without_outer_blanks(*bare)
    if (once := without_repeats(*bare)) is not None:
        yield once
        yield from without_outer_blanks(*once)


def _check_alone(file: list[str], search: list[str]) -> None:
    """Refuse a text that also occurs elsewhere with other indentation, because it may mean that place."""
    places = windows([key(line) for line in file], [key(line) for line in search])
    if len(places) > 1:
        raise _several(places)


def _several(places: Sequence[int]) -> _NoPlace:
    lines = ", ".join(str(place + 1) for place in places[:_LISTED])
    return _NoPlace("ambiguous", f"the search text stands at lines {lines}; quote more lines around it", places)


# --- runs of lines with dots between them -------------------------------------------------------------------------


def _pieces_between_gaps(file: list[str], search: list[str], replace: list[str]) -> list[_Piece]:
    ones, twos = split_at_elisions(search), split_at_elisions(replace)
    if len(ones) != len(twos):
        raise _NoPlace("elided", "search text and replacement leave out different parts; write the lines out")
    if len(ones) > _MOST_GAPS:
        raise _NoPlace("elided", f"more than {_MOST_GAPS} parts are left out; make several changes of it")
    pairs = [_without_blank_lines(file, one, two) for one, two in zip(ones, twos, strict=True)]
    if any(not one and two for one, two in pairs):
        raise _NoPlace("elided", "lines are to be put beside left-out ones; quote the lines that are there")
    pairs = [pair for pair in pairs if pair[0]]
    keys = [key(line) for line in file]
    places = [windows(keys, [key(line) for line in one]) for one, _ in pairs]
    ways = list(_ways(places, [len(one) for one, _ in pairs]))
    if not ways:
        raise _not_found(file, [line for one, _ in pairs for line in one])
    # Where an unchanged run stands does not matter, as long as it stands somewhere behind.
    changed = [place for place, (one, two) in enumerate(pairs) if one != two]
    wanted = {tuple(way[place] for place in changed) for way in ways}
    if len(wanted) > 1:
        raise _several(sorted({way[0] for way in wanted if way}))
    way = ways[0]
    return [
        _Piece(one, two, tuple(range(at, at + len(one))))
        for at, (one, two) in zip(way, pairs, strict=True)
        if one != two
    ]


def _without_blank_lines(file: list[str], search: list[str], replace: list[str]) -> tuple[list[str], list[str]]:
    """Return both texts, without blank lines around the search text if the file lacks them."""
    if any(line.strip() for line in search) and strictest(file, search)[0]:
        return search, replace
    trims = [*without_outer_blanks(search, replace)]
    return next((pair for pair in trims if strictest(file, pair[0])[0]), trims[-1] if trims else (search, replace))


def _ways(places_of_pieces: list[list[int]], sizes: list[int]) -> Iterator[tuple[int, ...]]:
    """Yield the ways to choose one place of each run so that they follow each other."""
    ways: list[tuple[int, ...]] = [()]
    for places, before in zip(places_of_pieces, [0, *sizes], strict=False):
        behind = ((way, bisect_left(places, way[-1] + before) if way else 0) for way in ways)
        longer = ((*way, places[one]) for way, first in behind for one in range(first, len(places)))
        ways = list(islice(longer, _MOST_WAYS + 1))
        if len(ways) > _MOST_WAYS:
            raise _several(places)
    yield from (way for way in ways if way)


# --- lines that agree for the most part ---------------------------------------------------------------------------


def _fuzzy(file: list[str], search: list[str], replace: list[str]) -> _Piece:
    keys, wanted = [key(line) for line in file], [key(line) for line in search]
    candidates = alignments(keys, wanted)
    best = candidates[0] if candidates else None
    if best is None or best.score < _ENOUGH or _matched_weight(keys, best) < _LEAST_WEIGHT:
        raise _not_found(file, search, best)
    changes = hunks(search, replace, exact=False)
    near = [other for other in candidates if other.score > best.score - _MARGIN]
    if len({_spans(changes, one.places) for one in near} - {None}) > 1:
        raise _several(sorted({one.first for one in near}))
    for change in changes:
        for slid in slides(change, search, replace):
            _check_run(keys, slid, best)
    return _Piece(search, replace, best.places)


def _matched_weight(keys: list[str], alignment: Alignment) -> int:
    return sum(weight(keys[place]) for place in alignment.places if place is not None)


def _spans(changes: Sequence[Hunk], places: Sequence[int | None]) -> tuple[tuple[int, int], ...] | None:
    try:
        return tuple(span(change, places) for change in changes)
    except ConflictError:
        return None


def _check_run(keys: list[str], change: Hunk, alignment: Alignment) -> None:
    """Refuse a change whose unbroken surroundings occur in the file more than once."""
    try:
        first, last = span(change, alignment.places)
    except ConflictError:
        raise _differs(alignment) from None
    quoted = set(alignment.places)
    if first == last and first not in quoted:
        first -= 1
    while first - 1 in quoted:
        first -= 1
    while last in quoted:
        last += 1
    places = windows(keys, keys[first:last])
    if len(places) > 1:
        raise _several(places)


def _differs(alignment: Alignment) -> _NoPlace:
    where = f"lines {alignment.first + 1} to {alignment.last + 1}"
    message = f"the search text differs from {where} where the change is made; quote those lines as they are"
    return _NoPlace("conflict", message, [alignment.first])


def _not_found(file: list[str], search: list[str], best: Alignment | None = None) -> _NoPlace:
    if best is None:
        best = next(iter(alignments([key(line) for line in file], [key(line) for line in search])), None)
    if best is None:
        return _NoPlace("not found", "nothing like the search text is there; read the file and quote it")
    where = f"lines {best.first + 1} to {best.last + 1}"
    return _NoPlace("not found", f"the search text occurs nowhere; the nearest are {where}", [best.first])


# --- writing ------------------------------------------------------------------------------------------------------


class _LineWriter:
    def __init__(self, text: Text, pieces: list[_Piece], *, prose: bool, dots_are_code: bool) -> None:
        self._text = text
        self._pieces = pieces
        self._prose = prose
        self._dots_are_code = dots_are_code

    def write_pieces(self, how: How) -> ReplacedText:
        """Return the text with all pieces written.

        Raises:
            _Refused: the file says too little of how, or differs where a change is.
        """
        if not self._pieces:
            raise _NoPlace("no change", "search text and replacement are the same; nothing is to be done")
        line = self._pieces[0].places
        text = self._text
        for piece in reversed(self._pieces):
            first = next(place for place in piece.places if place is not None)
            lines = self._lines(piece, exact=how == "exact")
            text = text.splice(first, piece.stop, lines)
        if text.lines == self._text.lines:
            raise _NoPlace("no change", "the file already has it; nothing is to be done")
        return ReplacedText(text, how, next(place for place in line if place is not None) + 1)

    def _lines(self, piece: _Piece, *, exact: bool) -> list[Line]:
        changes = hunks(piece.search, piece.replace, exact=exact or self._same_ends(piece))
        new = [line for change in changes for line in piece.replace[change.r1 : change.r2]]
        known = {line.strip() for line in self._text.strings}
        if (lazy := new_elision(new, known, prose=self._prose, dots_are_code=self._dots_are_code)) is not None:
            raise _NoPlace("elided", f"the replacement leaves lines out ({lazy.strip()!r}); write them")
        try:
            return self._with_line_ends(
                merge(changes, piece.replace, piece.places, piece.stop), self._mend_indentation(piece)
            )
        except ConflictError:
            raise _NoPlace("conflict", "the search text differs from the file where the change is made") from None
        except UnclearError as error:
            raise _NoPlace("conflict", f"it is unclear how to write the new lines: {error}") from None

    def _same_ends(self, piece: _Piece) -> bool:
        """Return whether blanks at line ends are quoted exactly, so that a change of them is intended."""
        file = self._text.strings
        pairs = zip(piece.search, piece.places, strict=True)
        return all(_tail(quoted) == _tail(file[place]) for quoted, place in pairs if place is not None)

    def _mend_indentation(self, piece: _Piece) -> LineMender:
        file = self._text.strings
        pairs = [
            (quoted, file[place]) for quoted, place in zip(piece.search, piece.places, strict=True) if place is not None
        ]
        if self._first_is_stripped(piece):
            pairs = pairs[1:]
        return LineMender(pairs, [*piece.search, *piece.replace], file, prose=self._prose)

    def _first_is_stripped(self, piece: _Piece) -> bool:
        """Return whether only the unchanged first line lost its indentation, which then explains no other line."""
        at = piece.places[0]
        if at is None or len(piece.search) < 2 or piece.search[:1] != piece.replace[:1]:
            return False
        file = self._text.strings
        rest = zip(piece.search[1:], piece.places[1:], strict=True)
        same = all(indent_of(quoted) == indent_of(file[place]) for quoted, place in rest if place is not None)
        return same and not indent_of(piece.search[0]) and bool(indent_of(file[at]))

    def _with_line_ends(self, merged: MergedLines, mender: LineMender) -> list[Line]:
        """Return lines with line ends: a new line has the line end of the previous line."""
        lines: list[Line] = []
        kept = [self._text.lines[one].end for one in merged if isinstance(one, int)]
        end = next((one for one in kept if one), "") or self._text.end
        for one in merged:
            if isinstance(one, int):
                lines.append(self._text.lines[one])
                end = lines[-1].end or end
            else:
                lines.append(Line(mender.mend(one), end))
        return lines


def _tail(line: str) -> str:
    return line[len(line.rstrip(" \t")) :]
