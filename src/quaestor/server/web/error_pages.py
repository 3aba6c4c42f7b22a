"""Shows errors of the page's routes as pages, and sends unknown callers to the log-in."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any
from urllib.parse import urlencode

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute

from quaestor.core.errors import NotFoundError, QuaestorError
from quaestor.server.http.caller import UnknownCallerError
from quaestor.server.http.error_responses import answer, headers_of, on_http, status, text_of
from quaestor.server.web.page_templates import page
from quaestor.server.web.safe_text import in_words

# Requests below these come from programs, whatever their Accept header says.
_PROGRAMS = ("/api/", "/v1/")
_HEADINGS = {
    400: "That cannot be done",
    403: "Not allowed",
    404: "Not found",
    413: "Too large",
    429: "Too much",
    503: "Not ready yet",
}


class PageRoute(APIRoute):
    """A route whose errors are shown to people as pages."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler of a request."""
        reply = super().get_route_handler()

        async def answer_or_page(request: Request) -> Response:
            try:
                return await reply(request)
            except UnknownCallerError as error:
                return _redirect_to_log_in(request, error)
            except QuaestorError as error:
                request.scope["state"]["error"] = error.code
                return _failure(text_of(error), status(error), headers_of(error))
            except RequestValidationError:
                return _failure("This address cannot be read. Follow a link of the page.", 400, {})

        return answer_or_page


def install(app: FastAPI) -> None:
    """Answer browsers' requests for unknown addresses with a page."""
    app.add_exception_handler(404, _on_unknown)


def refusal_page(path: str, accept: str, error: QuaestorError) -> Response:
    """Return the response to a request that is refused before it reaches a route: for a browser, a page.

    Args:
        path: the request's path.
        accept: its Accept header.
        error: why it is refused.
    """
    if not _for_people(path, accept):
        return answer(path, error)
    return _failure(text_of(error), status(error), headers_of(error))


def _for_people(path: str, accept: str) -> bool:
    return "text/html" in accept and not path.startswith(_PROGRAMS)


async def _on_unknown(request: Request, error: Exception) -> Response:
    if not _for_people(request.url.path, request.headers.get("accept", "")):
        return await on_http(request, error)
    request.scope["state"]["error"] = NotFoundError.code
    return _failure("There is nothing at this address.", 404, {})


def _redirect_to_log_in(request: Request, error: UnknownCallerError) -> Response:
    """Redirect a person to the log-in; answer a request of the page's script with an error."""
    if request.query_params.get("bare") or request.url.path.startswith("/parts/"):
        return _failure(text_of(error), status(error), headers_of(error))
    path = request.url.path if request.method == "GET" else "/"
    return RedirectResponse("/log-in?" + urlencode({"next": path}), 303)


def _failure(message: str, status: int, headers: dict[str, str]) -> Response:
    heading = _HEADINGS.get(status, "Something failed")
    shown = page("error.html", status, heading=heading, message=in_words(message))
    shown.headers.update(headers)
    return shown
