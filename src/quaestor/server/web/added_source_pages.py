"""Pages that add folders, sites and git repositories as corpora, after showing their contents and cost.

For a site, the pages show first what would be fetched, then what was fetched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from quaestor.accounts.money import MILLION
from quaestor.assemble.estimate import Estimate, survey_and_estimate
from quaestor.core.errors import ForbiddenError, NotFoundError, QuaestorError
from quaestor.crawl.crawl_settings import CrawlSettings
from quaestor.crawl.fetched_sources import names_repository
from quaestor.files.indexing_values import Survey
from quaestor.server.added_sources import AddedSite
from quaestor.server.api.access import may_add_folders, may_add_sites, serve_added
from quaestor.server.http.error_responses import status, text_of
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_context import PageContext, PageContextHere, money
from quaestor.server.web.page_templates import page
from quaestor.server.web.safe_text import written_size
from quaestor.server.web.source_lines import kind_of

router = APIRouter(route_class=PageRoute)
_THERE = "/folders"

Folder = Annotated[str, Form(min_length=1, max_length=4096)]
_MOST_PAGES = 500

Address = Annotated[str, Form(min_length=1, max_length=2048)]
Pages = Annotated[int, Form(ge=1, le=CrawlSettings().max_pages)]

_MOST_NAMED = 6


@router.get("/folders")
def show_folders(at: PageContextHere) -> HTMLResponse:
    """Show the folders and sites that were added, with forms to add more."""
    return _folders_page(at)


def _folders_page(
    at: PageContext, error: QuaestorError | None = None, folder: str = "", address: str = ""
) -> HTMLResponse:
    """Return the page of folders and sites.

    Args:
        at: the request's context.
        error: why the folder or address cannot be added; None on the first visit.
        folder: the folder that was typed.
        address: the address that was typed.
    """
    may = may_add_folders(at.served, at.user)
    return page(
        "folders.html",
        200 if error is None else status(error),
        problem="" if error is None else text_of(error),
        folder=folder,
        address=address,
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
def look_at_folder(at: PageContextHere, folder: Folder) -> HTMLResponse:
    """Show a folder's contents and the cost of indexing it; nothing is written or sent."""
    try:
        root = _checked_folder(at, folder)
    except QuaestorError as error:
        return _folders_page(at, error, folder=folder)
    return page(
        "folder_look.html",
        frame=at.frame,
        heading="Add a folder",
        folder=root,
        action="/folders",
        **_facts_of_source(at, root),
    )


@router.post("/folders")
def add_folder(at: PageContextHere, folder: Folder) -> Response:
    """Add a folder; it is indexed in the background, and every page shows the progress."""
    at.served.folders.add(_checked_folder(at, folder))
    serve_added(at.served, at.user)
    return RedirectResponse(_THERE, 303)


@router.post("/folders/remove")
def remove_folder(at: PageContextHere, folder: Folder) -> Response:
    """Stop serving a folder; nothing is deleted."""
    _permit(at)
    root = Path(folder)
    at.served.folders.remove(root)
    at.served.corpora.drop(root, owner=at.user.id)
    return RedirectResponse(_THERE, 303)


def _checked_folder(at: PageContext, folder: str) -> Path:
    _permit(at)
    return at.served.folders.require_addable(folder)


def _permit(at: PageContext) -> None:
    """Raise ``ForbiddenError`` unless the caller may add folders."""
    if not may_add_folders(at.served, at.user):
        raise ForbiddenError("Folders cannot be added here. The person who starts the server can serve them.")


@dataclass(frozen=True, slots=True)
class SiteRow:
    """A site as the page lists it.

    Attributes:
        site: its entry in the list.
        fetching: the progress of fetching as text; None if it is not being fetched.
        held: whether any page or file of it was fetched.
    """

    site: AddedSite
    fetching: str | None
    held: bool


def rows_of(at: PageContext) -> tuple[SiteRow, ...]:
    """Return the sites that were fetched or added; none if the user may not add any."""
    return tuple(_rows(at)) if may_add_sites(at.served, at.user) else ()


@router.post("/sites/look")
def look_at_site(at: PageContextHere, address: Address) -> HTMLResponse:
    """Show what would be fetched from a site; fetch nothing."""
    try:
        _permit_sites(at)
        url = at.served.sites.require_fetchable(address)
    except QuaestorError as error:
        return _folders_page(at, error, address=address)
    before = at.served.sites.get(url)
    return page(
        "site_look.html",
        frame=at.frame,
        heading="Add a site",
        address=url,
        repository=names_repository(url),
        pages=before.most_pages if before else _MOST_PAGES,
        most=CrawlSettings().max_pages,
        time=_time_taken(_MOST_PAGES * CrawlSettings().delay),
    )


@router.post("/sites/fetch")
def fetch_site(at: PageContextHere, address: Address, pages: Pages = _MOST_PAGES) -> Response:
    """Fetch a site in the background; every page shows the progress."""
    _permit_sites(at)
    at.served.sites.fetch(at.served.sites.require_fetchable(address), pages)
    return RedirectResponse(_THERE, 303)


@router.post("/sites/held")
def look_at_fetched(at: PageContextHere, address: Address) -> HTMLResponse:
    """Show what was fetched from a site and the cost of indexing it; nothing is written or sent."""
    url = _checked_site(at, address)
    holds = _facts_of_source(at, at.served.sites.root(url))
    return page("folder_look.html", frame=at.frame, heading="Add a site", folder=url, action="/sites", **holds)


@router.post("/sites")
def add_site(at: PageContextHere, address: Address) -> Response:
    """Add a site that was fetched; it is indexed in the background."""
    at.served.sites.add(_checked_site(at, address))
    serve_added(at.served, at.user)
    return RedirectResponse(_THERE, 303)


@router.post("/sites/remove")
def remove_site(at: PageContextHere, address: Address) -> Response:
    """Stop serving and fetching a site; nothing is deleted."""
    url = _checked_site(at, address)
    at.served.sites.remove(url)
    if _has_pages(at, url):
        at.served.corpora.drop(at.served.sites.root(url), owner=at.user.id)
    return RedirectResponse(_THERE, 303)


def _rows(at: PageContext) -> Iterator[SiteRow]:
    for site in at.served.sites.list():
        yield SiteRow(site, at.served.sites.fetch_progress(site.address), _has_pages(at, site.address))


def _has_pages(at: PageContext, address: str) -> bool:
    try:
        return any(at.served.sites.root(address).iterdir())
    except (NotFoundError, OSError):
        return False


def _checked_site(at: PageContext, address: str) -> str:
    """Return an address in its normal form; raise ``ForbiddenError`` unless it and the caller may add it."""
    _permit_sites(at)
    return at.served.sites.require_allowed(address)


def _permit_sites(at: PageContext) -> None:
    if not may_add_sites(at.served, at.user):
        raise ForbiddenError("Sites cannot be added here. The person who starts the server can serve them.")


def _facts_of_source(at: PageContext, root: Path) -> dict[str, Any]:
    """Return the facts on a folder and the cost of indexing it for the template; nothing is written or sent."""
    survey, estimate = survey_and_estimate(root, at.served.corpora.settings_of(root))
    return {
        "facts": dict(_facts(survey, estimate, str(at.served.overview(at.user)["currency"]))),
        "left_out": [f"{count:,} {reason}" for reason, count in survey.skipped_by_reason.items()],
        "nothing": not survey.documents,
        "unpaid": estimate.cost != 0 and estimate.remote,
    }


def _facts(survey: Survey, estimate: Estimate, currency: str) -> Mapping[str, Any]:
    languages = sorted(survey.languages.items(), key=lambda one: -one[1])
    kinds = ", ".join(f"{count:,} {kind_of(name)}" for name, count in languages[:_MOST_NAMED])
    rest = len(languages) - _MOST_NAMED
    more = f" and {rest} more {'kind' if rest == 1 else 'kinds'}" if rest > 0 else ""
    cost = None if estimate.cost is None else estimate.cost / MILLION
    return {
        "Documents": f"{survey.documents:,}",
        "Size": written_size(survey.bytes),
        "Kinds": f"{kinds}{more}" or "none",
        "Time": _time_taken(estimate.seconds),
        "Cost": money(cost, currency) if estimate.remote else "nothing: it is done on this machine",
    }


def _time_taken(seconds: float) -> str:
    """Return a duration as people write it: ``about 3 min``."""
    if seconds < 1:
        return "less than a second"
    return f"about {seconds:.0f} s" if seconds < 90 else f"about {seconds / 60:.0f} min"
