"""Answering one question from a corpus, without a conversation around it.

Without a model the answer is made of quotes. In both cases every citation is checked against the file's bytes; if the
corpus does not hold an answer, the answer says so and shows the nearest passages.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from quaestor.answers.quotes.pick_quotes import answer as extract
from quaestor.chat.chat_settings import ConversationSettings
from quaestor.chat.engine import Conversation
from quaestor.chat.events import Citations, Done, Event, Passages, Searching, Text
from quaestor.core.messages import Usage
from quaestor.corpus import Corpus
from quaestor.llm.models import Model
from quaestor.tools import Registry


async def answer_question(
    corpus: Corpus,
    model: Model | None,
    question: str,
    settings: ConversationSettings,
    *,
    limit: int = 8192,
    subroutines: Registry | None = None,
) -> AsyncGenerator[Event]:
    """Yield the steps of answering, the last of them ``Done``.

    Args:
        corpus: the corpus.
        model: the model; None makes an answer of quotes.
        question: the question.
        settings: the settings of the answer.
        limit: the model's window, tokens.
        subroutines: tools that the model may call, or None.

    Raises:
        UpstreamError: the model failed; steps yielded before remain valid.
        WindowError: the question alone does not fit the model's window.
        LimitError: the answer exceeded its limit of time, tokens or money.
    """
    if not question.strip():
        for event in _events_of_no_question(question):
            yield event
        return
    conversation = Conversation(corpus, model, limit=limit, settings=settings, subroutines=subroutines)
    async with aclosing(conversation.send(question)) as events:
        async for event in events:
            yield event


def _events_of_no_question(question: str) -> tuple[Event, ...]:
    """Return the events of an answer to a question that asks nothing."""
    answer = extract(question, ())
    done = Done(answer.text, False, "extractive", Usage(0, 0, reported=False))
    return Searching(question), Passages((), False), Text(answer.text), Citations(()), done
