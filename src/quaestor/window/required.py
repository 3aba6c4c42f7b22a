"""What is in every window: the head, the newest question, the end of its turn."""

from __future__ import annotations

from quaestor.core.errors import WindowError
from quaestor.window.conversation_parts import Frame
from quaestor.window.draft import Draft

HEAD = "system message at the head: always kept"
QUESTION = "the newest question: always kept"
END = "the end of the newest turn: always kept"
EXAMPLE = "few-shot example"
WHOLE = "everything fits"


def take_required(draft: Draft, frame: Frame, limit: int, reserve: int, floor: int = 0) -> None:
    """Take what must be kept; the end of the turn is cut short before it comes to an error.

    Args:
        draft: what takes it.
        frame: the parts of the conversation.
        limit: the model's window, tokens.
        reserve: tokens kept free for the reply.
        floor: tokens that a result at the end of the turn leaves to the passages, being no begun reply.

    Raises:
        WindowError: it does not fit nevertheless.
    """
    for number in frame.head:
        draft.take(number, "system", HEAD)
    if frame.question is not None:
        draft.take(frame.question, "question", QUESTION)
    if frame.last is not None:
        _take_end(draft, frame.last, floor)
    if draft.budget.free < 0:
        raise _too_small(draft, limit, reserve)


def _take_end(draft: Draft, last: int, floor: int) -> None:
    """Take the end of the turn: whole if it leaves the passages their floor, then cut, then without a floor."""
    free = draft.budget.free
    # What the server is to go on with cannot be cut; a result can, and the passages are as good as it.
    rooms = (free - floor, free) if draft.reading.is_result(last) else (free,)
    for room in rooms:
        if draft.take_if_it_fits(last, "question", END, budget=room):
            return
        if room > 0 and draft.take_trimmed(last, "question", room):
            return
    draft.take(last, "question", END)


def take_examples(draft: Draft, frame: Frame, budget: int) -> None:
    """Take the first few-shot examples that fit ``budget`` tokens, in pairs."""
    for group in frame.examples:
        budget -= sum(draft.reading.unit_tokens[number] for number in group)
        if budget < 0:
            return
        for number in group:
            draft.take(number, "examples", EXAMPLE)


def take_all(draft: Draft, frame: Frame) -> None:
    """Take every message that can be sent."""
    head, examples = set(frame.head), {number for group in frame.examples for number in group}
    for number, unit in enumerate(draft.reading.units):
        if unit.fault:
            continue
        if number in head:
            draft.take(number, "system", HEAD)
        elif number in examples:
            draft.take(number, "examples", EXAMPLE)
        elif number in (frame.question, frame.last):
            draft.take(number, "question", QUESTION if number == frame.question else END)
        else:
            draft.take(number, "recent", WHOLE)


def _too_small(draft: Draft, limit: int, reserve: int) -> WindowError:
    needed = draft.budget.spent + reserve
    sections = ", ".join(f"{name} {tokens}" for name, tokens in draft.budget.sections.items() if tokens)
    return WindowError(
        f"what must be kept takes {draft.budget.spent} tokens ({sections}) and {reserve} are reserved for the reply,"
        f" but the window holds {limit}; shorten it by {needed - limit} tokens, lower the reserve, or use a model with"
        f" a window of {needed} or more",
        needed=needed,
        limit=limit,
    )
