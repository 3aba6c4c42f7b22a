"""Reading a streamed reply: chunks that arrive together as one batch, and cutting at a stop sequence.

If a process is behind, chunks wait in the connection. Handled one by one, each would cost a whole step of the pipeline,
and the process would fall further behind; as a batch they cost one.

Chunks are plain JSON; each field is checked when it is read.

A server can neither fill the memory nor block the event loop: events are bounded in bytes, values and depth, and after
a bounded number of them the loop gets control.

Most servers remove the stop sequence; some leave it in the text, and it may be split over pieces.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from quaestor.llm.endpoints.failures import RefusedError

if TYPE_CHECKING:
    import httpx2


_END = b"[DONE]"
# A connection is used again only where its answer was read to the end, which follows at once.
_REST_SECONDS = 0.1
LARGEST_EVENT = 1 << 20
"""The most bytes of an event, or of an answer that is not streamed."""
_MOST_PARTS = 20_000
_DEEPEST = 64
_TOGETHER = 128
_MARKS = (b"{", b"[", b",")


class NotCompletionsError(Exception):
    """The response is not in the wire format."""


class Events:
    """Cuts a stream of server-sent events into the data of each.

    Args:
        largest: the most bytes of an event.
    """

    def __init__(self, largest: int = LARGEST_EVENT) -> None:
        self._largest = largest
        self._rest: list[bytes] = []
        self._rest_bytes = 0
        self._data: list[bytes] = []
        self._data_bytes = 0

    @property
    def held_bytes(self) -> int:
        """The number of bytes that wait for the end of their event."""
        return self._rest_bytes + self._data_bytes

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the data of the events that a piece completes.

        Raises:
            NotCompletionsError: an event is too large.
        """
        may_end = b"\n" in piece or b"\r" in piece or self._rest[-1:] == [b"\r"]
        self._rest.append(piece)
        self._rest_bytes += len(piece)
        events = self._end(self._lines()) if may_end else []
        if self.held_bytes > self._largest:
            raise NotCompletionsError(f"an event of more than {self._largest:,} bytes")
        return events

    def finish(self) -> list[bytes]:
        """Return the events completed by the end of the stream."""
        return self._end(b"".join(self._rest).splitlines())

    def _lines(self) -> list[bytes]:
        """Return the complete lines; a carriage return at the end waits, because a line feed may follow."""
        lines = b"".join(self._rest).splitlines(keepends=True)
        rest = b"" if lines[-1].endswith(b"\n") else lines.pop()
        self._rest = [rest.removesuffix(b"\r"), b"\r"] if rest.endswith(b"\r") else [rest]
        self._rest_bytes = len(rest)
        return lines

    def _end(self, lines: list[bytes]) -> list[bytes]:
        return [data for line in lines if (data := self._line(line)) is not None]

    def _line(self, line: bytes) -> bytes | None:
        """Process a line; return the data of the event that it ends, or None."""
        bare = line.rstrip(b"\r\n")
        if bare.startswith(b"data:"):
            self._data.append(bare[5:].removeprefix(b" "))
            self._data_bytes += len(line)
        if bare or not self._data:
            return None
        data, self._data, self._data_bytes = b"\n".join(self._data), [], 0
        return data


async def batches(answer: httpx2.Response) -> AsyncGenerator[list[Any]]:
    """Yield the chunks of a stream, those that arrived together in one list; or one object, if it is not a stream.

    Raises:
        NotCompletionsError: the answer is something else.
        RefusedError: the server reports a failure.
        httpx2.RequestError: the connection failed.
    """
    try:
        if "json" in answer.headers.get("content-type", ""):
            yield [with_fields(await read_json_answer(answer))]
            return
        events = Events()
        async with aclosing(_read(answer)) as pieces:
            async for piece in pieces:
                batch = events.feed(piece)
                for start in range(0, len(batch), _TOGETHER):
                    chunks, failure = _valid_chunks(batch[start : start + _TOGETHER])
                    if chunks:
                        yield chunks
                    if failure is not None:
                        raise failure
                    await asyncio.sleep(0)
                if any(data.startswith(_END) for data in batch):
                    await _rest(pieces)
                    return
        chunks, failure = _valid_chunks(events.finish())
        yield chunks
        if failure is not None:
            raise failure
    except (ValueError, TypeError, AttributeError) as error:
        raise NotCompletionsError(str(error)) from None


async def read_json_answer(answer: httpx2.Response, largest: int = LARGEST_EVENT) -> Any:
    """Return the JSON of an answer that is not streamed, or is taken as one.

    Args:
        answer: the answer of the server.
        largest: the most bytes that the answer may have.

    Raises:
        NotCompletionsError: the answer is not JSON, or larger than ``largest``.
        httpx2.RequestError: the connection failed.
    """
    pieces: list[bytes] = []
    remaining = largest
    async with aclosing(_read(answer)) as arriving:
        async for piece in arriving:
            pieces.append(piece)
            remaining -= len(piece)
            if remaining < 0:
                raise NotCompletionsError(f"an answer of more than {largest:,} bytes")
    return parse_event(b"".join(pieces), _MOST_PARTS * max(1, largest // LARGEST_EVENT))


def parse_event(data: bytes, most: int = _MOST_PARTS) -> Any:
    """Return the JSON of an event.

    Args:
        data: its bytes.
        most: the most brackets and commas outside strings; each takes as long to read as a thousand letters.

    Raises:
        NotCompletionsError: the event is not JSON, has too many values, or is nested too deeply.
    """
    if _has_more_values(data, most):
        raise NotCompletionsError(f"more than {most:,} values in one event")
    try:
        return json.loads(data)
    except RecursionError:
        raise NotCompletionsError("values nested too deeply") from None
    except ValueError as error:
        raise NotCompletionsError(str(error)) from None


def _has_more_values(data: bytes, most: int) -> bool:
    """Return whether JSON has more than ``most`` values, by counting its brackets and commas without parsing it."""
    if sum(map(data.count, _MARKS)) <= most:
        return False
    plain = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    if plain.count(b'"') > 4 * most:
        return True
    outside = b"".join(plain.split(b'"')[::2])
    return sum(map(outside.count, _MARKS)) > most


def with_fields(value: Any, deepest: int = _DEEPEST) -> Any:
    """Return JSON with its objects' members as attributes.

    Raises:
        NotCompletionsError: it is nested more than ``deepest`` times.
    """
    if not isinstance(value, dict | list):
        return value
    if not deepest:
        raise NotCompletionsError("values nested too deeply")
    if isinstance(value, list):
        return [with_fields(member, deepest - 1) for member in value]
    return SimpleNamespace(**{name: with_fields(member, deepest - 1) for name, member in value.items()})


def _valid_chunks(events: list[bytes]) -> tuple[list[Any], Exception | None]:
    """Return the chunks of events up to the first invalid one, and the error of that one."""
    chunks: list[Any] = []
    for data in events:
        if data.startswith(_END):
            break
        try:
            chunk = parse_event(data)
            if isinstance(chunk, dict) and (failure := chunk.get("error")):
                return chunks, RefusedError(failure)
            chunks.append(with_fields(chunk))
        except NotCompletionsError as error:
            return chunks, error
    return chunks, None


async def _read(answer: httpx2.Response) -> AsyncGenerator[bytes]:
    """Yield the raw bytes of an answer.

    Nothing is decompressed, because a few bytes could become more than the memory holds; uncompressed data was
    requested.
    """
    if (packed := answer.headers.get("content-encoding", "identity")) != "identity":
        raise NotCompletionsError(f"an answer compressed with {packed!r}, which was not requested")
    async for piece in answer.aiter_raw():
        yield piece


async def _rest(pieces: AsyncIterator[bytes]) -> None:
    """Read an answer to its end, if that comes soon; failed connections are ignored, because the reply is complete."""
    from quaestor.llm.endpoints.client import TROUBLE  # noqa: PLC0415 - loads the HTTP library, as the answer did

    with suppress(TimeoutError, *TROUBLE):
        async with asyncio.timeout(_REST_SECONDS):
            async for _ in pieces:
                pass


class StopCutter:
    """Passes text through until a stop sequence, holding back no more than could be the start of one.

    Attributes:
        stop_met: the stop sequence that was met, or None.
    """

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._held_back = ""
        self.stop_met: str | None = None

    def feed(self, piece: str) -> str:
        """Return the text to show after this piece; nothing after a stop sequence."""
        if self.stop_met is not None:
            return ""
        text = self._held_back + piece
        met = [(text.index(stop), -len(stop), stop) for stop in self._stops if stop in text]
        if met:
            end, _, self.stop_met = min(met)
            self._held_back = ""
            return text[:end]
        kept = len(text) - self._hold(text)
        self._held_back = text[kept:]
        return text[:kept]

    def flush(self) -> str:
        """Return the text held back, at the end of the reply."""
        rest, self._held_back = self._held_back, ""
        return rest

    def _hold(self, text: str) -> int:
        """Return how many characters at the end of ``text`` may be the start of a stop sequence."""
        longest = max(map(len, self._stops), default=1) - 1
        for size in range(min(longest, len(text)), 0, -1):
            if any(stop.startswith(text[-size:]) for stop in self._stops):
                return size
        return 0
