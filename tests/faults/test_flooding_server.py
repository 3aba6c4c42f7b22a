"""A model server that floods: what is read, held and done at once is bounded, and others have their turn."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.chat.reply_reader import VisibleText, WrittenCallFilter
from quaestor.core.errors import UpstreamError
from quaestor.core.messages import Message
from quaestor.llm.endpoints.client import RetryPolicy, read_retry_after
from quaestor.llm.models import Finished, Request, TextDelta
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from quaestor.llm.models.reply_stream import LARGEST_EVENT, Events, NotCompletionsError, parse_event
from servers.threads import Exchange, ThreadedServer

ASK = Request((Message("user", "Where is it?"),))
FLOOD = 20_000_000
PIECE = 1 << 16
SLACK = 16 << 20
"""Bytes that may lie in sockets and buffers on their way."""


class Flood(ThreadedServer):
    """A server whose answer is an endless one of pieces; counts what it could send.

    Attributes:
        sent: bytes of the body so far.
    """

    def __init__(self, pieces: Callable[[], Iterator[bytes]], status: int = 200, **headers: str) -> None:
        super().__init__(_Exchange)
        self.pieces = pieces
        self.status = status
        self.headers = {
            "Content-Type": "text/event-stream",
            **{key.replace("_", "-"): one for key, one in headers.items()},
        }
        self.sent = 0
        self.over = threading.Event()

    @property
    def model(self) -> OpenAICompatibleModel:
        retries = RetryPolicy(retries=0)
        return OpenAICompatibleModel("tiny", base_url=f"http://127.0.0.1:{self.port}/v1", timeout=600, retries=retries)


class _Exchange(Exchange):
    def do_POST(self) -> None:
        owner = self.server.owner  # type: ignore[attr-defined]
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(owner.status)
        for name, value in owner.headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            for piece in owner.pieces():
                self.wfile.write(piece)
                owner.sent += len(piece)
        except ConnectionError:
            pass
        finally:
            owner.over.set()


def event(value: object) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def chunk(text: str, end: str | None = None) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": end}]}


def flood(start: bytes = b'data: {"choices": [{"delta": {"content": "') -> Iterator[bytes]:
    yield start
    for _ in range(FLOOD // PIECE):
        yield b"x" * PIECE


def zeros() -> Iterator[bytes]:
    yield gzip.compress(b"data: " + bytes(200_000_000), 9)


FLOODS: dict[str, tuple[Callable[[], Iterator[bytes]], int, dict[str, str]]] = {
    "one line": (flood, 200, {}),
    "one event of many lines": (lambda: iter([b"data: x\n" * (PIECE // 8)] * (FLOOD // PIECE)), 200, {}),
    "one comment": (lambda: flood(b":"), 200, {}),
    "one answer at once": (lambda: flood(b'{"choices": "'), 200, {"Content_Type": "application/json"}),
    "one refusal": (lambda: flood(b'{"error": "'), 400, {"Content_Type": "application/json"}),
    "one failure": (flood, 500, {}),
    "packed": (zeros, 200, {"Content_Encoding": "gzip"}),
    "a packed refusal": (zeros, 400, {"Content_Encoding": "gzip"}),
    "brackets in one event": (lambda: iter([b"data: " + b"[" * 200_000 + b"\n\n"]), 200, {}),
    "members in one event": (lambda: iter([b'data: {"a": ' * 100_000 + b"\n\n"]), 200, {}),
    "brackets in an answer": (lambda: iter([b"[" * 200_000]), 200, {"Content_Type": "application/json"}),
    "brackets in a refusal": (lambda: iter([b"[" * 200_000]), 400, {"Content_Type": "application/json"}),
    "values in one event": (lambda: iter([b"data: [" + b"{}," * 300_000 + b"{}]\n\n"]), 200, {}),
    "texts in one event": (lambda: iter([b"data: [" + b'"",' * 300_000 + b'""]\n\n']), 200, {}),
    "some brackets": (lambda: iter([b"data: " + b"[" * 900 + b"]" * 900 + b"\n\n"]), 200, {}),
}


@pytest.mark.parametrize("kind", FLOODS)
def test_a_flood_is_an_error_and_is_not_read(kind: str) -> None:
    pieces, status, headers = FLOODS[kind]

    async def ask(model: OpenAICompatibleModel) -> None:
        try:
            async for _ in model.stream(ASK):
                pass
        finally:
            await model.aclose()

    with Flood(pieces, status, **headers) as server:
        with pytest.raises(UpstreamError) as caught:
            asyncio.run(ask(server.model))
        assert len(str(caught.value)) < 2_000
        assert server.over.wait(600)
        assert server.sent < SLACK


class Counted(bytes):
    """Bytes that count how many of them are copied by joining two."""

    copied = 0

    def __radd__(self, other: bytes) -> Counted:
        Counted.copied += len(other) + len(self)
        return Counted(bytes(other) + bytes(self))


@pytest.mark.parametrize("size", [1, 1_000])
def test_what_waits_for_its_end_is_copied_once(size: int) -> None:
    Counted.copied = 0
    events = Events()
    events.feed(b"data: ")
    for _ in range(20_000 // size):
        assert events.feed(Counted(b"x" * size)) == []
    assert events.feed(b"\n\n") == [b"x" * 20_000]
    assert Counted.copied <= 2 * 20_000
    assert events.held_bytes == 0


@pytest.mark.parametrize("line", [b"x" * 100, b"data: x\n" * 20, b"data:\n" * 50, b"data: x\r" * 20 + b"y"])
def test_no_more_is_held_than_an_event_may_have(line: bytes) -> None:
    events = Events(largest=1_000)
    with pytest.raises(NotCompletionsError, match=r"1,000 bytes"):
        for _ in range(100):
            events.feed(line)
            assert events.held_bytes <= 1_000, "before the next piece"


def test_events_without_an_end_of_the_stream_hold_nothing() -> None:
    events = Events(largest=1_000)
    for _ in range(1_000):
        assert events.feed(b": waiting\n\nevent: message\ndata: 1\n\nid: 7\n\n") == [b"1"]
        assert events.held_bytes <= 1_000
    assert events.held_bytes < 100


def test_others_have_their_turn_while_a_large_reply_arrives() -> None:
    letters = LARGEST_EVENT - 1_000
    many = [event(chunk("y")) for _ in range(2_000)]

    async def run(model: OpenAICompatibleModel) -> tuple[list[int], list[int]]:
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        beside = asyncio.create_task(other())
        sizes, seen = [], []
        async for delta in model.stream(ASK):
            if isinstance(delta, TextDelta):
                sizes.append(len(delta.text))
                seen.append(turns)
            else:
                assert isinstance(delta, Finished)
        beside.cancel()
        await model.aclose()
        return sizes, seen

    body = [event(chunk("x" * letters)), b"".join(many), event(chunk("", "stop")), b"data: [DONE]\n\n"]
    with Flood(lambda: iter(body)) as server:
        sizes, seen = asyncio.run(run(server.model))
    assert sum(sizes) == letters + len(many)
    assert max(sizes) <= 4_096
    assert all(later > earlier for earlier, later in pairwise(seen)), "a turn between any two steps"
    assert len(seen) < letters // 4_096 + 2_000 // 64 + 100, "what arrived together is taken together"


@pytest.mark.parametrize(
    "date",
    [
        "Fri, 31 Dec 99999999999 23:59:59 GMT",
        "Fri, 31 Dec 9999 23:59:59 -2359",
        "Mon, 01 Jan 0001 00:00:00 +2359",
        "Fri, 31 Dec 2099 23:59:99999999999 GMT",
        "Fri, 31 Dec 2099 23:59:59 +99999999999999",
        "9" * 400,
        "",
        ",",
    ],
)
def test_any_retry_after_is_a_number_or_nothing(date: str) -> None:
    seconds = read_retry_after({"retry-after": date}, now=0.0)
    assert seconds is None or 0 <= seconds < float("inf")


def test_a_server_that_is_busy_until_the_end_of_time() -> None:
    async def ask(model: OpenAICompatibleModel) -> None:
        async for _ in model.stream(ASK):
            pass

    headers = {"Retry_After": "Fri, 31 Dec 99999999999 23:59:59 GMT"}
    with Flood(lambda: iter([b"{}"]), 429, **headers) as server, pytest.raises(UpstreamError, match="429"):
        asyncio.run(ask(server.model))


class Piece(str):
    """Text that counts how many letters are copied where it is joined to another."""

    __slots__ = ()
    copied = 0

    def __radd__(self, other: str) -> str:
        Piece.copied += len(other) + len(self)
        return str(other) + str(self)


@pytest.mark.parametrize("begin", ["word ", '{"name": "', "   "])
@pytest.mark.parametrize("names", [(), ("search",)])
def test_a_long_reply_in_small_pieces_is_copied_a_bounded_number_of_times(begin: str, names: tuple[str, ...]) -> None:
    Piece.copied = 0
    calls, visible = WrittenCallFilter(names), VisibleText()
    count = 20_000
    for text in (begin, *[Piece("ab")] * count):
        visible.feed(Piece(calls.feed(text)))
    rest, _ = calls.finish()
    visible.feed(rest)
    assert visible.release_rest() + visible.written in (begin + "ab" * count, (begin + "ab" * count).strip())
    assert Piece.copied < 20 * count


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda one: st.lists(one) | st.dictionaries(st.text(), one),
)


@given(_VALUES)
def test_any_value_of_few_parts_is_read(value: object) -> None:
    data = json.dumps(value).encode()
    assert parse_event(data) == value
    if sum(map(data.count, (b"{", b"[", b","))) > 3 and b'"' not in data:
        with pytest.raises(NotCompletionsError, match="more than 3 values"):
            parse_event(data, most=3)


def test_marks_in_a_text_are_no_values() -> None:
    text = '[{,\\"' * 30_000
    assert parse_event(json.dumps({"a": text}).encode()) == {"a": text}
