"""Holding a conversation over a corpus: retrieve, compose, stream, verify, record; one turn at a time.

Every turn ends on record as done, failed or cancelled. Only a turn that is done joins the conversation; the question of
any other can be asked again with ``resume``. This module does not know how requests reach a model, how a window
divides itself, nor where a transcript lies.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from functools import partial

from quaestor.chat.composing import Composer, instructions, prompt_hashes, shown_passages
from quaestor.chat.events import Citations, Composed, Done, Event, Passages, Retried, Searching, Summarising, Text
from quaestor.chat.numbering import Numbering
from quaestor.chat.records import Ending
from quaestor.chat.rows import clean
from quaestor.chat.settings import ConversationSettings
from quaestor.chat.streaming import stream_within, whole_reply
from quaestor.chat.summaries import Summaries
from quaestor.chat.transcript import Transcript
from quaestor.chat.turn import Preview, Turn
from quaestor.citations.verify import verify
from quaestor.corpus import Corpus
from quaestor.errors import LimitError, QuaestorError, UsageError
from quaestor.messages import Message, Usage
from quaestor.models import Finished, Model, Request, TextDelta
from quaestor.models.extractive import ExtractiveAnswer
from quaestor.models.extractive import answer as extract
from quaestor.models.failures import TooLongError
from quaestor.models.overflow import learned_limit
from quaestor.passages import Citation, Hit
from quaestor.retrieval.conversation import TurnQuery, query_of_turn
from quaestor.tokens import MessageCounter, counter_for
from quaestor.window import Recall, Window

# A server that pays no heed to the limit on the reply is stopped when it writes more than this for each token.
_LETTERS_OF_A_TOKEN = 32


class Conversation:
    """A conversation over a corpus that never overflows its window and keeps a record of all that was sent.

    Args:
        index: what is asked about.
        model: who answers; None: answers are quotes.
        limit: the model's window, tokens. What a server says of its true window is learned.
        settings: how the conversation is held, and what one turn may take.
        transcript: the record to go on with; None: a record that ends with the process.
        query: makes what is searched for out of the conversation, whose last message is the newest question.
        owner: who asks, for the record.
    """

    def __init__(
        self,
        index: Corpus,
        model: Model | None = None,
        *,
        limit: int = 4096,
        settings: ConversationSettings | None = None,
        transcript: Transcript | None = None,
        query: Callable[[Sequence[Message]], TurnQuery] | None = None,
        owner: str | None = None,
    ) -> None:
        self.index = index
        self.model = model
        self.settings = settings or ConversationSettings()
        self.transcript = transcript or Transcript.in_memory()
        self._query = query or partial(query_of_turn, corpus=index.retriever.project)
        self._owner = owner
        self._composer = Composer(self.settings, _counter(model), Recall(index.embedder))
        learned = None if model is None else self.transcript.limit_of(model.name)
        self.limit = min(limit, learned or limit)
        messages, ids = self.transcript.conversation()
        self._messages: list[Message] = [instructions(), *messages]
        self._ids: list[int | None] = [None, *ids]
        self._numbering = Numbering(source.passage for source in self.transcript.sources() if source.cited)
        self._summaries = _restored(self.transcript, self._ids)
        self._busy = False

    @property
    def messages(self) -> tuple[Message, ...]:
        """The instructions and every message of the turns that are done."""
        return tuple(self._messages)

    async def send(self, question: str) -> AsyncGenerator[Event]:
        """Ask a question and yield the steps of the turn, the last of them ``Done``.

        Cancelling the task, or closing this generator, closes the request to the model and records the turn as
        cancelled.

        Raises:
            UsageError: the question is empty, or a turn is under way.
            WindowError: the question does not fit the model's window.
            LimitError: the turn took more time or tokens than it may.
            UpstreamError: the model failed; what was yielded until then stays true.
        """
        async with aclosing(self._recorded(_checked(question), None)) as events:
            async for event in events:
                yield event

    async def resume(self) -> AsyncGenerator[Event]:
        """Ask the question of the last turn again, if that turn failed, was cancelled or never ended; see ``send``.

        Raises:
            UsageError: there is no such turn.
        """
        turns = self.transcript.turns()
        if not turns or turns[-1].ending.state == "done":
            raise UsageError("the last turn is done, there is nothing to resume; ask a question")
        async with aclosing(self._recorded(Message("user", turns[-1].question), turns[-1].number)) as events:
            async for event in events:
                yield event

    async def preview(self, question: str) -> Preview:
        """Return the request that ``send`` would send first. Nothing is sent or recorded.

        Raises:
            WindowError: the question does not fit the model's window.
        """
        turn = Turn(0, _checked(question), None, 0.0)
        query = self._query([*self._messages[1:], turn.question])
        hits, _ = await self._found(turn, query)
        window = self._window(turn)
        return Preview(query.single, hits, window, window.reserve, self.settings.temperature)

    def request(self, window: Window) -> Request:
        """Return what is asked of the model with a window."""
        return self._composer.request(window)

    # --- one turn ---------------------------------------------------------------------------------------------

    async def _recorded(self, question: Message, resumes: int | None) -> AsyncGenerator[Event]:
        """Yield a turn's events; however it ends, that is on record."""
        if self._busy:
            raise UsageError("a turn of this conversation is under way; wait for its end or cancel it")
        self._busy = True
        try:
            number, question_id = self.transcript.begin(question, owner=self._owner, resumes=resumes)
            turn = Turn(number, question, question_id, asyncio.get_running_loop().time() + self.settings.seconds)
            try:
                async with aclosing(self._steps(turn)) as steps:
                    async for event in steps:
                        yield event
            except BaseException as error:
                self._give_up(turn, error)
                raise
        finally:
            self._busy = False

    async def _steps(self, turn: Turn) -> AsyncGenerator[Event]:
        query = self._query([*self._messages[1:], turn.question])
        yield Searching(query.single)
        hits, quoted = await self._found(turn, query)
        self.transcript.showing(turn.number, turn.passages, [hit.document.sha256 for hit in hits])
        yield Passages(hits, quoted.known, tuple(passage.n for passage in turn.passages))
        if self.model is None:
            async for event in self._quoted(turn, quoted):
                yield event
            return
        async with aclosing(self._exchange(turn, self.model)) as events:
            async for event in events:
                yield event
        if text := turn.visible.rest():
            yield Text(text)
        for event in self._finished(turn):
            yield event

    async def _exchange(self, turn: Turn, model: Model) -> AsyncGenerator[Event]:
        """Compose, send and stream; compose anew once if the server finds the request too long."""
        if self.settings.summaries and self._summaries.due:
            yield Summarising(len(self._summaries.out))
            await self._summarise(turn, model)
        while True:
            window = self._window(turn)
            self._summaries.follow(window.decisions)
            self._check_tokens(turn, window)
            turn.shown = shown_passages(window, turn.passages)
            yield Composed(window, model.name)
            try:
                async with aclosing(self._streamed(turn, model, window)) as events:
                    async for event in events:
                        yield event
                return
            except TooLongError as failure:
                self._learn(model, failure, window)
                if turn.retried or turn.visible.written:
                    raise _explained(failure, window) from failure
                turn.retried = True
                yield Retried(str(failure), self.limit)

    async def _streamed(self, turn: Turn, model: Model, window: Window) -> AsyncGenerator[Event]:
        """Send one request, record it and its reply, and yield the text."""
        conversation = ([*self._messages, turn.question], [*self._ids, turn.question_id])
        number = self._send_off(turn, model, window, conversation)
        request = self._composer.request(window)
        finished: Finished | None = None
        try:
            async with aclosing(stream_within(model, request, turn.deadline)) as deltas:
                async for delta in deltas:
                    if isinstance(delta, Finished):
                        finished = delta
                    elif text := self._read(turn, delta, window.reserve):
                        yield Text(text)
        except QuaestorError as error:
            self.transcript.replied(number, f"{error.code}: {error}", None)
            raise
        usage = (finished and finished.usage) or self._counted(window, turn)
        turn.usage = _sum(turn.usage, usage)
        turn.model = (finished and finished.model) or model.name
        self.transcript.replied(number, finished.reason if finished else "unknown", usage)

    async def _summarise(self, turn: Turn, model: Model) -> None:
        """Ask for a summary of what slid out; without one the conversation goes on all the same."""
        summaries = self._summaries
        try:
            window = summaries.request(self._messages, self._composer.counter, self.limit)
            self._check_tokens(turn, window)
            text = await self._summary(turn, model, window)
        except QuaestorError:
            summaries.failed()
            return
        known = [one for place in summaries.out if (one := self._ids[place]) is not None]
        if not text or not known:
            summaries.failed()
            return
        self.transcript.summarised(known[0], known[-1], text, model.name)
        summaries.written(text)

    async def _summary(self, turn: Turn, model: Model, window: Window) -> str:
        number = self._send_off(turn, model, window, (window.messages, [None] * len(window.messages)))
        try:
            text, finished = await whole_reply(model, self._composer.request(window), turn.deadline)
        except QuaestorError as error:
            self.transcript.replied(number, f"{error.code}: {error}", None)
            raise
        usage = finished.usage or Usage(window.tokens, self._composer.counter.text(text), reported=False)
        turn.usage = _sum(turn.usage, usage)
        self.transcript.replied(number, finished.reason, usage)
        return clean(text).strip()

    async def _found(self, turn: Turn, query: TurnQuery) -> tuple[tuple[Hit, ...], ExtractiveAnswer]:
        """Retrieve, and return the hits with what they give as an answer made of quotes."""
        hits = tuple(await asyncio.to_thread(self.index.search_turn, query, self.settings.passages))
        turn.passages = self._numbering.passages(hits)
        quoted = await asyncio.to_thread(extract, turn.question.content, turn.passages, self.index.embedder.encode)
        return hits, quoted

    async def _quoted(self, turn: Turn, quoted: ExtractiveAnswer) -> AsyncGenerator[Event]:
        """Yield the rest of a turn without a model."""
        turn.shown = turn.passages
        turn.visible.feed(quoted.text)
        turn.visible.rest()
        yield Text(quoted.text)
        for event in self._finished(turn, known=quoted.known):
            yield event

    def _finished(self, turn: Turn, *, known: bool | None = None) -> tuple[Event, ...]:
        """Verify the citations, record the turn as done, and return its last events."""
        found = turn.visible.known if known is None else known
        citations, unsupported = self._verified(turn) if found else ((), ())
        answer = Message("assistant", clean(turn.visible.answer))
        ending = Ending(
            "done",
            messages=(answer,) if answer.content.strip() else (),
            known=found,
            model=turn.model,
            citations=citations,
            unsupported=unsupported,
            usage=turn.usage,
        )
        added = self.transcript.end(turn.number, ending)
        turn.ended = True
        self._messages += [turn.question, *ending.messages]
        self._ids += [turn.question_id, *added]
        done = Done(answer.content, found, turn.model, turn.usage)
        return Citations(citations, unsupported), done

    def _verified(self, turn: Turn) -> tuple[tuple[Citation, ...], tuple[str, ...]]:
        known = {passage.n: passage for passage in (*self._numbering.cited, *turn.shown)}
        checked = verify(turn.visible.written, tuple(known.values()), self.index.read)
        self._numbering.remember(checked.citations, turn.shown)
        unsupported = () if self.model is None else tuple(sentence.text for sentence in checked.unsupported)
        return checked.citations, unsupported

    def _give_up(self, turn: Turn, error: BaseException) -> None:
        """Record a turn that did not come to its end."""
        if turn.ended:
            return
        cancelled = isinstance(error, asyncio.CancelledError | GeneratorExit | KeyboardInterrupt)
        ending = Ending(
            "cancelled" if cancelled else "failed",
            model=turn.model if self.model is None else self.model.name,
            error="" if cancelled else str(error) or type(error).__name__,
            partial=turn.visible.written,
            usage=turn.usage,
        )
        self.transcript.end(turn.number, ending)
        turn.ended = True

    # --- its parts --------------------------------------------------------------------------------------------

    def _window(self, turn: Turn) -> Window:
        summary = self._summaries.text if self.settings.summaries else ""
        return self._composer.window([*self._messages, turn.question], turn.passages, self.limit, summary)

    def _send_off(
        self, turn: Turn, model: Model, window: Window, conversation: tuple[Sequence[Message], Sequence[int | None]]
    ) -> int:
        """Record a request just before it is sent, and return its number."""
        return self.transcript.sending(
            turn.number,
            window,
            model.name,
            conversation=conversation,
            prompts=prompt_hashes(),
            parameters={"temperature": self.settings.temperature, "max_tokens": window.reserve},
        )

    def _read(self, turn: Turn, delta: TextDelta, reserve: int) -> str:
        text = turn.visible.feed(clean(delta.text))
        if len(turn.visible.written) > reserve * _LETTERS_OF_A_TOKEN:
            raise LimitError(
                f"the reply was stopped after {len(turn.visible.written)} letters: {reserve} tokens were allowed, and"
                " the server goes on; raise the reserve, or look at the server's settings"
            )
        return text

    def _check_tokens(self, turn: Turn, window: Window) -> None:
        most = self.settings.tokens
        needed = turn.usage.total_tokens + window.tokens + window.reserve
        if most is not None and needed > most:
            raise LimitError(
                f"this turn may take {most} tokens, and its next request could bring it to {needed};"
                " raise the limit or use a smaller window"
            )

    def _learn(self, model: Model, failure: TooLongError, window: Window) -> None:
        """Keep the server's true window for the rest of the session."""
        self.limit = learned_limit(failure, window.tokens, window.reserve)
        self.transcript.learned(model.name, self.limit)

    def _counted(self, window: Window, turn: Turn) -> Usage:
        return Usage(window.tokens, self._composer.counter.text(turn.visible.written), reported=False)


def _restored(transcript: Transcript, ids: Sequence[int | None]) -> Summaries:
    """Return the latest summary of a session."""
    kept = transcript.summaries()
    if not kept:
        return Summaries()
    _, last, text = kept[-1]
    return Summaries(text, ids.index(last) + 1 if last in ids else 0)


def _checked(question: str) -> Message:
    question = clean(question)
    if not question.strip():
        raise UsageError("the question is empty; ask something")
    return Message("user", question)


def _counter(model: Model | None) -> MessageCounter:
    if model is None:
        return counter_for("gpt-4o")
    counter = getattr(model, "counter", None)
    return counter if isinstance(counter, MessageCounter) else counter_for(model.name)


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(
        one.prompt_tokens + other.prompt_tokens,
        one.completion_tokens + other.completion_tokens,
        one.reported and other.reported,
    )


def _explained(failure: TooLongError, window: Window) -> TooLongError:
    """Return the error for a request that is too long even after it was composed anew."""
    allowed = "an unknown number" if failure.limit is None else str(failure.limit)
    return TooLongError(
        f"the request is still too long after it was composed anew: {window.tokens} tokens by our count and"
        f" {window.reserve} for the reply, under a window of {window.limit}; the server allows {allowed} ({failure});"
        " set `window` to what the server was started with",
        limit=failure.limit,
        asked=failure.asked,
        status=failure.status,
    )
