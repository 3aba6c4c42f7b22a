"""Pages of what is one's own: documents that were added, and what was spent."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from quaestor.files.deny import largest
from quaestor.files.extras import extra_is_installed
from quaestor.server.api.access import MY_DOCUMENTS, documents_of
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_frame import Look, Looking
from quaestor.server.web.safe_text import written_size, written_time
from quaestor.server.web.templates_filled import page
from quaestor.server.web.usage_in_words import periods

router = APIRouter(route_class=PageRoute)
# Lines that are shown of a document at first; its page has more.
_SHOWN = 200
_EXTRAS = {"pdf": "PDF", "docx": "Word", "xlsx": "Excel", "pptx": "PowerPoint"}


@router.get("/documents")
def show_documents(at: Looking) -> HTMLResponse:
    """Show one's documents, and where more are added."""
    return documents_page(at)


def documents_page(at: Look, problems: Sequence[str] = (), status: int = 200) -> HTMLResponse:
    """Return the page of one's documents.

    Args:
        at: who looks.
        problems: why something was not done that was asked for.
        status: of the answer.
    """
    most = at.served.settings.max_file_bytes
    return page(
        "documents.html",
        status,
        problems=problems,
        frame=at.frame,
        heading="My documents",
        kinds=["HTML", "EPUB", "notebooks", *(name for suffix, name in _EXTRAS.items() if extra_is_installed(suffix))],
        text_size=written_size(largest("a.md", most)),
        file_size=written_size(min(largest("a.pdf", most), at.served.upload_limit)),
        **_documents(at),
    )


@router.get("/parts/documents")
def list_documents(at: Looking) -> HTMLResponse:
    """Return the list of one's documents."""
    return page("documents_list.html", **_documents(at))


@router.get("/usage")
def show_usage(at: Looking) -> HTMLResponse:
    """Show what one's requests to models took and cost, and what the limits leave."""
    told = at.served.overview(at.user)
    unpriced = told["month"]["unpriced"] > 0
    return page("usage.html", frame=at.frame, heading="Usage", periods=periods(told), unpriced=unpriced)


def _documents(at: Look) -> dict[str, object]:
    documents = [
        {
            "id": one.id,
            "name": one.name,
            "href": "/passage?" + urlencode({"corpus": MY_DOCUMENTS, "path": one.name, "start": 1, "end": _SHOWN}),
            "size": written_size(one.size),
            "changed": one.changed,
            "when": written_time(one.changed),
        }
        for one in documents_of(at.served, at.user).list()
    ]
    return {"corpus": MY_DOCUMENTS, "documents": documents}
