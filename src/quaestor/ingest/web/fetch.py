"""Fetching one address: to which machine, how much, and for how long at most.

A host's name is resolved once; the address that was judged is the one that is connected to, so that no second answer
of a name server can lead elsewhere. Redirects are not followed here, proxies of the environment not used.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import Any
from urllib.parse import urlsplit

from quaestor.ingest.web.addresses import Resolve, is_public, resolve

_CONNECT_SECONDS = 10.0
_PATIENCE = 0.5
_BLOCK = 1 << 16
_AGENT = "quaestor (+https://pypi.org/project/quaestor/)"
_ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,*/*;q=0.5"


class FetchError(Exception):
    """An address that gave nothing.

    Attributes:
        reason: ``private address``, ``too large``, ``too slow``, ``unreachable`` or ``broken answer``.
        detail: what happened.
        retryable: whether the same request may succeed later.
    """

    def __init__(self, reason: str, detail: str = "", *, retryable: bool = False) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail
        self.retryable = retryable


@dataclass(frozen=True, slots=True)
class Fetched:
    """A server's answer.

    Attributes:
        status: the HTTP status.
        headers: names in lower case.
        body: as it was before any compression; empty where the status promises none of use.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


class _Timed:
    """A socket whose every read ends by one deadline, however slowly the bytes trickle, and soon after a stop."""

    deadline: float = 0.0
    stop: threading.Event | None = None

    def recv_into(self, *args: Any) -> int:
        while True:
            left = self.deadline - time.monotonic()
            if left <= 0 or (self.stop is not None and self.stop.is_set()):
                raise TimeoutError
            self.settimeout(min(left, _PATIENCE))  # type: ignore[attr-defined]
            try:
                return super().recv_into(*args)  # type: ignore[misc,no-any-return]
            except TimeoutError:
                continue


class _TimedSocket(_Timed, socket.socket):
    pass


class _TimedTLSSocket(_Timed, ssl.SSLSocket):
    pass


def tls_context() -> ssl.SSLContext:
    """Return what connections are secured with: the system's authorities, and sockets that keep the deadline."""
    context = ssl.create_default_context()
    context.sslsocket_class = _TimedTLSSocket
    return context


@dataclass(frozen=True)
class Fetcher:
    """Fetches addresses.

    Attributes:
        seconds: that one answer may take, from the first byte asked to the last one read.
        largest: bytes that a body may have, compressed or not.
        private_hosts: hosts, with ports, that may have private addresses.
        resolve: gives a host's addresses.
        tls: secures connections.
        stop: once set, ends every read that is under way.
    """

    seconds: float = 30.0
    largest: int = 5_000_000
    private_hosts: frozenset[str] = frozenset()
    resolve: Resolve = resolve
    tls: ssl.SSLContext = field(default_factory=tls_context, repr=False)
    stop: threading.Event = field(default_factory=threading.Event, repr=False)

    def fetch(self, url: str, headers: Mapping[str, str] | None = None, largest: int | None = None) -> Fetched:
        """Return the answer to a GET; may be called from several threads.

        Args:
            url: normalised, http or https.
            headers: more of them, such as validators.
            largest: bytes that this body may have.

        Raises:
            FetchError: there is no answer, or none that is taken.
        """
        deadline = time.monotonic() + self.seconds
        connection = self._connection(url, deadline)
        try:
            return self._exchange(connection, url, headers or {}, largest or self.largest, deadline)
        except TimeoutError:
            raise FetchError("too slow", f"it took more than {self.seconds:g} seconds", retryable=True) from None
        except (http.client.HTTPException, zlib.error, ValueError) as error:
            raise FetchError("broken answer", type(error).__name__, retryable=True) from error
        except OSError as error:
            raise FetchError("unreachable", error.strerror or type(error).__name__, retryable=True) from error
        finally:
            connection.close()

    def _connection(self, url: str, deadline: float) -> http.client.HTTPConnection:
        parts = urlsplit(url)
        host, secure = parts.hostname or "", parts.scheme == "https"
        port = parts.port or (443 if secure else 80)
        try:
            addresses = self.resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise FetchError("unreachable", f"no address is known for {host!r}", retryable=True) from error
        allowed = [one for one in addresses if parts.netloc in self.private_hosts or is_public(one)]
        if not allowed:
            raise FetchError("private address", f"{host} is {', '.join(addresses[:3])}")
        plain = self._connected(allowed, port, deadline)
        connection = http.client.HTTPConnection(host, port)
        connection.sock = self._secured(plain, host) if secure else plain
        return connection

    def _connected(self, addresses: list[str], port: int, deadline: float) -> socket.socket:
        last: OSError = OSError("no address")
        for address in addresses:
            sock = _TimedSocket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
            sock.deadline = deadline
            sock.stop = self.stop
            try:
                sock.settimeout(max(min(_CONNECT_SECONDS, deadline - time.monotonic()), 0.001))
                sock.connect((address, port))
            except OSError as error:
                sock.close()
                last = error
                continue
            return sock
        raise FetchError("unreachable", last.strerror or str(last) or "no answer", retryable=True) from last

    def _secured(self, plain: socket.socket, host: str) -> ssl.SSLSocket:
        try:
            secured = self.tls.wrap_socket(plain, server_hostname=host)
        except (OSError, ValueError) as error:
            plain.close()
            said = getattr(error, "verify_message", "") or getattr(error, "reason", "") or type(error).__name__
            raise FetchError("unreachable", f"no secure connection: {said}") from error
        secured.deadline = plain.deadline  # type: ignore[attr-defined]
        secured.stop = self.stop  # type: ignore[attr-defined]
        return secured

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        url: str,
        headers: Mapping[str, str],
        largest: int,
        deadline: float,
    ) -> Fetched:
        parts = urlsplit(url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        sent = {
            "Host": parts.netloc,
            "User-Agent": _AGENT,
            "Accept": _ACCEPT,
            "Accept-Encoding": "gzip, deflate",
            "Connection": "close",
            **headers,
        }
        connection.putrequest("GET", target, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            connection.putheader(name, value)
        connection.endheaders()
        # The answer keeps the socket when the connection lets go of it.
        with connection.getresponse() as response:
            return _answer(response, largest, deadline)


def _answer(response: http.client.HTTPResponse, largest: int, deadline: float) -> Fetched:
    found = _headers(response.msg)
    if response.status != 200:
        return Fetched(response.status, found)
    length = found.get("content-length", "")
    if length.isdigit() and int(length) > largest:
        raise FetchError("too large", f"{int(length):,} bytes, the limit is {largest:,}")
    return Fetched(200, found, _body(response, found.get("content-encoding", ""), largest, deadline))


def _body(response: http.client.HTTPResponse, encoding: str, largest: int, deadline: float) -> bytes:
    """Read a body, unpacking as it comes: neither what is sent nor what it unpacks to may pass the limit."""
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
    if response.length:  # what was promised and never came
        raise FetchError("broken answer", "it ended too early", retryable=True)
    return b"".join(parts)


def _unpacker(encoding: str) -> Any:
    """Return what turns a block into (a part of the body, what of the block is left), never much at once."""
    if encoding in ("", "identity"):
        return lambda block: (block, b"")
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise FetchError("broken answer", f"it is packed in a way that was not asked for: {encoding[:40]!r}")
    state: dict[str, Any] = {}

    def unpack(block: bytes) -> tuple[bytes, bytes]:
        if "packed" not in state:
            # 47: gzip or zlib by its head; servers also send deflate without any.
            raw = encoding == "deflate" and (block[0] & 0x0F) != 8
            state["packed"] = zlib.decompressobj(-zlib.MAX_WBITS if raw else zlib.MAX_WBITS | 32)
        packed = state["packed"]
        return packed.decompress(block, _BLOCK * 4), packed.unconsumed_tail

    return unpack


def _headers(message: Message) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in message.items():
        found.setdefault(name.lower(), str(value).strip())
    return found
