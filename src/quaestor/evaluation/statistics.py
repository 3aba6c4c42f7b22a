"""Intervals of means, and tests of differences between two means; both have the same questions, so they are paired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SAMPLES = 4000
_DRAWN_AT_ONCE = 1 << 18
_TAIL = 2.5  # per cent at each end: an interval of 95%


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95% interval.

    Attributes:
        mean: the mean of the values.
        low: the lower end of the interval.
        high: the upper end of the interval.
    """

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of a second list of values minus that of a first one.

    Attributes:
        estimate: the mean difference with its interval.
        p: the probability of a difference at least as large, in either direction, if both had the same distribution.
    """

    estimate: Estimate
    p: float


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of some values with its interval, by bootstrap percentiles (Efron 1979); the same each time."""
    data = np.asarray(values, np.float64)
    if not len(data):
        return Estimate(0.0, 0.0, 0.0)
    chance = np.random.default_rng(0)
    at_once = max(1, _DRAWN_AT_ONCE // len(data))
    means = np.concatenate(
        [
            data[chance.integers(0, len(data), (min(at_once, _SAMPLES - start), len(data)))].mean(axis=1)
            for start in range(0, _SAMPLES, at_once)
        ]
    )
    low, high = np.percentile(means, (_TAIL, 100 - _TAIL))
    return Estimate(float(data.mean()), float(low), float(high))


def difference(before: Sequence[float], after: Sequence[float]) -> Difference:
    """Return the mean of ``after`` minus ``before``, question by question.

    ``p`` is from a randomisation test (Smucker, Allan and Carterette 2007), which flips the sign of each question's
    difference at random.
    """
    gaps = np.asarray(after, np.float64) - np.asarray(before, np.float64)
    return Difference(estimate(list(gaps)), _chance_of(gaps))


def holm(chances: Sequence[float]) -> list[float]:
    """Return the probabilities of several tests, adjusted for their number after Holm (1979), in the same order."""
    adjusted = [1.0] * len(chances)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        highest = max(highest, min(1.0, chances[index] * (len(chances) - rank)))
        adjusted[index] = highest
    return adjusted


def _chance_of(gaps: NDArray[np.float64]) -> float:
    nonzero = gaps[gaps != 0]
    if not len(nonzero):
        return 1.0
    chance = np.random.default_rng(0)
    signs = chance.integers(0, 2, (_SAMPLES, len(nonzero)), dtype=np.int8) * 2 - 1
    sums = np.abs(signs @ nonzero)
    # One more of each: the observed signs are one of the possible ones.
    return float((1 + np.count_nonzero(sums >= abs(nonzero.sum()) - 1e-9)) / (1 + _SAMPLES))
