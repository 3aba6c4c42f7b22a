"""One question answered at once, for programs that take no stream."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from quaestor.accounts.purpose import Purpose
from quaestor.assemble import answering, make_model
from quaestor.chat.events import TurnOutcome
from quaestor.core.config import Settings
from quaestor.corpus import Corpus
from quaestor.llm.models import Model
from quaestor.stores import Where


def answered(corpus: Corpus, question: str, settings: Settings, purpose: Purpose) -> TurnOutcome:
    """Answer a question with the model that the settings name; blocks until the answer is there.

    Args:
        corpus: what is asked about.
        question: what is asked.
        settings: the model, and how it is asked.
        purpose: whose question it is, for the ledger.

    Raises:
        UpstreamError: the model failed.
        WindowError: the question alone does not fit the model's window.
        LimitError: the answer took, or could take, more time, tokens or money than it may.
    """
    return asyncio.run(_answered(corpus, question, settings, purpose))


async def outcome_of(
    corpus: Corpus,
    model: Model | None,
    question: str,
    settings: Settings,
    *,
    where: Where | None = None,
    filters: bool = True,
) -> TurnOutcome:
    """Return what the answer to a question adds up to; raises as ``answered`` does.

    Args:
        corpus: what is asked about.
        model: who answers; None: the answer is made of quotes.
        question: the question.
        settings: how it is answered.
        where: only documents that it lets through.
        filters: whether dates and authors that the question asks for limit them as well.
    """
    outcome = TurnOutcome()
    async with aclosing(answering(corpus, model, question, settings, where=where, filters=filters)) as events:
        async for event in events:
            outcome.take(event)
    return outcome


async def _answered(corpus: Corpus, question: str, settings: Settings, purpose: Purpose) -> TurnOutcome:
    model = make_model(settings, purpose)
    try:
        return await outcome_of(corpus, model, question, settings)
    finally:
        if model is not None:
            await model.aclose()
