"""What can go wrong with a model server beyond ``UpstreamError`` itself, and the words in which servers say it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from quaestor.core.errors import UpstreamError


class TooLongError(UpstreamError):
    """A server says that a prompt is too long for the model's window: it is composed anew, and sent once more.

    Attributes:
        limit: the window in tokens, if the server said.
        asked: the tokens that were asked for, prompt and sometimes reply, if the server said.
    """

    code = "too_long"

    def __init__(
        self, message: str, *, limit: int | None = None, asked: int | None = None, status: int | None = None
    ) -> None:
        super().__init__(message, retryable=False, status=status)
        self.limit = limit
        self.asked = asked


class ToolsRefusedError(UpstreamError):
    """The endpoint, or the model behind it, takes no function schemas: call over text tags instead."""

    code = "tools_refused"

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message, retryable=False, status=status)


class BadRequestError(UpstreamError):
    """The endpoint finds fault with the request itself: a value, a parameter, a message.

    Attributes:
        said: the server's sentence as it may be shown; may be empty.
        param: the field that it names, if it names one.
    """

    def __init__(self, message: str, *, status: int, said: str, param: str | None) -> None:
        super().__init__(message, retryable=False, status=status)
        self.said = said
        self.param = param


class UnreachableError(UpstreamError):
    """No connection came about, so nothing was sent."""

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
        received: the text that had arrived, all of which was yielded.
    """

    code = "stream_cut"

    def __init__(self, message: str, *, received: str) -> None:
        super().__init__(message, retryable=True)
        self.received = received


_TOO_LONG_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"})
_TOO_LONG = re.compile(
    r"maximum context length|maximum model length|context (?:size|window|length|limit)|prompt is too long"
    r"|exceeds the maximum number of tokens|input tokens exceed|(?:prompt|input) (?:length|token count) exceeds"
    r"|longer than the (?:model's |model )?(?:context|maximum)"
    # Of embeddings: llama.cpp's server, and text-embeddings-inference.
    r"|input (?:\(\d+ tokens\) )?is too large to process|must have less than \d+ tokens",
    re.IGNORECASE,
)
_NUMBER = r"(\d[\d,_]*)"
_LIMITS = tuple(
    re.compile(pattern.replace("#", _NUMBER), re.IGNORECASE)
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
    re.compile(pattern.replace("#", _NUMBER), re.IGNORECASE)
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


_NO_SYSTEM = re.compile(
    r"system (?:role|message|prompt)s?[^.]{0,40}\b(?:not (?:supported|allowed)|unsupported)"
    r"|only user(?:,| and) assistant(?: and tool)? roles are supported(?!, with the exception)",
    re.IGNORECASE,
)
_IN_TURNS = re.compile(
    r"(?:roles|messages?\b.{0,40}) (?:must|should) alternate|exception of an initial optional system message"
    r"|system message must (?:be|come)|unexpected role\b.{0,40}\bafter role"
    r"|consecutive (?:user|assistant|role|message)",
    re.IGNORECASE | re.DOTALL,
)
_TOOLS = r"\b(?:tools?|function)(?:[ _-]?(?:use|us(?:age|ing)|calls?|calling|choice|params?))?\b"
_NO_TOOLS = re.compile(
    rf"{_TOOLS}[^.]{{0,60}}"
    r"(?:\b(?:not|n't) (?:supported|permitted|available|enabled|allowed)|\bunsupported|requires? --)"
    rf"|(?:\b(?:not|n't|cannot|found that) support|\bunsupported|unrecognized|unknown (?:parameter|field|argument))"
    rf"[^.]{{0,40}}{_TOOLS}"
    # As pydantic has it: the place first, then the reason.
    r"|\btools\b.{0,40}extra (?:inputs|fields)|extra_forbidden.{0,60}\btools\b",
    re.IGNORECASE | re.DOTALL,
)


_NO_MODEL = re.compile(
    r"\bmodel\b.{0,80}(?:\bnot|n't) (?:found|exist|available|loaded|served)"
    r"|(?:unknown|invalid|no such|could not find|cannot load) (?:the )?model\b",
    re.IGNORECASE | re.DOTALL,
)
_MOST_DIGITS = 15
_SO_MANY = re.compile(r"batch size|too many (?:inputs|texts)|array (?:is )?too (?:long|large)|list should have at most")


def worth_retrying(failure: UpstreamError) -> bool:
    """Return whether to try again at once: not where nobody listens, and not after a long silence."""
    return failure.retryable and (failure.status is not None or isinstance(failure, HungUpError))


def refuses_so_many(failure: UpstreamError) -> bool:
    """Return whether a server refused a request for the number of texts in it, or for its size."""
    return failure.status == 413 or (failure.status in (400, 422) and _SO_MANY.search(str(failure)) is not None)


def read_overflow(message: str, details: Mapping[str, object]) -> tuple[int | None, int | None] | None:
    """Return (limit, asked) in tokens if a server's refusal means that the request is too long for its window.

    Args:
        message: the server's sentence.
        details: the error object of its answer.
    """
    codes = {str(details.get("code")), str(details.get("type"))}
    if not codes & _TOO_LONG_CODES and not _TOO_LONG.search(message):
        return None
    limit = _whole(details.get("n_ctx")) or _first(_LIMITS, message)
    asked = _whole(details.get("n_prompt_tokens")) or _first(_ASKED, message)
    return limit, asked


def refuses_system(message: str) -> bool:
    """Return whether a server's sentence says that it takes no system message."""
    return _NO_SYSTEM.search(message) is not None


def refuses_turns(message: str) -> bool:
    """Return whether a server's sentence says that user and assistant must take turns."""
    return _IN_TURNS.search(message) is not None


def refuses_tools(message: str) -> bool:
    """Return whether a server's sentence says that it, or its model, takes no tools."""
    return _NO_TOOLS.search(message) is not None


def refuses_model(message: str, details: Mapping[str, object]) -> bool:
    """Return whether a server's refusal is about the model that was asked for.

    Args:
        message: the server's sentence.
        details: the error object of its answer.
    """
    named = details.get("param") == "model" or str(details.get("code")) in ("model_not_found", "invalid_model")
    return named or _NO_MODEL.search(message) is not None


def _first(patterns: tuple[re.Pattern[str], ...], message: str) -> int | None:
    for pattern in patterns:
        found = pattern.search(message)
        if found:
            digits = found[1].replace(",", "").replace("_", "")
            return int(digits) if len(digits) <= _MOST_DIGITS else None
    return None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None
