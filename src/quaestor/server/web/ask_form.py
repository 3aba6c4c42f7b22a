"""Asking with a form, for browsers without scripts: the answer is shown when it is whole."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from quaestor.accounts.users import User
from quaestor.server.api.access import session_of
from quaestor.server.api.api_schemas import LONGEST_QUESTION
from quaestor.server.api.session_routes import begin_session
from quaestor.server.api.session_schemas import SessionStart, TurnRequest
from quaestor.server.api.turn_routes import turn_events
from quaestor.server.http.caller import Who
from quaestor.server.http.served_state import RequestId, Served, ServedHere
from quaestor.server.http.streams import answered_while_there
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.limits import Limits

router = APIRouter(route_class=PageRoute)


@router.post("/ask")
async def ask(
    request: Request,
    served: ServedHere,
    who: Who,
    number: RequestId,
    question: Annotated[str, Form(min_length=1, max_length=LONGEST_QUESTION)],
    session: Annotated[str, Form(max_length=200)] = "",
    corpus: Annotated[str, Form(max_length=4096)] = "",
) -> Response:
    """Ask, in a session or in a new one, and show the conversation when the turn is over, whatever became of it."""
    if not session:
        start = SessionStart(corpus=corpus)
        session = str((await asyncio.to_thread(begin_session, served, who, start))["id"])
    asked = TurnRequest(question=question, **Limits.of_form(await request.form()).asked())
    await answered_while_there(request, _turn(request, served, who, session, asked, number))
    with session_of(served, who, session) as transcript:
        last = transcript.info().turns
    return RedirectResponse(f"/sessions/{quote(session, safe='')}#turn-{last}", 303)


async def _turn(request: Request, served: Served, user: User, session: str, asked: TurnRequest, number: str) -> None:
    async with aclosing(await turn_events(request, served, user, session, asked, number)) as events:
        async for _ in events:
            pass
