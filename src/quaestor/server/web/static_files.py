"""The page's own style sheets, scripts and pictures: a fixed set, read once."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from fastapi import APIRouter, Request, Response

from quaestor.core.errors import NotFoundError
from quaestor.server.web.error_pages import PageRoute

router = APIRouter(route_class=PageRoute)
_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@router.get("/static/{name}")
def show_file(name: str, request: Request) -> Response:
    """Return one of the page's files; browsers ask again each time, and get it only if it is another."""
    held = _held().get(name)
    if held is None:
        raise NotFoundError(f"The page has no file {name!r}.")
    data, tag = held
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(data, headers=headers, media_type=_TYPES[name.rpartition(".")[2]])


@cache
def _held() -> dict[str, tuple[bytes, str]]:
    """Return the bytes of each file, with what tells them from others."""
    folder = files("quaestor.server.web") / "static"
    found = {entry.name: entry.read_bytes() for entry in folder.iterdir() if entry.name.rpartition(".")[2] in _TYPES}
    return {name: (data, f'"{hashlib.sha256(data).hexdigest()[:32]}"') for name, data in found.items()}
