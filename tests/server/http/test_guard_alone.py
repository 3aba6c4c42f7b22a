"""The guard around an application of one line: every rule at its bound, without a server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

from quaestor.core.errors import QuaestorError
from quaestor.server.http.error_responses import RequestRefusedError
from quaestor.server.http.guard import Guard

HOST = "127.0.0.1:8756"
FORM = {"content-type": "Application/X-WWW-Form-Urlencoded; charset=utf-8"}


@dataclass(frozen=True)
class Rules:
    """What the guard reads of ``Served``."""

    hosts: frozenset[str] = frozenset({"localhost", "127.0.0.1", "::1"})
    any_address: bool = False
    body_limit: int = 100
    upload_limit: int = 200


def refused(path: str, accept: str, error: QuaestorError) -> Response:
    return JSONResponse({"path": path, "accept": accept, "error": str(error), "code": error.code}, status_code=400)


def answered(method: str = "POST", path: str = "/x", rules: Rules = Rules(), **more: Any) -> httpx.Response:
    """Return what is answered to a request; the application says how many bytes it received."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        size = len(await Request(scope, receive).body())
        await JSONResponse({"size": size}, headers={"cache-control": "max-age=60"})(scope, receive, send)

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        await Guard(application, rules, refused)({**scope, "state": {}}, receive, send)  # type: ignore[arg-type]

    async def requested() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(guarded), base_url=f"http://{HOST}") as client:
            return await client.request(method, path, **more)

    return asyncio.run(requested())


class Streamed(httpx.AsyncByteStream):
    """A body whose size is not announced."""

    def __init__(self, size: int) -> None:
        self.size = size

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for _ in range(self.size):
            yield b"x"


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize(
    ("path", "headers", "limit"),
    [("/x", {}, 100), ("/api/documents", {}, 200), ("/documents", FORM, 200), ("/x", FORM, 100)],
)
def test_a_body_may_be_as_large_as_the_limit(path: str, headers: dict[str, str], limit: int, announced: bool) -> None:
    def sent(size: int) -> httpx.Response:
        return answered(path=path, headers=headers, content=b"x" * size if announced else Streamed(size))

    assert sent(limit).json() == {"size": limit}
    over = sent(limit + 1)
    assert over.json()["error"] == f"The body is larger than {limit} bytes. Send less."
    assert over.json()["code"] == "too_large"
    assert over.headers["connection"] == "close"


def test_a_form_has_a_limit_of_its_own() -> None:
    rules = Rules(body_limit=10_000_000)
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=b"):
        headers = {"content-type": kind}
        assert answered(rules=rules, headers=headers, content=b"x" * 1_000_000).status_code == 200
        assert "1,000,000" in answered(rules=rules, headers=headers, content=b"x" * 1_000_001).json()["error"]
    assert answered(rules=rules, content=b"x" * 1_000_001).status_code == 200


@pytest.mark.parametrize("origin", [f"http://{HOST}", f"https://{HOST}", None])
def test_our_own_pages_are_let_through(origin: str | None) -> None:
    headers = {} if origin is None else {"origin": origin}
    assert answered(headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("host", "origin"), [("LocalHost:1", "http://localhost:1"), ("localhost:1", "http://LOCALHOST:1")]
)
def test_names_are_compared_without_case(host: str, origin: str) -> None:
    assert answered(headers={"host": host, "origin": origin}).status_code == 200


@pytest.mark.parametrize(
    ("headers", "named"),
    [
        ({"origin": "https://evil.example"}, "'https://evil.example'"),
        ({"origin": f"ftp://{HOST}"}, f"'ftp://{HOST}'"),
        ({"origin": "http://[broken"}, "'http://[broken'"),
        ({"sec-fetch-site": "cross-site"}, "'other sites'"),
        ({"sec-fetch-site": "same-site"}, "'other sites'"),
    ],
)
def test_pages_of_others_are_refused_by_name(headers: dict[str, str], named: str) -> None:
    answer = answered(path="/some/path", headers={**headers, "accept": "text/html"})
    assert answer.json() == {
        "path": "/some/path",
        "accept": "text/html",
        "error": f"Requests from pages at {named} are refused. Open the page at this server's address.",
        "code": "foreign_origin",
    }


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_reading_is_open_to_other_pages(method: str) -> None:
    assert answered(method, headers={"origin": "https://evil.example"}).status_code == 200


@pytest.mark.parametrize("host", ["10.0.0.1", "10.0.0.1:80", "[fe80::1]:80", "localhost"])
def test_any_address_is_taken_where_the_server_listens_on_all(host: str) -> None:
    assert answered(headers={"host": host}, rules=Rules(any_address=True)).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "10.0.0.1.evil.example", "999.0.0.1", ""])
def test_any_address_is_no_name(host: str) -> None:
    answer = answered(headers={"host": host}, rules=Rules(any_address=True))
    assert answer.json()["code"] == "unknown_host"
    assert answer.json()["error"] == (
        f"This server is not named {host!r}. Use the address that it printed, or add a name with --allow-host."
    )


def test_what_a_route_says_of_caching_stands() -> None:
    headers = answered().headers
    assert headers["cache-control"] == "max-age=60"
    assert headers["x-frame-options"] == "DENY"
    assert answered(headers={"host": "evil.example"}).headers["cache-control"] == "no-store"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "post"])
def test_every_method_but_reading_needs_a_page_of_ours(method: str) -> None:
    assert answered(method, headers={"origin": "https://evil.example"}).json()["code"] == "foreign_origin"
    assert answered(method, headers={"origin": f"http://{HOST}"}).status_code == 200


@pytest.mark.parametrize(("host", "ours"), [("localhost.", True), ("localhost.:80", True), (".localhost", False)])
def test_a_name_may_end_with_a_dot(host: str, ours: bool) -> None:
    assert answered(headers={"host": host}).status_code == (200 if ours else 400)


# --- as a server calls it, without a client that adds headers or announces sizes ------------------------------------


@dataclass  # mutable: grows with the call
class Called:
    """What came of one call.

    Attributes:
        sent: the messages that reached the client.
        state: of the request.
        refused: what the answer was made of, with its status.
        said: the same in words.
        served: whether the application was reached, with the scope of the call.
    """

    sent: list[Message] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    refused: list[tuple[str, str, str, int]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    served: bool = False


App = Callable[[Receive, Send], Awaitable[None]]


async def reading(receive: Receive, send: Send) -> None:
    while (await receive()).get("more_body"):
        pass
    await JSONResponse({})({"type": "http"}, receive, send)


def called(headers: dict[str, str], app: App = reading, body: Sequence[bytes] = (b"",), kind: str = "http") -> Called:
    """Return what comes of a call with these headers and no other."""
    found = Called()
    left = list(body)

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        found.served = scope["type"] == kind
        await app(receive, send)

    async def receive() -> Message:
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    async def send(message: Message) -> None:
        found.sent.append(message)

    def answer(path: str, accept: str, error: QuaestorError) -> Response:
        found.refused.append((path, accept, error.code, error.http_status))
        found.said.append(str(error))
        return JSONResponse({}, status_code=error.http_status)

    scope = {
        **{"type": kind, "method": "POST", "path": "/x", "state": found.state},
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    asyncio.run(Guard(application, Rules(), answer)(scope, receive, send))  # type: ignore[arg-type]
    return found


OURS = {"host": HOST}


def test_what_is_no_request_is_passed_on_as_it_is() -> None:
    async def begun(receive: Receive, send: Send) -> None:
        assert (await receive())["type"] == "http.request"
        await send({"type": "lifespan.startup.complete"})

    found = called({"host": "evil.example"}, begun, kind="lifespan")
    assert (found.served, found.sent) == (True, [{"type": "lifespan.startup.complete"}])


@pytest.mark.parametrize(
    ("headers", "refused"),
    [
        ({}, ("/x", "", "unknown_host", 421)),
        ({"host": ""}, ("/x", "", "unknown_host", 421)),
        (OURS | {"sec-fetch-site": "cross-site", "accept": "text/html"}, ("/x", "text/html", "foreign_origin", 403)),
        (OURS | {"content-length": "101"}, ("/x", "", "too_large", 413)),
    ],
)
def test_what_is_refused_reaches_nobody(headers: dict[str, str], refused: tuple[str, str, str, int]) -> None:
    found = called(headers)
    assert not found.served
    assert found.refused == [refused]
    assert found.state == {"error": refused[2]}
    start, _body = found.sent
    assert start["status"] == refused[3]
    assert (b"connection", b"close") in start["headers"]
    assert (b"cache-control", b"no-store") in start["headers"]


def test_a_request_without_a_name_is_told_so() -> None:
    assert [called(headers).said[0].partition(".")[0] for headers in ({}, {"host": ""})] == [
        "This server is not named ''"
    ] * 2


def test_what_is_let_through_has_no_error() -> None:
    for headers in (OURS, OURS | {"content-length": "100"}, OURS | {"content-length": "²"}):
        found = called(headers)
        assert (found.served, found.refused, found.state, len(found.sent)) == (True, [], {}, 2)
        assert (b"connection", b"close") not in found.sent[0]["headers"]


def test_what_a_route_makes_of_too_large_a_body_is_not_sent() -> None:
    async def forgiving(receive: Receive, send: Send) -> None:
        with suppress(QuaestorError):
            await reading(receive, send)
        await JSONResponse({"all": "well"})({"type": "http"}, receive, send)

    found = called(OURS, forgiving, [b"x" * 100, b"x"])
    assert [message.get("status") for message in found.sent] == [413, None]
    assert found.state == {"error": "too_large"}
    assert len(called(OURS, forgiving, [b"x" * 99, b"x"]).sent) > 2, "a body of the very limit is read"


def test_an_answer_that_was_begun_is_not_answered_again() -> None:
    async def hasty(receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        with suppress(QuaestorError):
            await reading(receive, send)
        await send({"type": "http.response.body", "body": b"the rest"})

    found = called(OURS, hasty, [b"x" * 101])
    assert [message["type"] for message in found.sent] == ["http.response.start", "http.response.body"]
    assert found.refused == []

    async def raising(receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await receive()

    with pytest.raises(RequestRefusedError):
        called(OURS, raising, [b"x" * 101])


def test_other_failures_are_not_the_guards() -> None:
    async def broken(receive: Receive, send: Send) -> None:
        raise LookupError("of the route's own")

    with pytest.raises(LookupError):
        called(OURS, broken)

    async def refusing(receive: Receive, send: Send) -> None:
        raise RequestRefusedError("no", status=499, code="mine")

    assert called(OURS, refusing).refused == [("/x", "", "mine", 499)]
