"""Forms below an answer: what a person says of it, and making a change that it proposes."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Response
from fastapi.responses import RedirectResponse

from quaestor.core.errors import UsageError
from quaestor.server.api.feedback_routes import Turn, keep_feedback
from quaestor.server.applied_changes import apply_change
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_frame import Looking
from quaestor.sessions.records import Feedback

router = APIRouter(route_class=PageRoute)


@router.post("/sessions/{session}/turns/{number}/feedback")
def take_feedback(
    session: str,
    number: Turn,
    at: Looking,
    useful: Annotated[str, Form(max_length=10)] = "",
    words: Annotated[str, Form(max_length=2000)] = "",
) -> Response:
    """Record what a person says of an answer."""
    if useful not in ("yes", "no"):
        raise UsageError("Nothing was recorded. Go back, and choose whether the answer is useful.")
    keep_feedback(at.served, at.user, session, number, Feedback(useful == "yes", words))
    return _back(session, number)


@router.post("/sessions/{session}/turns/{number}/changes/{index}")
def make_change(
    session: str, number: Turn, index: int, at: Looking, sure: Annotated[str, Form(max_length=10)] = ""
) -> Response:
    """Make a change that a turn proposes, where the form says that it is meant."""
    if sure != "yes":
        raise UsageError("No file was changed. Go back, and tick that the change is to be made.")
    apply_change(at.served, at.user, session, number, index)
    return _back(session, number)


def _back(session: str, number: int) -> Response:
    return RedirectResponse(f"/sessions/{quote(session, safe='')}?start={number}#turn-{number}", 303)
