"""Holding a conversation over a corpus: retrieve, answer, verify, record; one turn at a time.

Every turn is recorded as done, failed or cancelled. Only a finished turn joins the conversation; the question of any
other can be asked again with ``resume``. This module does not know how a reply is made (``loop``), how a window is
divided, or where a transcript is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial

from quaestor.answers.ask_back import with_context
from quaestor.answers.citations.verify import verify
from quaestor.answers.quotes.best_stretches import MOST, MOST_OF_UNSURE
from quaestor.answers.quotes.passage_order import without_restated
from quaestor.answers.quotes.pick_quotes import ExtractiveAnswer, speaks
from quaestor.answers.quotes.pick_quotes import answer as extract
from quaestor.answers.way import Question, WayAnswer
from quaestor.answers.ways import answer_by_way
from quaestor.chat.added_files import AddedFiles, with_added_first
from quaestor.chat.call_protocols import CallerTools, CallProtocol, protocol_for
from quaestor.chat.chat_settings import Brief, ConversationSettings
from quaestor.chat.conversation_state import (
    Numbering,
    brief_for,
    charged_to,
    known_capabilities,
    numbers_cited,
    restore_history,
)
from quaestor.chat.events import Citations, Done, Event, Passages, Retried, Searching, Text
from quaestor.chat.loop import CallRunner, Loop
from quaestor.chat.model_requests import Composer, Requests, examples, instructions, is_short, plan_request
from quaestor.chat.turn import Preview, Turn, question_message
from quaestor.core.documents import Citation, Hit
from quaestor.core.errors import UsageError
from quaestor.core.messages import Message, without_surrogates
from quaestor.core.questions import without_frame
from quaestor.core.wording import NOT_ASKED, WITHOUT_MODEL
from quaestor.corpus import Corpus, UnderstoodQuestion
from quaestor.corpus.answerability import Doubt
from quaestor.corpus.conversation_corpus import ConversationCorpus, current_text
from quaestor.corpus.understood_filters import require_some
from quaestor.llm.endpoints.failures import ToolsRefusedError
from quaestor.llm.models import Model, Request, counter_of
from quaestor.llm.models.reply_stream import StopCutter
from quaestor.search.spelling import replace_unknown
from quaestor.search.turns import TurnQuery, query_of_turn
from quaestor.sessions.records import Ending
from quaestor.sessions.transcript import Transcript
from quaestor.tools import Registry
from quaestor.window import Recall, Window


class Conversation:
    """A conversation over a corpus that never overflows its window and records everything that is sent.

    Args:
        index: the corpus.
        model: the model, or its name if the index's settings hold the rest; None answers by quotes.
        limit: the model's window, tokens; corrected when a server reports another one.
        settings: the settings of the conversation, and limits of one turn.
        transcript: the record to continue; None keeps a record in memory.
        query: makes the search query of a turn from the conversation, whose last message is the newest question.
        owner: the user, for the record.
        subroutines: tools that the model may call, or None.
        caller_tools: the caller's own tools, which replace ours, and the messages since the question that is to be
            sent.
    """

    def __init__(  # noqa: PLR0913 - the public contract
        self,
        index: ConversationCorpus,
        model: Model | str | None = None,
        *,
        limit: int = 4096,
        settings: ConversationSettings | None = None,
        transcript: Transcript | None = None,
        query: Callable[[Sequence[Message]], TurnQuery] | None = None,
        owner: str | None = None,
        subroutines: Registry | None = None,
        caller_tools: CallerTools | None = None,
    ) -> None:
        subroutines = None if caller_tools else subroutines
        model = index.model_named(model) if isinstance(model, str) else model
        self.transcript = transcript or Transcript.in_memory()
        model = charged_to(model, index, self.transcript)
        self.index = index
        self._current_text = partial(current_text, index)
        self.model = model
        self.settings = settings or ConversationSettings()
        if subroutines is None or subroutines.short:
            # There is nothing to premeditate for a model that can only answer, and no room where the window is short.
            self.settings = replace(self.settings, premeditation=False)
        self._query = query or partial(query_of_turn, corpus=index.project)
        self._owner = owner
        self._composer = Composer(self.settings, counter_of(model), Recall(index.local_embedder))
        self._subroutines = subroutines
        self._brief: Brief = self.settings.brief or brief_for(index)
        capabilities = known_capabilities(model, self.transcript)
        self._protocol: CallProtocol = caller_tools or protocol_for(capabilities, subroutines)
        head = (self._instructions(limit), *(examples() if self.settings.examples else ()))
        self._history = restore_history(self.transcript, model, limit, head)
        self._history.instruct = self._instructions
        self._history.learn(self._history.limit)
        self._numbering = Numbering(
            (source.passage for source in self.transcript.sources() if source.cited),
            numbers_cited(self._history.spoken_messages),
        )
        self._loop = None if model is None else self._make_loop(model)
        self._busy = False
        self._added = AddedFiles(index)

    def _instructions(self, limit: int) -> Message:
        names = self._subroutines.names if self._subroutines else ()
        return instructions(
            self._brief, self._protocol.brief(), plan_request(self.settings, names), short=is_short(limit)
        )

    def _make_loop(self, model: Model) -> Loop:
        settings, composer, registry = self.settings, self._composer, self._subroutines
        return Loop(
            self._history,
            composer,
            Requests(model, composer, self.transcript, settings),
            self._protocol,
            CallRunner(registry, composer.counter.text, self._numbering.renumber, settings.calls),
            registry.names if registry else (),
            self.transcript,
            settings,
            self._current_text,
        )

    @property
    def limit(self) -> int:
        """The presently known size of the model's window, in tokens."""
        return self._history.limit

    @property
    def accepted(self) -> int:
        """Tokens of the largest request that the model's server took, by our count; 0 before the first."""
        return self._history.accepted

    @property
    def messages(self) -> tuple[Message, ...]:
        """The instructions and every message of the turns that are done."""
        return tuple(self._history.messages)

    @property
    def added(self) -> tuple[str, ...]:
        """Documents that every question is also about, in the order in which they were added."""
        return self._added.paths

    def add(self, path: str) -> str:
        """Add a document to all later questions, before their hits, and return its path.

        Args:
            path: the path of a document of the corpus, or a unique end of its path.

        Raises:
            NotFoundError: there is no such document; the message suggests others.
        """
        return self._added.add(path)

    def drop(self, path: str) -> str:
        """Take back what ``add`` did, and return the document's path.

        Raises:
            NotFoundError: it was not added.
        """
        return self._added.drop(path)

    async def send(self, question: str) -> AsyncGenerator[Event]:
        """Ask a question and yield the steps of the turn, the last of them ``Done``.

        Cancelling the task, or closing this generator, closes the request to the model and records the turn as
        cancelled.

        Raises:
            UsageError: the question is empty, or a turn is under way.
            WindowError: the question does not fit the model's window.
            LimitError: the turn exceeded its limit of time or tokens.
            UpstreamError: the model failed; steps yielded before remain valid.
        """
        async with aclosing(self._record_turn(question_message(question), None)) as events:
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
        async with aclosing(self._record_turn(Message("user", turns[-1].question), turns[-1].number)) as events:
            async for event in events:
                yield event

    async def preview(self, question: str) -> Preview:
        """Return the request that ``send`` would send first. Nothing is sent or recorded.

        Raises:
            WindowError: the question does not fit the model's window.
        """
        turn = Turn(0, question_message(question), None, 0.0)
        understood = await self._understand(turn)
        query = await self._make_query(turn, understood)
        hits = await self._find(turn, query, understood)
        window = self._window(turn)
        return Preview(query.single, hits, window, window.reserve, self.settings.temperature)

    def request(self, window: Window) -> Request:
        """Return the request to the model for a window."""
        return self._composer.request(window, self._protocol)

    # --- one turn ---------------------------------------------------------------------------------------------

    async def _record_turn(self, question: Message, resumes: int | None) -> AsyncGenerator[Event]:
        """Yield a turn's events; however it ends, that is on record."""
        if self._busy:
            raise UsageError("a turn of this conversation is under way; wait for its end or cancel it")
        self._busy = True
        try:
            number, question_id = self.transcript.begin(question, owner=self._owner, resumes=resumes)
            turn = Turn(
                number,
                question,
                question_id,
                asyncio.get_running_loop().time() + self.settings.seconds,
                stop_cutter=StopCutter(self.settings.stop),
            )
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
        way = await self._way_answer(turn)
        # Nothing that a search finds is evidence for a question that names nothing: a model asks back by itself.
        nothing_named = way is not None and not way.search
        if way is not None and (self.model is None or (nothing_named and self.settings.grounded)):
            async for event in self._answered_by(turn, way):
                yield event
            return
        understood = await self._understand(turn)
        query = await self._make_query(turn, understood)
        yield self._search_event(turn, query, understood)
        hits = () if nothing_named else await self._find(turn, query, understood)
        if way is not None and way.hits:
            hits = self._give_passages(turn, (*way.hits, *hits))
            turn.own_answer = way.text([passage.n for passage in turn.passages]) if way.known else ""
        if not hits and understood.phrases and not nothing_named:
            understood = await self._correct_spelling(
                UnderstoodQuestion(turn.question.content, self.settings.where, missed=understood.phrases)
            )
            query = await self._make_query(turn, understood)
            yield self._search_event(turn, query, understood)
            hits = await self._find(turn, query, understood)
        if self._loop is None or self.model is None or await self._refuses_weak_evidence(turn):
            hits, quoted = await self._quoted_first(turn, hits)
            yield self._record_passages(turn, hits, known=quoted.known)
            async for event in self._finish_with_quotes(turn, hits, quoted):
                yield event
            return
        # A model that is shown nothing would answer from nothing, and a mistyped language would be paid for.
        if self.settings.where and not hits:
            await asyncio.to_thread(require_some, self.index, self.settings.where)
        yield self._record_passages(turn, hits, known=bool(hits) and not turn.weak_evidence)
        async with aclosing(self._stream_reply(turn, self._loop, self.model)) as events:
            async for event in events:
                yield event
        if text := turn.release_rest():
            yield Text(text)
        for event in await self._finish_turn(turn, hits):
            yield event

    async def _way_answer(self, turn: Turn) -> WayAnswer | None:
        """Return the answer of a way that fits the question, or None; never if the documents are limited.

        With several corpora there is none, because a way reads one corpus.
        """
        if self.settings.where or self._added.paths or not isinstance(self.index, Corpus):
            return None
        earlier = tuple(message.content for message in self._history.spoken_messages if message.role == "user")
        return await asyncio.to_thread(answer_by_way, Question(turn.question.content, earlier), self.index)

    async def _answered_by(self, turn: Turn, way: WayAnswer) -> AsyncGenerator[Event]:
        """Yield a whole turn that a way answers without a model."""
        yield Searching(turn.question.content)
        self._give_passages(turn, way.hits)
        passages = self._record_passages(turn, way.hits, known=way.known)
        yield passages
        turn.shown = turn.passages
        yield Text(turn.show(way.text(passages.numbers)) + turn.release_rest())
        for event in await self._finish_turn(turn, known=way.known):
            yield event

    async def _stream_reply(self, turn: Turn, loop: Loop, model: Model) -> AsyncGenerator[Event]:
        """Yield the steps of the model's reply; where its server takes no tools, calls are text from now on."""
        try:
            async with aclosing(loop.run(turn)) as events:
                async for event in events:
                    yield event
            return
        except ToolsRefusedError as failure:
            # The tools of a caller are its own affair; and a server that took ours before is against something else.
            if self._protocol.name != "tools" or turn.rounds:
                raise
            refusal = str(failure)
        yield Retried(refusal, self.limit, tools=True)
        self._protocol = protocol_for(known_capabilities(model, self.transcript), self._subroutines)
        self._history.learn(self.limit)
        self._loop = self._make_loop(model)
        async with aclosing(self._loop.run(turn)) as events:
            async for event in events:
                yield event

    async def _understand(self, turn: Turn) -> UnderstoodQuestion:
        """Return the question with its dates and authors as a filter, if the settings allow filters."""
        question, where = without_frame(turn.question.content), self.settings.where
        understood = UnderstoodQuestion(question, where)
        if self.settings.filters:
            understood = await asyncio.to_thread(self.index.understand, question, where)
        return await self._correct_spelling(understood)

    async def _correct_spelling(self, understood: UnderstoodQuestion) -> UnderstoodQuestion:
        """Return a question with words that the corpus lacks replaced by the nearest ones that it has."""
        spelling = await asyncio.to_thread(self.index.spelling, understood.text)
        return understood._replace(text=replace_unknown(understood.text, spelling.unknown), unknown=spelling.unknown)

    async def _make_query(self, turn: Turn, understood: UnderstoodQuestion) -> TurnQuery:
        """Return the search query, and record it in the turn for the search within passages."""
        spoken = self._history.spoken_messages
        questions = [message.content for message in spoken if message.role == "user"]
        turn.search_text = await asyncio.to_thread(self.index.in_english, with_context(understood.text, questions))
        return self._query([*spoken, replace(turn.question, content=understood.text)])

    def _search_event(self, turn: Turn, query: TurnQuery, understood: UnderstoodQuestion) -> Searching:
        """Return the event that a search begins; what limits it is on record."""
        if understood.phrases or understood.missed:
            self.transcript.record_limits(turn.number, understood.phrases, understood.missed)
        turn.translated = self.index.translation(understood.text)
        return Searching(query.single, understood.phrases, understood.missed, understood.unknown, turn.translated)

    async def _find(self, turn: Turn, query: TurnQuery, understood: UnderstoodQuestion) -> tuple[Hit, ...]:
        """Retrieve, give the turn its passages, and return the hits."""
        search = partial(self.index.search_turn, where=understood.where)
        hits = tuple(await asyncio.to_thread(search, query, self.settings.passages))
        added = await asyncio.to_thread(self._added.hits, turn.question.content)
        return self._give_passages(turn, with_added_first(added, without_restated(turn.question.content, hits)))

    def _give_passages(self, turn: Turn, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """Give a turn its passages, and return the hits."""
        turn.passages = self._numbering.passages(hits)
        return hits

    def _record_passages(self, turn: Turn, hits: tuple[Hit, ...], *, known: bool) -> Passages:
        """Record the passages that a turn may cite, and return them as an event."""
        self.transcript.record_passages(turn.number, turn.passages, [hit.document.sha256 for hit in hits])
        return Passages(hits, known, tuple(passage.n for passage in turn.passages))

    async def _quoted_first(self, turn: Turn, hits: tuple[Hit, ...]) -> tuple[tuple[Hit, ...], ExtractiveAnswer]:
        """Return a turn's hits, those that its answer quotes first, and that answer.

        The passages are renumbered in this order, so that the numbers in a first answer count up from 1.
        """
        quoted = await self._quotes(turn, hits, await self._doubt(turn, hits))
        hits_by_number = dict(zip((passage.n for passage in turn.passages), hits, strict=True))
        order = list(dict.fromkeys([*(quote.n for quote in quoted.quotes), *hits_by_number]))
        hits = self._give_passages(turn, tuple(hits_by_number[n] for n in order))
        numbers = dict(zip(order, (passage.n for passage in turn.passages), strict=True))
        earlier = [one.content for one in self._history.spoken_messages if one.role == "assistant"]
        return hits, quoted.under(numbers, earlier, turn.question.content, self.index.local_embedder.encode)

    async def _doubt(self, turn: Turn, hits: Sequence[Hit]) -> Doubt:
        """Return the reasons to doubt an answer; scores of later turns are ignored."""
        evidence = () if self._history.spoken_messages else hits

        def compute_doubt() -> Doubt:
            asked = turn.question.content
            return self.index.doubt(turn.search_text, evidence, asked if self.index.translation(asked) else "")

        return await asyncio.to_thread(compute_doubt)

    async def _quotes(self, turn: Turn, hits: Sequence[Hit], doubt: Doubt) -> ExtractiveAnswer:
        """Return the answer that is made of quotes; finding the best takes longer than the search."""
        encode = self.index.local_embedder.encode
        most = MOST_OF_UNSURE if doubt.is_unsure else MOST
        text, passages, names = turn.search_text, turn.passages, doubt.names
        quoted = await asyncio.to_thread(extract, text, passages, encode, most, names, doubt.refuses, hits)
        return quoted.unsure() if doubt.is_unsure else quoted.naming(doubt.missing)

    async def _refuses_weak_evidence(self, turn: Turn) -> bool:
        """Note in the turn whether its evidence is weak, and return whether the model is not asked because of it."""
        if not self.settings.grounded:
            return False
        encode = self.index.local_embedder.encode
        turn.weak_evidence = not await asyncio.to_thread(speaks, turn.search_text, turn.passages, encode)
        # One that can search for itself may find more, by other words or in another language; but not from nothing.
        return turn.weak_evidence and not (turn.passages and self._subroutines)

    async def _finish_with_quotes(
        self, turn: Turn, hits: Sequence[Hit], quoted: ExtractiveAnswer
    ) -> AsyncGenerator[Event]:
        """Yield the remaining steps of a turn without a model."""
        turn.shown = turn.passages
        text = quoted.text if self.model is None else quoted.text.replace(WITHOUT_MODEL, NOT_ASKED, 1)
        yield Text(turn.show(turn.language_remark + text) + turn.release_rest())
        for event in await self._finish_turn(turn, hits, known=quoted.known):
            yield event

    async def _finish_turn(
        self, turn: Turn, hits: Sequence[Hit] = (), *, known: bool | None = None
    ) -> tuple[Event, ...]:
        """Verify the citations, record the turn as done, and return its last events."""
        is_known = (turn.visible.is_answer or bool(turn.proposals)) if known is None else known
        # Reads files, for which others must not wait.
        citations, unsupported = await asyncio.to_thread(self._verify_citations, turn) if is_known else ((), ())
        # A model's word alone is no answer: at least one of its citations must hold.
        unchecked = is_known and known is None and not turn.proposals and not any(one.holds for one in citations)
        quotes = await self._quotes_beside(turn, hits) if unchecked else ()
        is_known = is_known and not unchecked
        answer = Message("assistant", without_surrogates(turn.visible.answer))
        # Without a request there is no report.
        usage = replace(turn.usage, reported=turn.usage.reported and turn.usage.total_tokens > 0)
        ending = Ending(
            "done",
            messages=(answer,) if answer.content.strip() else (),
            known=is_known,
            model=turn.model,
            error=turn.stop_reason,
            citations=citations,
            unsupported=unsupported,
            usage=usage,
            unchecked=unchecked,
            quotes=quotes,
        )
        added = self.transcript.end(turn.number, ending)
        turn.ending_recorded = True
        self._history.add(turn, ending.messages, added)
        done = Done(
            answer.content,
            is_known,
            turn.model,
            usage,
            tuple(turn.proposals),
            "length" if turn.stop_reason else turn.finish,
            turn.calls_for_caller,
            unchecked,
        )
        return Citations(citations, unsupported, quotes), done

    async def _quotes_beside(self, turn: Turn, hits: Sequence[Hit]) -> tuple[Citation, ...]:
        """Return what Quaestor itself would have quoted, to show beside an answer that has no valid citation."""
        quoted = await self._quotes(turn, hits, await self._doubt(turn, hits))
        own = turn.own_answer or (quoted.text if quoted.known else "")
        checked = await asyncio.to_thread(verify, own, turn.passages, self._current_text, claims=False)
        self._numbering.remember(checked.citations, turn.passages)
        return tuple(one for one in checked.citations if one.holds)

    def _verify_citations(self, turn: Turn) -> tuple[tuple[Citation, ...], tuple[str, ...]]:
        known = {passage.n: passage for passage in (*self._numbering.cited, *turn.shown, *turn.passages_of_tools)}
        question, by_model = turn.question.content, bool(turn.usages)
        checked = verify(turn.visible.written, tuple(known.values()), self._current_text, question, claims=by_model)
        self._numbering.remember(checked.citations, (*turn.shown, *turn.passages_of_tools))
        return checked.citations, tuple(sentence.text for sentence in checked.unsupported)

    def _give_up(self, turn: Turn, error: BaseException) -> None:
        """Record a turn that failed or was cancelled."""
        if turn.ending_recorded:
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
        turn.ending_recorded = True

    def _window(self, turn: Turn) -> Window:
        if self._loop is not None:
            window, _ = self._loop.compose(turn)
            return window
        messages, _ = self._history.with_turn(turn)
        return self._composer.window(messages, turn.passages, self.limit)
