"""Any endpoint that speaks OpenAI's chat completions: hosted services, llama.cpp, vLLM, Ollama and others.

Only ``base_url`` is ever contacted: redirects are refused, proxies and credentials files of the environment are not
read (a proxy can be given), and organisation headers go to OpenAI only.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import httpx2

from quaestor.core.errors import UpstreamError
from quaestor.core.messages import as_wire
from quaestor.llm.endpoints.client import (
    TROUBLE,
    RetryPolicy,
    async_client,
    endpoint_at,
    open_answer,
    translate_error,
)
from quaestor.llm.endpoints.failures import RefusedError, worth_retrying
from quaestor.llm.models import Delta, Request, TextDelta
from quaestor.llm.models.capabilities import Capabilities, capabilities_at
from quaestor.llm.models.dialect import dialect_for
from quaestor.llm.models.neutral_messages import neutral_counter, neutral_request
from quaestor.llm.models.reply import Reply
from quaestor.llm.models.reply_stream import LARGEST_EVENT, NotCompletionsError, batches, read_json_answer, with_fields
from quaestor.llm.tokens import MessageCounter, counter_for

_STEP = 4_096
"""The most characters of a reply that are passed on at once."""


class OpenAICompatibleModel:
    """A model behind an OpenAI-compatible endpoint.

    Args:
        model: the model's name at the endpoint.
        base_url: the API's root; empty means OpenAI's own.
        api_key: sent as a bearer token; empty sends none.
        timeout: seconds of silence after which the server counts as gone.
        proxy: URL of a proxy to go through; none is taken from the environment.
        counter: counts usage if the server reports none; None chooses by the model's name.
        retries: when a request is sent again; only ever before any text was yielded.
        capabilities: the capabilities of the endpoint; None uses those known for its address.

    Raises:
        UsageError: ``base_url`` is not an http or https URL, or the key cannot be sent.

    Attributes:
        path: the path of requests under ``base_url``.
        capabilities: the capabilities of the endpoint.
    """

    path = "/chat/completions"

    def __init__(  # noqa: PLR0913 - one for each thing that endpoints differ in
        self,
        model: str,
        *,
        base_url: str = "",
        api_key: str = "",
        timeout: float = 120.0,
        proxy: str | None = None,
        counter: MessageCounter | None = None,
        retries: RetryPolicy | None = None,
        capabilities: Capabilities | None = None,
    ) -> None:
        self._endpoint = endpoint_at(base_url, model, api_key)
        self._timeout = timeout
        self._proxy = proxy
        self._counter = counter
        self._retries = retries or RetryPolicy()
        self.capabilities = capabilities or capabilities_at(self._endpoint.base_url)
        self._dialect = replace(dialect_for(model), continue_final_message=self.capabilities.continues_assistant)
        self._client: httpx2.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def name(self) -> str:
        """The model's name at the endpoint."""
        return self._endpoint.model

    @cached_property
    def counter(self) -> MessageCounter:
        """Counts messages for this model, as they are sent."""
        return neutral_counter(self._counter or counter_for(self.name))

    def __repr__(self) -> str:
        return f"OpenAICompatibleModel({self.name!r}, base_url={self._endpoint.url})"

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Yield pieces of the reply and, last, one ``Finished``; see ``Model.stream``.

        Raises:
            UpstreamError: the endpoint is down, refuses, or answers nonsense.
            TooLongError: the request does not fit the window; its ``limit`` is the one that the server named.
            StreamCutError: the reply was cut off; its ``received`` is the text that was yielded.
        """
        tried = 0
        while True:
            reply = Reply(request)
            try:
                async with aclosing(self._attempt(request, reply)) as deltas:
                    async for delta in deltas:
                        yield delta
                return
            except UpstreamError as failure:
                wait = self._retries.wait(tried, failure.retry_after)
                if reply.text or wait is None or not worth_retrying(failure):
                    raise
            tried += 1
            await self._retries.sleep(wait)

    def body(self, request: Request) -> dict[str, Any]:
        """Return the JSON object that is sent for a request, to show it or to send it.

        Special tokens in its texts are broken up; in the reply they are restored.
        """
        request = neutral_request(request)
        body: dict[str, Any] = {
            **request.extra,
            "model": self.name,
            "messages": [as_wire(message) for message in self._dialect.messages(request)],
            "stream": True,
            **self._dialect.parameters(request),
        }
        if request.tools:
            body["tools"] = list(request.tools)
        return body

    @property
    def _sends_neutral(self) -> bool:
        """Whether special tokens are broken up in requests."""
        return True

    def for_continuation(self) -> Self:
        """Return the same model, which always sends the parameters that continue a begun reply."""
        other = copy(self)
        other._dialect = replace(self._dialect, continue_final_message=True)
        return other

    async def exchange(self, path: str, body: dict[str, Any] | None = None, largest: int = LARGEST_EVENT) -> Any:
        """Return the JSON with which the endpoint answers an object, or a GET request; there are no retries.

        Args:
            path: the path under the API's root.
            body: the object; None sends a GET request.
            largest: the most bytes that the response may have.

        Raises:
            UpstreamError: as ``stream``.
        """
        try:
            async with aclosing(await self._send(path, body)) as answer:
                return await read_json_answer(answer, largest)
        except (*TROUBLE, NotCompletionsError) as error:
            raise self._explain(error) from None

    async def aclose(self) -> None:
        """Close pooled connections; the model can be used again."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.aclose()

    async def _attempt(self, request: Request, reply: Reply) -> AsyncGenerator[Delta]:
        """Send the request once, or again in another dialect, and yield the reply."""
        arrived = False
        try:
            answer = await self._open(request)
            reply.restores = self._sends_neutral
            async with aclosing(answer), aclosing(batches(answer)) as arriving:
                async for batch in arriving:
                    arrived = arrived or bool(batch)
                    async for delta in _in_steps("".join(map(reply.feed, batch))):
                        yield delta
                    if reply.surplus:
                        break
        except (*TROUBLE, NotCompletionsError) as error:
            failure = self._explain(error, reply.text)
            if reply.text and (rest := reply.flush()):
                yield TextDelta(rest)
            raise failure from None
        if not arrived:
            async for delta in _in_steps(reply.feed(await self._single_chunk(request))):
                yield delta
        if not reply.is_complete:
            if reply.text and (rest := reply.flush()):
                yield TextDelta(rest)
            raise (
                self._endpoint.stream_cut_error(reply.text)
                if reply.chunks
                else self._endpoint.nonsense("no completion at all")
            )
        if reply.empty_for_length:
            raise self._endpoint.too_long_unsaid()
        if rest := reply.flush():
            yield TextDelta(rest)
        yield reply.finish(self.counter)

    async def _single_chunk(self, request: Request) -> Any:
        """Return the single chunk of a reply that is not streamed.

        Used after an empty stream: llama-cpp-python sends one for a request that is too long, and reports the error
        only without a stream.
        """
        answer = await self.exchange(self.path, without_stream(self.body(request)))
        return with_fields(answer)

    async def _open(self, request: Request) -> httpx2.Response:
        """Send the request; each parameter that the endpoint refuses is left out, or its messages joined, once."""
        while True:
            try:
                return await self._create(request)
            except RefusedError as error:
                dialect = self._dialect.after(error.status or 0, error.message, error.details.get("param"))
                if dialect.render(request) == self._dialect.render(request):
                    raise
                self._dialect = dialect

    async def _create(self, request: Request) -> httpx2.Response:
        return await self._send(self.path, self.body(request))

    async def _send(self, path: str, body: dict[str, Any] | None) -> httpx2.Response:
        return await open_answer(self._client_of_loop(), self._endpoint, path, body)

    def _client_of_loop(self) -> httpx2.AsyncClient:
        """Return the client of the running event loop; pooled connections do not survive their loop."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = async_client(self._endpoint, self._timeout, self._proxy), loop
        return self._client

    def _explain(self, error: Exception, received: str = "") -> UpstreamError:
        if isinstance(error, NotCompletionsError):
            return self._endpoint.stream_cut_error(received) if received else self._endpoint.nonsense(str(error))
        return translate_error(error, self._endpoint, timeout=self._timeout, proxy=self._proxy, received=received)


async def _in_steps(text: str) -> AsyncGenerator[TextDelta]:
    """Yield a text in pieces small enough that handling one does not block the event loop."""
    for start in range(0, len(text), _STEP):
        if start:
            await asyncio.sleep(0)
        yield TextDelta(text[start : start + _STEP])


def without_stream(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request's JSON object without the parameters that ask for a stream."""
    return {name: value for name, value in body.items() if name not in ("stream", "stream_options")}
