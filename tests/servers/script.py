"""The script of a scripted server: what it replies to each request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request as it arrived.

    Attributes:
        path: such as ``/v1/chat/completions``.
        headers: names in lower case.
        body: the parsed JSON, or None.
        raw: the bytes of the body.
        prompt_tokens: the exact count of what was sent, by the server's tokenizer.
        continues: whether a server of this style goes on with the assistant message at the end of the request.
    """

    path: str
    headers: Mapping[str, str]
    body: Any
    raw: bytes
    prompt_tokens: int = 0
    continues: bool = False

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body["messages"])

    @property
    def last(self) -> str:
        """The newest message's content."""
        return str(self.messages[-1]["content"])


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; ``pieces`` are the deltas in which its arguments arrive."""

    name: str
    pieces: Sequence[str] = ("{}",)
    id: str = "call_1"


@dataclass(frozen=True, slots=True)
class Reply:
    """One scripted answer.

    Attributes:
        pieces: the text, in the deltas in which it is streamed.
        calls: native tool calls after the text.
        status: an HTTP status other than 200 sends ``error`` instead.
        error: the server's sentence, or the whole JSON body, for an error.
        headers: further headers.
        delay: seconds before the answer.
        pause: seconds before each piece.
        cut_after: close the connection after this many pieces, without an end.
        reset: with ``cut_after``, reset the connection instead of closing it.
        raw: send these bytes as the body in place of everything else.
        events: send these strings as the data of the stream's events in place of completions.
        finish_reason: overrides the reason that follows from the rest.
        usage: False leaves the usage out.
        whole: answer with one JSON object even if a stream was asked for.
        silent: say nothing at all, and wait until the client hangs up.
        may_end: what the end of a stream waits for behind the last piece, or until the client hangs up.
    """

    pieces: Sequence[str] = ()
    calls: Sequence[Call] = ()
    status: int = 200
    error: str | Mapping[str, Any] = "scripted failure"
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    pause: float = 0.0
    cut_after: int | None = None
    reset: bool = False
    raw: bytes | None = None
    events: Sequence[str] | None = None
    finish_reason: str | None = None
    usage: bool = True
    whole: bool = False
    silent: bool = False
    may_end: Event | None = None


Script = Sequence[Reply | str] | Callable[[Recorded], Reply | str]
"""Replies in order (the last one repeats), or a function of the request; a string is a text in word-sized pieces."""


def as_reply(answer: Reply | str) -> Reply:
    return answer if isinstance(answer, Reply) else Reply(pieces=in_pieces(answer))


def counted(words: str, times: int) -> list[str]:
    """Return the pieces of a long reply that counts on; one that repeats itself would be ended."""
    return [f"{words}, {number}, " for number in range(times)]


def endless(text: str) -> Reply:
    """Return a reply that is begun, and never comes to its end: however slow the machine, it can still be stopped."""
    return Reply(in_pieces(text), may_end=Event())


def in_pieces(text: str, size: int = 4) -> list[str]:
    """Cut a text every ``size`` characters, so that any boundary falls inside words and marks."""
    return [text[start : start + size] for start in range(0, len(text), size)]
