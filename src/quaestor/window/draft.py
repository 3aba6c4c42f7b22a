"""A window being composed: the units chosen, the section that pays for each, their cost, and the remaining budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from quaestor.core.light_imports import NamedTuple
from quaestor.core.messages import Message
from quaestor.window.conversation_costs import ConversationCosts
from quaestor.window.trim import trim
from quaestor.window.window_values import Action, Section


class Budget:
    """Tokens that may be spent, and the tokens spent by section.

    Args:
        capacity: tokens of the window, minus the reserve for the reply.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.sections: dict[Section, int] = {}
        self._held_back = 0

    @property
    def spent(self) -> int:
        """Tokens spent in all sections."""
        return sum(self.sections.values())

    @property
    def free(self) -> int:
        """Tokens neither spent nor held back; negative when the must-keep messages take too much."""
        return self.capacity - self.spent - self._held_back

    def spend(self, section: Section, tokens: int) -> None:
        """Charge ``tokens`` to a section; negative ones give back."""
        self.sections[section] = self.sections.get(section, 0) + tokens

    def hold(self, tokens: int) -> None:
        """Keep tokens back for marks and reminders, which are decided last."""
        self._held_back += tokens

    def release(self) -> None:
        """Release the tokens held back."""
        self._held_back = 0


LATEST = "among the latest messages"
CUT = "cut short: too long for its share of the window"


class ChosenUnit(NamedTuple):
    """A unit that is in the window.

    Attributes:
        messages: the messages as they are sent.
        tokens: the number of tokens of each message.
        section: who pays.
        action: kept, recalled or trimmed.
        reason: the reason in plain words.
    """

    messages: tuple[Message, ...]
    tokens: tuple[int, ...]
    section: Section
    action: Action
    reason: str


class Draft:
    """Chooses units under a budget.

    Attributes:
        reading: the conversation.
        budget: tokens to spend.
        chosen: units that are in, by number.
        refused: reasons of units that are left out for more than lack of room.
    """

    def __init__(self, reading: ConversationCosts, capacity: int, mark: str) -> None:
        self.reading = reading
        self.budget = Budget(capacity)
        self.chosen: dict[int, ChosenUnit] = {}
        self.refused: dict[int, str] = {}
        self._mark = mark

    @property
    def whole_messages(self) -> list[Message]:
        """The messages that are in and were not cut short, in no order."""
        whole = (chosen for chosen in self.chosen.values() if chosen.action != "trimmed")
        return [message for chosen in whole for message in chosen.messages]

    def take(self, number: int, section: Section, reason: str, *, action: Action = "kept") -> None:
        """Put a unit in, whatever it costs."""
        unit = self.reading.units[number]
        messages = tuple(self.reading.messages[unit.start : unit.end])
        tokens = tuple(self.reading.tokens[unit.start : unit.end])
        self._choose(number, ChosenUnit(messages, tokens, section, action, reason))

    def take_if_it_fits(
        self,
        number: int,
        section: Section,
        reason: str,
        *,
        action: Action = "kept",
        budget: int | None = None,
    ) -> bool:
        """Take a unit if it costs no more than ``budget`` and the free tokens; return whether it was taken."""
        if number in self.chosen or self.reading.units[number].fault:
            return number in self.chosen
        room = self.budget.free if budget is None else min(budget, self.budget.free)
        if self.reading.unit_tokens[number] > room:
            return False
        self.take(number, section, reason, action=action)
        return True

    def take_trimmed(self, number: int, section: Section, budget: int) -> bool:
        """Add as much of a unit as fits into ``budget``; return whether anything was added."""
        unit = self.reading.units[number]
        cut = trim_messages(self.reading.messages[unit.start : unit.end], budget, self.reading, self._mark)
        if cut is None:
            return False
        tokens = tuple(map(self.reading.counter.message, cut))
        self._choose(number, ChosenUnit(tuple(cut), tokens, section, "trimmed", CUT))
        return True

    def left_out(self, history: Iterable[int]) -> list[int]:
        """Return the units of ``history`` that could be sent and are not in."""
        units = self.reading.units
        return [number for number in history if number not in self.chosen and not units[number].fault]

    def _choose(self, number: int, chosen: ChosenUnit) -> None:
        self.chosen[number] = chosen
        self.budget.spend(chosen.section, sum(chosen.tokens))


def trim_messages(
    messages: Sequence[Message], budget: int, reading: ConversationCosts, mark: str
) -> list[Message] | None:
    """Return messages with their longest contents cut short so that all fit, or None if that is not possible.

    Short contents stay whole; the remaining room is shared among the long ones. Tool calls are never cut.
    """
    count = reading.counter.message
    kept = list(messages)
    remaining = budget - sum(count(replace(message, content="")) for message in messages)
    by_length = sorted(range(len(kept)), key=lambda place: len(kept[place].content))
    for done, place in enumerate(by_length):
        message = kept[place]
        share = remaining // (len(by_length) - done)
        empty = count(replace(message, content=""))
        if count(message) - empty > share:
            cut = _trim_message(message, share + empty, reading, mark)
            if cut is None:
                return None
            kept[place] = cut
        remaining -= count(kept[place]) - empty
    return kept if remaining >= 0 else None


def _trim_message(message: Message, budget: int, reading: ConversationCosts, mark: str) -> Message | None:
    def count(text: str) -> int:
        return reading.counter.message(replace(message, content=text))

    text = trim(message.content, budget, count, mark)
    return None if text is None else replace(message, content=text)
