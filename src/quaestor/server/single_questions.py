"""Answers single questions without a stream: for programs, and to check starters before the page offers them."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import aclosing

from quaestor.accounts import Purpose
from quaestor.answers.project.starters import starters
from quaestor.assemble import Index, answer_steps, make_ledger, make_model
from quaestor.chat.events import TurnOutcome
from quaestor.core.config import Settings
from quaestor.core.errors import QuaestorError
from quaestor.corpus import Corpus
from quaestor.llm.models import Model
from quaestor.stores import Where

_MOST = 4
_TRIED = 16
_SECONDS = 30.0


def answer_once(corpus: Corpus, question: str, settings: Settings, purpose: Purpose) -> TurnOutcome:
    """Answer a question with the model that the settings name; block until the answer is complete.

    Args:
        corpus: the corpus that answers.
        question: the question.
        settings: name the model and how it answers.
        purpose: recorded in the ledger.

    Raises:
        UpstreamError: the model failed.
        WindowError: the question alone does not fit the model's window.
        LimitError: the answer exceeded, or could exceed, a limit on time, tokens or money.
    """
    return asyncio.run(_answer_by_purpose(corpus, question, settings, purpose))


async def outcome_of(
    corpus: Corpus,
    model: Model | None,
    question: str,
    settings: Settings,
    *,
    where: Where | None = None,
    filters: bool = True,
) -> TurnOutcome:
    """Answer a question and return the outcome; raise the errors of ``answer_once``.

    Args:
        corpus: the corpus that answers.
        model: the model; None for an answer made of quotes.
        question: the question.
        settings: how it is answered.
        where: limits the documents; None for all.
        filters: whether dates and authors in the question limit the documents, too.
    """
    outcome = TurnOutcome()
    async with aclosing(answer_steps(corpus, model, question, settings, where=where, filters=filters)) as events:
        async for event in events:
            outcome.take(event)
    return outcome


async def _answer_by_purpose(corpus: Corpus, question: str, settings: Settings, purpose: Purpose) -> TurnOutcome:
    ledger = make_ledger(settings) if settings.model else None
    try:
        model = make_model(settings, purpose, ledger=ledger)
        try:
            return await outcome_of(corpus, model, question, settings)
        finally:
            if model is not None:
                await model.aclose()
    finally:
        if ledger is not None:
            ledger.close()


class Starters:
    """Finds the starters of corpora, once for each generation of an index."""

    def __init__(self) -> None:
        self._starters: dict[str, tuple[int, tuple[str, ...]]] = {}
        self._finding = threading.Lock()

    def of(self, corpus: Index, settings: Settings) -> tuple[str, ...]:
        """Return up to four questions that quotes from the corpus answer; the first call makes some searches.

        Args:
            corpus: the corpus.
            settings: how its questions are answered.
        """
        root, generation = str(corpus.root), corpus.store.generation()
        with self._finding:
            known = self._starters.get(root)
            if known is None or known[0] != generation:
                known = self._starters[root] = (generation, asyncio.run(_answered_starters(corpus, settings)))
            return known[1]


async def _answered_starters(corpus: Index, settings: Settings) -> tuple[str, ...]:
    """Return the first questions whose answers begin with what they ask about; no two cite the same lines first."""
    answers: dict[tuple[str, int], str] = {}
    until = time.monotonic() + _SECONDS
    for tried, starter in enumerate(starters(corpus)):
        if len(answers) == _MOST or tried == _TRIED or time.monotonic() > until:
            break
        try:
            outcome = await outcome_of(corpus, None, starter.question, settings)
        except QuaestorError:
            continue
        verified = [one for one in outcome.citations if one.status == "verified"]
        if verified and starter.is_answered_by(verified[0].path, verified[0].start_line, verified[0].end_line):
            answers.setdefault((verified[0].path, verified[0].start_line), starter.question)
    return tuple(answers.values())
