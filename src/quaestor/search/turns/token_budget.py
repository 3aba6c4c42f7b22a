"""Joining texts under a budget of tokens, the first of them above all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

CountTokens = Callable[[str], int]
"""Returns the tokens of a text."""

_SMALLEST_PART = 40  # characters; a shorter end of a text says nothing


def joined(first: str, others: Iterable[str], budget: int, count: CountTokens) -> str:
    """Return ``first`` and as many of ``others`` as fit, in order, a line each.

    ``first`` is whole unless it alone is over the budget; then its middle is left out. The first of the others that
    does not fit is cut at its end, and nothing follows it.

    Args:
        first: what must be there.
        others: more, most important first; empty ones are skipped.
        budget: tokens of the result at most.
        count: counts tokens; it need not be additive.
    """
    if not _fits(first, budget, count):
        return _without_middle(first, budget, count)
    text = first
    for other in filter(None, others):
        longer = f"{text}\n{other}" if text else other
        if not _fits(longer, budget, count):
            return _longest(len(text) + _SMALLEST_PART, len(longer), partial(_start, longer), budget, count) or text
        text = longer
    return text


def _fits(text: str, budget: int, count: CountTokens) -> bool:
    """Tell whether a text fits; no token is shorter than a byte, so a short one need not be counted."""
    return len(text.encode("utf-8", "replace")) <= budget or count(text) <= budget


def _without_middle(text: str, budget: int, count: CountTokens) -> str:
    """Return both ends of a text: a long paste has its question before or after it."""
    return _longest(1, len(text) // 2, lambda size: f"{text[:size]}\n{text[-size:]}", budget, count)


def _start(text: str, size: int) -> str:
    return text[:size]


def _longest(low: int, high: int, make: Callable[[int], str], budget: int, count: CountTokens) -> str:
    """Return the text of the greatest size that fits, by bisection; empty if none was seen to fit."""
    best = ""
    while low <= high:
        size = (low + high) // 2
        text = make(size)
        if count(text) <= budget:
            best, low = text, size + 1
        else:
            high = size - 1
    return best
