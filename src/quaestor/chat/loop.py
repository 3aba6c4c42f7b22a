"""The loop of one turn: compose, stream, run the model's calls, append their results, and repeat.

Calls are checked, run within the turn's limits, and an identical call is never repeated. This module does not know how
calls are described to a model (``call_protocols``), how a request is sent (``model_requests``), or what a tool does.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from quaestor.chat.call_protocols import CallProtocol
from quaestor.chat.chat_settings import ConversationSettings
from quaestor.chat.conversation_state import History, MessagesSent
from quaestor.chat.events import (
    Called,
    Composed,
    Event,
    Premeditated,
    Proposed,
    Retried,
    Returned,
    Stopped,
    Summarising,
    Text,
)
from quaestor.chat.model_requests import Composer, Requests, SpentError, shown_passages, summarise, too_long_error
from quaestor.chat.reply_reader import ReplyReader, repeats_itself
from quaestor.chat.turn import Turn
from quaestor.core.errors import BudgetError, LimitError, QuaestorError, UpstreamError, WindowError
from quaestor.core.messages import Message, without_surrogates
from quaestor.llm import tags
from quaestor.llm.endpoints.failures import TooLongError
from quaestor.llm.models import Finished
from quaestor.llm.models.capabilities import is_plausible, learned_limit
from quaestor.llm.prompts import load
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.sessions.records import OPENING, CallResult, ModelCall, Round
from quaestor.sessions.transcript import Transcript
from quaestor.tools import Outcome, Registry
from quaestor.window import Window

# A result may take this share of what the question and the reply so far leave free.
_SHARE = 0.5
_LEAST_RESULT = 48
# Replies that stop at marks without calling anything: one for each premeditation, some for code with marks in it.
_STOPS = 24

# Unless this is said, an answer that was cut off looks complete.
_CUT = "The reply was cut off here: it reached its limit on length. Ask for the rest."

_REPEATS = "The reply was ended here: the model repeated itself. Ask in other words, or use a larger model."
_LOOKED_AT_EVERY = 100

# One mistake a model can mend when it is told; at the second in a row it is told to answer.
_MISTAKES = 2


class Loop:
    """Runs turns of one conversation.

    Args:
        history: the conversation; its limit is corrected when the server reports another one.
        composer: composes windows.
        requests: sends requests.
        protocol: the protocol of calls.
        call_runner: runs calls.
        names: the names of the available tools.
        transcript: the record.
        settings: the settings of the conversation.
        read: returns a document's bytes by path, or None if it is gone.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - the parts of a conversation
        self,
        history: History,
        composer: Composer,
        requests: Requests,
        protocol: CallProtocol,
        call_runner: CallRunner,
        names: tuple[str, ...],
        transcript: Transcript,
        settings: ConversationSettings,
        read: Callable[[str], bytes | None],
    ) -> None:
        self._history = history
        self._composer = composer
        self._requests = requests
        self._protocol = protocol
        self._call_runner = call_runner
        self._names = names
        self._transcript = transcript
        self._settings = settings
        self._read = read
        self._opening = OPENING if settings.premeditation and protocol.continues else ""

    async def run(self, turn: Turn) -> AsyncGenerator[Event]:
        """Yield the steps of a turn from its first request to the end of its reply."""
        if self._settings.summaries and self._history.summaries.due:
            yield Summarising(len(self._history.summaries.out))
            await summarise(turn, self._history, self._requests, self._composer, self._transcript)
        parser = tags.Parser({*self._names, *tags.Tag})
        while True:
            reading = ReplyReader(
                self._names,
                parser,
                turn.tag_filter,
                marks=bool(self._protocol.stop),
                opening="" if turn.rounds else self._opening,
            )
            try:
                async with aclosing(self._exchange(turn, reading)) as events:
                    async for event in events:
                        yield event
            except (WindowError, SpentError, BudgetError, UpstreamError) as error:
                if not _may_end_with_shown(turn, error):
                    raise
                turn.stop_reason = f"the reply was ended here: {error}"
            if reading.plan is not None and turn.plan is None:
                turn.plan = reading.plan
                self._transcript.record_plan(turn.number, reading.plan)
                yield Premeditated(reading.plan)
            if self._protocol.passes or turn.stop_cutter.stop_met is not None:
                return
            turn.stop_reason = turn.stop_reason or self._why_to_stop(turn, reading)
            if turn.stop_reason:
                yield Stopped(turn.stop_reason)
            if turn.stop_reason or not (reading.calls or reading.goes_on):
                return
            if reading.calls and (text := turn.begin_part()):
                yield Text(text)
            async with aclosing(self._answer_calls(turn, reading)) as events:
                async for event in events:
                    yield event

    def compose(self, turn: Turn) -> tuple[Window, MessagesSent]:
        """Return the next window, and the messages and numbers that it is composed from.

        Results of the turn that no longer fit are left out, oldest first.

        Raises:
            WindowError: the question and the reply so far do not fit.
        """
        shown = sum(len(one.results) for one in turn.rounds)
        while True:
            tail = self._protocol.tail(turn.rounds, self._opening, shown)
            sent = self._history.with_turn(turn, tail)
            window = self._window(sent[0], turn)
            if not (self._protocol.continues and tail) or window.messages[-1] == tail[-1]:
                return window, sent
            if shown == 0:
                # What the model wrote itself cannot be cut, for the server is to go on with it.
                raise _no_room(window)
            shown -= 1

    def _window(self, messages: Sequence[Message], turn: Turn) -> Window:
        history = self._history
        summary = history.summaries.text if self._settings.summaries else ""
        return self._composer.window(messages, turn.passages, history.limit, summary, self._protocol.tools)

    # --- one request ------------------------------------------------------------------------------------------

    async def _exchange(self, turn: Turn, reading: ReplyReader) -> AsyncGenerator[Event]:
        """Compose, send and stream.

        If the server says that the prompt is too long, the prompt is composed once more for the window that it reports.
        That window is kept only if the second request succeeds, because the report may be wrong.
        """
        before = self._history.limit
        try:
            async with aclosing(self._send(turn, reading)) as events:
                async for event in events:
                    yield event
        except BaseException:
            self._history.learn(before)
            raise
        if self._history.limit != before:
            self._transcript.record_window(self._requests.model.name, self._history.limit)

    async def _send(self, turn: Turn, reading: ReplyReader) -> AsyncGenerator[Event]:
        """Compose, send and stream; compose a too long prompt again for the window that the server reports."""
        before, believed = self._history.limit, True
        while True:
            # Counting tokens takes milliseconds for which other conversations must not wait.
            window, sent = await asyncio.to_thread(self.compose, turn)
            self._history.summaries.follow(window.decisions)
            self._requests.check(turn, window)
            turn.shown = shown_passages(window, turn.passages)
            yield Composed(window, self._requests.model.name)
            text_before = reading.full_text
            try:
                async with aclosing(self._stream_request(turn, reading, window, sent)) as events:
                    async for event in events:
                        yield event
                self._history.accepted = max(self._history.accepted, window.tokens)
                if not believed:
                    self._history.learn(before)
                return
            except TooLongError as failure:
                if turn.retried or reading.full_text != text_before:
                    raise too_long_error(failure, window) from failure
                turn.retried = True
                believed = is_plausible(failure)
                self._history.learn(learned_limit(failure, window.tokens, window.reserve))
                yield Retried(str(failure), self._history.limit)

    async def _stream_request(
        self, turn: Turn, reading: ReplyReader, window: Window, sent: MessagesSent
    ) -> AsyncGenerator[Event]:
        """Send one request and yield the text that can be shown."""
        request = self._composer.request(window, self._protocol)
        async with aclosing(self._requests.send(turn, request, window, sent)) as deltas:
            async for delta in deltas:
                text = (
                    self._finish_reply(turn, reading, delta)
                    if isinstance(delta, Finished)
                    else reading.feed(without_surrogates(delta.text))
                )
                if shown := turn.show(text):
                    yield Text(shown)
                if turn.stop_cutter.stop_met is not None:
                    turn.finish = "stop"
                    return
                if self._is_caught_in_repetition(turn, shown):
                    turn.stop_reason = _REPEATS
                    return

    def _is_caught_in_repetition(self, turn: Turn, shown: str) -> bool:
        """Return whether the visible reply repeats itself; looks whenever it has grown by so many letters."""
        written = turn.visible.written
        grown = len(written) // _LOOKED_AT_EVERY > (len(written) - len(shown)) // _LOOKED_AT_EVERY
        return grown and not self._protocol.passes and repeats_itself(written)

    def _finish_reply(self, turn: Turn, reading: ReplyReader, finished: Finished) -> str:
        """Finish a reply and return the remaining text to show."""
        turn.finish = finished.reason
        if self._protocol.passes:
            turn.calls_for_caller, finished = finished.tool_calls, replace(finished, tool_calls=())
        return reading.finish(finished)

    # --- its calls --------------------------------------------------------------------------------------------

    def _why_to_stop(self, turn: Turn, reading: ReplyReader) -> str:
        """Return why a reply cannot continue or was cut off, or ""."""
        if reading.calls and turn.no_more_calls:
            return (
                f"after {len(turn.calls)} calls the model was told to answer, and it called {reading.calls[0].name!r}"
                f" instead; a turn may make {self._settings.calls}, and may not fail twice in a row"
            )
        if reading.goes_on and len(turn.rounds) >= self._settings.calls + _STOPS:
            return f"the reply stopped {len(turn.rounds)} times at the mark that ends a call, and called nothing"
        if turn.finish == "length" and not (reading.calls or reading.goes_on):
            return _CUT
        return ""

    async def _answer_calls(self, turn: Turn, reading: ReplyReader) -> AsyncGenerator[Event]:
        """Run the calls of a reply and write them back."""
        calls = reading.calls[: max(1, self._settings.calls - len(turn.calls))]
        done: list[CallResult] = []
        budget = self._budget(turn, len(calls))
        for call in calls:
            yield Called(call.name, call.arguments)
            answered = await self._call_runner.run(turn, call, budget)
            self._transcript.record_call(turn.number, answered)
            await self._record_passages(turn, answered.outcome.passages)
            done.append(answered)
            outcome = answered.outcome
            yield Returned(call.name, outcome.text, tuple(outcome.passages), outcome.failed)
            if outcome.proposal is not None:
                turn.proposals.append(outcome.proposal)
                yield Proposed(outcome.proposal)
        turn.rounds.append(Round(reading.full_text, reading.visible_text, tuple(done)))
        turn.after_call = turn.after_call or bool(done)

    async def _record_passages(self, turn: Turn, passages: Sequence[Passage]) -> None:
        """Record passages that can be cited from now on, with the present state of their documents."""
        if passages:
            read = [await asyncio.to_thread(self._read, passage.path) for passage in passages]
            hashes = [hashlib.sha256(data or b"").hexdigest() for data in read]
            self._transcript.record_passages(turn.number, passages, hashes)

    def _budget(self, turn: Turn, calls: int) -> int:
        """Return the token limit of each of ``calls`` results."""
        tail = self._protocol.tail(turn.rounds, self._opening, 0)
        count = self._composer.counter
        fixed = count.request((self._history.messages[0], turn.question, *tail), self._protocol.tools)
        free = self._history.limit - self._composer.reserve(self._history.limit) - fixed
        return max(_LEAST_RESULT, int(free * _SHARE) // max(1, calls))


def _may_end_with_shown(turn: Turn, error: QuaestorError) -> bool:
    """Return whether a turn succeeds although a later request fails, because it has proposals or visible text.

    Text alone does not suffice if the model's server failed: then the turn can be asked again.
    """
    shown = bool(turn.visible.written.strip()) and not isinstance(error, UpstreamError)
    return bool(turn.rounds) and (bool(turn.proposals) or shown)


def _no_room(window: Window) -> WindowError:
    return WindowError(
        f"the question and the reply so far leave no room in a window of {window.limit} tokens with {window.reserve}"
        " tokens for the reply; ask for less at once, or use a model with a larger window",
        needed=window.limit + 1,
        limit=window.limit,
    )


class CallRunner:
    """Runs calls.

    Args:
        registry: the tools; None for none.
        count: tokens of a text.
        number: numbers passages, continuing the turn's numbers.
        most: limit of calls in a turn.
    """

    def __init__(
        self,
        registry: Registry | None,
        count: Callable[[str], int],
        number: Callable[[Sequence[Passage], Sequence[Passage]], Sequence[Passage]],
        most: int,
    ) -> None:
        self._registry = registry or Registry(())
        self._count = count
        self._numbered = number
        self._most = most

    async def run(self, turn: Turn, call: ModelCall, budget: int) -> CallResult:
        """Run a call and return its result; record in the turn whether it was the last one allowed.

        Args:
            turn: the turn.
            call: the call.
            budget: tokens for the result.

        Raises:
            LimitError: the turn's time is up.
            IndexUnusableError: the index cannot be read.
        """
        outcome = self._refusal(turn, call) or await self._run(turn, call, budget)
        turn.calls.append(call)
        turn.failed_in_a_row = turn.failed_in_a_row + 1 if outcome.failed else 0
        if len(turn.calls) >= self._most or turn.failed_in_a_row >= _MISTAKES:
            turn.no_more_calls = True
            outcome = replace(outcome, text=f"{outcome.text}\n\n{load('calls_over').render()}")
        known = {passage.n for passage in (*turn.passages, *turn.passages_of_tools)}
        turn.passages_of_tools += tuple(passage for passage in outcome.passages if passage.n not in known)
        return CallResult(call, outcome)

    def _refusal(self, turn: Turn, call: ModelCall) -> Outcome | None:
        if call.name == tags.Tag.RESULT:
            return Outcome(call.problem, failed=True)
        if call.problem:
            example = tags.render(tags.Tag.SEARCH, {"query": "login"})
            return Outcome(load("call_broken").render(reason=call.problem, example=example), failed=True)
        if any(_key_of_call(other) == _key_of_call(call) for other in turn.calls if not other.problem):
            return Outcome(load("call_repeated").render(), failed=True)
        return None

    async def _run(self, turn: Turn, call: ModelCall, budget: int) -> Outcome:
        shown = (*turn.passages, *turn.passages_of_tools)
        try:
            async with asyncio.timeout_at(turn.deadline):
                return await asyncio.to_thread(
                    self._registry.call,
                    call.name,
                    call.arguments,
                    budget=budget,
                    count=self._count,
                    number=lambda passages: self._numbered(passages, shown),
                )
        except TimeoutError:
            raise LimitError(
                f"the turn exceeded its time limit while {call.name!r} ran; ask for less, or raise its limit"
            ) from None


def _key_of_call(call: ModelCall) -> str:
    return f"{call.name} {json.dumps(dict(call.arguments), sort_keys=True, default=str)}"
