"""The forms below an answer: for feedback, and to apply a proposed change.

A change is applied only if a person confirms it, and exactly as it was shown.
"""

from __future__ import annotations

import json
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Response
from fastapi.responses import RedirectResponse

from quaestor.accounts.users import User
from quaestor.assemble import Index, make_journal, make_objection
from quaestor.core.config import Settings
from quaestor.core.errors import ForbiddenError, NotFoundError, UsageError
from quaestor.edits import Plan, apply, diff, plan
from quaestor.files.walk import folder_of
from quaestor.server.api.access import corpus_settings, locate_corpus, may_edit, session_of
from quaestor.server.api.session_routes import Turn, record_feedback
from quaestor.server.http.served_state import Served
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_context import PageContextHere
from quaestor.sessions.records import CallRecord, Feedback
from quaestor.tools.edit_tool import proposal_of

router = APIRouter(route_class=PageRoute)


@router.post("/sessions/{session}/turns/{number}/feedback")
def take_feedback(
    session: str,
    number: Turn,
    at: PageContextHere,
    useful: Annotated[str, Form(max_length=10)] = "",
    words: Annotated[str, Form(max_length=2000)] = "",
) -> Response:
    """Record feedback on an answer."""
    if useful not in ("yes", "no"):
        raise UsageError("Nothing was recorded. Go back, and choose whether the answer is useful.")
    record_feedback(at.served, at.user, session, number, Feedback(useful == "yes", words))
    return _back(session, number)


@router.post("/sessions/{session}/turns/{number}/changes/{index}")
def make_change(
    session: str, number: Turn, index: int, at: PageContextHere, sure: Annotated[str, Form(max_length=10)] = ""
) -> Response:
    """Apply a change that a turn proposes, if the form confirms it."""
    if sure != "yes":
        raise UsageError("No file was changed. Go back, and tick that the change is to be made.")
    _apply_change(at.served, at.user, session, number, index)
    return _back(session, number, f"change-{number}-{index}")


def _back(session: str, number: int, place: str = "") -> Response:
    return RedirectResponse(f"/sessions/{quote(session, safe='')}?start={number}#{place or f'turn-{number}'}", 303)


def _apply_change(served: Served, user: User, session: str, turn: int, index: int) -> None:
    """Apply a change that a turn proposes, and record it; ``quaestor undo`` reverts it.

    Args:
        served: the served state.
        user: the user who confirms the change.
        session: the name of the user's session.
        turn: the turn's number.
        index: the index of the change among those of the turn, from 0.

    Raises:
        ForbiddenError: changes are not allowed on the page, or this one needs to be confirmed in a terminal.
        NotFoundError: there is no such session, turn or change.
        UsageError: the change was applied already, or the files have changed since it was shown.
    """
    if not may_edit(served, user):
        raise ForbiddenError(
            "Changes cannot be made on the page. Start the server with --allow-edits, or copy the change."
        )
    with session_of(served, user, session) as transcript:
        changes = [call for call in transcript.calls(turn) if call.difference]
        if not 0 <= index < len(changes):
            raise NotFoundError(f"Turn {turn} proposes no change {index}; it proposes {len(changes)}.")
        call = changes[index]
        if call.applied:
            raise UsageError("This change was made already.")
        name, corpus, _ = locate_corpus(served, user, transcript.root, "")
        settings = corpus_settings(served, user, name)
        apply(_plan_as_shown(corpus, settings, call), make_journal(corpus.root, settings))
        transcript.record_change(call.id)


def _plan_as_shown(corpus: Index, settings: Settings, call: CallRecord) -> Plan:
    """Return the plan of a change, made from the present files.

    Raises:
        UsageError: the plan differs from the change that was shown.
        ForbiddenError: a file needs a second confirmation, for which only a terminal asks.
    """
    objection = make_objection(corpus.root, settings)
    planned = plan(folder_of(corpus.root), proposal_of(corpus, json.loads(call.arguments)), objection=objection)
    if planned.refusals or diff(planned) != call.difference:
        raise UsageError("No file was changed: the file has changed since this was proposed. Ask again.")
    if planned.sensitive:
        path = planned.sensitive[0].path
        raise ForbiddenError(f"No file was changed: {path!r} needs a second consent. Use /apply in `quaestor chat`.")
    return planned
