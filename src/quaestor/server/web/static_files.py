"""The page's own style sheets, scripts and pictures."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from quaestor.core.errors import NotFoundError
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_templates import TYPES, page_files, version

router = APIRouter(route_class=PageRoute)


@router.get("/static/{requested_version}/{name}")
def show_lasting_file(requested_version: str, name: str, request: Request) -> Response:
    """Return one of the page's files; browsers cache it if the address names the present version."""
    shown = show_file(name, request)
    if requested_version == version():
        shown.headers["cache-control"] = "public, max-age=31536000, immutable"
    return shown


@router.get("/static/{name}")
def show_file(name: str, request: Request) -> Response:
    """Return one of the page's files; browsers check each time whether it has changed."""
    file = page_files().get(name)
    if file is None:
        raise NotFoundError(f"The page has no file {name!r}.")
    data, tag = file
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(data, headers=headers, media_type=TYPES[name.rpartition(".")[2]])
