"""The routes under ``/v1``."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from quaestor.server.openai import chat_completions as chat
from quaestor.server.openai import embeddings, responses, text_completions
from quaestor.server.openai import model_names as models
from quaestor.server.openai.openai_schemas import Failure

_FAILURES = {
    400: "The request cannot be read, or asks for something that is not supported.",
    401: "No token was sent, or one that is nobody's.",
    403: "The request came from another site's page.",
    404: "There is no such model.",
    413: "The body is too large.",
    421: "The server does not go by that name.",
    429: "A limit of spending or of requests is reached, here or at the model's server.",
    500: "The server failed.",
    502: "The model's server failed.",
    503: "The corpus is not indexed yet, or cannot be used.",
}
_DOCUMENTED: dict[int | str, dict[str, Any]] = {
    status: {"model": Failure, "description": about} for status, about in _FAILURES.items()
}

router = APIRouter(prefix="/v1", tags=["openai"], responses=_DOCUMENTED)
for _part in (chat, responses, text_completions, embeddings, models):
    router.include_router(_part.router)
