"""The ``openai`` package's client for one endpoint, its exceptions as our errors, and retries."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies

from quaestor.core.errors import UpstreamError, UsageError
from quaestor.llm.endpoints.failures import Endpoint

if TYPE_CHECKING:
    import openai


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often, and how patiently.

    Attributes:
        retries: further tries after the first.
        first: seconds before the first retry; each later one waits twice as long.
        longest: seconds that are waited at most; a server that asks for more is not retried.
        sleep: waits between tries, given seconds.
    """

    retries: int = 2
    first: float = 0.5
    longest: float = 20.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def wait(self, tried: int, retry_after: float | None) -> float | None:
        """Return the seconds to wait before try number ``tried`` + 1, or None to give up.

        Args:
            tried: retries that were made already.
            retry_after: seconds that the server asked for.
        """
        if tried >= self.retries:
            return None
        seconds = self.first * 2**tried if retry_after is None else retry_after
        return seconds if seconds <= self.longest else None


def read_retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Return the seconds of ``Retry-After``, given as a number or a date, or None.

    Args:
        headers: of the response, names in lower case or case-insensitive.
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
_LARGEST_REFUSAL = 1 << 16
# Vectors of the texts of one request, as numbers, take a third of this.
_LARGEST_ANSWER = 32 << 20
_OF_THE_BODY = ("content-length", "content-encoding", "transfer-encoding")


def checked_url(base_url: str) -> str:
    """Return an endpoint's URL, if it is one.

    Raises:
        UsageError: the text is not an http or https URL.
    """
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"base_url {base_url!r} is not an http or https URL; give one such as 'http://127.0.0.1:8080/v1'"
        )
    return base_url


def async_client(endpoint: Endpoint, timeout: float, proxy: str | None = None) -> openai.AsyncOpenAI:
    """Return a client for an event loop; ``timeout`` is in seconds of silence."""
    import openai  # noqa: PLC0415

    http = _bounded_client()(**_transport(endpoint, timeout, proxy))
    return openai.AsyncOpenAI(http_client=http, **_options(endpoint, timeout))


def warm_up() -> None:
    """Import what the first request to a model would wait for, which takes a second."""
    # A client imports the part that opens connections only once there is one.
    _bounded_client()(trust_env=False, verify=False)


@cache
def _bounded_client() -> type[Any]:
    """Return the kind of client that reads no more of a refusal than a sentence can take."""
    import openai  # noqa: PLC0415

    class BoundedClient(openai.DefaultAsyncHttpxClient):
        async def send(self, request: Any, **options: Any) -> Any:
            answer = await super().send(request, **options)
            return answer if answer.is_success or not options.get("stream") else await _shorten_body(answer)

    return BoundedClient


async def _shorten_body(answer: Any) -> Any:
    """Return an answer with the beginning of its body only; the ``openai`` package reads all there is."""
    body = b""
    try:
        async for piece in answer.aiter_raw():
            body += piece
            if len(body) >= _LARGEST_REFUSAL:
                break
    finally:
        await answer.aclose()
    headers = [(name, value) for name, value in answer.headers.multi_items() if name.lower() not in _OF_THE_BODY]
    packed = answer.headers.get("content-encoding", "identity") != "identity"
    content = b"" if packed else body[:_LARGEST_REFUSAL]
    return type(answer)(answer.status_code, headers=headers, content=content, request=answer.request)


def blocking_client(endpoint: Endpoint, timeout: float, proxy: str | None = None) -> openai.OpenAI:
    """Return a client that threads share; ``timeout`` is in seconds of silence."""
    import openai  # noqa: PLC0415

    http = _bounded_blocking_client()(**_transport(endpoint, timeout, proxy))
    return openai.OpenAI(http_client=http, **_options(endpoint, timeout))


@cache
def _bounded_blocking_client() -> type[Any]:
    """Return the kind of client that reads no more of an answer than vectors can take, however small it was packed."""
    import openai  # noqa: PLC0415

    class BoundedBlockingClient(openai.DefaultHttpxClient):
        def send(self, request: Any, **options: Any) -> Any:
            answer = super().send(request, **{**options, "stream": True})
            return _read_up_to(answer, _LARGEST_ANSWER if answer.is_success else _LARGEST_REFUSAL)

    return BoundedBlockingClient


def _read_up_to(answer: Any, most: int) -> Any:
    """Return a response with at most so many bytes of its decompressed body; a truncated body is no longer JSON."""
    body = bytearray()
    try:
        for piece in answer.iter_bytes():
            body += piece[: most - len(body)]
            if len(body) == most:
                break
    finally:
        answer.close()
    headers = [(name, value) for name, value in answer.headers.multi_items() if name.lower() not in _OF_THE_BODY]
    return type(answer)(answer.status_code, headers=headers, content=bytes(body), request=answer.request)


def _options(endpoint: Endpoint, timeout: float) -> dict[str, Any]:
    return {
        "base_url": endpoint.base_url,
        "api_key": endpoint.key or "none",
        "timeout": _limits(timeout),
        "max_retries": 0,
    }


def _transport(endpoint: Endpoint, timeout: float, proxy: str | None) -> dict[str, Any]:
    transport = {"follow_redirects": False, "trust_env": False, "proxy": proxy, "timeout": _limits(timeout)}
    if proxy is None and urlsplit(endpoint.base_url).scheme == "http":
        # No TLS is spoken then, and reading the authorities' certificates takes 27 ms.
        transport["verify"] = False
    return transport


def _limits(timeout: float) -> openai.Timeout:
    import openai  # noqa: PLC0415

    return openai.Timeout(timeout, connect=min(timeout, _CONNECT_SECONDS))


def headers_for(endpoint: Endpoint) -> dict[str, Any]:
    """Return the headers that differ from the openai package's own."""
    import openai  # noqa: PLC0415

    parts = urlsplit(endpoint.base_url)
    headers: dict[str, Any] = {}
    if not endpoint.key:
        headers["Authorization"] = openai.Omit()
    if not f".{parts.hostname}".endswith(".openai.com"):
        headers["OpenAI-Organization"] = headers["OpenAI-Project"] = openai.Omit()
    if parts.scheme == "http":
        # Opening such a connection costs nothing, and some local servers reset a pooled one after an error.
        headers["Connection"] = "close"
    return headers


def translate_error(
    error: openai.OpenAIError, endpoint: Endpoint, *, timeout: float, proxy: str | None = None, received: str = ""
) -> UpstreamError:
    """Translate an error of the ``openai`` package into ours.

    Args:
        error: the exception.
        endpoint: of the request.
        timeout: allowed seconds of silence.
        proxy: the proxy's address, or None.
        received: the text received so far.
    """
    import openai  # noqa: PLC0415

    if isinstance(error, openai.APIStatusError):
        message, details = error_object(error)
        retry_after = read_retry_after(error.response.headers)
        return endpoint.refused(error.status_code, message, details, retry_after)
    if isinstance(error, openai.APITimeoutError):
        return endpoint.timed_out(timeout, received)
    if isinstance(error, openai.APIConnectionError):
        return _explained_connection(error, endpoint, proxy, received)
    if isinstance(error, openai.APIResponseValidationError):
        return endpoint.nonsense(error.message)
    if isinstance(error, openai.APIError):
        return endpoint.failed_while_replying(*error_object(error), received)
    return endpoint.stream_cut_error(received) if received else endpoint.nonsense(str(error))


def _explained_connection(
    error: openai.APIConnectionError, endpoint: Endpoint, proxy: str | None, received: str
) -> UpstreamError:
    cause = error.__cause__
    # By name, so that the HTTP library under the openai package stays its own affair.
    if type(cause).__name__ in ("ConnectError", "UnsupportedProtocol", "ProxyError"):
        return endpoint.unreachable(str(cause), proxies=proxy is None and bool(getproxies()))
    return endpoint.stream_cut_error(received)


def error_object(error: openai.APIError) -> tuple[str, dict[str, Any]]:
    """Return the server's sentence and the error object that it came in."""
    body = error.body
    details = body if isinstance(body, dict) else {}
    inner = details.get("error")
    details = inner if isinstance(inner, dict) else details
    for key in ("message", "detail", "error"):
        if isinstance(details.get(key), str):
            return details[key], details
    if details.get("detail") is not None:
        return json.dumps(details["detail"], default=str), details
    return (body if isinstance(body, str) else ""), details
