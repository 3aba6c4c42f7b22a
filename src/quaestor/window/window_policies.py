"""Policies that choose history: by recency, with a summary, by relevance to the question, or by all three."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import numpy as np

from quaestor.core.messages import Message
from quaestor.window.conversation_parts import Frame
from quaestor.window.draft import LATEST, Draft
from quaestor.window.summary import Summary, summary_of
from quaestor.window.window_values import Policy, Recaller, Settings, Summarise

if TYPE_CHECKING:
    from numpy.typing import NDArray


def take_latest(draft: Draft, history: range, budget: int) -> None:
    """Take the latest units of ``history``, without a gap, up to ``budget`` tokens."""
    for number in reversed(history):
        if number in draft.chosen or draft.reading.units[number].fault:
            continue
        if not draft.take_if_it_fits(number, "recent", LATEST, budget=budget):
            return
        budget -= draft.reading.unit_tokens[number]


def keep_last_turn(draft: Draft, frame: Frame, budget: int) -> None:
    """Take the turn before the question, newest first up to ``budget``; its last message is cut short if need be."""
    units, messages = draft.reading.units, draft.reading.messages
    first = True
    for number in reversed(frame.history):
        if units[number].fault:
            continue
        taken = draft.take_if_it_fits(number, "recent", LATEST, budget=budget)
        if not taken and first:
            draft.take_trimmed(number, "recent", min(budget, draft.budget.free))
        if not taken or messages[units[number].start].role == "user":
            return
        budget -= draft.reading.unit_tokens[number]
        first = False


RECALLED = "recalled: it bears on the newest question"
REPEATS = "says the same as a message that is in the window"
# Shorter than this, the same words may well mean another thing.
_SAME_LETTERS = 40
# After so many that do not fit, the rest will not either.
_MISSES = 50
_SORTED = 512


def take_recalled(draft: Draft, history: range, scores: NDArray[np.float32]) -> None:
    """Take units of ``history`` by the best score of their messages, as long as any fits."""
    if not history:
        return
    best = unit_scores(draft, history, scores)
    contents = {message.content for chosen in draft.chosen.values() for message in chosen.messages}
    misses = 0
    for place in best_first(best):
        if misses > _MISSES:
            return
        number = history[place]
        message = draft.reading.messages[draft.reading.units[number].start]
        if number in draft.chosen or message.role == "system":
            continue
        if len(message.content) >= _SAME_LETTERS and message.content in contents and not message.tool_calls:
            draft.refused[number] = REPEATS
        elif draft.take_if_it_fits(number, "recalled", RECALLED, action="recalled"):
            contents.add(message.content)
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


POLICIES: tuple[str, ...] = get_args(Policy)


@dataclass(slots=True)  # mutable: keeps what recall and the summary gave
class Choice:
    """A policy with its data.

    Attributes:
        policy: its name.
        recall: scores earlier messages.
        summarise: summarises messages; None uses their most central sentences if the policy wants a summary.
        scores: the scores of ``recall``; computed once.
        summary: the summary, or the reason why it is missing; None if the policy wants none.
    """

    policy: Policy
    recall: Recaller
    summarise: Summarise | None
    scores: NDArray[np.float32] | None = None
    summary: Summary | None = None

    @property
    def summarises(self) -> bool:
        """Whether the policy wants a summary."""
        return self.policy == "summary" or (self.policy == "blend" and self.summarise is not None)

    @property
    def recalls(self) -> bool:
        """Whether the policy recalls."""
        return self.policy in ("recall", "blend")

    def fill(self, draft: Draft, frame: Frame, settings: Settings) -> None:
        """Fill the free room with history."""
        self.summary = None
        free = max(0, draft.budget.free)
        summary_tokens = int(settings.summary * free) if self.summarises else 0
        draft.budget.hold(summary_tokens)
        if self.recalls:
            self._recall_beside_latest(draft, frame, settings, free)
        else:
            keep_last_turn(draft, frame, free - summary_tokens)
            take_latest(draft, frame.history, draft.budget.free)
        draft.budget.hold(-summary_tokens)
        if self.summarises:
            self._summarise(draft, frame, settings, summary_tokens)
        for part in (frame.turn, frame.history):
            take_latest(draft, part, draft.budget.free)

    def _recall_beside_latest(self, draft: Draft, frame: Frame, settings: Settings, free: int) -> None:
        """Recall; ``blend`` keeps the latest turn, or the share of the latest messages, before that."""
        if self.policy == "blend":
            before = draft.budget.free
            keep_last_turn(draft, frame, int(settings.last * free))
            spent = before - draft.budget.free
            take_latest(draft, frame.history, max(0, int(settings.recent * free) - spent))
        self._recall(draft, frame)

    def _recall(self, draft: Draft, frame: Frame) -> None:
        if frame.question is None:
            return
        messages = draft.reading.messages
        if self.scores is None:
            self.scores = self.recall.score(messages, draft.reading.units[frame.question].start)
        take_recalled(draft, frame.history, self.scores)

    def _summarise(self, draft: Draft, frame: Frame, settings: Settings, budget: int) -> None:
        out = _messages(draft, draft.left_out(frame.history))
        if out:
            wording = settings.wording
            self.summary = summary_of(out, self.summarise, budget, draft.reading.counter, wording)
            draft.budget.spend("summary", self.summary.tokens)


def _messages(draft: Draft, numbers: Sequence[int]) -> list[Message]:
    units, messages = draft.reading.units, draft.reading.messages
    return [message for number in numbers for message in messages[units[number].start : units[number].end]]
