"""Finding the places in a file that a search text may quote: whole lines only, best agreement first.

Pure; places are line numbers from 0.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from quaestor.edits.keys import key

# Diagonals of the comparison that are looked at more closely; more only cost time.
_CANDIDATES = 12
_LONGEST_COUNTED = 40


def windows(file: Sequence[str], search: Sequence[str]) -> list[int]:
    """Return every line at which ``search`` stands in ``file``, line for line."""
    if not search:
        return []
    size = len(search)
    return [
        at
        for at in range(len(file) - size + 1)
        if file[at] == search[0] and all(file[at + step] == search[step] for step in range(1, size))
    ]


def strictest(file: Sequence[str], search: Sequence[str]) -> tuple[list[int], Callable[[str], str]]:
    """Return where ``search`` stands by the strictest comparison by which it stands anywhere, and that comparison.

    From lines that are the same, over lines that differ at their ends, to lines that differ in blanks and typography.
    """
    if not any(line.strip() for line in search):
        return [], key
    for normal in (str, str.rstrip, key):
        found = windows([normal(line) for line in file], [normal(line) for line in search])
        if found:
            return found, normal
    return [], key


@dataclass(frozen=True, slots=True)
class Alignment:
    """A place that most of a search text quotes.

    Attributes:
        score: from 0 to 1, how much of both is the same; long lines count more.
        places: for each line of the search text the line of the file that it quotes, or None.
    """

    score: float
    places: tuple[int | None, ...]

    @property
    def first(self) -> int:
        """The first quoted line of the file."""
        return next(place for place in self.places if place is not None)

    @property
    def last(self) -> int:
        """The last quoted line of the file."""
        return next(place for place in reversed(self.places) if place is not None)


def alignments(file: Sequence[str], search: Sequence[str]) -> list[Alignment]:
    """Return the places that ``search`` agrees with best, best first; both are keys of lines."""
    at: dict[str, list[int]] = defaultdict(list)
    for place, line in enumerate(search):
        if line:
            at[line].append(place)
    votes: dict[int, int] = defaultdict(int)
    for place, line in enumerate(file):
        for own in at.get(line, ()):
            votes[place - own] += weight(line)
    best = sorted(votes, key=lambda diagonal: (-votes[diagonal], diagonal))[:_CANDIDATES]
    found = {alignment.places: alignment for diagonal in best if (alignment := _aligned(file, search, diagonal))}
    return sorted(found.values(), key=lambda alignment: -alignment.score)


def weight(line: str) -> int:
    """Return how much a line that is the same says."""
    return min(len(line), _LONGEST_COUNTED)


def _aligned(file: Sequence[str], search: Sequence[str], diagonal: int) -> Alignment | None:
    slack = max(4, len(search) // 3)
    low, high = max(0, diagonal - slack), diagonal + len(search) + slack
    part = file[low:high]
    places: list[int | None] = [None] * len(search)
    for block in SequenceMatcher(None, search, part, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            places[block.a + step] = low + block.b + step
    same = [place for place, line in zip(places, search, strict=True) if place is not None and line]
    if not same:
        return None
    covered = sum(weight(line) for line in file[same[0] : same[-1] + 1])
    matched = sum(weight(file[place]) for place in same)
    total = sum(weight(line) for line in search)
    return Alignment(2 * matched / (total + covered), tuple(places))
