"""Pages of a user's account: log-in, the user's own documents, whose forms work without scripts, and usage of models.

The token of a log-in is kept in a cookie that scripts cannot read and that requests from other sites do not carry.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, BackgroundTasks, Form, Path, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.datastructures import UploadFile

from quaestor.core.errors import QuaestorError, UsageError
from quaestor.files.deny import extra_is_installed, largest
from quaestor.server.api.access import MY_DOCUMENTS, documents_of
from quaestor.server.api.account_routes import add, index_in_background
from quaestor.server.http.caller import COOKIE, UnknownCallerError, address_of, user_of, who
from quaestor.server.http.error_responses import status, text_of
from quaestor.server.http.served_state import ServedHere
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_context import PageContext, PageContextHere, usage_by_period
from quaestor.server.web.page_templates import page
from quaestor.server.web.safe_text import written_size, written_time

router = APIRouter(route_class=PageRoute)
# How many lines of a document are shown at first; the page has links to more.
_SHOWN = 200
_EXTRAS = {"pdf": "PDF", "docx": "Word", "xlsx": "Excel", "pptx": "PowerPoint"}
_MOST_FILES = 1000
_THERE = "/documents#have"
_DAYS = 90
# A path on this server; with two slashes or a backslash it would be another server's address.
_PATH = re.compile(r"/(?![/\\])[\x21-\x7e]*")


@router.get("/documents")
def show_documents(at: PageContextHere) -> HTMLResponse:
    """Show the user's documents, with a form to add more."""
    return documents_page(at)


def documents_page(at: PageContext, problems: Sequence[str] = (), status: int = 200) -> HTMLResponse:
    """Return the page of the user's documents.

    Args:
        at: the request's context.
        problems: messages on what could not be done.
        status: the response's status.
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
def list_documents(at: PageContextHere) -> HTMLResponse:
    """Return the list of the user's documents."""
    return page("documents_list.html", **_documents(at))


@router.get("/usage")
def show_usage(at: PageContextHere) -> HTMLResponse:
    """Show the usage and cost of the user's requests to models, and how much of each limit is left."""
    usage = at.served.overview(at.user)
    unpriced = usage["month"]["unpriced"] > 0
    return page("usage.html", frame=at.frame, heading="Usage", periods=usage_by_period(usage), unpriced=unpriced)


def _documents(at: PageContext) -> dict[str, object]:
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


@router.post("/documents")
async def add_documents(request: Request, at: PageContextHere, behind: BackgroundTasks) -> Response:
    """Add the files or the text in a form; the page says which are refused, and the others are added."""
    refused: list[QuaestorError] = []
    documents = await _documents_in_form(request, at.served.upload_limit)
    if not documents:
        refused.append(UsageError("Nothing was chosen. Choose a file, or paste a text."))
    for name, data in documents:
        try:
            await asyncio.to_thread(add, at.served, at.user, name, data)
        except QuaestorError as error:
            refused.append(error)
    if len(refused) < len(documents):
        behind.add_task(index_in_background, at.served, at.user)
    if refused:
        return documents_page(at, [text_of(error) for error in refused], status(refused[0]))
    return RedirectResponse(_THERE, 303)


@router.post("/documents/{id}/delete")
def delete_document(
    at: PageContextHere,
    id: Annotated[str, Path(max_length=200)],
    behind: BackgroundTasks,
    sure: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Delete a document, if the form confirms it."""
    if not sure:
        return documents_page(at, ["Nothing was deleted. Tick “Really” beside it first."], 400)
    documents_of(at.served, at.user).remove(id)
    behind.add_task(index_in_background, at.served, at.user)
    return RedirectResponse(_THERE, 303)


async def _documents_in_form(request: Request, limit: int) -> list[tuple[str, bytes]]:
    """Return the names and bytes of the documents in a form, without empty fields."""
    async with request.form(max_files=_MOST_FILES, max_part_size=limit) as form:
        files = [file for file in form.getlist("files") if isinstance(file, UploadFile) and file.filename]
        documents = [(file.filename or "", await file.read()) for file in files]
        name, text = form.get("name"), form.get("text")
        if isinstance(name, str) and isinstance(text, str) and (name or text):
            # Forms always send line ends as CR LF.
            documents.append((name, text.replace("\r\n", "\n").encode("utf-8", "replace")))
        return documents


@router.get("/log-in")
async def show_log_in(request: Request, next: str = "/") -> Response:
    """Show the form that asks for a token, unless the caller is logged in."""
    try:
        await who(request)
    except UnknownCallerError:
        return page("log_in.html", failed="", next=_within(next))
    return RedirectResponse(_within(next), 303)


@router.post("/log-in")
def log_in(
    request: Request,
    served: ServedHere,
    token: Annotated[str, Form(max_length=200)],
    next: Annotated[str, Form(max_length=2000)] = "/",
) -> Response:
    """Log in a user with a token."""
    if user_of(served, token.strip(), address_of(request)) is None:
        failed = "This token is unknown or was revoked. `quaestor users add NAME` prints a new one."
        return page("log_in.html", 401, failed=failed, next=_within(next))
    answer = RedirectResponse(_within(next), 303)
    answer.set_cookie(
        COOKIE,
        token.strip(),
        max_age=_DAYS * 24 * 3600,
        httponly=True,
        samesite="strict",
        secure=_over_tls(request),
    )
    return answer


@router.post("/log-out")
def log_out() -> Response:
    """Log the user out by deleting the cookie."""
    answer = RedirectResponse("/log-in", 303)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer


def _over_tls(request: Request) -> bool:
    """Return whether the browser's connection uses TLS, even if a proxy terminates it.

    The browser's ``Origin`` header is trusted rather than a proxy's headers: by forging it, a client can only make its
    own cookie secure, which is then not sent over a plain connection.
    """
    origin = request.headers.get("origin", "")
    return "https" in (request.url.scheme, origin.partition("://")[0].lower())


def _within(path: str) -> str:
    return path if _PATH.fullmatch(path) else "/"
