"""The application: its routers, its middleware, and its OpenAPI document."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

from fastapi import FastAPI

from quaestor import __version__
from quaestor.server.http import error_responses as failures
from quaestor.server.http.all_routes import ROUTERS
from quaestor.server.http.guard import Guard
from quaestor.server.http.request_log import Observed
from quaestor.server.http.served_state import Served
from quaestor.server.web import error_pages as failing


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
    # What goes on without a client; whoever runs the application waits for it at the end.
    app.state.tasks = set()
    failures.install(app)
    failing.install(app)
    # The last one added is the outermost.
    app.add_middleware(Guard, served=served, refused=failing.refusal_page)
    app.add_middleware(Observed, metrics=served.metrics)
    for router in ROUTERS:
        app.include_router(router)
    _document(app)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Warm up in the background at the start, and release resources at the end."""
    served: Served = app.state.served
    _make_routes(app)
    warming = asyncio.create_task(asyncio.to_thread(_warm, served))
    try:
        yield
    finally:
        await warming
        await served.aclose()


def _make_routes(app: FastAPI) -> None:
    """Let FastAPI make its routes now; else it would with the first request, which would wait for that."""
    for route in app.routes:
        route.matches({"type": "http", "method": "GET", "path": "/", "root_path": "", "headers": []})


def _warm(served: Served) -> None:
    if served.settings.model:
        # Takes most of a second, which the first question would wait for.
        import_module("openai.resources.chat")


def _document(app: FastAPI) -> None:
    """Correct the OpenAPI document: a malformed request is answered with 400, not 422."""
    made = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = made()
            for path in document["paths"].values():
                for operation in path.values():
                    operation["responses"].pop("422", None)
            for name in ("HTTPValidationError", "ValidationError"):
                document.get("components", {}).get("schemas", {}).pop(name, None)
        assert app.openapi_schema is not None
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]
