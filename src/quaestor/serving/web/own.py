"""Pages of what is one's own: documents that were added, and what was spent."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from quaestor.serving.http.native.access import documents_of
from quaestor.serving.web.failing import PageRoute
from quaestor.serving.web.filling import page
from quaestor.serving.web.frame import Look, Looking
from quaestor.serving.web.spending import periods

router = APIRouter(route_class=PageRoute)


@router.get("/documents")
def show_documents(at: Looking) -> HTMLResponse:
    """Show one's documents, and where more are added."""
    return page("documents.html", frame=at.frame, heading="My documents", documents=_documents(at))


@router.get("/parts/documents")
def list_documents(at: Looking) -> HTMLResponse:
    """Return the list of one's documents."""
    return page("documents_list.html", documents=_documents(at))


@router.get("/usage")
def show_usage(at: Looking) -> HTMLResponse:
    """Show what one's requests to models took and cost, and what the limits leave."""
    return page("usage.html", frame=at.frame, heading="Usage", periods=periods(at.served.overview(at.user)))


def _documents(at: Look) -> list[dict[str, object]]:
    return [
        {"id": one.id, "name": one.name, "said": f"{one.size:,} bytes", "changed": one.changed}
        for one in documents_of(at.served, at.user).list()
    ]
