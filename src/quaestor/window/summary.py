"""Summaries of messages that no longer fit: by a model, or without one by the most central sentences.

A bad summary is discarded. Nothing is lost by it, for the transcript is as it was.
"""

from __future__ import annotations

import collections
import re
from collections.abc import Callable, Sequence
from math import log1p, sqrt

from quaestor.core.light_imports import NamedTuple
from quaestor.core.messages import Message
from quaestor.core.terms import find_words, terms_of_word
from quaestor.window.conversation_costs import Counter
from quaestor.window.trim import trim
from quaestor.window.window_values import Summarise, Wording

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_LETTERS = 4_000
_LONGEST = 400
_NEWEST = 300
_OLDEST = 60

NAME = "summary"
# Less than this, in tokens, says nothing.
_LEAST = 24
# Function words of English, and what its contractions leave behind. Other languages rely on rarity alone.
_STOP_WORDS = frozenset(
    """
    a an and are as at be been being but by can could d did do does doing don for from had has have having
    he her hers him his how i if in into is it its ll m me my of on or our ours out over re s she so some
    such t than that the their them then there these they this those to too up us ve was we were what when
    where which while who whom whose why will with would you your yours about after again all also am any
    because before both down during each few further here just more most no nor not now off once only other
    own same should through under until very
    """.split()
)


def central_sentences(messages: Sequence[Message], budget: int, count: Callable[[str], int]) -> str:
    """Return the sentences closest to the centre of ``messages``, in order, one a line, in up to ``budget``
    tokens.

    A centroid summary after Radev et al. (2004): sentences are ranked by the tf-idf weight of their terms
    that the whole shares, and each term counts less once it was said. Of very long conversations the first
    and the latest messages are read.
    """
    read = [*messages[:_OLDEST], *messages[max(_OLDEST, len(messages) - _NEWEST) :]]
    sentences = [line for message in read for line in _sentences(message)]
    terms = [frozenset(content_terms_in(line)) for line in sentences]
    chosen: list[int] = []
    remaining = budget
    for number in _by_centrality(terms):
        cost = count(f"{sentences[number]}\n")
        if cost <= remaining:
            chosen.append(number)
            remaining -= cost
        elif remaining < 8:
            break
    return "\n".join(sentences[number] for number in sorted(chosen))


class RollingSummary:
    """Makes a new summary only when enough messages were left out since the last one.

    Wraps a ``summarise`` that costs money or seconds. Between two calls, the last summary is returned, without the
    messages left out since. A different conversation starts over.

    Args:
        summarise: turns messages into a summary; given the last summary as a first message when there is one.
        every: messages that may be left out before the next call.
    """

    def __init__(self, summarise: Summarise, every: int = 16) -> None:
        self._summarise = summarise
        self._every = every
        self._covered: list[Message] = []
        self._text = ""

    def __call__(self, messages: Sequence[Message]) -> str:
        """Return a summary of ``messages``, or of all but the latest few of them."""
        known = len(self._covered)
        if not known or list(messages[:known]) != self._covered:
            return self._remember(messages, messages)
        if len(messages) - known < self._every:
            return self._text
        return self._remember(messages, [Message("user", self._text, name="summary"), *messages[known:]])

    def _remember(self, messages: Sequence[Message], read: Sequence[Message]) -> str:
        text = self._summarise(read)
        if text.strip():
            self._covered, self._text = list(messages), text
        return text


def _sentences(message: Message) -> list[str]:
    if message.role in ("system", "tool"):
        return []
    speaker = message.name or message.role
    lines = (line.strip() for line in _SENTENCE.split(message.content[:_LETTERS]))
    return [f"{speaker}: {line}" for line in lines if 0 < len(line) <= _LONGEST and not line.endswith("?")]


def _by_centrality(sentences: Sequence[frozenset[str]]) -> list[int]:
    """Return the numbers of the sentences, most central first, what repeats earlier choices pushed back."""
    spread = collections.Counter(term for terms in sentences for term in terms)
    weights = {term: number * log1p(len(sentences) / number) for term, number in spread.items() if number > 1}
    first = sorted(range(len(sentences)), key=lambda number: -_weight(sentences[number], weights))
    counts: collections.Counter[str] = collections.Counter()
    again: dict[int, float] = {}
    for number in first:
        again[number] = sum(weights.get(term, 0) / (1 + counts[term]) for term in sentences[number])
        again[number] /= sqrt(len(sentences[number]) + 1)
        counts.update(sentences[number])
    return sorted(first, key=lambda number: -again[number])


def _weight(terms: frozenset[str], weights: dict[str, float]) -> float:
    return sum(weights.get(term, 0) for term in terms) / sqrt(len(terms) + 1)


class Summary(NamedTuple):
    """A summary, or the reason why it could not be made.

    Attributes:
        message: the message to send; None if the summary was discarded.
        tokens: the number of tokens of the message.
        note: the note in plain words.
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


def content_terms_in(text: str) -> list[str]:
    """Return the lexical terms of ``text`` without stop words, in order, as often as they occur."""
    return [term for word in find_words(text) if word.lower() not in _STOP_WORDS for term in terms_of_word(word)]
