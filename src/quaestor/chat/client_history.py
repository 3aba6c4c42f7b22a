"""Conversations that are held elsewhere: a client sends all of it with every question and keeps the record itself."""

from __future__ import annotations

from collections.abc import Sequence

from quaestor.core.messages import Message
from quaestor.sessions.records import Ending
from quaestor.sessions.transcript import Transcript


def remembering(messages: Sequence[Message]) -> Transcript:
    """Return a record, kept in the process only, in which a conversation has come about as one turn.

    Args:
        messages: before the newest question, in order; system messages among them stay where they are.
    """
    transcript = Transcript.in_memory()
    if messages:
        turn, _ = transcript.begin(messages[0])
        transcript.end(turn, Ending("done", messages=tuple(messages[1:])))
    return transcript
