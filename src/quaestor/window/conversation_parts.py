"""The parts of a conversation: its head, its examples, its history, the newest question and the turn after
it."""

from __future__ import annotations

from collections.abc import Sequence

from quaestor.core.light_imports import NamedTuple
from quaestor.core.messages import Message
from quaestor.window import passage_placing, summary
from quaestor.window.conversation_costs import RESULT, Unit

EXAMPLE = "example_"


class Frame(NamedTuple):
    """Numbers of units by the part that they play.

    Attributes:
        head: system messages before anything else, examples excepted.
        examples: few-shot examples in groups, each with a user's and an assistant's part.
        history: units between head and question.
        question: the newest user message; None in a conversation without one.
        turn: units after the question: calls, results, the beginning of a reply.
        last: the last unit that can be sent, when it is neither head nor question.
        carries: whether the conversation already has passages before the question.
    """

    head: tuple[int, ...]
    examples: tuple[tuple[int, ...], ...]
    history: range
    question: int | None
    turn: range
    last: int | None
    carries: bool


def frame(messages: Sequence[Message], units: Sequence[Unit]) -> Frame:
    """Return the parts of a conversation."""
    first = next((n for n, unit in enumerate(units) if messages[unit.start].role != "system"), len(units))
    question = _newest_question(messages, units, first)
    after = first if question is None else question + 1
    last = next((n for n in range(len(units) - 1, after - 1, -1) if units[n].fault is None), None)
    if question is None:
        history, turn = range(first, len(units)), range(0)
    else:
        history, turn = range(first, question), range(question + 1, len(units))
    return Frame(
        head=tuple(n for n in range(first) if not _is_example(messages[units[n].start])),
        examples=_groups(messages, units, first),
        history=history,
        question=question,
        turn=turn,
        last=last,
        carries=_carries(messages, len(messages) if question is None else units[question].start),
    )


def _newest_question(messages: Sequence[Message], units: Sequence[Unit], first: int) -> int | None:
    places = (n for n in range(len(units) - 1, first - 1, -1) if _is_from_user(messages[units[n].start]))
    return next(places, None)


def _is_from_user(message: Message) -> bool:
    # What the window or the engine wrote in the user's role asks nothing.
    return message.role == "user" and message.name not in (passage_placing.NAME, summary.NAME, RESULT)


def _carries(messages: Sequence[Message], end: int) -> bool:
    return end > 0 and messages[end - 1].role == "user" and messages[end - 1].name == passage_placing.NAME


def _is_example(message: Message) -> bool:
    return message.name is not None and message.name.startswith(EXAMPLE)


def _groups(messages: Sequence[Message], units: Sequence[Unit], first: int) -> tuple[tuple[int, ...], ...]:
    groups: list[list[int]] = []
    for number in range(first):
        message = messages[units[number].start]
        if not _is_example(message):
            continue
        if not groups or message.name == f"{EXAMPLE}user":
            groups.append([])
        groups[-1].append(number)
    return tuple(map(tuple, groups))
