"""A conversation read once: its units and what each message costs, brought up to date as it grows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, Protocol

from quaestor.core.messages import Message
from quaestor.llm.tokens import MessageCounter, Tokenizer, counter_for
from quaestor.llm.tokens.message_counts import OPENAI, TEMPLATE
from quaestor.window.window_values import Action, Decision, Section

if TYPE_CHECKING:
    from typing_extensions import TypeIs

ORPHAN = "a tool result without the call that it answers; servers refuse it"
UNANSWERED = "its tool calls have no results; servers refuse it"
RESULT = "result"
"""The name of a user's message that holds the result of a call made in text; it belongs to the reply before it."""


class Unit(NamedTuple):
    """Neighbouring messages that only make sense together.

    Attributes:
        start: index of the first message.
        end: index after the last one.
        fault: why it can never be sent, or None.
    """

    start: int
    end: int
    fault: str | None = None


def units(messages: Sequence[Message], start: int = 0) -> list[Unit]:
    """Return the units of ``messages[start:]``, in order; every message is in exactly one."""
    all_units: list[Unit] = []
    while start < len(messages):
        unit = _unit_at(messages, start)
        all_units.append(unit)
        start = unit.end
    return all_units


def _unit_at(messages: Sequence[Message], start: int) -> Unit:
    message = messages[start]
    if message.role == "tool":
        return Unit(start, start + 1, ORPHAN)
    if not message.tool_calls:
        end = start + 1
        while message.role == "assistant" and end < len(messages) and _is_result(messages[end]):
            end += 1
        return Unit(start, end)
    open_calls = {call.id for call in message.tool_calls}
    whole = len(open_calls) == len(message.tool_calls)
    end = start + 1
    while end < len(messages) and messages[end].role == "tool" and messages[end].tool_call_id in open_calls:
        open_calls.discard(messages[end].tool_call_id or "")
        end += 1
    if whole and not open_calls:
        return Unit(start, end)
    # The call alone is at fault; results that did come lose it, so they are orphans of their own.
    return Unit(start, end, UNANSWERED)


def _is_result(message: Message) -> bool:
    return message.role == "user" and message.name == RESULT


DEFAULT_MODEL = "gpt-4o"
_OPENAI_ENCODINGS = frozenset({"cl100k_base", "o200k_base"})


def as_counter(tokenizer: Tokenizer | Counter | None) -> Counter:
    """Return the counter for a tokenizer; None means the encoding of OpenAI's current models.

    With OpenAI's encodings, the overhead of a message is counted as OpenAI does. Any other tokenizer has a chat
    template that we cannot see, so the allowance for it is generous; give a ``MessageCounter`` to be exact.
    """
    if tokenizer is None:
        return _default_counter()
    return _counter_around(tokenizer) if _is_tokenizer(tokenizer) else tokenizer  # type: ignore[arg-type]


def _is_tokenizer(tokenizer: Tokenizer | Counter) -> TypeIs[Tokenizer]:
    return not hasattr(tokenizer, "message")


@lru_cache(maxsize=1)
def _default_counter() -> Counter:
    return counter_for(DEFAULT_MODEL)


# One counter a tokenizer, so that readings are found again.
@lru_cache(maxsize=16)
def _counter_around(tokenizer: Tokenizer) -> Counter:
    known = getattr(tokenizer, "name", None) in _OPENAI_ENCODINGS
    return MessageCounter(tokenizer, OPENAI if known else TEMPLATE)


class Counter(Protocol):
    """Counts the tokens of texts, messages and tool schemas in a model's window."""

    def text(self, text: str) -> int:
        """Return the tokens of bare text."""
        ...

    def message(self, message: Message) -> int:
        """Return the tokens of one message with what surrounds it."""
        ...

    def messages(self, messages: Sequence[Message]) -> int:
        """Return the tokens of a conversation, the start of the reply included."""
        ...

    def tools(self, tools: Sequence[Mapping[str, object]]) -> int:
        """Return the tokens of declared function schemas."""
        ...


class ConversationCosts:
    """Everything about a conversation that does not depend on the limit.

    Attributes:
        messages: those read so far.
        tokens: the number of tokens of each message.
        units: the units in order; every message is in exactly one.
        unit_tokens: the number of tokens of each unit; 0 for one that can never be sent.
        faulty: the numbers of units that can never be sent.
    """

    def __init__(self, counter: Counter) -> None:
        self.counter = counter
        self.messages: list[Message] = []
        self.tokens: list[int] = []
        self.units: list[Unit] = []
        self.unit_tokens: list[int] = []
        self.faulty: list[int] = []
        self._defaults: dict[tuple[Action, Section, str], list[Decision]] = {}

    def follow(self, messages: list[Message]) -> None:
        """Count ``messages``; reuse the costs of their unchanged beginning."""
        self._forget(shared_beginning(self.messages, messages))
        known = len(self.tokens)
        self.tokens += map(self.counter.message, messages[known:])
        self.messages = messages
        # The last units may gain results, or an orphan its call: read them again.
        while self.units and (self.units[-1].fault or messages[self.units[-1].start].tool_calls):
            self.units.pop()
        fresh = units(messages, self.units[-1].end if self.units else 0)
        first = len(self.units)
        del self.unit_tokens[first:]
        self.faulty = [number for number in self.faulty if number < first]
        self.faulty += (number for number, unit in enumerate(fresh, first) if unit.fault)
        self.units += fresh
        self.unit_tokens += [0 if unit.fault else sum(self.tokens[unit.start : unit.end]) for unit in fresh]

    def is_result(self, number: int) -> bool:
        """Return whether a unit is a call with its results."""
        return self.units[number].end - self.units[number].start > 1

    def sendable_messages(self) -> list[Message]:
        """Return the messages that can be sent."""
        out = {index for number in self.faulty for index in range(self.units[number].start, self.units[number].end)}
        return [message for index, message in enumerate(self.messages) if index not in out]

    def _forget(self, length: int) -> None:
        """Forget every message from the index ``length`` on."""
        if length < len(self.messages):
            del self.tokens[length:]
            while self.units and self.units[-1].end > length:
                self.units.pop()
            for known in self._defaults.values():
                del known[length:]

    def decisions(self, action: Action, section: Section, reason: str) -> list[Decision]:
        """Return one and the same decision on every message, to be overridden where another was taken."""
        known = self._defaults.setdefault((action, section, reason), [])
        inside = action in ("kept", "recalled")
        for index in range(len(known), len(self.messages)):
            tokens = self.tokens[index]
            known.append(Decision("message", index, action, section, tokens if inside else 0, tokens, reason))
        return known.copy()


class _CostsCache:
    """A cache of the latest conversations' costs; those in use are not in the cache."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._readings: list[ConversationCosts] = []
        self._lock = Lock()

    def take(self, messages: list[Message], counter: Counter) -> ConversationCosts:
        """Return the costs of the conversation that shares most with ``messages``, or new ones."""
        with self._lock:
            alike = [(shared_beginning(known.messages, messages), known) for known in self._readings]
            fitting = [(length, known) for length, known in alike if length and known.counter is counter]
            if not fitting:
                return ConversationCosts(counter)
            best = max(fitting, key=lambda pair: pair[0])[1]
            self._readings = [known for known in self._readings if known is not best]
            return best

    def put(self, reading: ConversationCosts) -> None:
        """Put costs back into the cache; the oldest make room."""
        with self._lock:
            self._readings = [*self._readings, reading][-self._places :]


_shelf = _CostsCache(places=8)


@contextmanager
def reading_of(messages: Sequence[Message], counter: Counter) -> Iterator[ConversationCosts]:
    """Lend the costs of a conversation, extending those of an earlier state of it if they are cached.

    The cache only saves time: results are the same without it.
    """
    all_messages = list(messages)
    reading = _shelf.take(all_messages, counter)
    reading.follow(all_messages)
    try:
        yield reading
    finally:
        _shelf.put(reading)


def shared_beginning(old: list[Message], new: list[Message]) -> int:
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
