"""Adding folders of this machine as corpora: what one holds and costs is shown before it is added."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from quaestor.accounts.money import MILLION
from quaestor.assemble.estimate import Estimate, survey_and_estimate
from quaestor.core.errors import ForbiddenError
from quaestor.files.ingest_report import Survey
from quaestor.server.api.access import may_add_folders, serve_folders
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_frame import Look, Looking
from quaestor.server.web.safe_text import written_size
from quaestor.server.web.spending_words import money
from quaestor.server.web.templates_filled import page

router = APIRouter(route_class=PageRoute)
_MOST_NAMED = 6
_THERE = "/folders"

Folder = Annotated[str, Form(min_length=1, max_length=4096)]


@router.get("/folders")
def show_folders(at: Looking) -> HTMLResponse:
    """Show the folders that were added, and where more are."""
    may = may_add_folders(at.served, at.user)
    return page(
        "folders.html",
        frame=at.frame,
        heading="Folders",
        may=may,
        with_users=bool(at.user.id),
        allowed=at.served.folders.allowed,
        folders=at.served.folders.list() if may else (),
    )


@router.post("/folders/look")
def look_at_folder(at: Looking, folder: Folder) -> HTMLResponse:
    """Show what a folder holds and what indexing it would take; nothing is written, and nobody is asked."""
    root = _checked(at, folder)
    survey, estimate = survey_and_estimate(root, at.served.corpora.settings_of(root))
    facts = dict(_facts(survey, estimate, str(at.served.overview(at.user)["currency"])))
    left_out = [f"{reason}: {count:,}" for reason, count in survey.skipped_by_reason.items()]
    return page(
        "folder_look.html",
        frame=at.frame,
        heading="Add a folder",
        folder=root,
        facts=facts,
        left_out=left_out,
        nothing=not survey.documents,
        unpaid=estimate.cost != 0 and estimate.remote,
    )


@router.post("/folders")
def add_folder(at: Looking, folder: Folder) -> Response:
    """Add a folder; it is indexed behind, and every page says how far that is."""
    at.served.folders.add(_checked(at, folder))
    serve_folders(at.served, at.user)
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


def _facts(survey: Survey, estimate: Estimate, currency: str) -> Mapping[str, Any]:
    languages = sorted(survey.languages.items(), key=lambda one: -one[1])
    named = ", ".join(f"{name} {count:,}" for name, count in languages[:_MOST_NAMED])
    more = f" and {len(languages) - _MOST_NAMED} more kinds" if len(languages) > _MOST_NAMED else ""
    cost = None if estimate.cost is None else estimate.cost / MILLION
    return {
        "Documents": f"{survey.documents:,}",
        "Size": written_size(survey.bytes),
        "Kinds": f"{named}{more}" or "none",
        "Time": _time(estimate.seconds),
        "Cost": money(cost, currency) if estimate.remote else "nothing: it is done on this machine",
    }


def _time(seconds: float) -> str:
    if seconds < 1:
        return "less than a second"
    return f"about {seconds:.0f} s" if seconds < 90 else f"about {seconds / 60:.0f} min"
