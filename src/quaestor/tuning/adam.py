"""Adam (Kingma and Ba 2015) in place, with warm-up and linear decay."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class Adam:
    """Keeps the moments of one array and moves it."""

    def __init__(self, array: Floats, rate: float, betas: tuple[float, float] = (0.9, 0.999)) -> None:
        self._array = array
        self._rate = rate
        self._betas = betas
        self._first = np.zeros_like(array)
        self._second = np.zeros_like(array)
        self._steps = 0

    def step(self, gradient: Floats, share: float) -> None:
        """Move against ``gradient`` at ``share`` of the full rate; ``gradient`` is used up."""
        self._steps += 1
        fast, slow = self._betas
        self._first += (1 - fast) * (gradient - self._first)
        np.square(gradient, out=gradient)
        self._second += (1 - slow) * (gradient - self._second)
        np.sqrt(self._second, out=gradient)
        gradient /= np.float32(np.sqrt(1 - slow**self._steps))
        gradient += np.float32(1e-8)
        np.divide(self._first, gradient, out=gradient)
        gradient *= np.float32(self._rate * share / (1 - fast**self._steps))
        self._array -= gradient


def schedule(step: int, steps: int, warm_up: int) -> float:
    """Return the share of the full rate at ``step`` of ``steps``: up linearly, then down linearly to zero."""
    if step < warm_up:
        return (step + 1) / warm_up
    return max(0.0, (steps - step) / max(1, steps - warm_up))
