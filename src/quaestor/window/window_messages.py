"""From a draft to the window: messages in order with marks, reminders, passages, summary; a decision for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from quaestor.core.messages import Message
from quaestor.window import passage_placing, summary
from quaestor.window.conversation_parts import Frame
from quaestor.window.draft import ChosenUnit, Draft
from quaestor.window.passage_placing import PassagePlacer, Placement
from quaestor.window.summary import Summary
from quaestor.window.window_values import Action, Decision, Reminder, Section, Settings

OUT = "does not fit: newer messages, or such as bear more on the question, take the room"
WHOLE_PART = "kept whole beside others that were cut short"
SUMMARISED = "does not fit; a summary stands for it"


def explain_messages(draft: Draft, *, summarised: bool) -> list[Decision]:
    """Return the decision on every message, in order."""
    reading = draft.reading
    if summarised:
        decisions = reading.decisions("summarised", "left out", SUMMARISED)
    else:
        decisions = reading.decisions("dropped", "left out", OUT)
    for number in reading.faulty:
        _mark_dropped(decisions, reading.units[number].start, reading.units[number].fault or "")
    for number, reason in draft.refused.items():
        if number not in draft.chosen:
            _mark_dropped(decisions, reading.units[number].start, reason)
    for number, chosen in draft.chosen.items():
        for place in range(len(chosen.messages)):
            index = reading.units[number].start + place
            decisions[index] = _decision_on_chosen(chosen, place, index, reading.messages[index], reading.tokens[index])
    return decisions


def explain_passages(placing: PassagePlacer, placement: Placement) -> list[Decision]:
    """Return the decision on every passage, in order. What the passages share falls to the first one shown."""
    decisions: list[Decision] = []
    before = 0
    for index, (action, reason) in enumerate(placement.outcomes):
        after = placing.tokens_of(placement.shown[: index + 1])
        shown = placement.shown[index] is not None
        section: Section = "passages" if shown else "left out"
        decisions.append(
            Decision("passage", index, action, section, after - before, placing.full_tokens(index), reason)
        )
        before = after
    return decisions


def explain_summary(summary: Summary | None) -> list[Decision]:
    """Return the decision on a summary, where one was wanted."""
    if summary is None:
        return []
    if summary.message is None:
        return [Decision("summary", -1, "dropped", "left out", 0, 0, summary.note)]
    return [Decision("summary", -1, "kept", "summary", summary.tokens, summary.tokens, summary.note)]


def _mark_dropped(decisions: list[Decision], index: int, reason: str) -> None:
    decisions[index] = Decision("message", index, "dropped", "left out", 0, decisions[index].full_tokens, reason)


def _decision_on_chosen(chosen: ChosenUnit, place: int, index: int, whole: Message, full_tokens: int) -> Decision:
    # Of a unit that was trimmed, some messages may be whole.
    action: Action = "kept" if chosen.action == "trimmed" and chosen.messages[place] == whole else chosen.action
    reason = WHOLE_PART if action != chosen.action else chosen.reason
    return Decision("message", index, action, chosen.section, chosen.tokens[place], full_tokens, reason)


_OWN = (passage_placing.NAME, summary.NAME)


class Item(NamedTuple):
    """A message of the future window, with its tokens."""

    message: Message
    tokens: int


def mark_messages(settings: Settings) -> tuple[Message, Message, Message]:
    """Return the notes before recalled messages, before the latest ones, and where older ones are left out."""
    wording = settings.wording
    recalled, recent, skipped = (
        Message("system", text) for text in (wording.recalled, wording.recent, wording.skipped)
    )
    return recalled, recent, skipped


class WindowLayout:
    """Lays out a draft as messages.

    Args:
        draft: the chosen units.
        frame: the conversation's parts.
        settings: marks and reminders.
    """

    def __init__(self, draft: Draft, frame: Frame, settings: Settings) -> None:
        self._draft = draft
        self._frame = frame
        self._settings = settings
        self.added: list[Decision] = []

    def lay_out(self, summary: Message | None) -> tuple[list[Message], list[Message]]:
        """Return the items before the question, and those of the question and its turn.

        Marks and reminders that do not fit are left out.
        """
        frame = self._frame
        chosen = sorted(self._draft.chosen)
        head = self._items(number for number in chosen if number < frame.history.start)
        history = [number for number in chosen if number in frame.history]
        rest = self._items(number for number in chosen if number >= frame.history.stop)
        body = self._items_of(summary) + self._history(history, marked=summary is None)
        before = [*head, *self._add_reminders(body)]
        return [item.message for item in before], [item.message for item in rest]

    def _history(self, history: Sequence[int], *, marked: bool) -> list[Item]:
        """Return the history's messages with marks where time was skipped."""
        recalled_mark, recent_mark, skipped_mark = mark_messages(self._settings)
        recent = self._count_latest_unbroken(history)
        earlier, latest = history[: len(history) - recent], history[len(history) - recent :]
        if earlier:
            before, between = self._mark(recalled_mark), self._mark(recent_mark)
            return [*before, *self._items(earlier), *between, *self._items(latest)]
        return [*(self._mark(skipped_mark) if marked and self._leaves_out() else ()), *self._items(latest)]

    def _leaves_out(self) -> bool:
        """Return whether any message of the history that could be sent is not in."""
        chosen, units = self._draft.chosen, self._draft.reading.units
        return any(number not in chosen and not units[number].fault for number in self._frame.history)

    def _count_latest_unbroken(self, history: Sequence[int]) -> int:
        """Return how many of the latest units follow each other without a gap, up to the question."""
        units = self._draft.reading.units
        expected, length = self._frame.history.stop - 1, 0
        for number in reversed(history):
            while expected > number and units[expected].fault:
                expected -= 1
            if number != expected:
                break
            expected, length = number - 1, length + 1
        return length

    def _mark(self, message: Message) -> list[Item]:
        if not self._settings.marks:
            return []
        return self._items_of_note(message, "says to the model that messages are left out here")

    def _items_of_note(self, message: Message, reason: str) -> list[Item]:
        tokens = self._draft.reading.counter.message(message)
        if tokens > self._draft.budget.free:
            self.added.append(Decision("note", -1, "dropped", "left out", 0, tokens, f"no room: it {reason}"))
            return []
        self._draft.budget.spend("notes", tokens)
        self.added.append(Decision("note", -1, "kept", "notes", tokens, tokens, reason))
        return [Item(message, tokens)]

    def _items(self, numbers: Iterable[int]) -> list[Item]:
        return [
            Item(message, tokens)
            for number in numbers
            for message, tokens in zip(
                self._draft.chosen[number].messages, self._draft.chosen[number].tokens, strict=True
            )
        ]

    def _items_of(self, message: Message | None) -> list[Item]:
        return [] if message is None else [Item(message, self._draft.reading.counter.message(message))]

    def _add_reminders(self, items: list[Item]) -> list[Item]:
        reminder = self._settings.reminder
        return items if reminder is None else self._with_reminders(items, reminder)

    def _with_reminders(self, items: list[Item], reminder: Reminder) -> list[Item]:
        """Return items with the instructions repeated, never between a tool call and its result.

        Only what people, models and tools said counts towards the distance, so that a window composed again
        finds the same places.
        """
        message = Message("system", reminder.text)
        result: list[Item] = []
        distance = 0
        # Right before the question is a place as well, but a conversation does not end in a reminder.
        has_question = self._frame.question is not None
        for item in (*items, None) if has_question else items:
            here = item is None or (item.message.role != "tool" and item.message != message)
            if item is not None and item.message.name == passage_placing.NAME:
                here = has_question
            if here and distance >= reminder.every:
                result += self._items_of_note(message, f"the instructions again, after {reminder.every} tokens")
                distance = 0
            if item is None:
                break
            result.append(item)
            distance = 0 if item.message == message else distance
            distance += 0 if item.message.role == "system" or item.message.name in _OWN else item.tokens
        return result
