"""Fetching one address, with limits on size and time.

Redirects are not followed here, and proxies of the environment are not used. Connections are kept open for the next
request to the same host; their addresses were checked when they were opened (``connections``).
"""

from __future__ import annotations

import http.client
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from quaestor.crawl.connections import (
    EVERY_HOST,
    Connection,
    Connector,
    FetchError,
    IdleConnections,
    Resolve,
    resolve,
    tls_context,
)

_BLOCK = 1 << 16
_DRAINED = 1 << 17
# The system's authorities are read once, which takes 20 ms.
_shared_context = cache(tls_context)


def read_body(response: http.client.HTTPResponse, encoding: str, largest: int, deadline: float) -> bytes:
    """Return a body, decompressed while it arrives.

    Args:
        response: its head was read.
        encoding: its ``Content-Encoding``.
        largest: size limit, compressed and decompressed.
        deadline: moment of the monotonic clock by which it must be complete.

    Raises:
        FetchError: it is too large, has an encoding that was not requested, or ends too early.
        TimeoutError: it is not complete in time.
    """
    unpack = _unpacker(encoding.strip().lower())
    parts: list[bytes] = []
    sent = size = 0
    while block := response.read1(_BLOCK):
        if time.monotonic() > deadline:
            raise TimeoutError
        sent += len(block)
        if sent > largest:
            raise FetchError("too large", f"more than {largest:,} bytes")
        while block:
            part, block = unpack(block)
            size += len(part)
            if size > largest:
                raise FetchError("too large", f"more than {largest:,} bytes")
            parts.append(part)
    if response.length:  # part of the announced length never arrived
        raise FetchError("broken answer", "it ended too early", retryable=True)
    return b"".join(parts)


def drain(response: http.client.HTTPResponse) -> None:
    """Read and discard a short body, so that the connection can be reused."""
    remaining = _DRAINED
    with suppress(OSError, http.client.HTTPException):
        while remaining > 0 and (block := response.read1(_BLOCK)):
            remaining -= len(block)


def is_read(response: http.client.HTTPResponse) -> bool:
    """Return whether a response was read to its end and its connection stays open."""
    return not response.will_close and (response.isclosed() or response.length == 0)


def _unpacker(encoding: str) -> Callable[[bytes], tuple[bytes, bytes]]:
    """Return a function from a block to (a part of the body, the rest of the block), with a bounded part."""
    if encoding in ("", "identity"):
        return lambda block: (block, b"")
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise FetchError("broken answer", f"it is packed in a way that was not asked for: {encoding[:40]!r}")
    state: dict[str, Any] = {}

    def unpack(block: bytes) -> tuple[bytes, bytes]:
        if "packed" not in state:
            # 47: gzip or zlib by its header; servers also send deflate without a header.
            raw = encoding == "deflate" and (block[0] & 0x0F) != 8
            state["packed"] = zlib.decompressobj(-zlib.MAX_WBITS if raw else zlib.MAX_WBITS | 32)
        packed = state["packed"]
        return packed.decompress(block, _BLOCK * 4), packed.unconsumed_tail

    return unpack


_AGENT = "quaestor (+https://pypi.org/project/quaestor/)"
_DRAIN_SECONDS = 1.0
_ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,*/*;q=0.5"


@dataclass(frozen=True, slots=True)
class FetchResponse:
    """A server's answer.

    Attributes:
        status: the HTTP status.
        headers: names in lower case.
        body: decompressed; empty if the status promises no useful one.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


class _GoneError(Exception):
    """The other side had closed an idle connection, and so never answered the request."""


@dataclass(frozen=True)
class Fetcher:
    """Fetches addresses; may be used by several threads.

    Attributes:
        seconds: time limit of one response, from the first byte sent to the last one read.
        largest: size limit of a body, compressed or not.
        private_hosts: hosts, with ports, that may have private addresses.
        resolve: returns a host's addresses.
        tls: context of secure connections.
        stop: once set, ends every read.
        idle: connections kept for further requests.
        hosts: globs on the names of allowed hosts.
    """

    seconds: float = 30.0
    largest: int = 5_000_000
    private_hosts: frozenset[str] = frozenset()
    resolve: Resolve = resolve
    tls: ssl.SSLContext = field(default_factory=_shared_context, repr=False)
    stop: threading.Event = field(default_factory=threading.Event, repr=False)
    idle: IdleConnections = field(default_factory=IdleConnections, repr=False)
    hosts: Sequence[str] = EVERY_HOST

    def fetch(self, url: str, headers: Mapping[str, str] | None = None, largest: int | None = None) -> FetchResponse:
        """Return the answer to a GET.

        Args:
            url: normalised, http or https.
            headers: additional ones, such as validators.
            largest: size limit of this body.

        Raises:
            FetchError: the server does not answer, or the response is refused.
        """
        deadline = time.monotonic() + self.seconds
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if waiting := self.idle.take(origin):
            try:
                return self._exchange(waiting, url, headers or {}, largest or self.largest, deadline, waited=True)
            except _GoneError:
                pass  # the server closed the connection while it waited; a new one is made below
        connector = Connector(self.private_hosts, self.resolve, self.tls, self.stop, self.hosts)
        connection = connector.connect(url, deadline)
        return self._exchange(connection, url, headers or {}, largest or self.largest, deadline)

    def close(self) -> None:
        """Close all open connections."""
        self.idle.close()

    def _exchange(
        self,
        connection: Connection,
        url: str,
        headers: Mapping[str, str],
        largest: int,
        deadline: float,
        *,
        waited: bool = False,
    ) -> FetchResponse:
        """Send a request and return the response; keep the connection for the next request, or close it."""
        is_reusable = False
        try:
            response = self._send_request(connection, url, headers, deadline, waited)
            with response:
                answer = _answer(response, largest, deadline)
                if response.status != 200:
                    connection.allow_until(min(deadline, time.monotonic() + _DRAIN_SECONDS))
                    drain(response)
                is_reusable = is_read(response)
            return answer
        except TimeoutError:
            raise FetchError("too slow", f"it took more than {self.seconds:g} seconds", retryable=True) from None
        except (http.client.HTTPException, zlib.error, ValueError) as error:
            raise FetchError("broken answer", type(error).__name__, retryable=True) from error
        except OSError as error:
            raise FetchError("unreachable", error.strerror or type(error).__name__, retryable=True) from error
        finally:
            if is_reusable:
                parts = urlsplit(url)
                self.idle.give(f"{parts.scheme}://{parts.netloc}", connection)
            else:
                connection.close()

    @staticmethod
    def _send_request(
        connection: Connection, url: str, headers: Mapping[str, str], deadline: float, waited: bool
    ) -> http.client.HTTPResponse:
        parts = urlsplit(url)
        sent = {
            "Host": parts.netloc,
            "User-Agent": _AGENT,
            "Accept": _ACCEPT,
            "Accept-Encoding": "gzip, deflate",
            **headers,
        }
        try:
            connection.allow_until(deadline)
            connection.putrequest(
                "GET",
                parts.path + (f"?{parts.query}" if parts.query else ""),
                skip_host=True,
                skip_accept_encoding=True,
            )
            for name, value in sent.items():
                connection.putheader(name, value)
            connection.endheaders()
            return connection.getresponse()
        except (ConnectionError, http.client.BadStatusLine) as error:
            if waited:
                raise _GoneError from error
            raise


def _answer(response: http.client.HTTPResponse, largest: int, deadline: float) -> FetchResponse:
    headers = _headers(response.msg)
    if response.status != 200:
        return FetchResponse(response.status, headers)
    length = headers.get("content-length", "")
    if length.isdigit() and int(length) > largest:
        raise FetchError("too large", f"{int(length):,} bytes, the limit is {largest:,}")
    return FetchResponse(200, headers, read_body(response, headers.get("content-encoding", ""), largest, deadline))


def _headers(message: Message) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in message.items():
        headers.setdefault(name.lower(), str(value).strip())
    return headers
