"""Adding folders of this machine as corpora: what one holds and costs is shown before it is added."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Form, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from quaestor.core.errors import ForbiddenError
from quaestor.server.api.access import may_add_folders, may_add_sites, serve_added
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_frame import Look, Looking
from quaestor.server.web.site_pages import rows_of
from quaestor.server.web.source_facts import facts_of_source
from quaestor.server.web.templates_filled import page

router = APIRouter(route_class=PageRoute)
_THERE = "/folders"

Folder = Annotated[str, Form(min_length=1, max_length=4096)]


@router.get("/folders")
def show_folders(at: Looking) -> HTMLResponse:
    """Show the folders and sites that were added, and where more are."""
    may = may_add_folders(at.served, at.user)
    return page(
        "folders.html",
        frame=at.frame,
        heading="Folders and sites",
        may=may,
        may_sites=may_add_sites(at.served, at.user),
        with_users=bool(at.user.id),
        allowed=at.served.folders.allowed,
        folders=at.served.folders.list() if may else (),
        hosts=at.served.sites.allowed,
        sites=rows_of(at),
    )


@router.post("/folders/look")
def look_at_folder(at: Looking, folder: Folder) -> HTMLResponse:
    """Show what a folder holds and what indexing it would take; nothing is written, and nobody is asked."""
    root = _checked(at, folder)
    return page(
        "folder_look.html",
        frame=at.frame,
        heading="Add a folder",
        folder=root,
        action="/folders",
        **facts_of_source(at, root),
    )


@router.post("/folders")
def add_folder(at: Looking, folder: Folder) -> Response:
    """Add a folder; it is indexed behind, and every page says how far that is."""
    at.served.folders.add(_checked(at, folder))
    serve_added(at.served, at.user)
    return RedirectResponse(_THERE, 303)


@router.post("/folders/remove")
def remove_folder(at: Looking, folder: Folder) -> Response:
    """Serve a folder no longer; nothing of it is deleted."""
    _permit(at)
    root = Path(folder)
    at.served.folders.remove(root)
    at.served.corpora.drop(root, owner=at.user.id)
    return RedirectResponse(_THERE, 303)


def _checked(at: Look, folder: str) -> Path:
    _permit(at)
    return at.served.folders.checked(folder)


def _permit(at: Look) -> None:
    """Raise ``ForbiddenError`` unless who asks may add folders."""
    if not may_add_folders(at.served, at.user):
        raise ForbiddenError("Folders cannot be added here. Whoever started the server can name them there.")
