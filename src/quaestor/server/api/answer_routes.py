"""Single questions, answered without a stream."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request

from quaestor.chat.session_json import ask_object
from quaestor.search.filters import make_filter
from quaestor.server.api import api_schemas as schemas
from quaestor.server.api.access import corpus_of, corpus_settings
from quaestor.server.api.refusal_schemas import refusals
from quaestor.server.ask_once import outcome_of
from quaestor.server.http.caller import Who
from quaestor.server.http.served_state import RequestId, ServedHere
from quaestor.server.http.streams import answered_while_there

router = APIRouter()


@router.post("/ask", response_model=schemas.AskResult, responses=refusals(404, 502, 503))
async def ask(
    request: Request, served: ServedHere, who: Who, asked: schemas.AskRequest, number: RequestId
) -> dict[str, Any]:
    """Answer a question from a corpus, with checked citations; nothing is kept of it."""
    index = await asyncio.to_thread(corpus_of, served, who, asked.corpus)
    settings = await asyncio.to_thread(corpus_settings, served, who, asked.corpus)
    where = make_filter(asked.path, asked.language, asked.since, asked.before, asked.by)
    model = served.make_model(who, number)
    answering = outcome_of(index, model, asked.question, settings, where=where, filters=asked.filters)
    outcome = await answered_while_there(request, answering)
    return ask_object(asked.question, outcome, settings)
