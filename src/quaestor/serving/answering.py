"""One question answered at once, for programs that take no stream."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from quaestor.assemble import answering, make_model
from quaestor.chat.outcome import TurnOutcome
from quaestor.config import Settings
from quaestor.corpus import Corpus


def answered(corpus: Corpus, question: str, settings: Settings) -> TurnOutcome:
    """Answer a question; blocks until the answer is there.

    Raises:
        UpstreamError: the model failed.
        WindowError: the question alone does not fit the model's window.
        LimitError: the answer took more time, tokens or money than it may.
    """
    return asyncio.run(_answered(corpus, question, settings))


async def _answered(corpus: Corpus, question: str, settings: Settings) -> TurnOutcome:
    model = make_model(settings)
    outcome = TurnOutcome()
    try:
        async with aclosing(answering(corpus, model, question, settings)) as events:
            async for event in events:
                outcome.take(event)
    finally:
        if model is not None:
            await model.aclose()
    return outcome
