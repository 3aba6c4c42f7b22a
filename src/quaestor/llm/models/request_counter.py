"""Counts a model's requests; if we write the prompt ourselves, in the form of ChatML."""

from __future__ import annotations

from quaestor.core.messages import Message
from quaestor.llm import chatml, tags
from quaestor.llm.models import Model
from quaestor.llm.tokens import MessageCounter, Overheads, Tokenizer, counter_for


def counter_of(model: Model | None) -> MessageCounter:
    """Return a model's own counter, else the one for its name; without a model, the one for GPT-4o."""
    if model is None:
        return counter_for("gpt-4o")
    counter = getattr(model, "counter", None)
    return counter if isinstance(counter, MessageCounter) else counter_for(model.name)


# Many servers put a token of their own at the beginning of a prompt.
_BEGINNING = 1


class ChatMLCounter(MessageCounter):
    """Counts what ``chatml.render`` returns: exactly with an exact tokenizer, except for a token at the beginning.

    Args:
        tokenizer: counts texts.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        reply = _BEGINNING + 1 + tokenizer.count("assistant\n")
        super().__init__(tokenizer, Overheads(0, 0, reply, 0, 0, 0, indented=False))

    def message(self, message: Message) -> int:
        """Return the tokens of one message's blocks."""
        return sum(1 if not isinstance(item, str) else self._piece(item) for item in chatml.render([message]))

    def _piece(self, text: str) -> int:
        # Which of the forms is sent may change with what the server takes.
        forms = {text, chatml.neutralise(text), chatml.neutralise(text, tags.OPENINGS)}
        return max(map(self.tokenizer.count, forms))
