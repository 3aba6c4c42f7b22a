"""One clear sentence, with the next step, for each way in which an endpoint fails."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from quaestor.core.errors import UpstreamError
from quaestor.llm.endpoints.failures import (
    BadRequestError,
    HungUpError,
    StreamCutError,
    TooLongError,
    ToolsRefusedError,
    UnreachableError,
    read_overflow,
    refuses_model,
    refuses_tools,
)

_KEYLIKE = re.compile(r"\b(?:sk|pk|gsk|hf|key|xai|AIza)[-_][\w*.-]{6,}")
_LONGEST_DETAIL = 240


def shown_url(base_url: str) -> str:
    """Return a URL without the user name and password that it may carry."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


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
        line = _KEYLIKE.sub("***", line)
        return line if len(line) <= _LONGEST_DETAIL else line[:_LONGEST_DETAIL].rstrip() + "…"

    def refused(
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
        said = self._quoted_detail(detail)
        if overflow is not None:
            return self._too_long(*overflow, said=said, status=status)
        # Some servers call it their own failure that they were started without tools, others find no such model.
        if status in (400, 404, 422, 500, 501) and refuses_tools(detail):
            return ToolsRefusedError(
                f"{self.url} answered {status} for model {self.model!r}{said}:"
                " it takes no tools; set `tools` to 'text'",
                status=status,
            )
        if details.get("code") == "insufficient_quota":
            return UpstreamError(
                f"the account at {self.url} has no credit left for model {self.model!r}{said};"
                " add credit there or choose another endpoint",
                status=status,
            )
        retryable = status in (408, 425, 429) or status >= 500
        sentence = self._sentence(status, said, retry_after)
        if status in (400, 422) and not refuses_model(detail, details):
            param = details.get("param")
            named = param if isinstance(param, str) else None
            return BadRequestError(sentence, status=status, said=self.clean(detail), param=named)
        return UpstreamError(sentence, retryable=retryable, status=status, retry_after=retry_after)

    def too_long_unsaid(self) -> TooLongError:
        """Return the error for an empty reply that claims to have reached its length."""
        return TooLongError(
            f"{self.url} gave an empty reply for want of room: the request is too long for the window of model"
            f" {self.model!r}; set `window` to what the server was started with",
            status=200,
        )

    def failed_while_replying(self, detail: str, details: Mapping[str, object], received: str) -> UpstreamError:
        """Return the error for an error object that arrives inside a stream."""
        overflow = read_overflow(detail, details)
        if overflow is not None and not received:
            return self._too_long(*overflow, said=self._quoted_detail(detail), status=None)
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

    def cut(self, received: str) -> UpstreamError:
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

    def _too_long(self, limit: int | None, asked: int | None, *, said: str, status: int | None) -> TooLongError:
        numbers = f": {asked} tokens asked for" if asked else ""
        numbers += f"{',' if numbers else ':'} {limit} allowed" if limit else ""
        return TooLongError(
            f"the request is too long for the window of model {self.model!r} at {self.url}{numbers}{said};"
            " set `window` to what the server allows",
            limit=limit,
            asked=asked,
            status=status,
        )

    def _sentence(self, status: int, said: str, retry_after: float | None) -> str:
        where = f"{self.url} answered {status} for model {self.model!r}{said}"
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
