"""The systems that choose which messages of a conversation are sent: ours, two peers, and plain baselines.

Each gets the same limit, which leaves room for the reply, counts with the same tokenizer and the same overheads, and
returns the messages of its window.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from langchain_core.messages import AIMessage, HumanMessage, trim_messages
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer

from quaestor.core.messages import Message
from quaestor.embedding import Embedder
from quaestor.llm.tokens import MessageCounter, counter_for
from quaestor.window import Policy, Recall, compose
from quaestor.window.recall import MessageTerms
from quaestor.window.summary import content_terms_in

RESERVE = 500
MODEL = "gpt-4o"


class System(Protocol):
    """Chooses messages for a question; ``begin`` is called once a conversation."""

    def begin(self, history: Sequence[Message]) -> None: ...

    def window(self, question: Message, limit: int) -> Sequence[Message]: ...


class Quaestor:
    """One of our policies."""

    def __init__(self, policy: Policy, embedder: Embedder | None) -> None:
        self._policy = policy
        self._embedder = embedder

    def begin(self, history: Sequence[Message]) -> None:
        self._history = list(history)
        self._recall = Recall(self._embedder)

    def window(self, question: Message, limit: int) -> Sequence[Message]:
        messages = [*self._history, question]
        counter = _counter()
        composed = compose(
            messages, limit=limit, reserve=RESERVE, policy=self._policy, recall=self._recall, tokenizer=counter
        )
        return composed.messages


class Bm25:
    """The question's words alone: messages by BM25 until the limit is reached."""

    def begin(self, history: Sequence[Message]) -> None:
        self._history = list(history)
        self._terms = MessageTerms()
        for message in history:
            self._terms.add(content_terms_in(message.content))

    def window(self, question: Message, limit: int) -> Sequence[Message]:
        counter = _counter()
        left = limit - RESERVE - counter.messages([question])
        chosen: list[int] = []
        scores = self._terms.score(dict.fromkeys(content_terms_in(question.content), 1.0))
        for place in np.argsort(-scores, kind="stable").tolist():
            tokens = counter.message(self._history[place])
            if tokens <= left:
                chosen.append(place)
                left -= tokens
        return [*(self._history[place] for place in sorted(chosen)), question]


class LangChain:
    """``langchain_core.messages.trim_messages`` with its strategy ``last``."""

    def begin(self, history: Sequence[Message]) -> None:

        def converted(message: Message) -> Any:
            kind = HumanMessage if message.role == "user" else AIMessage
            return kind(message.content, name=message.name)

        self._converted = converted
        self._history = [converted(message) for message in history]

    def window(self, question: Message, limit: int) -> Sequence[Message]:

        kept = trim_messages(
            [*self._history, self._converted(question)],
            max_tokens=limit - RESERVE,
            strategy="last",
            token_counter=lambda messages: _counter().messages(map(_from_langchain, messages)),
        )
        return [_from_langchain(message) for message in kept]


def _from_langchain(message: Any) -> Message:
    return Message("user" if message.type == "human" else "assistant", message.content, name=message.name)


class LlamaIndex:
    """``llama_index.core.memory.ChatMemoryBuffer``.

    It counts texts alone, so what it gives can exceed the limit. It counts the whole history again for every message
    that it leaves out, so it is given only the latest messages, a tenth more than can fit: its windows are the same.
    """

    def begin(self, history: Sequence[Message]) -> None:
        self._history = list(history)

    def window(self, question: Message, limit: int) -> Sequence[Message]:

        counter = _counter()
        latest, tokens = [question], counter.text(question.content)
        for message in reversed(self._history):
            if tokens > 1.1 * (limit - RESERVE):
                break
            latest.append(message)
            tokens += counter.text(message.content)
        latest.reverse()
        buffer = ChatMemoryBuffer.from_defaults(
            chat_history=[ChatMessage(role=message.role, content=message.content) for message in latest],
            token_limit=limit - RESERVE,
            tokenizer_fn=lambda text: range(counter.text(text)),
        )
        return latest[len(latest) - len(buffer.get()) :]


def _counter() -> MessageCounter:
    return counter_for(MODEL)
