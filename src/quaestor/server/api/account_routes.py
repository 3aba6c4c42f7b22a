"""Routes of the caller's account: uploaded or pasted documents, which form a corpus, and the usage of models."""

from __future__ import annotations

import asyncio
import logging
from typing import Annotated, Any

from fastapi import APIRouter, BackgroundTasks, Path, Request, Response
from pydantic import BaseModel, Field, ValidationError
from starlette.datastructures import UploadFile

from quaestor.accounts.users import User
from quaestor.core.errors import ForbiddenError, UsageError
from quaestor.server.api import api_schemas as schemas
from quaestor.server.api.access import MY_DOCUMENTS, corpus_of, documents_of, serve_documents
from quaestor.server.api.api_schemas import refusals
from quaestor.server.http.caller import Who
from quaestor.server.http.served_state import Served, ServedHere
from quaestor.server.open_corpora import StillIndexingError
from quaestor.server.uploads import DocumentRefusedError, StoredDocument

_LOG = logging.getLogger("quaestor.server")

router = APIRouter()

_FILE = {"type": "object", "required": ["file"], "properties": {"file": {"type": "string", "format": "binary"}}}
_BODY = {
    "required": True,
    "content": {
        "application/json": {"schema": schemas.DocumentText.model_json_schema()},
        "multipart/form-data": {"schema": _FILE},
    },
}


class Used(BaseModel):
    """The caller's usage of models in a period."""

    requests: int
    counted: Annotated[int, Field(description="Requests for which the model's server reported no usage.")]
    prompt_tokens: int
    completion_tokens: int
    cost: Annotated[float | None, Field(description="In units of the currency; null if no price is known.")]
    unpriced: Annotated[int, Field(description="Requests without a known price; the cost does not include them.")]
    reserved: Annotated[int, Field(description="Requests under way; they count with the most that they can take.")]
    reserved_cost: float
    lapsed: Annotated[int, Field(description="Requests cut off by a crash; they count with the most, too.")]


class LimitObject(BaseModel):
    """A limit, and how much of it is left."""

    scope: Annotated[str, Field(description="`user`: for each user; `all`: for all users together.")]
    period: Annotated[str, Field(description="`day` or `month`.")]
    unit: Annotated[str, Field(description="`cost`, in units of the currency, or `tokens`.")]
    limit: float
    used: float
    left: float
    renews: str


class UsageOverview(BaseModel):
    """The caller's usage of models, and how much of each limit is left. Days and months begin and end in UTC."""

    currency: str
    today: Used
    month: Used
    limits: Annotated[dict[str, LimitObject], Field(description="By the settings' names; only those that are set.")]


@router.get("/documents", response_model=schemas.DocumentList)
def list_documents(served: ServedHere, who: Who) -> dict[str, Any]:
    """List the documents that the caller uploaded, newest first."""
    return {"corpus": MY_DOCUMENTS, "documents": [_document_object(one) for one in documents_of(served, who).list()]}


@router.post(
    "/documents",
    status_code=201,
    response_model=schemas.DocumentObject,
    responses=refusals(415),
    openapi_extra={"requestBody": _BODY},
)
async def add_document(request: Request, served: ServedHere, who: Who, behind: BackgroundTasks) -> dict[str, Any]:
    """Add a document, as JSON or as an uploaded `file`; it is indexed in the background."""
    name, data = await _document_in_request(request)
    stored = await asyncio.to_thread(add, served, who, name, data)
    behind.add_task(index_in_background, served, who)
    return _document_object(stored)


@router.delete("/documents/{id}", status_code=204, response_class=Response, responses=refusals(404))
def remove_document(
    served: ServedHere, who: Who, id: Annotated[str, Path(max_length=200)], behind: BackgroundTasks
) -> None:
    """Remove a document; it is removed from the index in the background."""
    documents_of(served, who).remove(id)
    behind.add_task(index_in_background, served, who)


def add(served: Served, user: User, name: str, data: bytes) -> StoredDocument:
    """Store a user's document and serve it from now on.

    Raises:
        DocumentRefusedError: it cannot be indexed.
        LimitError: the user has too many documents, or too large ones.
    """
    stored = documents_of(served, user).add(name, data)
    serve_documents(served, user)
    return stored


async def _document_in_request(request: Request) -> tuple[str, bytes]:
    """Return the name and the bytes of the document in a request.

    Raises:
        UsageError: the body is neither JSON nor a form, or is malformed.
        ForbiddenError: it names another corpus.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        return _pasted_text(await request.body())
    if kind == "multipart/form-data":
        return await _upload(request)
    raise DocumentRefusedError(
        f"A body of type {kind!r} is not supported. Send JSON with `name` and `text`, or a form with a `file`.",
        status=415,
        code="unsupported_media_type",
    )


def _pasted_text(body: bytes) -> tuple[str, bytes]:
    try:
        pasted = schemas.DocumentText.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the body"
        raise UsageError(f"{where!r}: {first['msg']}.") from None
    if pasted.corpus not in ("", MY_DOCUMENTS):
        raise ForbiddenError(f"Nothing can be added to {pasted.corpus!r} here; documents go to {MY_DOCUMENTS!r}.")
    return pasted.name, pasted.text.encode("utf-8", "replace")


async def _upload(request: Request) -> tuple[str, bytes]:
    async with request.form(max_files=1, max_fields=4) as form:
        file = form.get("file")
        if not isinstance(file, UploadFile):
            raise UsageError("The form has no `file`. Send one file under that name.")
        return file.filename or "", await file.read()


def index_in_background(served: Served, user: User) -> None:
    """Bring the index of a user's documents up to date now, so that the next search need not."""
    try:
        corpus_of(served, user, MY_DOCUMENTS).refresh()
    except StillIndexingError:
        pass  # the first index, still being made, includes the document
    except Exception:
        _LOG.exception("fault")


def _document_object(stored: StoredDocument) -> dict[str, Any]:
    return {
        "id": stored.id,
        "name": stored.name,
        "path": stored.name,
        "bytes": stored.size,
        "changed": stored.changed,
        "corpus": MY_DOCUMENTS,
    }


@router.get("/usage", response_model=UsageOverview, responses=refusals(503))
def usage(served: ServedHere, who: Who) -> dict[str, Any]:
    """Return the caller's usage today and this month (UTC), and how much of each limit is left."""
    return served.overview(who)
