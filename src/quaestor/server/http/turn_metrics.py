"""Counting what a turn takes: seconds to its first word, and tokens."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing

from fastapi import Request

from quaestor.chat.events import Done, Event, Text
from quaestor.server.http.prometheus import Metrics
from quaestor.server.http.request_log import route_of


async def observed(request: Request, metrics: Metrics, events: AsyncGenerator[Event]) -> AsyncGenerator[Event]:
    """Yield a turn's events, and count what they tell.

    Args:
        request: that the turn answers.
        metrics: what is counted.
        events: of the turn; closed with this.
    """
    began: float = request.scope["state"]["began"]
    route = route_of(request.scope)
    silent = True
    async with aclosing(events):
        async for event in events:
            if silent and isinstance(event, Text) and event.text:
                silent = False
                metrics.first_token.labels(route).observe(time.perf_counter() - began)
            if isinstance(event, Done):
                metrics.tokens.labels(event.model, "prompt").inc(event.usage.prompt_tokens)
                metrics.tokens.labels(event.model, "completion").inc(event.usage.completion_tokens)
            yield event
