"""Requests in which a proxy in front and this server might see two different ends, and so a different next request.

Each is followed by a request of its own on the same connection. What is ambiguous is answered with 400 and the end of
the connection, so that what follows is never read as a request. Slow heads and bodies are tried in
``tests/server/http/test_slow_clients.py``.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator

import pytest
from served import Running, serving, write

BODY = b'{"query": "dough"}'
LENGTH = b"%d" % len(BODY)
NEXT = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
HEAD = b"POST /api/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
IN_PIECES = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
CHUNKED = b"Transfer-Encoding: chunked\r\n"


def with_length(value: bytes, name: bytes = b"Content-Length") -> bytes:
    return HEAD + name + b": " + value + b"\r\n\r\n" + BODY


def in_pieces(line: bytes, head: bytes = HEAD) -> bytes:
    return head + line + b"\r\n" + IN_PIECES


def with_pieces(body: bytes) -> bytes:
    return HEAD + CHUNKED + b"\r\n" + body


AMBIGUOUS = {
    "two lengths": HEAD + b"Content-Length: " + LENGTH + b"\r\n" + with_length(b"0")[len(HEAD) :],
    "a length with a sign": with_length(b"+" + LENGTH),
    "a length below nothing": with_length(b"-1"),
    "a length with a line": with_length(b"1_8"),
    "a length in hexadecimal": with_length(b"0x12"),
    "a length in other digits": with_length("١٨".encode()),
    "a length and then none": with_length(LENGTH + b",0"),
    "length beside pieces": in_pieces(b"Content-Length: 4\r\n" + CHUNKED),
    "pieces beside length": in_pieces(CHUNKED + b"content-length: 4\r\n"),
    "an unknown coding": in_pieces(b"Transfer-Encoding: xchunked\r\n"),
    "a coding and pieces": in_pieces(b"Transfer-Encoding: gzip, chunked\r\n"),
    "pieces and no coding": in_pieces(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"),
    "pieces twice": in_pieces(CHUNKED + CHUNKED),
    "a blank before the colon": in_pieces(b"Transfer-Encoding : chunked\r\n"),
    "a blank before the name": in_pieces(b" Transfer-Encoding: chunked\r\n"),
    "a vertical tab": in_pieces(b"Transfer-Encoding: \x0bchunked\r\n"),
    "a nul": in_pieces(b"Transfer-Encoding: chunked\x00\r\n"),
    "a line that goes on": in_pieces(b"Transfer-Encoding:\r\n chunked\r\n"),
    "another line that goes on": in_pieces(b"X-Note: a\r\n\tb\r\n" + CHUNKED),
    "a line feed alone": in_pieces(b"X-Note: a\n" + CHUNKED),
    "a carriage return alone": in_pieces(b"X-Note: a\r" + CHUNKED),
    "a carriage return in the first line": in_pieces(CHUNKED, HEAD.replace(b" HTTP", b"\r HTTP", 1)),
    "a carriage return in a name": in_pieces(b"X-Note\r: a\r\n" + CHUNKED),
    "a carriage return before the end": in_pieces(b"X-Note: a\r\r\n" + CHUNKED),
    "line feeds only": (HEAD + b"Content-Length: " + LENGTH + b"\r\n\r\n").replace(b"\r\n", b"\n") + BODY,
    "an end of line feeds": HEAD + b"Content-Length: " + LENGTH + b"\n\n" + BODY,
    "pieces before they were known": in_pieces(CHUNKED + b"Connection: keep-alive\r\n", HEAD.replace(b"/1.1", b"/1.0")),
    "two hosts": HEAD + b"Host: evil.example\r\nContent-Length: " + LENGTH + b"\r\n\r\n" + BODY,
    "a piece below nothing": with_pieces(b"-12\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "a piece in C's hexadecimal": with_pieces(b"0x12\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "a piece without end": with_pieces(b"f" * 25 + b"\r\n" + BODY),
    "a piece with another end": with_pieces(b"12\r\n" + BODY + b"XX0\r\n\r\n"),
    "a piece's note over a line": with_pieces(b"12;a\n\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "no version": b"GET /healthz\r\n\r\n",
    "an empty line first": b"\r\n" + with_length(LENGTH),
}
PLAIN = {
    "a length": with_length(LENGTH),
    "pieces": in_pieces(CHUNKED),
    "pieces with a note": with_pieces(b"12;a=b\r\n" + BODY + b"\r\n0\r\nX-Trailer: a\r\n\r\n"),
    "a body that looks like a head": HEAD + b"Content-Length: %d\r\n\r\n" % (len(BODY) + 8) + b"\n\n \r\r\n\t " + BODY,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("smuggled")
    with serving(write(folder / "kitchen"), home=folder / "home") as server:
        yield server


def answers(server: Running, sent: bytes) -> list[int]:
    """Return the status of each answer until the server ends the connection."""
    with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2]))) as connection:
        connection.sendall(sent)
        got = b""
        try:
            while more := connection.recv(1 << 16):
                got += more
        except ConnectionResetError:
            pass  # what we sent was not read to its end
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", got)]


@pytest.mark.parametrize("sent", AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_an_ambiguous_request_is_the_last_of_its_connection(server: Running, sent: bytes) -> None:
    assert answers(server, sent + NEXT) == [400]


@pytest.mark.parametrize("sent", AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_it_is_behind_another_as_well(server: Running, sent: bytes) -> None:
    assert answers(server, with_length(LENGTH) + sent + NEXT) == [200, 400]


@pytest.mark.parametrize("sent", PLAIN.values(), ids=PLAIN)
def test_a_plain_one_is_answered_and_so_is_the_next(server: Running, sent: bytes) -> None:
    assert answers(server, sent + NEXT) == [200, 200]


@pytest.mark.parametrize("size", [1, 7, 64])
def test_they_are_told_apart_however_they_arrive(server: Running, size: int) -> None:
    sent = AMBIGUOUS["a line feed alone"]
    with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2]))) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        end = sent.index(b"\r\n\r\n") + 4
        for start in range(0, end, size):
            connection.sendall(sent[start : min(start + size, end)])
        assert connection.recv(12) == b"HTTP/1.1 400"


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n", 404),
        (b"GET //evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n", 404),
        (b"CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n", 404),
        (b"TRACE /healthz HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n", 405),
        (b"POST /healthz HTTP/1.1\r\nHost: localhost\r\nX-HTTP-Method-Override: GET\r\nContent-Length: 0\r\n", 405),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n", 200),
        (
            b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n",
            200,
        ),
    ],
    ids=["absolute", "two slashes", "tunnel", "echo", "other method", "HTTP/2", "web socket"],
)
def test_other_ways_around_a_guard(server: Running, sent: bytes, status: int) -> None:
    """None of these reaches another host, another method or another protocol than it says."""
    found = answers(server, sent + b"Connection: close\r\n\r\n")
    assert found in ([status], [403])
