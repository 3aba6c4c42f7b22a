"""The page that describes the HTTP API, made of the OpenAPI document; no script, nothing from elsewhere."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from quaestor.server.web.api_description import described
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.templates_filled import page

router = APIRouter(route_class=PageRoute)
_HEADINGS = {"openai": "OpenAI's API", "operations": "For those who run the server"}


@router.get("/docs")
async def show_api(request: Request) -> Response:
    """Describe every request that a program may send. Needs no token, as /openapi.json needs none."""
    found = described(request.app.openapi())
    return page("api.html", parts=[(_HEADINGS.get(tag, "Our own API"), each) for tag, each in found.items()])
