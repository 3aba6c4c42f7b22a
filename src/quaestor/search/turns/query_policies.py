"""The query of a turn, made from the conversation by one of several policies."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from quaestor.core.messages import Message
from quaestor.llm.tokens import CalibratedBound
from quaestor.search.turns.continuity import continuity
from quaestor.search.turns.exchanges import Exchange, exchanges_of
from quaestor.search.turns.reply_names import digest, identifiers
from quaestor.search.turns.token_budget import CountTokens, joined

Policy = Literal["newest", "first", "questions", "reply", "weighted", "adaptive"]

BUDGET = 750
"""Tokens of a query, at most."""

_GOES_ON = 0.5
_LONGEST_TOPIC = 8  # exchanges; what was said before them is far from the newest question
_SEEKS_TESTS = re.compile(r"\b(?:tests?|tested|testing|specs?|covered|coverage|exercis\w+)\b", re.IGNORECASE)
_READ = 400  # characters: what is sought shows in the beginning of a question


@dataclass(frozen=True, slots=True)
class TurnQuery:
    """What to search for in a turn.

    Attributes:
        policy: how it was made.
        newest: the newest question, without its middle if it alone is over the budget.
        text: the newest question with what the policy adds to it, newest first, within the budget.
        continuity: how likely the newest question goes on with the topic, 0 to 1. Below 1 the newest question is
            searched alone as well.
        named: lower-case identifiers that replies on the topic have named and the newest question does not. Where
            they are defined has been answered already.
        seeks_tests: whether it asks for the tests of what was talked about.
    """

    policy: Policy
    newest: str
    text: str
    continuity: float = 1.0
    named: frozenset[str] = frozenset()
    seeks_tests: bool = False

    @property
    def single(self) -> str:
        """The one text to search for, where only one can be: with what was said before if the topic goes on."""
        return self.text if self.continuity >= _GOES_ON else self.newest


Made = Callable[[Sequence[Exchange], int, CountTokens], TurnQuery]


def query_of_turn(
    messages: Sequence[Message],
    policy: Policy = "adaptive",
    *,
    budget: int = BUDGET,
    count: CountTokens | None = None,
    corpus: str = "",
) -> TurnQuery:
    """Return what to search for to answer the newest question.

    Args:
        messages: the conversation up to the newest question; what follows that question is left out.
        policy: what the query is made of; see ``POLICIES``.
        budget: tokens of ``text`` at most.
        count: counts tokens; by default an upper bound over all known tokenizers.
        corpus: what users call the corpus, such as its folder's name. Within it the name says nothing, so questions
            are searched without it.
    """
    exchanges = exchanges_of(messages, corpus)
    if not exchanges:
        return TurnQuery(policy, "", "")
    return POLICIES[policy](exchanges, budget, count or _bound())


@cache
def _bound() -> CountTokens:
    return CalibratedBound().count


def _newest(exchanges: Sequence[Exchange], budget: int, count: CountTokens) -> TurnQuery:
    """Search for the newest question alone."""
    return _plain("newest", exchanges[-1].sought, (), budget, count)


def _first(exchanges: Sequence[Exchange], budget: int, count: CountTokens) -> TurnQuery:
    """Search for the conversation's first question alone: for a conversation about one thing."""
    return _plain("first", exchanges[0].sought, (), budget, count)


def _questions(exchanges: Sequence[Exchange], budget: int, count: CountTokens) -> TurnQuery:
    """Search for all of the user's questions, newest first, the newest one twice."""
    questions = [exchange.sought for exchange in reversed(exchanges)]
    return _plain("questions", questions[0], _again(questions[0], questions[1:]), budget, count)


def _reply(exchanges: Sequence[Exchange], budget: int, count: CountTokens) -> TurnQuery:
    """Search for the newest question and what the previous reply says and names."""
    return _plain("reply", exchanges[-1].sought, _replies(exchanges[-2:-1]), budget, count)


def _weighted(exchanges: Sequence[Exchange], budget: int, count: CountTokens) -> TurnQuery:
    """Search for the newest question, three times over, and the previous reply."""
    newest = exchanges[-1].sought
    said = _replies(exchanges[-2:-1])
    return _plain("weighted", newest, _again(newest, said, times=2), budget, count)


def _adaptive(exchanges: Sequence[Exchange], budget: int, count: CountTokens) -> TurnQuery:
    """Search for the newest question with the replies on its topic, as far as it goes on with that topic."""
    newest = exchanges[-1].sought
    topic = _topic(exchanges[:-1])
    if not topic:
        return _plain("adaptive", newest, (), budget, count)
    seeks_tests = _SEEKS_TESTS.search(newest[:_READ]) is not None
    said = _replies(topic)
    others = [*said, *_questions_of(topic)] if seeks_tests else _again(newest, said)
    return TurnQuery(
        "adaptive",
        joined(newest, (), budget, count),
        joined(newest, others, budget, count),
        continuity(exchanges[-1].question, _whole(exchanges[-2])),
        _named(newest, topic),
        seeks_tests,
    )


POLICIES: Mapping[Policy, Made] = {
    "newest": _newest,
    "first": _first,
    "questions": _questions,
    "reply": _reply,
    "weighted": _weighted,
    "adaptive": _adaptive,
}
"""How each policy makes its query; ``adaptive`` is the default, after ``benchmarks/conversations.py``."""


def _plain(policy: Policy, first: str, others: Sequence[str], budget: int, count: CountTokens) -> TurnQuery:
    return TurnQuery(policy, joined(first, (), budget, count), joined(first, others, budget, count))


def _again(newest: str, others: Sequence[str], times: int = 1) -> list[str]:
    """Return the newest question ``times`` more, then the others; a long or only question is weighty enough once."""
    return [*([newest] * times if any(others) and len(newest) <= _READ else ()), *others]


def _topic(earlier: Sequence[Exchange]) -> list[Exchange]:
    """Return the last exchanges on one topic, oldest first."""
    start, oldest = len(earlier) - 1, max(0, len(earlier) - _LONGEST_TOPIC)
    while start > oldest and continuity(earlier[start].question, _whole(earlier[start - 1])) >= _GOES_ON:
        start -= 1
    return list(earlier[max(start, 0) :])


def _whole(exchange: Exchange) -> str:
    return f"{exchange.question}\n{exchange.reply}"


def _replies(exchanges: Sequence[Exchange]) -> list[str]:
    return [digest(exchange.reply) for exchange in reversed(exchanges)]


def _questions_of(exchanges: Sequence[Exchange]) -> list[str]:
    return [exchange.sought for exchange in reversed(exchanges)]


def _named(newest: str, topic: Sequence[Exchange]) -> frozenset[str]:
    asked = newest.lower()
    names = {name.lower() for exchange in topic for name in identifiers(exchange.reply)}
    return frozenset(name for name in names if name not in asked)
