"""How history is chosen: by recency, by a summary of the rest, by what bears on the question, or by all of
them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import numpy as np

from quaestor.core.messages import Message
from quaestor.window.conversation_parts import Frame
from quaestor.window.draft import Draft
from quaestor.window.recalling import recall_into
from quaestor.window.sliding import keep_last_turn, slide
from quaestor.window.summarising import Summary, summary_of
from quaestor.window.window_settings import Settings
from quaestor.window.window_values import Policy, Recaller, Summarise

if TYPE_CHECKING:
    from numpy.typing import NDArray

POLICIES: tuple[str, ...] = get_args(Policy)


@dataclass(slots=True)  # mutable: keeps what recall and the summary gave
class Choice:
    """A policy with what it needs.

    Attributes:
        policy: which one.
        recall: scores earlier messages.
        summarise: summarises messages; None: by their most central sentences, where the policy wants a
            summary.
        scores: what ``recall`` returned; computed once.
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
        """Spend what is free on history."""
        self.summary = None
        free = max(0, draft.budget.free)
        held = int(settings.summary * free) if self.summarises else 0
        draft.budget.hold(held)
        if self.recalls:
            self._recall_beside_latest(draft, frame, settings, free)
        else:
            keep_last_turn(draft, frame, free - held)
            slide(draft, frame.history, draft.budget.free)
        draft.budget.hold(-held)
        if self.summarises:
            self._summarise(draft, frame, settings, held)
        for part in (frame.turn, frame.history):
            slide(draft, part, draft.budget.free)

    def _recall_beside_latest(self, draft: Draft, frame: Frame, settings: Settings, free: int) -> None:
        """Recall; ``blend`` keeps the latest turn, or the share of the latest messages, before that."""
        if self.policy == "blend":
            before = draft.budget.free
            keep_last_turn(draft, frame, int(settings.last * free))
            spent = before - draft.budget.free
            slide(draft, frame.history, max(0, int(settings.recent * free) - spent))
        self._recall(draft, frame)

    def _recall(self, draft: Draft, frame: Frame) -> None:
        if frame.question is None:
            return
        messages = draft.reading.messages
        if self.scores is None:
            self.scores = self.recall.score(messages, draft.reading.units[frame.question].start)
        recall_into(draft, frame.history, self.scores)

    def _summarise(self, draft: Draft, frame: Frame, settings: Settings, budget: int) -> None:
        out = _messages(draft, draft.left_out(frame.history))
        if out:
            wording = settings.wording
            self.summary = summary_of(out, self.summarise, budget, draft.reading.counter, wording)
            draft.budget.spend("summary", self.summary.tokens)


def _messages(draft: Draft, numbers: Sequence[int]) -> list[Message]:
    units, messages = draft.reading.units, draft.reading.messages
    return [message for number in numbers for message in messages[units[number].start : units[number].end]]
