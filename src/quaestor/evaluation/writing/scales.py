"""From numbers to places on an axis, and the round numbers that an axis names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_ALIKE = 1e-9
_LOGARITHMIC_FROM = 12.0


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis.

    Attributes:
        low: the number at its beginning.
        high: the number at its end, greater than ``low``.
        ticks: the numbers that are named.
        logarithmic: whether equal distances are equal ratios.
    """

    low: float
    high: float
    ticks: tuple[float, ...]
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Return where a number lies, 0 at the beginning and 1 at the end."""
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def linear(low: float, high: float, count: int = 5) -> Scale:
    """Return an axis that holds everything from ``low`` to ``high`` and begins and ends at round numbers."""
    if high - low <= _ALIKE * max(1.0, abs(low), abs(high)):
        low, high = (low - 0.5, low + 0.5) if low else (0.0, 1.0)
    step = _round_step((high - low) / count)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(number * step for number in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], ticks)


def of_costs(values: Sequence[float]) -> Scale:
    """Return an axis for costs: from zero; logarithmic where the greatest is many times the least."""
    low, high = min(values), max(values)
    if low <= 0 or high / low < _LOGARITHMIC_FROM:
        return linear(0, high * 1.08, count=4)
    first, last = math.floor(math.log10(low * 0.9)), math.ceil(math.log10(high * 1.1))
    ticks = tuple(10.0**power for power in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], ticks, logarithmic=True)


def _round_step(about: float) -> float:
    power = 10.0 ** math.floor(math.log10(about))
    return next(step * power for step in _STEPS if step * power >= about * (1 - 1e-9))
