"""Turns errors into responses: the status and the body, in OpenAI's format under ``/v1`` and in ours elsewhere.

A response never holds a traceback or the request's content. If the model's server refuses a request, ``blame_request``
decides whether the client's parameters, which are passed on to it, caused that.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from quaestor.core.errors import LimitError, NotFoundError, QuaestorError, UpstreamError, UsageError, WindowError
from quaestor.llm.endpoints.failures import BadRequestError, TooLongError, ToolsRefusedError
from quaestor.server.http.streams import ClientGoneError
from quaestor.server.open_corpora import StillIndexingError

_LOG = logging.getLogger("quaestor.server")
_CODES = {404: "not_found", 405: "method_not_allowed", 415: "unsupported_media_type"}
# Matches the name of a field and not that of a type: "str", "list[int]", "ContentPart", "constrained-str".
_FIELD = re.compile(r"(?!(?:str|int|float|bool|dict|list|none)\b)[a-z][a-z0-9_]*")
_INDEXING_SECONDS = 2
_AWAY_SECONDS = 2


class RequestRefusedError(UsageError):
    """A request that is refused before it reaches a route, or that a route cannot read.

    Attributes:
        param: the field that is wrong; None if it is not a single field.
    """

    def __init__(self, message: str, *, status: int = 400, code: str = "invalid_request", param: str | None = None):
        super().__init__(message)
        self.http_status = status
        self.code = code
        self.param = param


def install(app: FastAPI) -> None:
    """Make an app answer every error in the right format."""
    app.add_exception_handler(QuaestorError, _answer_our_error)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(ClientGoneError, _on_gone)
    app.add_exception_handler(ClientDisconnect, _on_gone)


def answer(path: str, error: QuaestorError) -> JSONResponse:
    """Return the response to a request for ``path`` that failed with an error."""
    return JSONResponse(body(path, error), status(error), headers_of(error))


def internal_error(path: str) -> JSONResponse:
    """Return the response to a request for ``path`` that failed through a bug in the server."""
    return answer(path, _Fault())


def failure_event(request: Request, error: Exception) -> dict[str, Any]:
    """Return the last event of a stream that failed, and record the failure; a bug in the server is logged."""
    if not isinstance(error, QuaestorError):
        _LOG.error("fault", exc_info=error, extra={"data": {"id": request.scope["state"]["request_id"]}})
        error = _Fault()
    request.scope["state"]["error"] = code(error)
    return body(request.url.path, error)


def status(error: QuaestorError) -> int:
    """Return the HTTP status of an error."""
    # If the model's server is busy, the client waits, as if it had asked that server itself.
    if isinstance(error, UpstreamError) and error.status == 429:
        return 429
    return error.http_status


def code(error: QuaestorError) -> str:
    """Return the code of an error for programs."""
    return "context_length_exceeded" if isinstance(error, WindowError) else error.code


def body(path: str, error: QuaestorError) -> dict[str, Any]:
    """Return the body of an error response, also for an event in a stream."""
    message = text_of(error)
    if not path.startswith("/v1"):
        return {"error": {"code": code(error), "message": message}}
    param = getattr(error, "param", None)
    return {"error": {"message": message, "type": _type(status(error)), "param": param, "code": code(error)}}


def text_of(error: BaseException) -> str:
    """Return an error's message as text that can be encoded; lone surrogates are replaced."""
    return str(error).encode("utf-8", "replace").decode("utf-8")


def headers_of(error: QuaestorError) -> dict[str, str]:
    """Return the headers that tell a client when, or whether, to retry."""
    wait = getattr(error, "retry_after", None)
    if isinstance(error, StillIndexingError):
        wait = _INDEXING_SECONDS
    elif wait is None and error.retryable and status(error) == 503:
        wait = _AWAY_SECONDS
    headers = {"retry-after": str(max(1, math.ceil(wait)))} if wait is not None else {}
    if status(error) == 401:
        headers["www-authenticate"] = "Bearer"
    if isinstance(error, LimitError | UpstreamError):
        # By default, OpenAI's clients retry by themselves, which would only use up more of the limit.
        again = wait is not None or (isinstance(error, UpstreamError) and error.retryable)
        headers["x-should-retry"] = "true" if again else "false"
    return headers


class _Fault(QuaestorError):
    code = "server_error"

    def __init__(self) -> None:
        super().__init__("The server failed; its log says why, under the id in X-Request-ID.")


def _type(status: int) -> str:
    known = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
    return known.get(status, "invalid_request_error" if status < 500 else "server_error")


async def _answer_our_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, QuaestorError)
    request.scope["state"]["error"] = code(error)
    return answer(request.url.path, error)


async def _on_invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return await _answer_our_error(request, _first_error(error.errors()))


async def _on_gone(_request: Request, _error: Exception) -> Response:
    """Return the response to a client that has disconnected, with nginx's status 499; only the log shows it."""
    return Response(status_code=499)


async def on_http(request: Request, error: Exception) -> JSONResponse:
    """Answer a request that the framework refuses: an unknown path or a wrong method."""
    assert isinstance(error, HTTPException)
    text = f"{request.method} {request.url.path!r}: {error.detail}."
    refused = RequestRefusedError(text, status=error.status_code, code=_CODES.get(error.status_code, "invalid_request"))
    response = await _answer_our_error(request, refused)
    response.headers.update(error.headers or {})
    return response


def _place_in_request(place: Sequence[Any]) -> str:
    """Return the path of a field in a request as OpenAI writes it: ``messages[0].role``."""
    text = ""
    for part in place[1:]:
        if isinstance(part, int):
            text += f"[{part}]"
        elif not _FIELD.fullmatch(str(part)):
            # From here on, pydantic names the type that it tried, which is not part of the request.
            break
        else:
            text += f".{part}" if text else str(part)
    return text


def _first_error(errors: Sequence[Mapping[str, Any]]) -> RequestRefusedError:
    """Return the first error of a request, without its content."""
    first = errors[0] if errors else {}
    if first.get("type") == "json_invalid":
        return RequestRefusedError("The body is not JSON. Send one JSON object.", code="invalid_json")
    if first.get("type") == "model_attributes_type" and len(first.get("loc", ())) == 1:
        return RequestRefusedError("The body is not a JSON object. Send one, with 'Content-Type: application/json'.")
    param = _place_in_request(first.get("loc", ())) or None
    prefix = f"{param!r}: " if param else ""
    return RequestRefusedError(f"{prefix}{first.get('msg', 'the request cannot be read')}.", param=param)


__all__ = ["NotFoundError", "RequestRefusedError", "answer", "body", "install", "internal_error", "text_of"]


@contextmanager
def blame_request(request: BaseModel) -> Iterator[None]:
    """Report a model server's refusal as the client's mistake, if the client caused it.

    A wrong key, address or model name is a mistake in the server's settings, which a client cannot correct: such an
    error is passed on unchanged.

    Raises:
        RequestRefusedError: the model's server refused the client's parameters or messages.
    """
    try:
        yield
    except BadRequestError as error:
        text = error.server_message or f"It answered {error.status} without a reason."
        param = error.param if error.param in type(request).model_fields else None
        raise RequestRefusedError(f"The model's server refuses the request: {text}", param=param) from error
    except TooLongError as error:
        text = "The request does not fit the model's window. Send less."
        raise RequestRefusedError(text, code="context_length_exceeded") from error
    except ToolsRefusedError as error:
        if not getattr(request, "tools", None):
            raise
        raise RequestRefusedError("The model does not support tools. Leave them out.", param="tools") from error
