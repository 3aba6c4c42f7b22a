"""How a model's requests are counted."""

from __future__ import annotations

from quaestor.llm.models import Model
from quaestor.llm.tokens import MessageCounter, counter_for


def counter_of(model: Model | None) -> MessageCounter:
    """Return a model's own counter, else the one that goes by its name; without a model, that of GPT-4o."""
    if model is None:
        return counter_for("gpt-4o")
    counter = getattr(model, "counter", None)
    return counter if isinstance(counter, MessageCounter) else counter_for(model.name)
