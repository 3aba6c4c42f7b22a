"""Newest first, while they fit."""

from __future__ import annotations

from quaestor.window.conversation_parts import Frame
from quaestor.window.draft import LATEST, Draft


def slide(draft: Draft, history: range, budget: int) -> None:
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
