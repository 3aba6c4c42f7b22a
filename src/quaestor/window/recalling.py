"""Filling the budget with what bears most on the question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from quaestor.window.draft import Draft

if TYPE_CHECKING:
    from numpy.typing import NDArray

RECALLED = "recalled: it bears on the newest question"
REPEATS = "says the same as a message that is in the window"
# Shorter than this, the same words may well mean another thing.
_SAME_LETTERS = 40
# After so many that do not fit, the rest will not either.
_MISSES = 50
_SORTED = 512


def recall_into(draft: Draft, history: range, scores: NDArray[np.float32]) -> None:
    """Take units of ``history`` by the best score of their messages, as long as any fits."""
    if not history:
        return
    best = unit_scores(draft, history, scores)
    said = {message.content for chosen in draft.chosen.values() for message in chosen.messages}
    misses = 0
    for place in best_first(best):
        if misses > _MISSES:
            return
        number = history[place]
        message = draft.reading.messages[draft.reading.units[number].start]
        if number in draft.chosen or message.role == "system":
            continue
        if len(message.content) >= _SAME_LETTERS and message.content in said and not message.tool_calls:
            draft.refused[number] = REPEATS
        elif draft.take_if_it_fits(number, "recalled", RECALLED, action="recalled"):
            said.add(message.content)
        else:
            misses += 1


def best_first(scores: NDArray[np.float32]) -> Iterator[int]:
    """Yield the places of scores above 0, best first; only as many are sorted as are asked for."""
    above = np.flatnonzero(scores > 0)
    if len(above) > _SORTED:
        least = np.partition(scores[above], -_SORTED)[-_SORTED]
        top = above[scores[above] >= least]
        yield from top[np.argsort(-scores[top], kind="stable")].tolist()
        above = above[scores[above] < least]
    yield from above[np.argsort(-scores[above], kind="stable")].tolist()


def unit_scores(draft: Draft, history: range, scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the best score among each unit's messages."""
    units = draft.reading.units
    start, end = units[history[0]].start, units[history[-1]].end
    if end - start == len(history):
        return scores[start:end]
    starts = np.fromiter((units[number].start - start for number in history), dtype=np.intp, count=len(history))
    best: NDArray[np.float32] = np.maximum.reduceat(scores[start:end], starts)
    return best
