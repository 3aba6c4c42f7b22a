"""Asking with a form, for browsers without scripts: the answer is shown when it is whole."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from starlette.datastructures import FormData, UploadFile

from quaestor.accounts.users import User
from quaestor.chat.added_files import mention
from quaestor.core.errors import UsageError
from quaestor.server.api.access import MY_DOCUMENTS, session_of
from quaestor.server.api.api_schemas import LONGEST_QUESTION
from quaestor.server.api.document_routes import add
from quaestor.server.api.session_routes import begin_session
from quaestor.server.api.session_schemas import SessionStart, TurnRequest
from quaestor.server.api.turn_routes import turn_events
from quaestor.server.http.caller import Who
from quaestor.server.http.served_state import RequestId, Served, ServedHere
from quaestor.server.http.streams import answered_while_there
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.search_pages import Limits

router = APIRouter(route_class=PageRoute)
_MOST_FILES = 10
_LONGEST_NAME = 4096


@router.post("/ask")
async def ask(request: Request, served: ServedHere, who: Who, number: RequestId) -> Response:
    """Ask, in a session or in a new one, and show the conversation when the turn is over, whatever became of it."""
    async with request.form(max_files=_MOST_FILES, max_part_size=served.upload_limit) as form:
        question = str(form.get("question", ""))
        if not 0 < len(question) <= LONGEST_QUESTION:
            raise UsageError("The question is empty, or too long. Go back and write another one.")
        question = "\n\n".join([question, *await _attached(served, who, form)])
        session = str(form.get("session", "")) or await _begun(served, who, form)
        model = str(form.get("model", ""))[:_LONGEST_NAME]
        asked = TurnRequest(question=question, model=model, **Limits.of_form(form).asked())
    await answered_while_there(request, _turn(request, served, who, session, asked, number))
    with session_of(served, who, session) as transcript:
        last = transcript.info().turns
    return RedirectResponse(f"/sessions/{quote(session, safe='')}#turn-{last}", 303)


async def _begun(served: Served, user: User, form: FormData) -> str:
    """Return a new session about the corpora that are ticked; about all where none is."""
    ticked = [str(name)[:_LONGEST_NAME] for name in form.getlist("corpus")]
    start = SessionStart(corpora=ticked or ["*"])
    return str((await asyncio.to_thread(begin_session, served, user, start))["id"])


async def _attached(served: Served, user: User, form: FormData) -> list[str]:
    """Take in the files of a form, and return what names them in a question."""
    files = [file for file in form.getlist("attached") if isinstance(file, UploadFile) and file.filename]
    stored = [await asyncio.to_thread(add, served, user, file.filename or "", await file.read()) for file in files]
    return [" ".join(mention(f"{MY_DOCUMENTS}/{one.name}") for one in stored)] if stored else []


async def _turn(request: Request, served: Served, user: User, session: str, asked: TurnRequest, number: str) -> None:
    async with aclosing(await turn_events(request, served, user, session, asked, number)) as events:
        async for _ in events:
            pass
