"""Routes of turns, which stream a turn's steps as events, each with a name and a JSON object.

The stream begins only when the turn is recorded, so that a refusal is an ordinary response with an error status. A
later failure is recorded and sent as the last event. A turn continues when its client disconnects: a client that
reconnects gets all events from the first, and the turn ends early only if it is stopped.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import asdict, replace
from functools import partial
from typing import Any, assert_never

from fastapi import APIRouter, Request, Response

from quaestor.accounts.metered_model import MeteredModel
from quaestor.accounts.money import MILLION
from quaestor.accounts.users import User
from quaestor.assemble import conversation_settings, make_subroutines
from quaestor.chat.engine import Conversation
from quaestor.chat.events import (
    Called,
    Citations,
    Composed,
    Done,
    Event,
    Passages,
    Premeditated,
    Proposed,
    Retried,
    Returned,
    Searching,
    Stopped,
    Summarising,
    Text,
)
from quaestor.chat.session_json import by_name, passage_place
from quaestor.core.documents import Hit
from quaestor.core.errors import QuaestorError
from quaestor.corpus import Corpus
from quaestor.corpus.conversation_corpus import ConversationCorpus
from quaestor.corpus.corpus_json import hit_object, unknown_objects
from quaestor.edits import Proposal, diff, plan
from quaestor.files.walk import folder_of
from quaestor.llm.models import Model
from quaestor.search.filters import make_filter
from quaestor.server.api import session_schemas
from quaestor.server.api.access import corpus_for, model_of, session_of
from quaestor.server.api.api_schemas import refusals
from quaestor.server.api.session_routes import SessionId
from quaestor.server.http.caller import Who
from quaestor.server.http.error_responses import code, text_of
from quaestor.server.http.request_log import count_events
from quaestor.server.http.running_turns import hold_place
from quaestor.server.http.served_state import RequestId, Served, ServedHere
from quaestor.server.http.streams import EventStream, cancelled_on_disconnect, event
from quaestor.sessions.session_rows import passages_shown, runs
from quaestor.sessions.transcript import Transcript

_LOG = logging.getLogger("quaestor.server")

router = APIRouter()

Object = dict[str, Any]
Cost = Callable[[Done], float | None]
Change = Callable[[object], Object]


@router.post(
    "/sessions/{id}/turns",
    response_class=Response,
    responses={
        200: {
            "description": "Events, each with a name and a JSON object; the last is `done` or `error`.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
        **refusals(404, 409, 502, 503),
    },
)
async def begin_turn(
    request: Request, served: ServedHere, who: Who, id: SessionId, body: session_schemas.TurnRequest, number: RequestId
) -> EventStream:
    """Ask a question, or repeat the last one, and stream the turn's events until its answer is complete and checked.

    Events: `searching`, `passages`, `summarising`, `composed`, `retried`, `premeditated`, `called`, `returned`,
    `proposed`, `text`, `stopped`, `citations`, `done`, `error`. The turn continues when the stream is closed.
    """
    return EventStream(await cancelled_on_disconnect(request, turn_events(request, served, who, id, body, number)))


@router.get(
    "/sessions/{id}/turns/running",
    response_class=Response,
    responses={
        200: {
            "description": "The same events as in the response that began the turn, from the first.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
        204: {"description": "No turn is running."},
        **refusals(404),
    },
)
async def follow_turn(served: ServedHere, who: Who, id: SessionId) -> Response:
    """Stream the events of a session's running turn, from the first to the last."""
    await asyncio.to_thread(_check, served, who, id)
    events = served.turns.follow(who.id, id)
    return Response(status_code=204) if events is None else EventStream(events)


@router.delete("/sessions/{id}/turns/running", status_code=204, response_class=Response, responses=refusals(404))
async def stop_turn(served: ServedHere, who: Who, id: SessionId) -> None:
    """Stop a session's running turn, if there is one; its answer so far is recorded."""
    await asyncio.to_thread(_check, served, who, id)
    served.turns.stop(who.id, id)


def _check(served: Served, user: User, session: str) -> None:
    """Raise ``NotFoundError`` unless a session is the user's."""
    session_of(served, user, session).close()


async def turn_events(
    request: Request, served: Served, user: User, session: str, body: session_schemas.TurnRequest, number: str
) -> AsyncGenerator[bytes]:
    """Begin a turn that runs in the background, and return its encoded events; a failure becomes the last event.

    Raises:
        QuaestorError: the turn cannot begin.
    """
    turn = _events_with_failure(_turn(request, served, user, session, body, number))
    return await served.turns.begin(user.id, session, turn, request.app.state.tasks)


async def _events_with_failure(turn: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """Yield a turn's events; a failure after the first event becomes the last event.

    Raises:
        Exception: the turn cannot begin.
    """
    has_begun = False
    try:
        async with aclosing(turn):
            async for piece in turn:
                has_begun = True
                yield piece
    except QuaestorError as error:
        if not has_begun:
            raise
        yield _event_bytes(*failure(error))
    except Exception:
        if not has_begun:
            raise
        _LOG.exception("fault")
        yield _event_bytes(*failure(_TurnFault()))


async def _turn(
    request: Request, served: Served, user: User, session: str, body: session_schemas.TurnRequest, number: str
) -> AsyncGenerator[bytes]:
    """Yield a turn's encoded events.

    Raises:
        QuaestorError: the turn fails.
    """
    conversation = await asyncio.to_thread(_conversation, served, user, session, body, number)
    limit = conversation.limit
    try:
        turn = hold_place(served.places, _steps(conversation, body))
        async with aclosing(count_events(request, served.metrics, turn)) as steps:
            async for step in steps:
                yield _event_bytes(*await _encode_step(conversation, step))
    finally:
        served.windows.learn(conversation, limit)
        conversation.transcript.close()


def _conversation(
    served: Served, user: User, session: str, body: session_schemas.TurnRequest, number: str
) -> Conversation:
    """Return a conversation that continues a session, limited to the documents that the request allows.

    Raises:
        UsageError: the limits on documents are malformed.
        NotFoundError: the user has no such session, its corpus is no longer served, or there is no such model.
        StillIndexingError: the corpus cannot be searched yet.
    """
    where = make_filter(body.path, body.language, body.since, body.before, body.by)
    transcript = session_of(served, user, session)
    try:
        index, settings = corpus_for(served, user, transcript.root, body.question or _last_question(transcript))
        model = model_of(served, user, number, body.model)
        if isinstance(model, MeteredModel):
            model = model.with_purpose(session=session, source=index.source)
            settings = settings._replace(model=model.name)
        settings = settings._replace(window=served.windows.limit(model, settings.window))
        return Conversation(
            index,
            model,
            limit=settings.window,
            settings=replace(conversation_settings(settings), where=where, filters=body.filters),
            transcript=transcript,
            owner=user.id,
            subroutines=make_subroutines(index, model, settings, edits=True, where=where),
        )
    except BaseException:
        transcript.close()
        raise


def _last_question(transcript: Transcript) -> str:
    """Return the question of a session's last turn; "" if it has none."""
    return next((turn.question for turn in reversed(transcript.turns())), "")


def _steps(conversation: Conversation, body: session_schemas.TurnRequest) -> AsyncGenerator[Event]:
    return conversation.resume() if body.question is None else conversation.send(body.question)


async def _encode_step(conversation: Conversation, step: Event) -> tuple[str, dict[str, Any]]:
    change, cost = partial(_change, conversation.index), partial(_cost, conversation.model)
    shown = partial(encode_event, step, change=change, cost=cost)
    # In a thread: a proposal is compared with the files on disk.
    return await asyncio.to_thread(shown) if isinstance(step, Proposed) else shown()


def _event_bytes(name: str, data: dict[str, Any]) -> bytes:
    return event(data, name)


def _change(index: ConversationCorpus, proposal: object) -> dict[str, Any]:
    """Return a proposed change as a diff; nothing is written."""
    # Only a single corpus has the tool that proposes changes.
    assert isinstance(proposal, Proposal) and isinstance(index, Corpus)
    planned = plan(folder_of(index.root), proposal)
    return {
        "diff": diff(planned),
        "paths": [file.path for file in planned.files],
        "refusals": [refusal.message for refusal in planned.refusals],
    }


def _cost(model: Model | None, done: Done) -> float | None:
    """Return a turn's cost in units of the currency; None if no price is known."""
    if model is None or not done.usage.total_tokens:
        return 0.0
    price = model.price if isinstance(model, MeteredModel) else None
    return None if price is None else price.cost(done.usage.prompt_tokens, done.usage.completion_tokens) / MILLION


class _TurnFault(QuaestorError):
    code = "server_error"

    def __init__(self) -> None:
        super().__init__("The server failed; its log says why, under the id in X-Request-ID. Resume the turn.")


def encode_event(event: Event, *, change: Change, cost: Cost) -> tuple[str, Object]:  # noqa: PLR0911, PLR0912
    """Return an event's name and JSON object.

    Args:
        event: an event of any kind.
        change: returns the ``diff``, ``paths`` and ``refusals`` of a proposal.
        cost: returns a turn's cost; None if no price is known.
    """
    match event:
        case Searching(query=query, understood=understood, missed=missed, unknown=unknown, translated=translated):
            limits = {"understood": list(understood), "missed": list(missed), "translated": list(translated)}
            return "searching", {"query": query, **limits, "unknown": unknown_objects(unknown)}
        case Passages(hits=hits, known=known, numbers=numbers):
            return "passages", {"passages": _passages(hits, numbers), "known": known}
        case Summarising(messages=messages):
            return "summarising", {"messages": messages}
        case Composed(window=window, model=model):
            sizes = {"tokens": window.tokens, "limit": window.limit, "reserve": window.reserve}
            sent = len(passages_shown(runs(window.decisions)))
            return "composed", {"model": model, **sizes, "sections": by_name(window.sections), "sent": sent}
        case Retried(reason=reason, limit=limit):
            return "retried", {"reason": reason, "limit": limit}
        case Premeditated(plan=plan):
            return "premeditated", {"plan": asdict(plan)}
        case Called(name=name, arguments=arguments):
            return "called", {"name": name, "arguments": dict(arguments)}
        case Returned(name=name, text=text, passages=passages, failed=failed):
            places = [passage_place(passage) for passage in passages]
            return "returned", {"name": name, "text": text, "passages": places, "failed": failed}
        case Proposed(proposal=proposal):
            return "proposed", change(proposal)
        case Text(text=text):
            return "text", {"text": text}
        case Stopped(reason=reason):
            return "stopped", {"reason": reason}
        case Citations(citations=citations, unsupported=unsupported, quotes=quotes):
            checked = {"citations": list(map(asdict, citations)), "unsupported": list(unsupported)}
            return "citations", {**checked, "quotes": list(map(asdict, quotes))}
        case Done(answer=answer, known=known, model=model, usage=usage, unchecked=unchecked):
            fields = {"answer": answer, "known": known, "unchecked": unchecked, "model": model, "usage": asdict(usage)}
            return "done", {**fields, "cost": cost(event)}
        case _:
            assert_never(event)


def failure(error: QuaestorError) -> tuple[str, Object]:
    """Return the last event of a turn that failed after its stream began."""
    return "error", {"code": code(error), "message": text_of(error), "retryable": error.retryable}


def _passages(hits: Sequence[Hit], numbers: Sequence[int]) -> list[Object]:
    return [{"n": n, **hit_object(hit)} for n, hit in zip(numbers or range(1, len(hits) + 1), hits, strict=True)]
