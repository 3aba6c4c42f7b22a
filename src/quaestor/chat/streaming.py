"""A model's reply within a time limit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from quaestor.core.errors import LimitError
from quaestor.llm.models import Delta, Finished, Model, Request


async def stream_within(model: Model, request: Request, deadline: float) -> AsyncGenerator[Delta]:
    """Yield the deltas of a reply; closing this closes the request.

    Args:
        model: who replies.
        request: what is asked.
        deadline: the event loop's time at which the reply must be over, seconds.

    Raises:
        LimitError: it was not.
        UpstreamError: the model failed.
    """
    stream = aiter(model.stream(request))
    try:
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    delta = await anext(stream)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise LimitError("the turn took more time than it may; ask for less, or raise its limit") from None
            yield delta
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()


async def whole_reply(model: Model, request: Request, deadline: float) -> tuple[str, Finished]:
    """Return a reply's text and its end; see ``stream_within``."""
    pieces: list[str] = []
    finished = Finished("unknown")
    async with aclosing(stream_within(model, request, deadline)) as deltas:
        async for delta in deltas:
            if isinstance(delta, Finished):
                finished = delta
            else:
                pieces.append(delta.text)
    return "".join(pieces), finished
