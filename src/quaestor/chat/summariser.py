"""Asking the model for a summary of what slid out of the window."""

from __future__ import annotations

from contextlib import aclosing

from quaestor.chat.composing import Composer
from quaestor.chat.conversation_state import History
from quaestor.chat.model_requests import Requests
from quaestor.chat.turn import Turn
from quaestor.core.errors import QuaestorError
from quaestor.llm.models import TextDelta
from quaestor.sessions.rows import clean
from quaestor.sessions.transcript import Transcript


async def summarise(turn: Turn, history: History, requests: Requests, composer: Composer, record: Transcript) -> None:
    """Ask for a summary; without one the conversation goes on all the same."""
    summaries = history.summaries
    try:
        window = summaries.request(history.messages, composer.counter, history.limit)
        sent = (window.messages, [None] * len(window.messages))
        pieces: list[str] = []
        async with aclosing(requests.send(turn, composer.request(window), window, sent)) as deltas:
            async for delta in deltas:
                if isinstance(delta, TextDelta):
                    pieces.append(delta.text)
    except QuaestorError:
        summaries.failed()
        return
    text = clean("".join(pieces)).strip()
    known = [one for place in summaries.out if (one := history.ids[place]) is not None]
    if not text or not known:
        summaries.failed()
        return
    record.summarised(known[0], known[-1], text, requests.model.name)
    summaries.written(text)
