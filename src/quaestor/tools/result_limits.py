"""Cutting a result to its budget: at line ends, with a mark that says how much is missing and how to get it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from quaestor.llm.prompts import load
from quaestor.window.trim import longest, trim

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Fitted:
    """Lines that fit a budget.

    Attributes:
        text: the lines, and the mark if any are missing.
        shown: number of lines that are there whole.
        cut: whether the line after them is there in part.
    """

    text: str
    shown: int
    cut: bool = False


def cut(text: str, budget: int, count: Count) -> str:
    """Return a text that takes at most ``budget`` tokens; a mark says how many lines are missing."""
    if count_up_to(text, budget, count):
        return text
    lines = text.split("\n")
    mark = load("result_cut")
    return fit(lines, budget, count, lambda shown: mark.render(lines=plural(len(lines) - shown, "line"))).text


def fit(lines: Sequence[str], budget: int, count: Count, mark: Callable[[int], str]) -> Fitted:
    """Return as many lines from the beginning as fit.

    Args:
        lines: without their ends.
        budget: tokens for the result.
        count: tokens of a text.
        mark: given the number of lines that are shown whole, what stands in for the rest.

    If not even one line fits beside its mark, it is cut within; if the mark does not fit, it is left out.
    """

    def shown(number: int) -> str:
        return "\n".join([*lines[:number], mark(number)])

    # The whole needs no mark, so that it may fit where all but its last line does not.
    if count_up_to("\n".join(lines), budget, count):
        return Fitted("\n".join(lines), len(lines))
    most = longest(len(lines) - 1, lambda number: count(shown(number)) <= budget)
    while most > 0 and count(shown(most)) > budget:
        most -= 1
    if most > 0:
        return Fitted(shown(most), most)
    rest = mark(0)
    part = trim(lines[0], budget, count, rest) if lines[0].strip() else None
    if part is not None:
        return Fitted(part, 0, cut=True)
    return Fitted(_letters(rest, budget, count), 0)


def count_up_to(text: str, budget: int, count: Count) -> bool:
    """Return whether a text takes at most ``budget`` tokens; one that is much too long is never counted whole."""
    length = max(256, 4 * budget)
    while length < len(text):
        if count(text[:length]) > budget:
            return False
        length *= 4
    return count(text) <= budget


def plural(number: int, noun: str) -> str:
    """Return ``1 line``, ``20 lines``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _letters(text: str, budget: int, count: Count) -> str:
    """Return the longest beginning of a short text that fits."""
    length = len(text)
    while length > 0 and count(text[:length]) > budget:
        length -= 1
    return text[:length]
