"""What a person says of an answer, useful or not and why: it stays with the conversation, and is exported with it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response

from quaestor.accounts.users import User
from quaestor.core.errors import NotFoundError
from quaestor.server.api import session_schemas
from quaestor.server.api.access import session_of
from quaestor.server.api.refusal_schemas import refusals
from quaestor.server.api.session_routes import SessionId
from quaestor.server.http.caller import Who
from quaestor.server.http.served_state import Served, ServedHere
from quaestor.sessions.records import Feedback

router = APIRouter()

Turn = Annotated[int, Path(ge=1, le=1_000_000_000)]


@router.put("/sessions/{id}/turns/{turn}/feedback", status_code=204, response_class=Response, responses=refusals(404))
def give_feedback(
    served: ServedHere, who: Who, id: SessionId, turn: Turn, said: session_schemas.FeedbackObject
) -> None:
    """Say whether an answer is useful, and why; what is said last counts."""
    keep_feedback(served, who, id, turn, Feedback(said.useful, said.words))


def keep_feedback(served: Served, user: User, session: str, turn: int, said: Feedback) -> None:
    """Record what a user says of an answer.

    Raises:
        NotFoundError: the user has no such session, or it has no such turn.
    """
    with session_of(served, user, session) as transcript:
        if turn not in (one.number for one in transcript.turns()):
            raise NotFoundError(f"This conversation has no turn {turn}.")
        transcript.record_feedback(turn, said)
