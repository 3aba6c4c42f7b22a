"""A process that asks question after question in one session until it is killed.

Usage: python session_talker.py CORPUS HOME SESSION

Prints ``began N`` when turn ``N`` is under way and ``done N`` when it is recorded.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from quaestor import Conversation, Index
from quaestor.chat.events import Composed
from quaestor.core.config import Settings
from quaestor.llm.models import Delta, Finished, Request, TextDelta
from quaestor.llm.models.capabilities import Capabilities
from quaestor.sessions.transcript import Transcript


class Parrot:
    """A model that repeats the question, slowly."""

    name = "gpt-4o"
    capabilities = Capabilities()

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        for word in request.messages[-1].content.split():
            yield TextDelta(f"{word} ")
            await asyncio.sleep(0.001)
        yield Finished(reason="stop")


async def talk(index: Index, transcript: Transcript) -> None:
    conversation = Conversation(index, Parrot(), transcript=transcript)
    while True:
        number = len(transcript.turns()) + 1
        async for event in conversation.send(f"question {number} {'word ' * 20}"):
            if isinstance(event, Composed):
                print(f"began {number}", flush=True)
        print(f"done {number}", flush=True)


if __name__ == "__main__":
    corpus, home, session = map(Path, sys.argv[1:])
    with Index.ready(corpus, settings=Settings(home=str(home))) as index:
        opened = Transcript.open(session) if session.exists() else Transcript.create(session, name=session.stem)
        asyncio.run(talk(index, opened))
