"""The routes under ``/api``."""

from __future__ import annotations

from fastapi import APIRouter

from quaestor.server.api import answer_routes as answers
from quaestor.server.api import corpus_routes as corpora
from quaestor.server.api import document_routes as documents
from quaestor.server.api import feedback_routes as feedback
from quaestor.server.api import session_routes as sessions
from quaestor.server.api import turn_routes as turns
from quaestor.server.api import usage_routes as usage
from quaestor.server.api.refusal_schemas import EVERYWHERE

router = APIRouter(prefix="/api", tags=["native"], responses=EVERYWHERE)
for _part in (corpora, answers, sessions, turns, feedback, documents, usage):
    router.include_router(_part.router)
