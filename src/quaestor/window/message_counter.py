"""From what the caller gives as a tokenizer to a counter of whole messages."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from quaestor.llm.tokens import MessageCounter, Tokenizer, counter_for
from quaestor.llm.tokens.message_counts import OPENAI, TEMPLATE
from quaestor.window.conversation_costs import Counter

if TYPE_CHECKING:
    from typing_extensions import TypeIs

DEFAULT_MODEL = "gpt-4o"
_OPENAI_ENCODINGS = frozenset({"cl100k_base", "o200k_base"})


def as_counter(tokenizer: Tokenizer | Counter | None) -> Counter:
    """Return the counter for a tokenizer; None stands for the encoding of OpenAI's current models.

    With OpenAI's encodings, what surrounds a message is counted as OpenAI does. Around any other tokenizer
    lies a chat template that we cannot see, so the allowance for it is generous; give a ``MessageCounter`` to
    be exact.
    """
    if tokenizer is None:
        return _default()
    return _around(tokenizer) if _is_tokenizer(tokenizer) else tokenizer  # type: ignore[arg-type]


def _is_tokenizer(tokenizer: Tokenizer | Counter) -> TypeIs[Tokenizer]:
    return not hasattr(tokenizer, "message")


@lru_cache(maxsize=1)
def _default() -> Counter:
    return counter_for(DEFAULT_MODEL)


# One counter a tokenizer, so that readings are found again.
@lru_cache(maxsize=16)
def _around(tokenizer: Tokenizer) -> Counter:
    known = getattr(tokenizer, "name", None) in _OPENAI_ENCODINGS
    return MessageCounter(tokenizer, OPENAI if known else TEMPLATE)
