"""Fitting passages beside a question into a window: best first, the last one trimmed at a line end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quaestor.core.errors import WindowError
from quaestor.core.messages import Message
from quaestor.llm.prompts.loader import load
from quaestor.llm.prompts.numbered_passages import Passage, show, show_all
from quaestor.llm.tokens import MessageCounter

# A passage cut to less than this says nothing that could be cited.
_LEAST_TOKENS = 40


def fit_passages(
    system: Message, question: str, passages: Sequence[Passage], counter: MessageCounter, limit: int
) -> tuple[Passage, ...]:
    """Return as many passages as fit beside the system message and the question, best first.

    Args:
        system: the system message.
        question: the user's words.
        passages: best first.
        counter: counts messages for the model.
        limit: tokens that the request may take.

    Raises:
        WindowError: the question does not fit even without passages.
    """
    empty = ask_message(question, ())
    needed = counter.request((system, empty))
    if needed > limit:
        raise WindowError(
            f"The question and the instructions take {needed} tokens, {needed - limit} more than the {limit} that "
            "this window leaves. Shorten the question or raise --window.",
            needed=needed,
            limit=limit,
        )
    left = limit - needed
    shown: list[Passage] = []
    for passage in passages:
        fitted = _trimmed(passage, counter, left)
        if fitted is None:
            break
        shown.append(fitted)
        left -= _cost(fitted, counter)
    return tuple(shown)


def ask_message(question: str, passages: Sequence[Passage]) -> Message:
    """Return the user's message as it is sent: the passages, then the question."""
    return Message("user", load("question").render(passages=show_all(passages), question=question))


def _cost(passage: Passage, counter: MessageCounter) -> int:
    # One more for the line end that joins it to the next.
    return counter.tokenizer.count(show(passage)) + 1


def _trimmed(passage: Passage, counter: MessageCounter, left: int) -> Passage | None:
    """Return the passage, or as many of its first lines as fit; None if that is too little."""
    if _cost(passage, counter) <= left:
        return passage
    lines = passage.text.split("\n")
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if _cost(_first_lines(passage, lines, middle), counter) <= left:
            low = middle
        else:
            high = middle - 1
    cut = _first_lines(passage, lines, low)
    return cut if low and counter.tokenizer.count(cut.text) >= _LEAST_TOKENS else None


def _first_lines(passage: Passage, lines: Sequence[str], count: int) -> Passage:
    return replace(passage, text="\n".join(lines[:count]), end_line=passage.start_line + max(count, 1) - 1)
