"""A streamed reply as it arrives: all chunks that are there at a time, together.

Where a process is behind, chunks wait in the connection. Taken one by one, each would cost a whole step of everything
that a reply passes through, and the process would fall further behind; together they cost one.

Chunks are JSON as it came: making objects of the ``openai`` package's own types of them takes longer than all that is
done with a chunk here, and each of their fields is checked when it is read.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import openai

_END = b"[DONE]"
# A connection is used again only where its answer was read to the end, which follows at once.
_REST_SECONDS = 0.1


class NotCompletionsError(Exception):
    """What arrived is not in the wire format."""


class Events:
    """Cuts a stream of server-sent events into the data of each."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the data of the events that are whole with this piece."""
        lines = (self._rest + piece).splitlines(keepends=True)
        # A carriage return at the end may be half of a line's end.
        self._rest = b"" if not lines or lines[-1].endswith(b"\n") else lines.pop()
        return [data for line in lines if (data := self._line(line.rstrip(b"\r\n"))) is not None]

    def finish(self) -> list[bytes]:
        """Return what the last lines still make whole, now that the stream is over."""
        lines = self._rest.splitlines()
        return [data for line in lines if (data := self._line(line)) is not None]

    def _line(self, line: bytes) -> bytes | None:
        """Take a line, and return the data of the event that it ends."""
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        if line or not self._data:
            return None
        data, self._data = b"\n".join(self._data), []
        return data


async def batches(stream: openai.AsyncStream[Any]) -> AsyncGenerator[list[Any]]:
    """Yield the chunks of a stream, those that arrived together in one list; or the one object of a server that does
    not stream.

    Raises:
        NotCompletionsError: something else arrived.
        APIError: the server says that it failed, or the connection did.
    """
    try:
        if "json" in stream.response.headers.get("content-type", ""):
            yield [with_fields(json.loads(await stream.response.aread()))]
            return
        events = Events()
        async with aclosing(_read(stream)) as pieces:
            async for piece in pieces:
                found = events.feed(piece)
                chunks, failure = _taken(found, stream)
                if chunks:
                    yield chunks
                if failure is not None:
                    raise failure
                if any(data.startswith(_END) for data in found):
                    await _rest(pieces)
                    return
        chunks, failure = _taken(events.finish(), stream)
        yield chunks
        if failure is not None:
            raise failure
    except (ValueError, TypeError, AttributeError) as error:
        raise NotCompletionsError(str(error)) from None


def with_fields(value: Any) -> Any:
    """Return JSON with its objects' members as attributes."""
    if isinstance(value, dict):
        return SimpleNamespace(**{name: with_fields(member) for name, member in value.items()})
    return list(map(with_fields, value)) if isinstance(value, list) else value


def _taken(events: list[bytes], stream: openai.AsyncStream[Any]) -> tuple[list[Any], Exception | None]:
    """Return the chunks of some events, up to the one that is none, and what is wrong with that one."""
    found: list[Any] = []
    for data in events:
        if data.startswith(_END):
            break
        try:
            chunk = json.loads(data)
        except ValueError as error:
            return found, error
        if isinstance(chunk, dict) and (said := chunk.get("error")):
            return found, _failed(said, stream)
        found.append(with_fields(chunk))
    return found, None


def _failed(said: Any, stream: openai.AsyncStream[Any]) -> openai.APIError:
    import openai  # noqa: PLC0415 - takes most of a second

    message = said.get("message") if isinstance(said, dict) else None
    return openai.APIError(str(message or ""), request=stream.response.request, body=said)


async def _read(stream: openai.AsyncStream[Any]) -> AsyncGenerator[bytes]:
    """Yield what arrives; raises the errors of the ``openai`` package, whatever lies under it."""
    import openai  # noqa: PLC0415

    response = stream.response
    try:
        async for piece in response.aiter_bytes():
            yield piece
    except Exception as error:
        # By name, so that the HTTP library under the openai package stays its own affair.
        names = {kind.__name__ for kind in type(error).__mro__}
        if "TimeoutException" in names:
            raise openai.APITimeoutError(request=response.request) from error
        if isinstance(error, ssl.SSLError) or names & {"RequestError", "EndOfStream"}:
            raise openai.APIConnectionError(request=response.request) from error
        raise


async def _rest(pieces: AsyncIterator[bytes]) -> None:
    """Read an answer to its end, if that comes soon; what fails now takes nothing of the reply back."""
    import openai  # noqa: PLC0415

    with suppress(TimeoutError, openai.OpenAIError):
        async with asyncio.timeout(_REST_SECONDS):
            async for _ in pieces:
                pass
