"""Cutting a text short: at a line end if possible, always marked."""

from __future__ import annotations

from collections.abc import Callable

# A cut at a line end may lose this share of what would fit; beyond it, a blank or any letter will do.
_LOSS = 0.25
_FIRST_GUESS = 4


def trim(text: str, budget: int, count: Callable[[str], int], mark: str) -> str | None:
    """Return the longest beginning of ``text`` that fits, with ``mark`` on a line of its own.

    Args:
        text: the text, too long.
        budget: tokens for the result.
        count: tokens of a text.
        mark: tells the reader that text is missing.

    Returns:
        None if not even one letter fits beside the mark.
    """

    def shown(length: int) -> str:
        return f"{text[:length].rstrip()}\n{mark}"

    fits = largest_fitting(len(text), lambda length: count(shown(length)) <= budget)
    while fits > 0:
        place = _end_of_cut(text, fits)
        if text[:place].strip() and count(shown(place)) <= budget:
            return shown(place)
        fits = place - 1 if place < fits else fits - 1
    return None


def largest_fitting(most: int, fits: Callable[[int], bool]) -> int:
    """Return about the largest number that fits, by doubling, then halving: a long text is never counted whole."""
    low, high = 0, min(_FIRST_GUESS, most)
    while high < most and fits(high):
        low, high = high, min(2 * high, most)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _end_of_cut(text: str, length: int) -> int:
    """Return where to cut so as not to break a line, or else a word, unless that loses too much."""
    if length >= len(text) or text[length] == "\n":
        return length
    least = int(length * (1 - _LOSS))
    for separator in ("\n", " "):
        place = text.rfind(separator, least, length)
        if place > 0:
            return place
    return length
