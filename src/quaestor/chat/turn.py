"""One turn of a conversation while it is under way, and the next request as it would be sent."""

from __future__ import annotations

from dataclasses import dataclass, field

from quaestor.chat.visible import Visible
from quaestor.messages import Message, Usage
from quaestor.passages import Hit
from quaestor.prompts.passages import Passage
from quaestor.window import Window

_EXTRACTIVE = "extractive"


@dataclass(slots=True)
class Turn:
    """One turn under way.

    Attributes:
        number: in the transcript, from 1; 0 for one that is only looked at.
        question: the user's message.
        question_id: its number in the transcript.
        deadline: the event loop's time at which it must be over, seconds.
        passages: what was found, numbered.
        shown: passages that the model was shown.
        visible: the reply so far.
        usage: tokens of all requests so far.
        model: what wrote the reply.
        retried: whether a request was already composed anew because it was too long.
        ended: whether its ending is on record.
    """

    number: int
    question: Message
    question_id: int | None
    deadline: float
    passages: tuple[Passage, ...] = ()
    shown: tuple[Passage, ...] = ()
    visible: Visible = field(default_factory=Visible)
    usage: Usage = field(default_factory=lambda: Usage(0, 0, reported=True))
    model: str = _EXTRACTIVE
    retried: bool = False
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Preview:
    """The next request as it would be sent.

    Attributes:
        query: what was searched for.
        hits: what was found.
        window: the exact messages, tokens by section, decisions.
        max_tokens: the limit on the reply, tokens.
        temperature: 0 is the most settled.
    """

    query: str
    hits: tuple[Hit, ...]
    window: Window
    max_tokens: int
    temperature: float
