"""Connecting to a host, at an address that was checked, with one deadline for all reads."""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import urlsplit

Resolve = Callable[[str, int], Sequence[str]]
"""Gives the addresses of a host, best first; raises ``OSError`` if there are none."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# Some or all versions of Python take these for public: addresses reserved for protocols, where one cloud keeps its
# metadata (192.0.0.192); 6to4 relays; another cloud's agent (168.63.129.16); site-local addresses; examples.
_NOT_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        (
            *("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32"),
            *("64:ff9b:1::/48", "fec0::/10", "3fff::/20", "5f00::/16"),
        ),
    )
)
# In the second half of an IPv6 address: the IPv4 address that follows is the end of an ISATAP tunnel.
_ISATAP = (0x00005EFE, 0x02005EFE)


def resolve(host: str, port: int) -> list[str]:
    """Return a host's addresses as the system gives them."""
    infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in infos))


def is_public(text: str) -> bool:
    """Return whether an address is on the public internet, and not this machine, its network, or a part of either.

    An IPv4 address within an IPv6 address is checked as such.
    """
    try:
        address: Address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    while isinstance(address, ipaddress.IPv6Address):
        inner = _inner(address)
        if inner is None:
            break
        address = inner
    if any(address in network for network in _NOT_PUBLIC):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def _inner(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if int(address) >> 32 & 0xFFFFFFFF in _ISATAP:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)


PRIVATE = "private address"
NOT_ALLOWED = "not allowed"
EVERY_HOST = ("*",)
_CONNECT_SECONDS = 10.0
_PATIENCE = 0.5


def is_named(host: str, globs: Sequence[str]) -> bool:
    """Return whether a host's name matches one of the globs."""
    return any(fnmatchcase(host.lower(), glob.lower()) for glob in globs)


class FetchError(Exception):
    """An address that could not be fetched.

    Attributes:
        reason: ``private address``, ``not allowed``, ``too large``, ``too slow``, ``unreachable`` or ``broken answer``.
        detail: what happened.
        retryable: whether the same request may succeed later.
    """

    def __init__(self, reason: str, detail: str = "", *, retryable: bool = False) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail
        self.retryable = retryable


class _DeadlineSocket:
    """A socket whose reads all end by one deadline, however slowly bytes arrive, or soon after a stop."""

    deadline: float = 0.0
    stop: threading.Event | None = None

    def recv_into(self, *args: Any) -> int:
        while True:
            seconds_left = self.deadline - time.monotonic()
            if seconds_left <= 0 or (self.stop is not None and self.stop.is_set()):
                raise TimeoutError
            self.settimeout(min(seconds_left, _PATIENCE))  # type: ignore[attr-defined]
            try:
                return super().recv_into(*args)  # type: ignore[misc,no-any-return]
            except TimeoutError:
                continue


class _PlainDeadlineSocket(_DeadlineSocket, socket.socket):
    pass


class _TLSDeadlineSocket(_DeadlineSocket, ssl.SSLSocket):
    pass


def tls_context() -> ssl.SSLContext:
    """Return the TLS context of connections: the system's authorities, and sockets that keep the deadline."""
    context = ssl.create_default_context()
    context.sslsocket_class = _TLSDeadlineSocket
    return context


class Connection(http.client.HTTPConnection):
    """A connection to one checked address; it never reconnects by itself, to an address that was not checked."""

    auto_open = 0

    def allow_until(self, deadline: float) -> None:
        """Set the moment by which every read of the response ends."""
        if self.sock is not None:  # the response holds the socket if the connection will not be reused
            self.sock.settimeout(max(deadline - time.monotonic(), 0.001))
            self.sock.deadline = deadline  # type: ignore[union-attr]


@dataclass(frozen=True, slots=True)
class Connector:
    """Opens connections.

    Attributes:
        private_hosts: hosts, with ports, that may have private addresses.
        resolve: gives a host's addresses.
        tls: secures connections.
        stop: once set, ends every running read.
        hosts: globs on the names of allowed hosts, also for redirects.
    """

    private_hosts: frozenset[str]
    resolve: Resolve
    tls: ssl.SSLContext
    stop: threading.Event
    hosts: Sequence[str] = EVERY_HOST

    def connect(self, url: str, deadline: float) -> Connection:
        """Return a new connection to the host of an address.

        The name is resolved once, and the connection goes to the address that was checked, so a second DNS answer
        cannot redirect it.

        Raises:
            FetchError: the host does not exist, is forbidden or private, or does not answer.
        """
        parts = urlsplit(url)
        host, secure = parts.hostname or "", parts.scheme == "https"
        if not is_named(host, self.hosts):
            raise FetchError(NOT_ALLOWED, f"{host} is not among the sites that may be fetched")
        port = parts.port or (443 if secure else 80)
        try:
            addresses = self.resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise FetchError("unreachable", f"no address is known for {host!r}", retryable=True) from error
        allowed = [one for one in addresses if parts.netloc in self.private_hosts or is_public(one)]
        if not allowed:
            raise FetchError(PRIVATE, f"{host} is {', '.join(addresses[:3])}")
        plain = self._connect(allowed, port, deadline)
        connection = Connection(host, port)
        connection.sock = self._add_tls(plain, host) if secure else plain
        return connection

    def _connect(self, addresses: list[str], port: int, deadline: float) -> socket.socket:
        last: OSError = OSError("no address")
        for address in addresses:
            sock = _PlainDeadlineSocket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
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

    def _add_tls(self, plain: socket.socket, host: str) -> ssl.SSLSocket:
        try:
            secured = self.tls.wrap_socket(plain, server_hostname=host)
        except (OSError, ValueError) as error:
            plain.close()
            reason = getattr(error, "verify_message", "") or getattr(error, "reason", "") or type(error).__name__
            raise FetchError("unreachable", f"no secure connection: {reason}") from error
        secured.deadline = plain.deadline  # type: ignore[attr-defined]
        secured.stop = self.stop  # type: ignore[attr-defined]
        return secured


class IdleConnections:
    """Connections that wait for their next request. May be used by several threads.

    Args:
        most: number of connections that are kept.
        seconds: how long one is kept; servers close idle connections, too.
    """

    def __init__(self, most: int = 16, seconds: float = 30.0) -> None:
        self._most = most
        self._seconds = seconds
        self._waiting: list[tuple[str, float, Connection]] = []
        self._lock = threading.Lock()

    def take(self, origin: str) -> Connection | None:
        """Return the most recently used connection to a scheme and host, or None."""
        with self._lock:
            self._drop(time.monotonic() - self._seconds)
            for place in range(len(self._waiting) - 1, -1, -1):
                if self._waiting[place][0] == origin:
                    return self._waiting.pop(place)[2]
        return None

    def give(self, origin: str, connection: Connection) -> None:
        """Keep a connection whose last response was read to its end."""
        with self._lock:
            self._waiting.append((origin, time.monotonic(), connection))
            while len(self._waiting) > self._most:
                self._waiting.pop(0)[2].close()

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            self._drop(float("inf"))

    def _drop(self, before: float) -> None:
        while self._waiting and self._waiting[0][1] < before:
            self._waiting.pop(0)[2].close()
