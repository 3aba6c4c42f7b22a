"""The answers that are errors, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

from quaestor.server.api.api_schemas import Failure

_SAID = {
    400: "The request cannot be read, or asks for something impossible.",
    401: "A token is needed, or the one that was sent is nobody's.",
    403: "Not permitted.",
    404: "There is nothing of this name that the caller may see.",
    409: "A turn of this session is under way.",
    413: "The body or the document is too large.",
    415: "This is not text, or the body is of another type.",
    421: "The server is not called so.",
    429: "A limit is reached: of spending, of requests, of size.",
    500: "The server failed; its log says why.",
    502: "The model's server failed.",
    503: "The index is still being made, or is unusable.",
}
_ANY_ROUTE = (400, 401, 403, 413, 421, 429, 500)


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what a route may answer beside what it is asked for, for its documentation."""
    return {status: {"model": Failure, "description": _SAID[status]} for status in statuses}


EVERYWHERE = refusals(*_ANY_ROUTE)
"""What any route may answer."""
