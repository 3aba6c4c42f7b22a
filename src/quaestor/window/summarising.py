"""Trying for a summary, and discarding a bad one: nothing is lost by it, for the transcript is as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quaestor.core.messages import Message
from quaestor.window.conversation_costs import Counter
from quaestor.window.summary import central_sentences
from quaestor.window.trim import trim
from quaestor.window.window_settings import Wording
from quaestor.window.window_values import Summarise

NAME = "summary"
# Less than this, in tokens, says nothing.
_LEAST = 24


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary, or the reason why it could not be made.

    Attributes:
        message: what is sent; None if it was discarded.
        tokens: what it takes.
        note: in plain words.
    """

    message: Message | None
    tokens: int
    note: str


def summary_of(
    messages: Sequence[Message], summarise: Summarise | None, budget: int, counter: Counter, wording: Wording
) -> Summary:
    """Return a summary of ``messages`` in up to ``budget`` tokens; never raises for what ``summarise`` does."""
    room = budget - counter.message(as_message("", wording))
    if room < _LEAST:
        return Summary(None, 0, "no summary: its share of the window is too small")
    if summarise is None:
        return _checked_summary(messages, central_sentences(messages, room, counter.text), budget, counter, wording)
    try:
        text = summarise(messages)
    except Exception as error:  # the callback may fail in any way: a model, a network, a cache
        return Summary(None, 0, f"the summary was discarded: making it failed ({type(error).__name__}: {error})"[:300])
    return _checked_summary(messages, text, budget, counter, wording)


def as_message(text: str, wording: Wording) -> Message:
    """Return the message that carries a summary.

    The user's role, not the system's: it repeats what people and tools said and carries no authority.
    """
    return Message("user", f"{wording.summary}\n{text}", name=NAME)


def _checked_summary(
    messages: Sequence[Message], text: str, budget: int, counter: Counter, wording: Wording
) -> Summary:
    if not text.strip():
        return Summary(None, 0, "the summary was discarded: it is empty")
    message = as_message(text.strip(), wording)
    tokens, replaced = counter.message(message), sum(map(counter.message, messages))
    if tokens >= replaced:
        return Summary(None, 0, f"the summary was discarded: its {tokens} tokens replace only {replaced}")
    if tokens <= budget:
        return Summary(message, tokens, f"stands for {len(messages)} messages that are left out")
    cut = trim(text.strip(), budget, lambda part: counter.message(as_message(part, wording)), wording.trimmed)
    if cut is None:
        return Summary(None, 0, f"the summary was discarded: its {tokens} tokens do not fit the {budget} of its share")
    message = as_message(cut, wording)
    note = f"stands for {len(messages)} messages that are left out; cut short from {tokens} tokens"
    return Summary(message, counter.message(message), note)
