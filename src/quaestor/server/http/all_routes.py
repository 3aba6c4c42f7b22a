"""All routes of the server: ``/v1``, ``/api``, the page, health and metrics."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel

from quaestor.server.api import corpus_routes, document_routes, session_routes, turn_routes, usage_routes
from quaestor.server.api.api_schemas import EVERYWHERE, refusals
from quaestor.server.http.caller import Who
from quaestor.server.http.served_state import ServedHere
from quaestor.server.openai import chat_completions, embeddings, model_names, responses, text_completions
from quaestor.server.openai.openai_schemas import Failure
from quaestor.server.web import (
    account_pages,
    added_source_pages,
    answer_forms,
    api_pages,
    conversation_pages,
    document_pages,
    exported_answers,
    login_pages,
    search_pages,
    static_files,
)

_OPENAI_FAILURES = {
    400: "The request cannot be read, or asks for something that is not supported.",
    401: "No token was sent, or one that is nobody's.",
    403: "The request came from another site's page.",
    404: "There is no such model.",
    413: "The body is too large.",
    421: "The server does not go by that name.",
    429: "A limit of spending or of requests is reached, here or at the model's server.",
    500: "The server failed.",
    502: "The model's server failed.",
    503: "The corpus is not indexed yet, or cannot be used.",
}
_OPENAI_REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Failure, "description": about} for status, about in _OPENAI_FAILURES.items()
}

_openai = APIRouter(prefix="/v1", tags=["openai"], responses=_OPENAI_REFUSALS)
for _part in (chat_completions, responses, text_completions, embeddings, model_names):
    _openai.include_router(_part.router)

_native = APIRouter(prefix="/api", tags=["native"], responses=EVERYWHERE)
for _part in (corpus_routes, session_routes, turn_routes, document_routes, usage_routes):
    _native.include_router(_part.router)

_page = APIRouter(include_in_schema=False)
for _part in (
    conversation_pages,
    document_pages,
    search_pages,
    account_pages,
    added_source_pages,
    answer_forms,
    login_pages,
    exported_answers,
    api_pages,
    static_files,
):
    _page.include_router(_part.router)

_operations = APIRouter(tags=["operations"])


class Health(BaseModel):
    """Whether the server is up; and whether every corpus can be searched."""

    status: str
    ready: bool


@_operations.get("/healthz", responses=refusals(400, 413, 421, 500))
async def healthz(served: ServedHere) -> Health:
    """Confirm that the server is up. Needs no token, and names nothing."""
    return Health(status="ok", ready=all(state.ready for state in served.corpora.states()))


@_operations.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **EVERYWHERE},
)
async def metrics(served: ServedHere, who: Who) -> Response:
    """Return the server's metrics in Prometheus's text format."""
    return Response(served.metrics.text(), media_type=CONTENT_TYPE_LATEST)


ROUTERS = (_openai, _native, _operations, _page)
