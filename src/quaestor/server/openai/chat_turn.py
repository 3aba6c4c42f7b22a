"""Runs the turn that a request in OpenAI's format asks for; all routes use it.

The request is read first: earlier messages, the newest question, the messages after it, and the parameters. The client
sends the whole conversation every time; it is composed into the model's window, so that no request to the model is too
long.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar

from fastapi import Request
from pydantic import BaseModel

from quaestor.accounts.users import User
from quaestor.assemble import conversation_settings, make_subroutines
from quaestor.chat.call_protocols import CallerTools
from quaestor.chat.chat_settings import ConversationSettings
from quaestor.chat.engine import Conversation
from quaestor.chat.events import Composed, Done, Event, Passages, Searching, Text, TurnOutcome
from quaestor.core.documents import STANDING, UNCHECKED, Citation
from quaestor.core.messages import Message, ToolCall
from quaestor.server.http.error_responses import RequestRefusedError, blame_request
from quaestor.server.http.request_log import count_events
from quaestor.server.http.running_turns import hold_place
from quaestor.server.http.served_state import Served
from quaestor.server.openai.model_names import corpus_of_model
from quaestor.server.openai.openai_schemas import ChatMessage, ChatRequest, ContentPart, FinishReason
from quaestor.sessions.records import Ending
from quaestor.sessions.session_rows import passages_shown, runs
from quaestor.sessions.transcript import Transcript
from quaestor.window import Window

_IN_WHOLE = frozenset({"kept", "recalled"})

_HEADING = "Sources:"
# Matches what `trailing_sources` returns, at the end of a text.
_LISTED = re.compile(
    rf"\n\n(?:{_HEADING}(?:\n- \[\d+\] [^\n]*, (?:{'|'.join(STANDING.values())}))+|{re.escape(UNCHECKED)})\s*\Z"
)


@dataclass(slots=True)  # mutable: filled by the events of a turn
class Reply:
    """A response that is being made.

    Attributes:
        model: the model's name, as the client gave it.
        outcome: what the turn's events add up to so far.
        window: the window of the last request to the model; None before it, and if there is no model.
        retrieval_seconds: how long the search for passages took.
        sources: the list of sources that is added to the answer; empty for none.
        created: when it was begun, in seconds since the epoch.
    """

    prefix: ClassVar[str]
    """The prefix of the response's id."""
    textual: ClassVar[bool] = True
    """Whether its clients show only text, and so would not show the citations that are sent as data."""

    model: str
    outcome: TurnOutcome = field(default_factory=TurnOutcome)
    window: Window | None = None
    retrieval_seconds: float = 0.0
    sources: str = ""
    created: int = field(default_factory=lambda: int(time.time()))
    _searching: float = 0.0
    _number: str = field(default_factory=lambda: secrets.token_hex(12))

    @property
    def id(self) -> str:
        """The response's id."""
        return f"{self.prefix}-{self._number}"

    def lists_sources(self, setting: str) -> bool:
        """Return whether the answer ends with a list of its sources, by the setting ``source_list``."""
        return setting == "on" or (setting == "auto" and self.textual)

    def take(self, event: Event) -> None:
        """Process the turn's next event."""
        self.outcome.take(event)
        match event:
            case Searching():
                self._searching = time.perf_counter()
            case Passages():
                self.retrieval_seconds = time.perf_counter() - self._searching
            case Composed(window=window):
                self.window = window

    @property
    def done(self) -> Done:
        """The turn's last event."""
        assert self.outcome.done is not None
        return self.outcome.done

    @property
    def text(self) -> str:
        """The complete answer, with the list of its sources."""
        return self.done.answer + self.sources

    @property
    def finish_reason(self) -> FinishReason:
        """The reason for which the answer ended, in OpenAI's terms."""
        if self.done.calls:
            return "tool_calls"
        return self.done.finish if self.done.finish in ("length", "content_filter") else "stop"

    @property
    def usage(self) -> dict[str, int]:
        """The tokens of all requests to the model for this answer."""
        usage = self.done.usage
        return {
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "total_tokens": usage.total_tokens,
        }

    @property
    def additions(self) -> dict[str, Any]:
        """Our additions, which clients of OpenAI's API may ignore."""
        return {
            "known": self.done.known,
            "unchecked": self.done.unchecked,
            "quotes": [asdict(quote) for quote in self.outcome.quotes],
            "citations": [asdict(citation) for citation in self.outcome.citations],
            "unsupported": list(self.outcome.unsupported),
            "model": self.done.model,
            "window": None if self.window is None else _window_shown(self.window),
            "retrieval_seconds": round(self.retrieval_seconds, 6),
        }


def _window_shown(window: Window) -> dict[str, Any]:
    messages = (one for one in window.decisions if one.kind == "message")
    return {
        "limit": window.limit,
        "reserve": window.reserve,
        "tokens": window.tokens,
        "sections": dict(window.sections),
        "passages": sum(one.kind == "passage" for one in window.decisions),
        "sent": len(passages_shown(runs(window.decisions))),
        "left_out": sum(one.action not in _IN_WHOLE for one in messages),
    }


def trailing_sources(citations: Sequence[Citation], *, unchecked: bool) -> str:
    """Return the list of an answer's sources, without duplicates; "" if there are none.

    Args:
        citations: the answer's checked citations.
        unchecked: whether none of them holds; the text then says so instead of listing them.
    """
    if unchecked:
        return f"\n\n{UNCHECKED}"
    lines = {f"- [{one.n}] {_place(one)}, {STANDING[one.status]}": None for one in citations}
    return "\n".join(("\n", _HEADING, *lines)) if lines else ""


def without_sources(text: str) -> str:
    """Return an earlier answer, as a client sends it back, without the list of sources that was added to it."""
    return _LISTED.sub("", text)


def _place(citation: Citation) -> str:
    end = f"-{citation.end_line}" if citation.end_line > citation.start_line else ""
    url = "" if citation.url is None else f" {citation.url}"
    return " ".join(f"{citation.path}:{citation.start_line}{end}{url}".splitlines())


_PASSED_ON = (
    "top_p",
    "seed",
    "presence_penalty",
    "frequency_penalty",
    "response_format",
    "reasoning_effort",
)
_WITH_TOOLS = ("tool_choice", "parallel_tool_calls")
# Names that mark the window's own messages; a client's message must not have one.
_OURS = frozenset({"passages", "summary", "result"})
_MOST_STOPS = 16


def reply_events(
    body: ChatRequest,
    reply: Reply,
    request: Request,
    served: Served,
    who: User,
    *,
    blamed_body: BaseModel | None = None,
) -> AsyncGenerator[Text | Done]:
    """Run a request's turn, and return those of its events that the client is sent.

    Args:
        body: the request.
        reply: processes every event of the turn.
        request: the HTTP request.
        served: the served state.
        who: the caller.
        blamed_body: the client's own request, if ``body`` was made from it.
    """
    identity = str(request.scope["state"]["request_id"])
    turn = hold_place(served.places, _turn(body, blamed_body or body, served, who, identity))
    listed = not _wants_json(body) and reply.lists_sources(served.settings.source_list)
    return _events_for_client(reply, count_events(request, served.metrics, turn), listed=listed)


async def _turn(
    body: ChatRequest, blamed_body: BaseModel, served: Served, who: User, identity: str
) -> AsyncGenerator[Event]:
    """Yield the events of the turn that a request asks for.

    Raises:
        QuaestorError: the request cannot be answered.
    """
    read = _read_request(body)
    index, settings = corpus_of_model(body.model, served, who)
    model = served.make_model(who, identity)
    if model is None and _wants_json(body):
        raise RequestRefusedError(
            "There is no model, so answers are quotes and cannot be JSON. Leave 'response_format' out.",
            param="response_format",
        )
    limit = served.windows.limit(model, settings.window)
    settings = settings._replace(window=limit)
    alone = read.caller_tools is not None or _wants_json(body)
    conversation = Conversation(
        index,
        model,
        limit=limit,
        settings=_settings_for(body, conversation_settings(settings)),
        transcript=transcript_of_client(read.past),
        owner=who.id,
        subroutines=None if alone else make_subroutines(index, model, settings),
        caller_tools=read.caller_tools,
    )
    try:
        with blame_request(blamed_body):
            async with aclosing(conversation.send(read.question)) as events:
                async for one in events:
                    yield one
    finally:
        served.windows.learn(conversation, limit)


async def _events_for_client(
    reply: Reply, events: AsyncGenerator[Event], *, listed: bool
) -> AsyncGenerator[Text | Done]:
    """Process a turn's events, and yield those that the client is sent; with ``listed``, add the list of sources."""
    async with aclosing(events):
        async for one in events:
            reply.take(one)
            if isinstance(one, Done):
                if listed and not one.calls:
                    reply.sources = trailing_sources(reply.outcome.citations, unchecked=one.unchecked)
                if reply.sources:
                    yield Text(reply.sources)
                yield one
            elif isinstance(one, Text) and one.text:
                yield one


async def await_end(events: AsyncGenerator[Text | Done]) -> None:
    """Read a turn's events to the end."""
    async with aclosing(events):
        async for _ in events:
            pass


@dataclass(frozen=True, slots=True)
class ReadChatRequest:
    """The parts of a chat request.

    Attributes:
        past: the messages before the newest question, including system messages.
        question: the newest question.
        caller_tools: the client's own tools and the messages after the question; None if there are neither.
    """

    past: tuple[Message, ...]
    question: str
    caller_tools: CallerTools | None


def _check_kind(request: ChatRequest) -> None:
    """Refuse options that would be silently ignored.

    Raises:
        RequestRefusedError: the request has functions in their old form, or asks for output other than text.
    """
    if request.functions:
        raise RequestRefusedError("'functions' are no longer supported. Send them as 'tools'.", param="functions")
    if set(request.modalities or ()) - {"text"}:
        raise RequestRefusedError("Answers are only text. Leave 'modalities' out.", param="modalities")


def _read_request(request: ChatRequest) -> ReadChatRequest:
    """Return the parts of a request.

    Raises:
        RequestRefusedError: the request has content other than text, or no question.
    """
    _check_kind(request)
    messages = [_message(place, message) for place, message in enumerate(request.messages)]
    newest = next((place for place in reversed(range(len(messages))) if messages[place].role == "user"), None)
    if newest is None:
        raise RequestRefusedError("There is no user message to answer. Add one.", param="messages")
    if not messages[newest].content.strip():
        raise RequestRefusedError("The newest question is empty. Ask something.", param=f"messages[{newest}].content")
    after = tuple(messages[newest + 1 :])
    tools = tuple(tool.model_dump(exclude_unset=True) for tool in request.tools or ())
    _check_text("tools", tools)
    passed = CallerTools(tools, after) if tools or after else None
    return ReadChatRequest(tuple(messages[:newest]), messages[newest].content, passed)


def _wants_json(request: ChatRequest) -> bool:
    """Return whether the answer must be JSON only."""
    return request.response_format is not None and request.response_format.type != "text"


def _settings_for(request: ChatRequest, settings: ConversationSettings) -> ConversationSettings:
    """Return a corpus's conversation settings with a request's parameters applied."""
    names = (*_PASSED_ON, *(_WITH_TOOLS if request.tools else ()))
    fields = request.model_dump(include=set(names), exclude_none=True)
    for name, value in {**fields, "stop": request.stop}.items():
        _check_text(name, value)
    most = request.max_completion_tokens or request.max_tokens
    # A short reply has no room for a hidden plan.
    planned = settings.premeditation and (most is None or most >= settings.reserve)
    return replace(
        settings,
        parameters=fields,
        stop=tuple(_stops(request)),
        temperature=settings.temperature if request.temperature is None else request.temperature,
        reserve=most or settings.reserve,
        premeditation=planned,
        # OpenAI's format has no field that would show which dates and authors were understood.
        filters=False,
    )


def _check_text(param: str, value: object) -> None:
    """Refuse a value that cannot be passed on as JSON.

    Raises:
        RequestRefusedError: the value holds a lone surrogate, NaN or an infinity.
    """
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        raise RequestRefusedError(f"{param!r} holds a lone surrogate, which is not text.", param=param) from None
    except ValueError:
        message = f"{param!r} holds a number that JSON does not have: NaN or an infinity."
        raise RequestRefusedError(message, param=param) from None


def _stops(request: ChatRequest) -> list[str]:
    stops = [request.stop] if isinstance(request.stop, str) else request.stop or []
    if len(stops) > _MOST_STOPS:
        raise RequestRefusedError(f"{len(stops)} stop sequences are more than {_MOST_STOPS}.", param="stop")
    return stops


def _message(place: int, message: ChatMessage) -> Message:
    where = f"messages[{place}]"
    calls = tuple(ToolCall(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or ())
    if calls and message.role != "assistant":
        raise RequestRefusedError(
            f"Only an assistant makes tool calls, not {message.role!r}.", param=f"{where}.tool_calls"
        )
    if message.role == "tool" and not message.tool_call_id:
        raise RequestRefusedError("A tool's result needs the id of its call.", param=f"{where}.tool_call_id")
    if message.content is None and message.role != "assistant":
        raise RequestRefusedError(f"A message of role {message.role!r} needs content.", param=f"{where}.content")
    content = _text(where, message.content)
    return Message(
        "system" if message.role == "developer" else message.role,
        without_sources(content) if message.role == "assistant" else content,
        name=None if message.name in _OURS or not message.name else message.name,
        tool_calls=calls,
        tool_call_id=message.tool_call_id if message.role == "tool" else None,
    )


def _text(where: str, content: str | Sequence[ContentPart] | None) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(_parts(where, content))


def _parts(where: str, parts: Sequence[ContentPart]) -> Iterator[str]:
    for place, part in enumerate(parts):
        if part.type != "text" or part.text is None:
            raise RequestRefusedError(
                f"Content of type {part.type[:40]!r} is not supported; only 'text' is. Send the text alone.",
                code="unsupported_content",
                param=f"{where}.content[{place}]",
            )
        yield part.text


def transcript_of_client(messages: Sequence[Message]) -> Transcript:
    """Return a transcript in memory with the earlier messages of a conversation as one turn.

    Args:
        messages: the messages before the newest question, in order; system messages keep their places.
    """
    transcript = Transcript.in_memory()
    if messages:
        turn, _ = transcript.begin(messages[0])
        transcript.end(turn, Ending("done", messages=tuple(messages[1:])))
    return transcript
