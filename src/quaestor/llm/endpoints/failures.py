"""Failures of model servers, as errors in clear sentences.

A sentence ends with the next step. Whether a server listens is found by opening a connection and closing it again;
nothing is sent.
"""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from quaestor.core.errors import UpstreamError
from quaestor.core.light_imports import lazy_regex

_KEY_BEGINS = 8
_KEYLIKE = lazy_regex(r"\b(?:sk|pk|gsk|hf|key|xai|AIza)[-_][\w*.-]{6,}")
_LONGEST_DETAIL = 240

_PORTS = {"http": 80, "https": 443}


class TooLongError(UpstreamError):
    """A prompt is too long for the model's window; the caller composes a shorter one and sends it.

    Attributes:
        limit: the window in tokens, if the server reports it.
        request_tokens: the request's tokens, prompt and sometimes reply, if the server reports them.
    """

    code = "too_long"

    def __init__(
        self, message: str, *, limit: int | None = None, request_tokens: int | None = None, status: int | None = None
    ) -> None:
        super().__init__(message, retryable=False, status=status)
        self.limit = limit
        self.request_tokens = request_tokens


class ToolsRefusedError(UpstreamError):
    """The endpoint, or the model behind it, takes no function schemas: call over text tags instead."""

    code = "tools_refused"

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message, retryable=False, status=status)


class BadRequestError(UpstreamError):
    """The endpoint refuses the request itself: a value, a parameter or a message.

    Attributes:
        server_message: the server's sentence as it may be shown; may be empty.
        param: the field that it names, if it names one.
    """

    def __init__(self, message: str, *, status: int, server_message: str, param: str | None) -> None:
        super().__init__(message, retryable=False, status=status)
        self.server_message = server_message
        self.param = param


class UnreachableError(UpstreamError):
    """No connection could be opened, so nothing was sent."""

    def __init__(self, message: str) -> None:
        super().__init__(message, retryable=True)


class HungUpError(UpstreamError):
    """The connection ended before any text of a reply; usually worth an immediate second try."""

    code = "hung_up"

    def __init__(self, message: str) -> None:
        super().__init__(message, retryable=True)


class StreamCutError(UpstreamError):
    """The connection ended in the middle of a reply.

    Attributes:
        received: the text received, all of which was yielded.
    """

    code = "stream_cut"

    def __init__(self, message: str, *, received: str) -> None:
        super().__init__(message, retryable=True)
        self.received = received


class RefusedError(Exception):
    """A server's refusal, before it becomes an error for people.

    Args:
        answer: the JSON that the server sent, or its text if that is not JSON.
        status: the HTTP status; None if it came inside a stream.
        retry_after: seconds that the server asks to wait.

    Attributes:
        message: the server's sentence; may be empty.
        details: the error object that it came in.
        status: the HTTP status; None if it came inside a stream.
        retry_after: the seconds that the server asks to wait.
    """

    def __init__(self, answer: object, *, status: int | None = None, retry_after: float | None = None) -> None:
        self.message, self.details = _error_object(answer)
        self.status = status
        self.retry_after = retry_after
        super().__init__(self.message)


def _error_object(value: object) -> tuple[str, dict[str, object]]:
    """Return the server's sentence and the error object that it came in."""
    details = value if isinstance(value, dict) else {}
    while isinstance(inner := details.get("error"), dict):
        details = inner
    for key in ("message", "detail", "error"):
        if isinstance(sentence := details.get(key), str):
            return sentence, details
    if details.get("detail") is not None:
        return json.dumps(details["detail"]), details
    return (value if isinstance(value, str) else ""), details


_TOO_LONG_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"})
_TOO_LONG = lazy_regex(
    r"maximum context length|maximum model length|context (?:size|window|length|limit)|prompt is too long"
    r"|exceeds the maximum number of tokens|input tokens exceed|(?:prompt|input) (?:length|token count) exceeds"
    r"|longer than the (?:model's |model )?(?:context|maximum)"
    # Of embeddings: llama.cpp's server, and text-embeddings-inference.
    r"|input (?:\(\d+ tokens\) )?is too large to process|must have less than \d+ tokens",
    re.IGNORECASE,
)
_NUMBER = r"(\d[\d,_]*)"
_LIMITS = tuple(
    lazy_regex(pattern.replace("#", _NUMBER), re.IGNORECASE)
    for pattern in (
        r"maximum context length (?:is|of) #",
        r"(?:available )?context size \(#",
        r"context (?:window|size|length|limit)(?: is| of|:)?(?: only)? (?:\d+ \+ \d+ > )?#",
        r"model length of #",
        r"# maximum context length",
        r"> # maximum",
        r"tokens allowed \(#",
        r"limit of #",
        r"current batch size: #",
        r"must have less than # tokens",
    )
)
_ASKED = tuple(
    lazy_regex(pattern.replace("#", _NUMBER), re.IGNORECASE)
    for pattern in (
        r"you requested #",
        r"requested tokens \(#",
        r"request \(#",
        r"resulted in #",
        r"too long: #",
        r"prompt \(length #",
        r"token count \(#",
        r"contains #",
        r"has # input tokens",
        r"passed # input tokens",
        r"request has #",
        r"input \(#",
        r"Given: #",
    )
)


_NO_SYSTEM = lazy_regex(
    r"system (?:role|message|prompt)s?[^.]{0,40}\b(?:not (?:supported|allowed)|unsupported)"
    r"|only user(?:,| and) assistant(?: and tool)? roles are supported(?!, with the exception)",
    re.IGNORECASE,
)
_IN_TURNS = lazy_regex(
    r"(?:roles|messages?\b.{0,40}) (?:must|should) alternate|exception of an initial optional system message"
    r"|system message must (?:be|come)|unexpected role\b.{0,40}\bafter role"
    r"|consecutive (?:user|assistant|role|message)",
    re.IGNORECASE | re.DOTALL,
)
_TOOLS = r"\b(?:tools?|function)(?:[ _-]?(?:use|us(?:age|ing)|calls?|calling|choice|params?))?\b"
_NO_TOOLS = lazy_regex(
    rf"{_TOOLS}[^.]{{0,60}}"
    r"(?:\b(?:not|n't) (?:supported|permitted|available|enabled|allowed)|\bunsupported|requires? --)"
    rf"|(?:\b(?:not|n't|cannot|found that) support|\bunsupported|unrecognized|unknown (?:parameter|field|argument))"
    rf"[^.]{{0,40}}{_TOOLS}"
    # As pydantic has it: the place first, then the reason.
    r"|\btools\b.{0,40}extra (?:inputs|fields)|extra_forbidden.{0,60}\btools\b",
    re.IGNORECASE | re.DOTALL,
)


_NO_MODEL = lazy_regex(
    r"\bmodel\b.{0,80}(?:\bnot|n't) (?:found|exist|available|loaded|served)"
    r"|(?:unknown|invalid|no such|could not find|cannot load) (?:the )?model\b",
    re.IGNORECASE | re.DOTALL,
)
_MOST_DIGITS = 15
_SO_MANY = lazy_regex(r"batch size|too many (?:inputs|texts)|array (?:is )?too (?:long|large)|list should have at most")


def worth_retrying(failure: UpstreamError) -> bool:
    """Return whether to retry at once: not if no server listens, and not after a long silence."""
    return failure.retryable and (failure.status is not None or isinstance(failure, HungUpError))


def refuses_so_many(failure: UpstreamError) -> bool:
    """Return whether a server refused a request for the number of texts in it, or for its size."""
    return failure.status == 413 or (failure.status in (400, 422) and _SO_MANY.search(str(failure)) is not None)


def read_overflow(message: str, details: Mapping[str, object]) -> tuple[int | None, int | None] | None:
    """Return the window and the request's size in tokens if a refusal means that the request is too long.

    Args:
        message: the server's sentence.
        details: the error object of its answer.
    """
    codes = {str(details.get("code")), str(details.get("type"))}
    if not codes & _TOO_LONG_CODES and not _TOO_LONG.search(message):
        return None
    limit = _positive_integer(details.get("n_ctx")) or _first(_LIMITS, message)
    tokens = _positive_integer(details.get("n_prompt_tokens")) or _first(_ASKED, message)
    return limit, tokens


def refuses_system(message: str) -> bool:
    """Return whether a server's message rejects system messages."""
    return _NO_SYSTEM.search(message) is not None


def refuses_turns(message: str) -> bool:
    """Return whether a server's message demands that user and assistant alternate."""
    return _IN_TURNS.search(message) is not None


def refuses_tools(message: str) -> bool:
    """Return whether a server's message rejects tools."""
    return _NO_TOOLS.search(message) is not None


def _refuses_model(message: str, details: Mapping[str, object]) -> bool:
    """Return whether a server's refusal is about the model that was asked for.

    Args:
        message: the server's sentence.
        details: the error object of its answer.
    """
    names_model = details.get("param") == "model" or str(details.get("code")) in ("model_not_found", "invalid_model")
    return names_model or _NO_MODEL.search(message) is not None


def _first(patterns: tuple[re.Pattern[str], ...], message: str) -> int | None:
    for pattern in patterns:
        match = pattern.search(message)
        if match:
            digits = match[1].replace(",", "").replace("_", "")
            return int(digits) if len(digits) <= _MOST_DIGITS else None
    return None


def _positive_integer(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def shown_url(base_url: str) -> str:
    """Return a URL without what may be secret in it: user name, password, and parameters."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Names an endpoint and its model in errors; knows the key only in order never to show it.

    Attributes:
        base_url: where requests go.
        model: the model's name.
        key: the key that is sent, or empty.
    """

    base_url: str
    model: str
    key: str = ""

    def __repr__(self) -> str:
        return f"Endpoint({shown_url(self.base_url)!r}, {self.model!r})"

    @property
    def url(self) -> str:
        """The URL as it may be shown, quoted."""
        return repr(shown_url(self.base_url))

    def clean(self, detail: str) -> str:
        """Return a server's words as one short line without anything that looks like a key."""
        line = " ".join(detail.split())
        if self.key:
            line = line.replace(self.key, "***")
        if len(self.key) > _KEY_BEGINS:  # servers name a key by its beginning
            line = re.sub(rf"{re.escape(self.key[:_KEY_BEGINS])}[\w*.-]*", "***", line)
        line = _KEYLIKE.sub("***", line)
        return line if len(line) <= _LONGEST_DETAIL else line[:_LONGEST_DETAIL].rstrip() + "…"

    def refusal_error(
        self, status: int, detail: str, details: Mapping[str, object], retry_after: float | None
    ) -> UpstreamError:
        """Return the error for an answer with an HTTP status of 300 or more.

        Args:
            status: the HTTP status.
            detail: the server's sentence, if any.
            details: the error object of its answer.
            retry_after: seconds that the server asks to wait.
        """
        overflow = read_overflow(detail, details) if status not in (401, 403, 404, 429) else None
        quoted = self._quoted_detail(detail)
        if overflow is not None:
            return self._too_long(*overflow, server_words=quoted, status=status)
        # Some servers call it their own failure that they were started without tools, others find no such model.
        if status in (400, 404, 422, 500, 501) and refuses_tools(detail):
            return ToolsRefusedError(
                f"{self.url} answered {status} for model {self.model!r}{quoted}:"
                " it takes no tools; set `tools` to 'text'",
                status=status,
            )
        if details.get("code") == "insufficient_quota":
            return UpstreamError(
                f"the account at {self.url} has no credit left for model {self.model!r}{quoted};"
                " add credit there or choose another endpoint",
                status=status,
            )
        retryable = status in (408, 425, 429) or status >= 500
        sentence = self._sentence(status, quoted, retry_after)
        if status in (400, 422) and not _refuses_model(detail, details):
            param = details.get("param")
            param_name = param if isinstance(param, str) else None
            return BadRequestError(sentence, status=status, server_message=self.clean(detail), param=param_name)
        return UpstreamError(sentence, retryable=retryable, status=status, retry_after=retry_after)

    def too_long_unsaid(self) -> TooLongError:
        """Return the error for an empty reply whose finish reason is the limit on its length."""
        return TooLongError(
            f"{self.url} gave an empty reply because the window is full: the request is too long for the window of"
            f" model {self.model!r}; set `window` to what the server was started with",
            status=200,
        )

    def failed_while_replying(self, detail: str, details: Mapping[str, object], received: str) -> UpstreamError:
        """Return the error for an error object that arrives inside a stream."""
        overflow = read_overflow(detail, details)
        if overflow is not None and not received:
            return self._too_long(*overflow, server_words=self._quoted_detail(detail), status=None)
        sentence = f"{self.url} failed while model {self.model!r} was replying{self._quoted_detail(detail)}; ask again"
        return StreamCutError(sentence, received=received) if received else UpstreamError(sentence, retryable=True)

    def unreachable(self, detail: str, *, proxies: bool) -> UpstreamError:
        """Return the error for a server that cannot be connected to."""
        ignored = " (proxies from the environment are not used; set `proxy`)" if proxies else ""
        return UnreachableError(
            f"cannot connect to {self.url} for model {self.model!r}{self._quoted_detail(detail, 'reason')}{ignored};"
            " start the server or correct `base_url` (OPENAI_BASE_URL)"
        )

    def hung_up(self) -> HungUpError:
        """Return the error for a connection that ended before any text of a reply."""
        return HungUpError(
            f"{self.url} closed the connection before model {self.model!r} replied;"
            " try again, and look at the server's log if it happens again"
        )

    def stream_cut_error(self, received: str) -> UpstreamError:
        """Return the error for a stream that ended without an end; ``hung_up`` if nothing had arrived."""
        if not received:
            return self.hung_up()
        return StreamCutError(
            f"{self.url} cut the reply of model {self.model!r} off after {len(received)} characters; ask again",
            received=received,
        )

    def timed_out(self, seconds: float, received: str) -> UpstreamError:
        """Return the error for a server that stays silent."""
        sentence = (
            f"{self.url} sent nothing for {seconds:g} seconds while model {self.model!r} was to reply;"
            " try again, or raise `timeout`"
        )
        return StreamCutError(sentence, received=received) if received else UpstreamError(sentence, retryable=True)

    def nonsense(self, detail: str) -> UpstreamError:
        """Return the error for an answer that is not in OpenAI's wire format."""
        return UpstreamError(
            f"{self.url} did not answer in the form of OpenAI's chat completions for model {self.model!r}"
            f"{self._quoted_detail(detail, 'got')}; check that `base_url` is such an endpoint (it usually ends in /v1)"
        )

    def _quoted_detail(self, detail: str, verb: str = "it says") -> str:
        cleaned = self.clean(detail)
        return f" ({verb}: {cleaned})" if cleaned else ""

    def _too_long(
        self, limit: int | None, tokens: int | None, *, server_words: str, status: int | None
    ) -> TooLongError:
        numbers = f": {tokens} tokens asked for" if tokens else ""
        numbers += f"{',' if numbers else ':'} {limit} allowed" if limit else ""
        return TooLongError(
            f"the request is too long for the window of model {self.model!r} at {self.url}{numbers}{server_words};"
            " set `window` to what the server allows",
            limit=limit,
            request_tokens=tokens,
            status=status,
        )

    def _sentence(self, status: int, quoted: str, retry_after: float | None) -> str:
        where = f"{self.url} answered {status} for model {self.model!r}{quoted}"
        if status in (401, 403):
            sent = "the key that was sent was refused" if self.key else "no key was sent"
            return f"{where}: {sent}; set OPENAI_API_KEY to a key of this endpoint"
        if status == 429:
            when = f"in {retry_after:g} seconds" if retry_after is not None else "later"
            return f"{where}: too many requests; try again {when}"
        if status < 400:
            return f"{where}: it redirects elsewhere, which is never followed; set `base_url` to the final address"
        if status == 404:
            return f"{where}: check the model's name, and that `base_url` is the API's root (it usually ends in /v1)"
        if status < 500:
            return f"{where}: the request was refused; check the model's name and what the endpoint supports"
        return f"{where}: the server failed; look at its log, then try again"


def is_listening(base_url: str, seconds: float = 1.0) -> bool:
    """Return whether a connection to an endpoint can be opened within ``seconds``.

    An invalid address counts as not listening.
    """
    try:
        parts = urlsplit(base_url)
        address = (parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 80))
        with socket.create_connection(address, timeout=seconds):
            return True
    except (OSError, ValueError, OverflowError):
        return False
