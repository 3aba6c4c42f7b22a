"""Clients that hold connections on purpose, and requests with two ends, over a clock that the tests turn."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from io import BufferedReader

import httpx
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse
from served import get

from quaestor.server.free_port import listen_at
from quaestor.server.http.run_server import BoundedConnection, make_server
from servers.turned_loop import TurnedLoop

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
LATER = BoundedConnection.head_seconds + 1


class Slow:
    """A server of a page, of a reply that ends when it may, and of what was sent to it."""

    def __init__(self) -> None:
        self.loop = TurnedLoop()
        self.may_end = asyncio.Event()
        self.arrived = threading.Semaphore(0)
        self.app = FastAPI()
        self.app.state.tasks = set()
        self.app.get("/")(lambda: "here")
        self.app.get("/long")(self._long)
        self.app.post("/body")(self._body)
        self.at = listen_at("127.0.0.1", 0)
        self.port = int(self.at.getsockname()[1])
        self.server = make_server(self.app)

    def serve(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self.loop) as runner:
            runner.run(self.server.serve(sockets=[self.at]))

    def connect(self, sent: bytes = b"") -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port))
        connection.sendall(sent)
        return connection

    async def _long(self) -> StreamingResponse:
        async def reply() -> Iterator[bytes]:  # type: ignore[misc]
            yield b"begun "
            await self.may_end.wait()
            yield b"ended"

        return StreamingResponse(reply())

    async def _body(self, request: Request) -> str:
        parts = []
        async for part in request.stream():
            parts.append(part.decode())
            self.arrived.release()
        return "".join(parts)


@pytest.fixture
def slow() -> Iterator[Slow]:
    slow = Slow()
    thread = threading.Thread(target=slow.serve, daemon=True)
    thread.start()
    assert get(f"http://127.0.0.1:{slow.port}/").json() == "here"
    yield slow
    slow.server.should_exit = True
    thread.join(600)
    slow.at.close()


def ended(connection: socket.socket) -> bool:
    """Wait for the end of a connection that nothing was answered on; the test's own time limit ends the waiting."""
    with connection, suppress(ConnectionResetError):
        return connection.recv(1) == b""
    return True


@pytest.mark.parametrize(
    "sent", [b"", b"G", HEAD, HEAD + b"X-More: " + b"x" * 1000], ids=["nothing", "one", "few", "x"]
)
def test_heads_that_never_end_are_not_waited_for(slow: Slow, sent: bytes) -> None:
    held = [slow.connect(sent) for _ in range(50)]
    # These are taken after those before them.
    assert get(f"http://127.0.0.1:{slow.port}/").json() == "here"
    slow.loop.turn(LATER)
    assert all(map(ended, held))
    assert get(f"http://127.0.0.1:{slow.port}/").json() == "here"


def test_a_head_has_20_seconds_and_a_body_60_where_nobody_says_otherwise(slow: Slow) -> None:
    # Told by what the server waits for: to wait as long, or to turn the clock nearly so far, would judge the machine.
    assert 20 in slow.loop.waits and 60 not in slow.loop.waits
    with slow.connect(b"POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf"):
        assert slow.arrived.acquire(timeout=600)
        assert get(f"http://127.0.0.1:{slow.port}/").json() == "here"
    assert 60 in slow.loop.waits


def test_a_head_that_trickles_ends_by_one_moment(slow: Slow) -> None:
    connection = slow.connect(HEAD)
    for _ in range(5):
        with suppress(OSError):
            connection.sendall(b"x")
        assert get(f"http://127.0.0.1:{slow.port}/").json() == "here"
        slow.loop.turn(LATER / 4)
    assert ended(connection)


def test_a_connection_is_kept_for_longer_than_a_proxy_keeps_it(slow: Slow) -> None:
    with slow.connect(HEAD + b"\r\n") as connection:
        answer = connection.makefile("rb")
        assert _answer(answer) == b'"here"'
        for seconds in (0, 61):
            slow.loop.turn(seconds)
            assert get(f"http://127.0.0.1:{slow.port}/").json() == "here"  # what came before is over by now
        connection.sendall(HEAD + b"\r\n")
        assert _answer(answer) == b'"here"'
        slow.loop.turn(76)
        assert answer.read(1) == b""


def _answer(stream: BufferedReader) -> bytes:
    """Read an answer, and return its body; empty where the connection has ended."""
    head = b"".join(iter(stream.readline, b"\r\n")) if stream.peek(1) else b""
    length = re.search(rb"content-length: (\d+)", head)
    return stream.read(int(length[1])) if length else b""


def test_a_second_head_on_a_kept_connection_is_not_waited_for_either(slow: Slow) -> None:
    with slow.connect(HEAD + b"\r\n") as connection:
        answer = connection.makefile("rb")
        assert b"200" in answer.readline()
        while answer.readline() != b"\r\n":
            pass
        assert answer.read(len(b'"here"')) == b'"here"'
        connection.sendall(HEAD)
        assert get(f"http://127.0.0.1:{slow.port}/").json() == "here"
        slow.loop.turn(LATER)
        assert answer.read() == b""


def test_a_long_reply_and_a_long_body_go_on(slow: Slow) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{slow.port}", verify=False, timeout=600) as client:
        with client.stream("GET", "/long") as answer:
            parts = answer.iter_bytes()
            assert next(parts) == b"begun "
            slow.loop.turn(100 * LATER)
            slow.loop.call_soon_threadsafe(slow.may_end.set)
            assert b"".join(parts) == b"ended"

        def body() -> Iterator[bytes]:
            for _ in range(10):
                yield b"x"
                slow.arrived.acquire()
                slow.loop.turn(LATER)

        assert client.post("/body", content=body()).json() == "x" * 10


def test_a_body_that_does_not_come_is_not_waited_for(slow: Slow) -> None:
    held = slow.connect(b"POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf")
    assert slow.arrived.acquire(timeout=600)
    slow.loop.turn(BoundedConnection.body_seconds + 1)
    assert ended(held)


@pytest.mark.parametrize(
    "first", ["Content-Length: 4\r\nTransfer-Encoding: chunked", "transfer-encoding: chunked\r\nCONTENT-LENGTH: 4"]
)
def test_a_request_with_two_ends_ends_the_connection(slow: Slow, first: str) -> None:
    smuggled = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with slow.connect(
        f"POST /body HTTP/1.1\r\nHost: localhost\r\n{first}\r\n\r\n0\r\n\r\n{smuggled}".encode()
    ) as connection:
        answers = connection.makefile("rb").read()
    assert answers.startswith(b"HTTP/1.1 400 ")
    assert answers.count(b"HTTP/1.1") == 1
    assert not slow.arrived.acquire(blocking=False)
