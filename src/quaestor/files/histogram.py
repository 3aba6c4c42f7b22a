"""How counts are spread: least, mean, median, most, and a histogram. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

_FIRSTS = (0, 1, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
"""Where bins begin. Lengths of documents are spread over orders of magnitude, so that even steps would show one bar."""


@dataclass(frozen=True, slots=True)
class Bin:
    """One bar of a histogram.

    Attributes:
        first: the least count in it.
        last: the greatest count in it; None for the last bar, which has no end.
        number: of the counts in it.
    """

    first: int
    last: int | None
    number: int


@dataclass(frozen=True, slots=True)
class Range:
    """How counts are spread.

    Attributes:
        least: the smallest.
        mean: the average.
        median: the middle one.
        most: the largest.
        total: the sum.
        histogram: the bars, from the first to the last that are not empty.
    """

    least: int = 0
    mean: float = 0.0
    median: float = 0.0
    most: int = 0
    total: int = 0
    histogram: tuple[Bin, ...] = ()

    @classmethod
    def of(cls, counts: Sequence[int]) -> Range:
        """Return how counts of 0 and above are spread; zeros throughout where there are none."""
        if not counts:
            return cls()
        ordered, total = sorted(counts), sum(counts)
        # Not of the statistics module, which takes longer to import than most searches take.
        middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
        return cls(ordered[0], total / len(counts), middle, ordered[-1], total, histogram(counts))


def histogram(counts: Sequence[int]) -> tuple[Bin, ...]:
    """Return the number of ``counts``, each 0 or above, in each of the fixed bins, without empty bins at the ends."""
    numbers = [0] * len(_FIRSTS)
    for count in counts:
        numbers[bisect_right(_FIRSTS, count) - 1] += 1
    held = [place for place, number in enumerate(numbers) if number]
    lasts = [first - 1 for first in _FIRSTS[1:]] + [None]
    shown = range(held[0], held[-1] + 1) if held else ()
    return tuple(Bin(_FIRSTS[place], lasts[place], numbers[place]) for place in shown)
