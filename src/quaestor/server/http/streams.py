"""Sends server-sent events, and cancels work when its client disconnects.

A disconnect is noticed at once. Cancelling the work closes the request to the model's server, too.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Mapping
from contextlib import aclosing, suppress
from typing import Any, TypeVar

from fastapi import Request, Response
from starlette.types import Receive, Scope, Send

Result = TypeVar("Result")
Item = TypeVar("Item")

# Python takes these for line ends, the event-stream format does not: clients that read by lines would cut events there.
_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_HEARTBEAT_SECONDS = 15.0
_PATIENCE_SECONDS = 10.0
_COMMENT = b":\n\n"


def event(data: Any, name: str = "") -> bytes:
    """Return one event with a text as it is, or with another value as JSON."""
    text = data if isinstance(data, str) else as_json(data)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def as_json(data: Any) -> str:
    """Return a value as JSON on one line; lone surrogates, which cannot be encoded, are replaced."""
    text = _encode(data)
    # Fast path: an answer comes in many pieces, and most are ASCII.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8").translate(_LINE_ENDS)


class EventStream(Response):
    """A response of server-sent events; comments keep it open while there are none.

    Args:
        events: encoded events, as ``event`` returns them; closed when the client disconnects.
        headers: headers to add to the usual ones.
        heartbeat: seconds of silence after which a comment is sent, so that proxies do not close the connection.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        events: AsyncGenerator[bytes],
        *,
        headers: Mapping[str, str] | None = None,
        heartbeat: float = _HEARTBEAT_SECONDS,
    ) -> None:
        self.status_code = 200
        self.background = None
        self.body = b""
        self._events = events
        self._heartbeat = heartbeat
        self.init_headers({"cache-control": "no-store", "x-accel-buffering": "no", **(headers or {})})
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until the last one, or until the client disconnects."""
        beat = _Heartbeat(send, self._heartbeat)

        async def sending() -> None:
            async with aclosing(self._events) as events:
                await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
                async for piece in events:
                    await beat.send(piece)
            await send({"type": "http.response.body", "body": b"", "more_body": False})

        with suppress(ClientGoneError):
            await cancel_on_disconnect(receive, _run_beside(sending(), beat.beat()))


async def await_first(events: AsyncGenerator[Item], patience: float = _PATIENCE_SECONDS) -> AsyncGenerator[Item]:
    """Wait for the first event, then return all; until then, a failure can still become an error response.

    Args:
        events: the events.
        patience: how many seconds to wait at most; after that, the events are returned anyway.

    Raises:
        Exception: the first event failed.
    """
    first = asyncio.ensure_future(anext(events))
    try:
        await asyncio.wait((first,), timeout=patience)
        if first.done():
            first.result()
    except BaseException:
        await _end_task(first)
        await events.aclose()
        raise
    return _going_on(first, events)


async def _going_on(first: asyncio.Future[Item], events: AsyncGenerator[Item]) -> AsyncGenerator[Item]:
    async with aclosing(events):
        try:
            yield await first
        finally:
            await _end_task(first)
        async for one in events:
            yield one


class ClientGoneError(Exception):
    """The client has disconnected."""


async def cancel_on_disconnect(receive: Receive, work: Awaitable[Result]) -> Result:
    """Return the result of some work; cancel it if the client disconnects.

    Args:
        receive: the ASGI callable of a request whose body has been read.
        work: what is done for the client.

    Raises:
        ClientGoneError: the client disconnected.
    """
    working = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_wait_for_disconnect(receive))
    try:
        await asyncio.wait((working, gone), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientGoneError
    finally:
        for task in (working, gone):
            await _end_task(task)


async def cancelled_on_disconnect(request: Request, work: Awaitable[Result]) -> Result:
    """Return the result of some work for a request; see ``cancel_on_disconnect``."""
    return await cancel_on_disconnect(request.receive, work)


class _Heartbeat:
    """Sends pieces of a body, and a comment after each ``seconds`` of silence."""

    def __init__(self, send: Send, seconds: float) -> None:
        self._send = send
        self._seconds = seconds
        self._last = asyncio.get_running_loop().time()

    async def send(self, piece: bytes) -> None:
        self._last = asyncio.get_running_loop().time()
        await self._send({"type": "http.response.body", "body": piece, "more_body": True})

    async def beat(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(max(0.0, self._last + self._seconds - loop.time()))
            if loop.time() >= self._last + self._seconds:
                await self.send(_COMMENT)


async def _run_beside(work: Awaitable[None], other: Awaitable[None]) -> None:
    """Run another task until some work is done."""
    beating = asyncio.ensure_future(other)
    try:
        await work
    finally:
        await _end_task(beating)


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _end_task(task: asyncio.Future[Any]) -> None:
    """Cancel a task unless it is done, and wait until it has ended."""
    if task.done():
        return
    task.cancel()
    with suppress(asyncio.CancelledError, Exception):
        await task
