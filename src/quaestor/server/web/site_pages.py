"""Adding sites and git repositories: what would be fetched is said first, what was fetched before it is added."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from quaestor.core.errors import ForbiddenError, NotFoundError
from quaestor.crawl.crawl_settings import CrawlSettings
from quaestor.crawl.repositories import names_repository
from quaestor.server.added_sites import AddedSite
from quaestor.server.api.access import may_add_sites, serve_added
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_frame import Look, Looking
from quaestor.server.web.source_facts import facts_of_source, time_taken
from quaestor.server.web.templates_filled import page

router = APIRouter(route_class=PageRoute)
_THERE = "/folders"
_MOST_PAGES = 500

Address = Annotated[str, Form(min_length=1, max_length=2048)]
Pages = Annotated[int, Form(ge=1, le=CrawlSettings().max_pages)]


@dataclass(frozen=True, slots=True)
class SiteRow:
    """A site as the page lists it.

    Attributes:
        site: what is kept of it.
        fetching: how far its fetching is; None if it is not fetched now.
        held: whether there is anything of it to look at.
    """

    site: AddedSite
    fetching: str | None
    held: bool


def rows_of(at: Look) -> tuple[SiteRow, ...]:
    """Return the sites that were fetched or added; none for who may not add any."""
    return tuple(_rows(at)) if may_add_sites(at.served, at.user) else ()


@router.post("/sites/look")
def look_at_site(at: Looking, address: Address) -> HTMLResponse:
    """Say what would be fetched of a site; nothing is."""
    found = _checked(at, address)
    before = at.served.sites.get(found)
    return page(
        "site_look.html",
        frame=at.frame,
        heading="Add a site",
        address=found,
        repository=names_repository(found),
        pages=before.most_pages if before else _MOST_PAGES,
        most=CrawlSettings().max_pages,
        time=time_taken(_MOST_PAGES * CrawlSettings().delay),
    )


@router.post("/sites/fetch")
def fetch_site(at: Looking, address: Address, pages: Pages = _MOST_PAGES) -> Response:
    """Fetch a site behind; every page says how far that is."""
    at.served.sites.fetch(_checked(at, address), pages)
    return RedirectResponse(_THERE, 303)


@router.post("/sites/held")
def look_at_fetched(at: Looking, address: Address) -> HTMLResponse:
    """Show what was fetched of a site and what indexing it would take; nothing is written, and nobody is asked."""
    found = _checked(at, address)
    holds = facts_of_source(at, at.served.sites.root(found))
    return page("folder_look.html", frame=at.frame, heading="Add a site", folder=found, action="/sites", **holds)


@router.post("/sites")
def add_site(at: Looking, address: Address) -> Response:
    """Add a site that was fetched; it is indexed behind."""
    at.served.sites.add(_checked(at, address))
    serve_added(at.served, at.user)
    return RedirectResponse(_THERE, 303)


@router.post("/sites/remove")
def remove_site(at: Looking, address: Address) -> Response:
    """Serve a site no longer, and fetch it no further; nothing of it is deleted."""
    found = _checked(at, address)
    at.served.sites.remove(found)
    if _is_held(at, found):
        at.served.corpora.drop(at.served.sites.root(found), owner=at.user.id)
    return RedirectResponse(_THERE, 303)


def _rows(at: Look) -> Iterator[SiteRow]:
    for site in at.served.sites.list():
        yield SiteRow(site, at.served.sites.how_far(site.address), _is_held(at, site.address))


def _is_held(at: Look, address: str) -> bool:
    try:
        return any(at.served.sites.root(address).iterdir())
    except (NotFoundError, OSError):
        return False


def _checked(at: Look, address: str) -> str:
    """Return an address that may be added; raise ``ForbiddenError`` unless who asks may add sites."""
    if not may_add_sites(at.served, at.user):
        raise ForbiddenError("Sites cannot be added here. Whoever started the server can name them there.")
    return at.served.sites.checked(address)
