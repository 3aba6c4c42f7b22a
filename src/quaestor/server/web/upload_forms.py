"""Adding and deleting one's documents with forms, for browsers without scripts."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, BackgroundTasks, Form, Path, Request, Response
from fastapi.responses import RedirectResponse
from starlette.datastructures import UploadFile

from quaestor.core.errors import QuaestorError, UsageError
from quaestor.server.api.access import documents_of
from quaestor.server.api.document_routes import add, index_behind
from quaestor.server.http.error_responses import status, text_of
from quaestor.server.web.account_pages import documents_page
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_frame import Looking

router = APIRouter(route_class=PageRoute)
_MOST_FILES = 1000
_THERE = "/documents#have"


@router.post("/documents")
async def add_documents(request: Request, at: Looking, behind: BackgroundTasks) -> Response:
    """Take in the files of a form, or the text; the page says which are refused, and the others are taken."""
    refused: list[QuaestorError] = []
    given = await _given(request, at.served.upload_limit)
    if not given:
        refused.append(UsageError("Nothing was chosen. Choose a file, or paste a text."))
    for name, data in given:
        try:
            await asyncio.to_thread(add, at.served, at.user, name, data)
        except QuaestorError as error:
            refused.append(error)
    if len(refused) < len(given):
        behind.add_task(index_behind, at.served, at.user)
    if refused:
        return documents_page(at, [text_of(error) for error in refused], status(refused[0]))
    return RedirectResponse(_THERE, 303)


@router.post("/documents/{id}/delete")
def delete_document(
    at: Looking,
    id: Annotated[str, Path(max_length=200)],
    behind: BackgroundTasks,
    sure: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Delete a document, where the form says that it is meant."""
    if not sure:
        return documents_page(at, ["Nothing was deleted. Tick “Really” beside it first."], 400)
    documents_of(at.served, at.user).remove(id)
    behind.add_task(index_behind, at.served, at.user)
    return RedirectResponse(_THERE, 303)


async def _given(request: Request, limit: int) -> list[tuple[str, bytes]]:
    """Return names and bytes of what a form holds; a field that was left empty holds nothing."""
    async with request.form(max_files=_MOST_FILES, max_part_size=limit) as form:
        files = [file for file in form.getlist("files") if isinstance(file, UploadFile) and file.filename]
        given = [(file.filename or "", await file.read()) for file in files]
        name, text = form.get("name"), form.get("text")
        if isinstance(name, str) and isinstance(text, str) and (name or text):
            # Forms send every line's end as two letters, whatever was typed.
            given.append((name, text.replace("\r\n", "\n").encode("utf-8", "replace")))
        return given
