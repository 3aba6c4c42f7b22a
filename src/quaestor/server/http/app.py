"""The application: middleware, OpenAPI document, and all routes: ``/v1``, ``/api``, the page, health, metrics."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from fastapi import APIRouter, FastAPI, Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel
from starlette.routing import BaseRoute

from quaestor import __version__
from quaestor.server.api import account_routes, corpus_routes, session_routes, turn_routes
from quaestor.server.api.api_schemas import EVERYWHERE, refusals
from quaestor.server.http import error_responses as failures
from quaestor.server.http.caller import Who
from quaestor.server.http.guard import Guard
from quaestor.server.http.request_log import RequestObserver
from quaestor.server.http.served_state import Served, ServedHere
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
    search_pages,
    static_files,
)
from quaestor.server.web import error_pages as failing


def preload(*, model: bool) -> None:
    """Make what all applications of this process and its copies share; start no thread and open no connection.

    Args:
        model: whether the applications will use a model.
    """
    _make_routes(_routes())
    if model:
        _load_client()


def create_app(served: Served) -> FastAPI:
    """Return the application."""
    app = FastAPI(
        title="Quaestor",
        version=__version__,
        summary="Ask your code and your documents.",
        docs_url=None,
        redoc_url=None,
        swagger_ui_oauth2_redirect_url=None,
        lifespan=_lifespan,
    )
    app.state.served = served
    # Tasks that continue without a client; the server waits for them at the end.
    app.state.tasks = set()
    failures.install(app)
    failing.install(app)
    # The middleware that is added last is the outermost.
    app.add_middleware(Guard, served=served, refused=failing.refusal_page)
    app.add_middleware(RequestObserver, metrics=served.metrics)
    app.router.routes.extend(_routes())
    _document(app)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Warm up in the background at the start, and release resources at the end."""
    served: Served = app.state.served
    _make_routes(app.routes)
    warming = asyncio.create_task(asyncio.to_thread(_warm, served))
    try:
        yield
    finally:
        await warming
        await served.aclose()


def _make_routes(routes: Iterable[BaseRoute]) -> None:
    """Make FastAPI prepare its routes now; otherwise the first request would wait for that."""
    for route in routes:
        route.matches({"type": "http", "method": "GET", "path": "/", "root_path": "", "headers": []})


def _warm(served: Served) -> None:
    if served.settings.model:
        _load_client()


def _load_client() -> None:
    from quaestor.llm.endpoints.client import warm_up  # noqa: PLC0415 - takes a while, and only with a model

    warm_up()


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """Return all routes. Every application shares them: they hold no state, and making them takes most of its start."""
    every = APIRouter()
    for router in ROUTERS:
        every.include_router(router)
    return tuple(every.routes)


def _document(app: FastAPI) -> None:
    """Correct the OpenAPI document: a malformed request is answered with 400, not 422."""
    make_document = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = make_document()
            for path in document["paths"].values():
                for operation in path.values():
                    operation["responses"].pop("422", None)
            for name in ("HTTPValidationError", "ValidationError"):
                document.get("components", {}).get("schemas", {}).pop(name, None)
        assert app.openapi_schema is not None
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


_OPENAI_FAILURES = {
    400: "The request cannot be read, or asks for something that is not supported.",
    401: "No token was sent, or an unknown one.",
    403: "The request came from another site's page.",
    404: "There is no such model.",
    413: "The body is too large.",
    421: "The Host header is not one of the server's names.",
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
for _part in (corpus_routes, session_routes, turn_routes, account_routes):
    _native.include_router(_part.router)

_page = APIRouter(include_in_schema=False)
for _part in (
    conversation_pages,
    document_pages,
    search_pages,
    account_pages,
    added_source_pages,
    answer_forms,
    exported_answers,
    api_pages,
    static_files,
):
    _page.include_router(_part.router)

_operations = APIRouter(tags=["operations"])


class Health(BaseModel):
    """Whether the server is up, and whether every corpus can be searched."""

    status: str
    ready: bool


@_operations.get("/healthz", responses=refusals(400, 413, 421, 500))
async def healthz(served: ServedHere) -> Health:
    """Confirm that the server is up. This needs no token and reveals no names."""
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
