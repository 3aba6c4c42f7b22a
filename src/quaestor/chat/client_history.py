"""Conversations whose client keeps the record and sends all earlier messages with every question."""

from __future__ import annotations

from collections.abc import Sequence

from quaestor.core.messages import Message
from quaestor.sessions.records import Ending
from quaestor.sessions.transcript import Transcript


def transcript_of_client(messages: Sequence[Message]) -> Transcript:
    """Return a transcript in memory that holds the earlier messages of a conversation as one turn.

    Args:
        messages: before the newest question, in order; system messages among them stay where they are.
    """
    transcript = Transcript.in_memory()
    if messages:
        turn, _ = transcript.begin(messages[0])
        transcript.end(turn, Ending("done", messages=tuple(messages[1:])))
    return transcript
