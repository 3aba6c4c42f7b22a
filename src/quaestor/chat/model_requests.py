"""The requests of a turn, for an answer or for a summary: composed, sent within its limits, and recorded.

A composed request can be shown without being sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from quaestor.answers.citations.citation_marks import NO_ANSWER
from quaestor.chat.call_protocols import CallProtocol
from quaestor.chat.chat_settings import Brief, ConversationSettings
from quaestor.chat.conversation_state import History
from quaestor.chat.turn import Turn
from quaestor.core.errors import LimitError, QuaestorError
from quaestor.core.messages import Message, Usage, without_surrogates
from quaestor.llm.endpoints.failures import TooLongError
from quaestor.llm.models import Delta, Finished, Model, Request, TextDelta
from quaestor.llm.prompts.loader import load, names
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.llm.tokens import MessageCounter
from quaestor.sessions.session_rows import passages_shown, runs
from quaestor.sessions.transcript import Transcript
from quaestor.window import Recaller, Reminder, Settings, Window, compose

_SHORT = 3072


def is_short(limit: int) -> bool:
    """Return whether a window of ``limit`` tokens is so short that words to the model take the place of passages."""
    return limit < _SHORT


@dataclass(frozen=True, slots=True)
class Composer:
    """Composes the windows of one conversation.

    Attributes:
        settings: the settings of the conversation.
        counter: counts messages for the model.
        recall: scores earlier messages; follows the conversation as it grows.
    """

    settings: ConversationSettings
    counter: MessageCounter
    recall: Recaller

    def window(
        self,
        messages: Sequence[Message],
        passages: Sequence[Passage],
        limit: int,
        summary: str = "",
        tools: Sequence[Mapping[str, object]] = (),
    ) -> Window:
        """Return the window of a conversation whose newest question is answered from ``passages``.

        ``summary`` replaces messages that are left out; without one, the policy decides. ``tools`` are part of the
        request.

        Raises:
            WindowError: the must-keep messages do not fit ``limit`` tokens.
        """
        every = self.settings.reminder
        reminder = Reminder(load("chat_reminder").render(), every) if every else None
        return compose(
            messages,
            limit=limit,
            reserve=self.reserve(limit),
            tokenizer=self.counter,
            policy=self.settings.policy,
            passages=passages,
            recall=self.recall,
            summarise=(lambda _: summary) if summary else None,
            tools=tools,
            settings=Settings(reminder=reminder),
        )

    def reserve(self, limit: int) -> int:
        """Return the tokens kept free for the reply: it may not take the room that the question needs."""
        return max(1, min(self.settings.reserve, limit // 4))

    def request(self, window: Window, protocol: CallProtocol | None = None) -> Request:
        """Return the request to the model."""
        return Request(
            window.messages,
            stop=protocol.stop if protocol else (),
            temperature=self.settings.temperature,
            max_tokens=window.reserve,
            tools=protocol.tools if protocol else (),
            extra=self.settings.parameters,
        )


def instructions(brief: Brief = "code", *more: str, short: bool = False) -> Message:
    """Return the system message of a conversation.

    Args:
        brief: its beginning.
        more: further paragraphs; empty ones are left out.
        short: whether the window is short; then the brief is left out.
    """
    if short:
        rules = load("chat_short").render(no_answer=NO_ANSWER)
    else:
        rules = load("chat").render(brief=load(f"brief_{brief}").render(), no_answer=NO_ANSWER)
    return Message("system", "\n\n".join(filter(None, (rules, *more))))


def plan_request(settings: ConversationSettings, calls: Sequence[str]) -> str:
    """Return the part of the instructions that asks for premeditation; empty where that is not wanted.

    Args:
        settings: whether it is.
        calls: names of the tools that may be planned.
    """
    return load("plan").render(names=", ".join(calls) or "none") if settings.premeditation else ""


def examples() -> tuple[Message, ...]:
    """Return a question and its answer as few-shot examples, which are not part of the conversation."""
    names = ("example_user", "example_assistant")
    return tuple(Message("system", load(name).render(), name=name) for name in names)


def shown_passages(window: Window, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return the passages that the model sees, be it in the window's own message or in an earlier one."""
    shown = passages_shown(runs(window.decisions))
    return tuple(passage for place, passage in enumerate(passages) if place in shown)


@cache
def prompt_hashes() -> Mapping[str, str]:
    """Return the hash of every prompt, for the record of a request."""
    return MappingProxyType({name: load(name).sha256 for name in names()})


async def stream_within(model: Model, request: Request, deadline: float) -> AsyncGenerator[Delta]:
    """Yield the deltas of a reply; closing this closes the request.

    Args:
        model: the model.
        request: the request.
        deadline: the deadline of the reply, in the event loop's seconds.

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
                raise LimitError("the turn exceeded its time limit; ask for less, or raise its limit") from None
            yield delta
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()


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
            f"the reply was stopped after {length} characters: {reserve} tokens were allowed, and"
            " the server did not stop; raise the reserve, or look at the server's settings"
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
    """Return the error for a request that is too long even after it was composed again."""
    allowed = "an unknown number" if failure.limit is None else str(failure.limit)
    return TooLongError(
        f"the request is still too long after it was shortened: {window.tokens} tokens by our count and"
        f" {window.reserve} for the reply, under a window of {window.limit}; the server allows {allowed} ({failure});"
        " set `window` to what the server was started with",
        limit=failure.limit,
        request_tokens=failure.request_tokens,
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
        summaries.note_failure()
        return
    text = without_surrogates("".join(pieces)).strip()
    known = [one for place in summaries.out if (one := history.ids[place]) is not None]
    if not text or not known:
        summaries.note_failure()
        return
    record.record_summary(known[0], known[-1], text, requests.model.name)
    summaries.take_summary(text)
