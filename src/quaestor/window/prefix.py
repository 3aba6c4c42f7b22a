"""How far two conversations are the same."""

from __future__ import annotations

from quaestor.core.messages import Message


def shared(old: list[Message], new: list[Message]) -> int:
    """Return how many messages both begin with.

    Halving lets whole stretches be compared at once, and messages that are the same object at no cost.
    """
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
