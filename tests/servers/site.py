"""A web site on a real socket: pages are a function of their path, and every request is on record."""

from __future__ import annotations

import ssl
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from servers.threads import Exchange, ThreadedServer


@dataclass(frozen=True)
class Answer:
    """What a path gives: a status, headers, and the body, whole or in pieces; ``quits`` ends the connection unsaid."""

    body: bytes | str | Iterable[bytes] = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = "text/html; charset=utf-8"
    quits: bool = False


Site = Callable[[str, Mapping[str, str]], Answer | None]
"""Gives an answer for a path with its query and the request's headers; None for 404."""


class SiteServer(ThreadedServer):
    """Serves a site; a client that goes away in the middle of an answer is not a failure of it.

    Attributes:
        asked: how often each path was asked for.
        connections: how many were opened.
    """

    def __init__(self, site: Site, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(_Exchange)
        self.site = site
        self.asked: Counter[str] = Counter()
        self.connections = 0
        self.lock = threading.Lock()
        if tls is not None:
            plain = self.listening.socket
            self.listening.socket = tls.wrap_socket(plain, server_side=True, do_handshake_on_connect=False)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.host}"


class _Exchange(Exchange):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        with self.server.owner.lock:  # type: ignore[attr-defined]
            self.server.owner.connections += 1  # type: ignore[attr-defined]

    def do_GET(self) -> None:
        owner = self.server.owner  # type: ignore[attr-defined]
        with owner.lock:
            owner.asked[self.path] += 1
        answer = owner.site(self.path, {name.lower(): value for name, value in self.headers.items()})
        answer = answer or Answer("<p>There is no such page.", 404)
        body = answer.body.encode() if isinstance(answer.body, str) else answer.body
        self.send_response(answer.status)
        headers = {"Content-Type": answer.kind, **answer.headers}
        if isinstance(body, bytes):
            headers.setdefault("Content-Length", str(len(body)))
        else:
            headers["Connection"] = "close"
        for name, value in headers.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        for piece in [body] if isinstance(body, bytes) else body:
            self.wfile.write(piece)
        self.close_connection = self.close_connection or answer.quits
