"""The HTTP client of one endpoint, with its failures as our errors, and retries.

Its retries are ours alone, so that each is on record. This module loads the HTTP library; import it where requests are
made.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from urllib.request import getproxies

import httpx2

from quaestor import __version__
from quaestor.core.errors import UpstreamError, UsageError
from quaestor.llm.endpoints import OPENAI_URL
from quaestor.llm.endpoints.failures import Endpoint, RefusedError

TROUBLE = (RefusedError, httpx2.RequestError, ssl.SSLError)
"""The errors of a request; see ``translate_error``."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a failed request is sent again, and after which pauses.

    Attributes:
        retries: the number of tries after the first.
        first: seconds before the first retry; each later one waits twice as long.
        longest: the longest wait in seconds; a server that asks for more is not retried.
        sleep: waits for some seconds.
    """

    retries: int = 2
    first: float = 0.5
    longest: float = 20.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def wait(self, tried: int, retry_after: float | None) -> float | None:
        """Return the seconds to wait before the next retry, or None to give up.

        Args:
            tried: the number of retries so far.
            retry_after: the wait in seconds that the server asked for; None if it named none.
        """
        if tried >= self.retries:
            return None
        seconds = self.first * 2**tried if retry_after is None else retry_after
        return seconds if seconds <= self.longest else None


def read_retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Return the seconds that ``Retry-After`` asks to wait, given as a number or a date; None without that header.

    Args:
        headers: the headers of the response, names in lower case or case-insensitive.
        now: seconds since the epoch; the clock's if None.
    """
    milliseconds = headers.get("retry-after-ms")
    if milliseconds is not None:
        seconds = _number(milliseconds)
        return None if seconds is None else seconds / 1000
    value = headers.get("retry-after")
    if value is None:
        return None
    seconds = _number(value)
    return seconds if seconds is not None else _until(value, time.time() if now is None else now)


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _until(value: str, now: float) -> float | None:
    try:
        date = parsedate_to_datetime(value)
        return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        # A year of eleven digits is more than dates hold.
        return None


_CONNECT_SECONDS = 10.0
# One model may have as many conversations at once; httpx's own bound is a hundred.
_CONNECTIONS = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)
_LARGEST_REFUSAL = 1 << 16
# Vectors of the texts of one request, as numbers, take a third of this.
_LARGEST_ANSWER = 32 << 20
# Sent to OpenAI alone: which of an account's organisations and projects pays.
_PAYERS = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}


def endpoint_at(base_url: str, model: str, key: str) -> Endpoint:
    """Return the endpoint at an address.

    Args:
        base_url: the API's root; empty means OpenAI's own.
        model: the model's name.
        key: sent as a bearer token; empty sends none.

    Raises:
        UsageError: the address is not an http or https URL, or the key cannot be sent.
    """
    base_url = base_url or OPENAI_URL
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and httpx2.URL(base_url)
    except (ValueError, httpx2.InvalidURL):
        usable = False
    if not usable:
        shown = re.sub(r"(?<=//).*@", "", base_url)
        raise UsageError(f"base_url {shown!r} is not an http or https URL; give one such as 'http://127.0.0.1:8080/v1'")
    endpoint = Endpoint(base_url, model, key)
    if not (key.isascii() and key.isprintable() and key == key.strip()):
        raise UsageError(
            f"the key for {endpoint.url} cannot be sent: a line break, a space at an end or a letter beyond ASCII is"
            " in it; set it again (OPENAI_API_KEY)"
        )
    return endpoint


def async_client(endpoint: Endpoint, timeout: float, proxy: str | None = None) -> httpx2.AsyncClient:
    """Return a client for an event loop; ``timeout`` is in seconds of silence."""
    # A few packed bytes could become more than the memory holds.
    headers = {**_headers(endpoint), "Accept-Encoding": "identity"}
    return httpx2.AsyncClient(headers=headers, **_transport(endpoint, timeout, proxy))


def blocking_client(endpoint: Endpoint, timeout: float, proxy: str | None = None) -> httpx2.Client:
    """Return a client that threads share; ``timeout`` is in seconds of silence."""
    return httpx2.Client(headers=_headers(endpoint), **_transport(endpoint, timeout, proxy))


def warm_up() -> None:
    """Load what the first request to a model would wait for."""
    # A client imports the part that opens connections only once there is one.
    httpx2.AsyncClient(trust_env=False, verify=False)


async def open_answer(
    client: httpx2.AsyncClient, endpoint: Endpoint, path: str, body: Mapping[str, Any] | None
) -> httpx2.Response:
    """Send an object, or a GET request without one, and return the response before its body is read.

    Raises:
        RefusedError: the status is not a success; of the body, only as much as fits a sentence is read.
        TROUBLE: the connection failed.
    """
    method = "GET" if body is None else "POST"
    answer = await client.send(client.build_request(method, _address(endpoint, path), json=body), stream=True)
    if answer.is_success:
        return answer
    received = bytearray()
    async with aclosing(answer):
        async for piece in answer.aiter_raw():
            received += piece
            if len(received) >= _LARGEST_REFUSAL:
                break
    packed = answer.headers.get("content-encoding", "identity") != "identity"
    raise _refusal(answer, b"" if packed else bytes(received[:_LARGEST_REFUSAL]))


def ask(client: httpx2.Client, endpoint: Endpoint, path: str, body: Mapping[str, Any], timeout: float) -> Any:
    """Send an object and return the response's JSON; at most as many bytes are read as vectors can have.

    Raises:
        RefusedError: the status is not a success.
        TROUBLE: the connection failed.
        ValueError: the answer is not JSON.
    """
    received = bytearray()
    with client.stream("POST", _address(endpoint, path), json=body, timeout=timeout) as answer:
        most = _LARGEST_ANSWER if answer.is_success else _LARGEST_REFUSAL
        for piece in answer.iter_bytes():
            received += piece[: most - len(received)]
            if len(received) == most:
                break
    if not answer.is_success:
        raise _refusal(answer, bytes(received))
    return _json(bytes(received))


def _address(endpoint: Endpoint, path: str) -> str:
    """Return the address for a kind of request; the query of the endpoint's address stays at the end."""
    parts = urlsplit(endpoint.base_url)
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + path))


def _refusal(answer: httpx2.Response, body: bytes) -> RefusedError:
    try:
        detail = _json(body)
    except ValueError:
        detail = body.decode(errors="replace").strip()
    return RefusedError(detail, status=answer.status_code, retry_after=read_retry_after(answer.headers))


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("values nested too deeply") from None


def _transport(endpoint: Endpoint, timeout: float, proxy: str | None) -> dict[str, Any]:
    limits = httpx2.Timeout(timeout, connect=min(timeout, _CONNECT_SECONDS))
    # If no TLS is spoken, reading the authorities' certificates would waste 27 ms.
    plain = proxy is None and urlsplit(endpoint.base_url).scheme == "http"
    # No proxy is taken from the environment, but the authorities that SSL_CERT_FILE or SSL_CERT_DIR names are.
    authorities = False if plain else httpx2.create_ssl_context()
    return {"verify": authorities, "trust_env": False, "proxy": proxy, "timeout": limits, "limits": _CONNECTIONS}


def _headers(endpoint: Endpoint) -> dict[str, str]:
    parts = urlsplit(endpoint.base_url)
    headers = {"Accept": "application/json", "User-Agent": f"quaestor/{__version__}"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    if f".{parts.hostname}".endswith(".openai.com"):
        headers |= {name: value for name, variable in _PAYERS.items() if (value := os.environ.get(variable))}
    if parts.scheme == "http":
        # Opening such a connection costs nothing, and some local servers reset a pooled one after an error.
        headers["Connection"] = "close"
    return headers


def translate_error(
    error: Exception, endpoint: Endpoint, *, timeout: float, proxy: str | None = None, received: str = ""
) -> UpstreamError:
    """Translate ``TROUBLE`` into our errors.

    Args:
        error: the exception.
        endpoint: the endpoint of the request.
        timeout: allowed seconds of silence.
        proxy: the proxy's address, or None.
        received: the text that has arrived so far.
    """
    if isinstance(error, RefusedError):
        if error.status is None:
            return endpoint.failed_while_replying(error.message, error.details, received)
        return endpoint.refusal_error(error.status, error.message, error.details, error.retry_after)
    if isinstance(error, httpx2.TimeoutException):
        return endpoint.timed_out(timeout, received)
    if isinstance(error, httpx2.ConnectError | httpx2.UnsupportedProtocol | httpx2.ProxyError):
        return endpoint.unreachable(str(error), proxies=proxy is None and bool(getproxies()))
    return endpoint.stream_cut_error(received)
