"""Three-way merge of one place: the search text, its replacement, and the file's lines.

Lines that the proposal does not change stay the file's own, byte for byte, however badly they were quoted. A line that
it changes, and its neighbours, must be quoted correctly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from quaestor.edits.quoted_places import matcher

MergedLines = list[int | str]
"""Lines for one place: the number of a line of the file that stays, or a new line."""


class ConflictError(ValueError):
    """The file differs from the search text exactly where a change is."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines ``r1`` to ``r2`` of the other text replace ``s1`` to ``s2`` of the search text."""

    s1: int
    s2: int
    r1: int
    r2: int


def hunks(search: Sequence[str], replace: Sequence[str], *, exact: bool) -> list[Hunk]:
    """Return where two texts differ; blanks at line ends count if ``exact``, or where a line is nothing but blanks."""
    one = list(search) if exact else [line.rstrip() or line for line in search]
    two = list(replace) if exact else [line.rstrip() or line for line in replace]
    head, tail = same_ends(one, two)
    codes = matcher(one[head : len(one) - tail], two[head : len(two) - tail]).get_opcodes()
    return [Hunk(s1 + head, s2 + head, r1 + head, r2 + head) for tag, s1, s2, r1, r2 in codes if tag != "equal"]


def same_ends(one: Sequence[object], two: Sequence[object]) -> tuple[int, int]:
    """Return the numbers of equal items at the beginning and at the end."""
    most = min(len(one), len(two))
    head = next((at for at in range(most) if one[at] != two[at]), most)
    tail = next((at for at in range(most - head) if one[-1 - at] != two[-1 - at]), most - head)
    return head, tail


def merge(changes: Sequence[Hunk], replace: Sequence[str], places: Sequence[int | None], stop: int) -> MergedLines:
    """Return the lines from the first place up to ``stop``.

    Args:
        changes: the changes from the search text to ``replace``.
        replace: the new lines.
        places: for each line of the search text the line of the file that it quotes, or None.
        stop: the line of the file after the place.

    Raises:
        ConflictError: a change is not between correctly quoted lines of the file.
    """
    merged: MergedLines = []
    at = next(place for place in places if place is not None)
    for change in changes:
        first, last = span(change, places)
        merged += range(at, first)
        merged += replace[change.r1 : change.r2]
        at = last
    return [*merged, *range(at, stop)]


def span(change: Hunk, places: Sequence[int | None]) -> tuple[int, int]:
    """Return the lines of the file that a change replaces: the first, and one after the last.

    Raises:
        ConflictError: the file differs there.
    """
    around = places[max(0, change.s1 - 1) : change.s2 + 1]
    known = [place for place in around if place is not None]
    if len(known) < len(around) or not known or any(after != before + 1 for before, after in pairwise(known)):
        raise ConflictError
    first = known[0] + 1 if change.s1 else known[0]
    return first, first + change.s2 - change.s1


def slides(change: Hunk, search: Sequence[str], replace: Sequence[str]) -> list[Hunk]:
    """Return a change and all equivalent ones, shifted along repeated lines.

    If a line is inserted beside an equal one, either of the two may be the new one.
    """
    changes = [change]
    if change.s1 != change.s2 and change.r1 != change.r2:
        return changes
    down = up = change
    while (shifted := _shift(down, 1, search, replace)) is not None:
        changes.append(down := shifted)
    while (shifted := _shift(up, -1, search, replace)) is not None:
        changes.append(up := shifted)
    return changes


def _shift(change: Hunk, by: int, search: Sequence[str], replace: Sequence[str]) -> Hunk | None:
    lines, start, stop = (search, change.s1, change.s2) if change.s2 > change.s1 else (replace, change.r1, change.r2)
    enters, leaves = (stop, start) if by > 0 else (start - 1, stop - 1)
    inside = min(change.s1, change.r1) + by >= 0 and change.s2 + by <= len(search) and change.r2 + by <= len(replace)
    if not inside or lines[enters] != lines[leaves]:
        return None
    return Hunk(change.s1 + by, change.s2 + by, change.r1 + by, change.r2 + by)
