"""Answering one question from a corpus: retrieve, show the model what was found, stream, check the citations.

With no model the answer is made of quotes. In both cases every citation is matched against the file's bytes, and where
the corpus does not hold an answer that is said, with the nearest passages.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass

from quaestor.chat.events import Citations, Done, Event, Passages, Searching, Text
from quaestor.chat.fitting import fit_passages
from quaestor.chat.visible import Visible
from quaestor.citations.mark import NO_ANSWER
from quaestor.citations.verify import verify
from quaestor.corpus import Corpus
from quaestor.messages import Message, Usage
from quaestor.models import Finished, Model, Request
from quaestor.models.extractive import answer as extract
from quaestor.prompts.loader import load
from quaestor.prompts.passages import Passage, number, show_all
from quaestor.tokens import MessageCounter, counter_for

_EXTRACTIVE = "extractive"
_NOTHING = "Nothing in this corpus has to do with the question."


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """How a question is answered.

    Attributes:
        passages: how many passages are retrieved.
        window: the model's window, tokens.
        reserve: tokens kept free for the reply.
        temperature: 0 is the most settled.
    """

    passages: int = 8
    window: int = 8192
    reserve: int = 1000
    temperature: float = 0.1


async def answer_question(
    corpus: Corpus, model: Model | None, question: str, settings: AnswerSettings
) -> AsyncGenerator[Event]:
    """Yield the steps of answering, the last of them ``Done``.

    Raises:
        UpstreamError: the model failed; what was yielded until then stays true.
        WindowError: the question alone does not fit the model's window.
    """
    yield Searching(question)
    hits = tuple(corpus.search(question, settings.passages))
    quoted = extract(question, number(hits), corpus.embedder.encode)
    yield Passages(hits, quoted.known)
    if model is None:
        for event in _quoted(corpus, question, quoted.text, quoted.known, number(hits)):
            yield event
        return
    if not hits:
        # With nothing to answer from, a model could only invent.
        for event in (Text(_NOTHING), Citations(()), Done(_NOTHING, False, model.name, Usage(0, 0, reported=False))):
            yield event
        return
    async for event in _synthesised(corpus, model, question, number(hits), settings):
        yield event


def _quoted(corpus: Corpus, question: str, text: str, known: bool, passages: Sequence[Passage]) -> Sequence[Event]:
    """Return the events of an answer made of quotes."""
    done = Done(text, known, _EXTRACTIVE, Usage(0, 0, reported=False))
    if not known:
        return (Text(text), Citations(()), done)
    checked = verify(text, passages, corpus.read)
    return (Text(text), Citations(checked.citations), done)


async def _synthesised(
    corpus: Corpus, model: Model, question: str, passages: Sequence[Passage], settings: AnswerSettings
) -> AsyncIterator[Event]:
    """Yield the events of an answer that a model writes from the passages."""
    counter = counter_for(model.name)
    system = Message("system", load("answer").render(no_answer=NO_ANSWER))
    shown = fit_passages(system, question, passages, counter, settings.window - settings.reserve)
    request = Request(
        messages=(system, ask_message(question, shown)),
        temperature=settings.temperature,
        max_tokens=settings.reserve,
    )
    visible, usage, name = Visible(), None, model.name
    async for delta in model.stream(request):
        if isinstance(delta, Finished):
            usage, name = delta.usage, delta.model or name
        elif text := visible.feed(delta.text):
            yield Text(text)
    if text := visible.rest():
        yield Text(text)
    checked = verify(visible.written, shown, corpus.read)
    yield Citations(
        checked.citations if visible.known else (), tuple(sentence.text for sentence in checked.unsupported)
    )
    yield Done(visible.answer, visible.known, name, usage or _counted(counter, request, visible.written))


def ask_message(question: str, passages: Sequence[Passage]) -> Message:
    """Return the user's message as it is sent: the passages, then the question."""
    return Message("user", load("question").render(passages=show_all(passages), question=question))


def _counted(counter: MessageCounter, request: Request, written: str) -> Usage:
    sent = counter.request(request.messages)
    return Usage(sent, counter.tokenizer.count(written), reported=False)
