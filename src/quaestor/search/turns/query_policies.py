"""The query of a turn, made from the conversation by one of several policies.

A conversation is read as exchanges, each question with what was replied to it; their texts are joined under a budget
of tokens, the newest question above all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Literal

from quaestor.core.light_imports import NamedTuple
from quaestor.core.messages import Message
from quaestor.llm.tokens import CalibratedBound
from quaestor.search.query import without_name
from quaestor.search.turns.continuity import continuity, digest, identifiers

Policy = Literal["newest", "first", "questions", "reply", "weighted", "adaptive"]

BUDGET = 750
"""The most tokens of a query."""

_GOES_ON = 0.5
_LONGEST_TOPIC = 8  # exchanges; what was said before them is far from the newest question
_SEEKS_TESTS = re.compile(r"\b(?:tests?|tested|testing|specs?|covered|coverage|exercis\w+)\b", re.IGNORECASE)
_READ = 400  # characters: what is sought shows in the beginning of a question

# Of a longer text only the two ends are read; a query is no longer than this either.
LONGEST_TEXT = 8_000
"""The most characters of one message that are read."""

_CountTokens = Callable[[str], int]
"""Returns the tokens of a text."""

_SMALLEST_PART = 40  # characters; a shorter end of a text says nothing


class TurnQuery(NamedTuple):
    """What to search for in a turn.

    Attributes:
        policy: the policy that made it.
        newest: the newest question, without its middle if the question alone is over the budget.
        text: the newest question with the messages that the policy adds, newest first, within the budget.
        continuity: how likely the newest question goes on with the topic, 0 to 1. Below 1 the newest question is
            searched alone as well.
        identifiers: lower-case identifiers in replies on the topic, but not in the newest question. Earlier answers
            have shown their definitions already.
        seeks_tests: whether it asks for the tests of the topic.
    """

    policy: Policy
    newest: str
    text: str
    continuity: float = 1.0
    identifiers: frozenset[str] = frozenset()
    seeks_tests: bool = False

    @property
    def single(self) -> str:
        """The text to search for if only one is possible: with earlier messages if the topic continues."""
        return self.text if self.continuity >= _GOES_ON else self.newest


class Exchange(NamedTuple):
    """One question and its reply; the newest question has none yet.

    Attributes:
        question: the user's message.
        search_text: the question without the corpus's own name, for the search.
        reply: the assistant's messages of the turn for people, joined; may be empty.
    """

    question: str
    search_text: str
    reply: str = ""


PolicyFunction = Callable[[Sequence[Exchange], int, _CountTokens], TurnQuery]


def query_of_turn(
    messages: Sequence[Message],
    policy: Policy = "adaptive",
    *,
    budget: int = BUDGET,
    count: _CountTokens | None = None,
    corpus: str = "",
) -> TurnQuery:
    """Return what to search for to answer the newest question.

    Args:
        messages: the conversation up to the newest question; what follows that question is left out.
        policy: how the query is made; see ``POLICIES``.
        budget: the most tokens of ``text``.
        count: counts tokens; by default an upper bound over all known tokenizers.
        corpus: the users' name for the corpus, such as its folder's name. Within the corpus it says nothing, so
            questions are searched without it.
    """
    exchanges = exchanges_of(messages, corpus)
    if not exchanges:
        return TurnQuery(policy, "", "")
    return POLICIES[policy](exchanges, budget, count or _token_bound())


@cache
def _token_bound() -> _CountTokens:
    return CalibratedBound().count


def _newest(exchanges: Sequence[Exchange], budget: int, count: _CountTokens) -> TurnQuery:
    """Search for the newest question alone."""
    return _query_with_context("newest", exchanges[-1].search_text, (), budget, count)


def _first(exchanges: Sequence[Exchange], budget: int, count: _CountTokens) -> TurnQuery:
    """Search for the conversation's first question alone: for a conversation about one thing."""
    return _query_with_context("first", exchanges[0].search_text, (), budget, count)


def _questions(exchanges: Sequence[Exchange], budget: int, count: _CountTokens) -> TurnQuery:
    """Search for all of the user's questions, newest first, the newest one twice."""
    questions = [exchange.search_text for exchange in reversed(exchanges)]
    return _query_with_context("questions", questions[0], _repeat_newest(questions[0], questions[1:]), budget, count)


def _reply(exchanges: Sequence[Exchange], budget: int, count: _CountTokens) -> TurnQuery:
    """Search for the newest question and what the previous reply says and names."""
    return _query_with_context("reply", exchanges[-1].search_text, _replies(exchanges[-2:-1]), budget, count)


def _weighted_query(exchanges: Sequence[Exchange], budget: int, count: _CountTokens) -> TurnQuery:
    """Search for the newest question, three times over, and the previous reply."""
    newest = exchanges[-1].search_text
    replies = _replies(exchanges[-2:-1])
    return _query_with_context("weighted", newest, _repeat_newest(newest, replies, times=2), budget, count)


def _adaptive(exchanges: Sequence[Exchange], budget: int, count: _CountTokens) -> TurnQuery:
    """Search for the newest question with the replies on its topic, as far as it continues that topic."""
    newest = exchanges[-1].search_text
    topic = _topic(exchanges[:-1])
    if not topic:
        return _query_with_context("adaptive", newest, (), budget, count)
    seeks_tests = _SEEKS_TESTS.search(newest[:_READ]) is not None
    replies = _replies(topic)
    # Of an exchange without an answer, the question alone tells the topic.
    texts = [reply or question for reply, question in zip(replies, _questions_of(topic), strict=True)]
    others = [*replies, *_questions_of(topic)] if seeks_tests else _repeat_newest(newest, texts)
    return TurnQuery(
        "adaptive",
        _join_fitting(newest, (), budget, count),
        _join_fitting(newest, others, budget, count),
        continuity(exchanges[-1].question, _text_of(exchanges[-2])),
        _names_in_replies(newest, topic),
        seeks_tests,
    )


POLICIES: Mapping[Policy, PolicyFunction] = {
    "newest": _newest,
    "first": _first,
    "questions": _questions,
    "reply": _reply,
    "weighted": _weighted_query,
    "adaptive": _adaptive,
}
"""How each policy makes its query; ``adaptive`` is the default, after ``benchmarks/conversations.py``."""


def _query_with_context(
    policy: Policy, first: str, others: Sequence[str], budget: int, count: _CountTokens
) -> TurnQuery:
    return TurnQuery(policy, _join_fitting(first, (), budget, count), _join_fitting(first, others, budget, count))


def _repeat_newest(newest: str, others: Sequence[str], times: int = 1) -> list[str]:
    """Return what to add to the newest question: itself ``times`` times, unless it is long or alone, and the others."""
    return [*([newest] * times if any(others) and len(newest) <= _READ else ()), *others]


def _topic(earlier: Sequence[Exchange]) -> list[Exchange]:
    """Return the last exchanges on one topic, oldest first."""
    start, oldest = len(earlier) - 1, max(0, len(earlier) - _LONGEST_TOPIC)
    while start > oldest and continuity(earlier[start].question, _text_of(earlier[start - 1])) >= _GOES_ON:
        start -= 1
    return list(earlier[max(start, 0) :])


def _text_of(exchange: Exchange) -> str:
    return f"{exchange.question}\n{exchange.reply}"


def _replies(exchanges: Sequence[Exchange]) -> list[str]:
    return [digest(exchange.reply) for exchange in reversed(exchanges)]


def _questions_of(exchanges: Sequence[Exchange]) -> list[str]:
    return [exchange.search_text for exchange in reversed(exchanges)]


def _names_in_replies(newest: str, topic: Sequence[Exchange]) -> frozenset[str]:
    question = newest.lower()
    names = {name.lower() for exchange in topic for name in identifiers(exchange.reply)}
    return frozenset(name for name in names if name not in question)


def exchanges_of(messages: Sequence[Message], corpus: str = "") -> list[Exchange]:
    """Return the exchanges in order, the newest question last.

    System messages, few-shot examples, tool calls and tool results are not part of what people said. Questions in a
    row without a reply are exchanges of their own. What the assistant says before any question is left out.

    Args:
        messages: the conversation.
        corpus: the name that users have for the corpus, if any.
    """
    exchanges: list[Exchange] = []
    for message in messages:
        if (message.name or "").startswith("example_"):
            continue
        text = _without_long_middle(message.content).strip()
        if message.role == "user" and text:
            exchanges.append(Exchange(text, without_name(text, corpus)))
        elif message.role == "assistant" and exchanges and text:
            last = exchanges[-1]
            exchanges[-1] = last._replace(reply=_without_long_middle(f"{last.reply}\n{text}".strip()))
    return exchanges


def _without_long_middle(text: str) -> str:
    """Return the text, without its middle if it is very long; NUL is not a letter of any question."""
    if len(text) > LONGEST_TEXT:
        text = f"{text[: LONGEST_TEXT // 2 - 1]}\n{text[-LONGEST_TEXT // 2 :]}"
    return text.replace("\x00", " ")


def _join_fitting(first: str, others: Iterable[str], budget: int, count: _CountTokens) -> str:
    """Return ``first`` and as many of ``others`` as fit, in order, a line each.

    ``first`` is whole unless it alone is over the budget; then its middle is left out. The first of the others that
    does not fit is cut at its end, and nothing follows it.

    Args:
        first: the text that must be in the result.
        others: further texts, most important first; empty ones are skipped.
        budget: the most tokens of the result.
        count: counts tokens; it need not be additive.
    """
    if not _fits(first, budget, count):
        return _without_middle(first, budget, count)
    text = first
    for other in filter(None, others):
        longer = f"{text}\n{other}" if text else other
        if not _fits(longer, budget, count):
            return (
                _longest(len(text) + _SMALLEST_PART, len(longer), partial(_first_letters, longer), budget, count)
                or text
            )
        text = longer
    return text


def _fits(text: str, budget: int, count: _CountTokens) -> bool:
    """Return whether a text fits; no token is shorter than a byte, so a short text's tokens need not be counted."""
    return len(text.encode("utf-8", "replace")) <= budget or count(text) <= budget


def _without_middle(text: str, budget: int, count: _CountTokens) -> str:
    """Return both ends of a text: a long paste has its question before or after it."""
    return _longest(1, len(text) // 2, lambda size: f"{text[:size]}\n{text[-size:]}", budget, count)


def _first_letters(text: str, size: int) -> str:
    return text[:size]


def _longest(low: int, high: int, make: Callable[[int], str], budget: int, count: _CountTokens) -> str:
    """Return the text of the greatest size that fits, by bisection; empty if none was seen to fit."""
    best = ""
    while low <= high:
        size = (low + high) // 2
        text = make(size)
        if count(text) <= budget:
            best, low = text, size + 1
        else:
            high = size - 1
    return best
