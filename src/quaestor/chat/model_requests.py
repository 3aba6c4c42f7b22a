"""Sending one request of a turn, within its limits, and recording it: for an answer, or for a summary."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing

from quaestor.chat.chat_settings import ConversationSettings
from quaestor.chat.conversation_state import History
from quaestor.chat.request_composer import Composer, prompt_hashes
from quaestor.chat.turn import Turn
from quaestor.core.errors import LimitError, QuaestorError
from quaestor.core.messages import Message, Usage
from quaestor.llm.endpoints.failures import TooLongError
from quaestor.llm.models import Delta, Finished, Model, Request, TextDelta
from quaestor.sessions.session_rows import clean
from quaestor.sessions.transcript import Transcript
from quaestor.window import Window


async def stream_within(model: Model, request: Request, deadline: float) -> AsyncGenerator[Delta]:
    """Yield the deltas of a reply; closing this closes the request.

    Args:
        model: the model.
        request: the request.
        deadline: of the reply, in the event loop's seconds.

    Raises:
        LimitError: the reply did not end in time.
        UpstreamError: the model failed.
    """
    stream = aiter(model.stream(request))
    try:
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    delta = await anext(stream)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise LimitError("the turn took more time than it may; ask for less, or raise its limit") from None
            yield delta
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()


async def whole_reply(model: Model, request: Request, deadline: float) -> tuple[str, Finished]:
    """Return a reply's text and its end; see ``stream_within``."""
    pieces: list[str] = []
    finished = Finished("unknown")
    async with aclosing(stream_within(model, request, deadline)) as deltas:
        async for delta in deltas:
            if isinstance(delta, Finished):
                finished = delta
            else:
                pieces.append(delta.text)
    return "".join(pieces), finished


# A server that pays no heed to the limit on the reply is stopped when it writes more than this for each token.
_LETTERS_OF_A_TOKEN = 32


class SpentError(LimitError):
    """The next request could take the turn beyond the tokens or the money that it may take; it was not sent."""


class Requests:
    """Sends requests to one model.

    Args:
        model: the model.
        composer: counts tokens.
        transcript: the record.
        settings: limits of a turn.
    """

    def __init__(
        self, model: Model, composer: Composer, transcript: Transcript, settings: ConversationSettings
    ) -> None:
        self.model = model
        self._composer = composer
        self._transcript = transcript
        self._settings = settings

    async def send(
        self,
        turn: Turn,
        request: Request,
        window: Window,
        conversation: tuple[Sequence[Message], Sequence[int | None]],
    ) -> AsyncGenerator[Delta]:
        """Send a request and yield its deltas, the last of them ``Finished``; closing this closes the request.

        Args:
            turn: the turn that pays.
            request: the request.
            window: the window that it was made from.
            conversation: the messages that the window was composed from, and their numbers in the transcript.

        Raises:
            LimitError: the turn has no time or tokens left.
            UpstreamError: the model failed.
        """
        self.check(turn, window)
        number = self._transcript.record_request(
            turn.number,
            window,
            self.model.name,
            conversation=conversation,
            prompts=prompt_hashes(),
            parameters=_parameters(request),
        )
        written: list[str] = []
        length = 0
        finished = Finished("unknown")
        try:
            async with aclosing(stream_within(self.model, request, turn.deadline)) as deltas:
                async for delta in deltas:
                    if isinstance(delta, Finished):
                        finished = delta
                        continue
                    length += len(delta.text)
                    _check_length(length, window.reserve)
                    written.append(delta.text)
                    yield delta
        except QuaestorError as error:
            self._transcript.record_reply(number, f"{error.code}: {error}", None)
            raise
        except GeneratorExit:
            # The caller has read enough; the text so far was generated and counts.
            usage = self._counted_usage(window, written)
            turn.spend(usage, self.model.name)
            self._transcript.record_reply(number, "closed", usage)
            raise
        usage = finished.usage or self._counted_usage(window, written)
        turn.spend(usage, finished.model or self.model.name)
        self._transcript.record_reply(number, finished.reason, usage)
        yield finished

    def _counted_usage(self, window: Window, written: Sequence[str]) -> Usage:
        return Usage(window.tokens, self._composer.counter.text("".join(written)), reported=False)

    def check(self, turn: Turn, window: Window) -> None:
        """Refuse a request that could exceed the turn's limits.

        Raises:
            SpentError: it could.
        """
        spent, settings = turn.usage, self._settings
        needed = spent.total_tokens + window.tokens + window.reserve
        if settings.tokens is not None and needed > settings.tokens:
            raise SpentError(
                f"this turn may take {settings.tokens} tokens, and its next request could bring it to {needed}"
                " tokens; raise the limit or use a smaller window"
            )
        cost = settings.cost_of(spent.prompt_tokens + window.tokens, spent.completion_tokens + window.reserve)
        if settings.cost is not None and cost > settings.cost:
            raise SpentError(
                f"this turn may cost {settings.cost:g}, and its next request could bring it to {cost:.6g};"
                " raise the limit or use a smaller window"
            )


def _check_length(length: int, reserve: int) -> None:
    if length > reserve * _LETTERS_OF_A_TOKEN:
        raise LimitError(
            f"the reply was stopped after {length} letters: {reserve} tokens were allowed, and"
            " the server goes on; raise the reserve, or look at the server's settings"
        )


def _parameters(request: Request) -> Mapping[str, object]:
    """Return the parameters of a request that are recorded beside its messages."""
    parameters: dict[str, object] = {"temperature": request.temperature, "max_tokens": request.max_tokens}
    if request.stop:
        parameters["stop"] = list(request.stop)
    if request.tools:
        parameters["tools"] = list(request.tools)
    return parameters


def too_long_error(failure: TooLongError, window: Window) -> TooLongError:
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


async def summarise(turn: Turn, history: History, requests: Requests, composer: Composer, record: Transcript) -> None:
    """Ask for a summary; if that fails, the conversation continues without one."""
    summaries = history.summaries
    try:
        window = summaries.request(history.messages, composer.counter, history.limit)
        sent = (window.messages, [None] * len(window.messages))
        pieces: list[str] = []
        async with aclosing(requests.send(turn, composer.request(window), window, sent)) as deltas:
            async for delta in deltas:
                if isinstance(delta, TextDelta):
                    pieces.append(delta.text)
    except QuaestorError:
        summaries.failed()
        return
    text = clean("".join(pieces)).strip()
    known = [one for place in summaries.out if (one := history.ids[place]) is not None]
    if not text or not known:
        summaries.failed()
        return
    record.record_summary(known[0], known[-1], text, requests.model.name)
    summaries.written(text)
