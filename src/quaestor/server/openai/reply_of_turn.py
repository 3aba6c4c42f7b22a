"""Collecting a turn's events into the parts that every form of OpenAI's responses has.

Sources can be listed at the end of the answer, for clients that show only text.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal

from quaestor.chat.events import Composed, Done, Event, Passages, Searching, TurnOutcome
from quaestor.core.citation import STANDING, UNCHECKED, Citation
from quaestor.sessions.session_rows import passages_shown, runs
from quaestor.window import Window

_IN_WHOLE = frozenset({"kept", "recalled"})

Ended = Literal["stop", "length", "tool_calls", "content_filter"]

_HEADING = "Sources:"
# What `trailing_sources` returns, at the end of a text.
_LISTED = re.compile(
    rf"\n\n(?:{_HEADING}(?:\n- \[\d+\] [^\n]*, (?:{'|'.join(STANDING.values())}))+|{re.escape(UNCHECKED)})\s*\Z"
)


@dataclass(slots=True)  # mutable: filled by the events of a turn
class Reply:
    """One answer under way.

    Attributes:
        model: as the client named it.
        outcome: what the events add up to.
        window: of the last request to the model; None before it, and where there is no model.
        retrieval_seconds: that the search for passages took.
        sources: the list that is put behind the answer; empty for none.
        created: when it was begun, seconds since the epoch.
    """

    prefix: ClassVar[str]
    """Of the answer's id."""
    textual: ClassVar[bool] = True
    """Whether its clients show text and nothing else."""

    model: str
    outcome: TurnOutcome = field(default_factory=TurnOutcome)
    window: Window | None = None
    retrieval_seconds: float = 0.0
    sources: str = ""
    created: int = field(default_factory=lambda: int(time.time()))
    _searching: float = 0.0
    _number: str = field(default_factory=lambda: secrets.token_hex(12))

    @property
    def id(self) -> str:
        """The answer's id."""
        return f"{self.prefix}-{self._number}"

    def lists_sources(self, setting: str) -> bool:
        """Return whether the answer ends with a list of its sources, by the setting of that name."""
        return setting == "on" or (setting == "auto" and self.textual)

    def take(self, event: Event) -> None:
        """Take the next event."""
        self.outcome.take(event)
        match event:
            case Searching():
                self._searching = time.perf_counter()
            case Passages():
                self.retrieval_seconds = time.perf_counter() - self._searching
            case Composed(window=window):
                self.window = window

    @property
    def done(self) -> Done:
        """The end of the turn."""
        assert self.outcome.done is not None
        return self.outcome.done

    @property
    def text(self) -> str:
        """The whole answer, with the list of its sources."""
        return self.done.answer + self.sources

    @property
    def ended(self) -> Ended:
        """Why the answer ended."""
        if self.done.calls:
            return "tool_calls"
        return self.done.finish if self.done.finish in ("length", "content_filter") else "stop"

    @property
    def usage(self) -> dict[str, int]:
        """Tokens of every request to the model that the answer took."""
        usage = self.done.usage
        return {
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "total_tokens": usage.total_tokens,
        }

    @property
    def checked(self) -> dict[str, Any]:
        """Our additions, which clients of OpenAI's API may ignore."""
        return {
            "known": self.done.known,
            "unchecked": self.done.unchecked,
            "quotes": [asdict(quote) for quote in self.outcome.quotes],
            "citations": [asdict(citation) for citation in self.outcome.citations],
            "unsupported": list(self.outcome.unsupported),
            "model": self.done.model,
            "window": None if self.window is None else _shown(self.window),
            "retrieval_seconds": round(self.retrieval_seconds, 6),
        }


def _shown(window: Window) -> dict[str, Any]:
    messages = (one for one in window.decisions if one.kind == "message")
    return {
        "limit": window.limit,
        "reserve": window.reserve,
        "tokens": window.tokens,
        "sections": dict(window.sections),
        "passages": sum(one.kind == "passage" for one in window.decisions),
        "sent": len(passages_shown(runs(window.decisions))),
        "left_out": sum(one.action not in _IN_WHOLE for one in messages),
    }


def trailing_sources(citations: Sequence[Citation], *, unchecked: bool) -> str:
    """Return the list of an answer's sources, each place once, or "".

    Args:
        citations: as they were checked.
        unchecked: whether none of them is valid, which is stated instead.
    """
    if unchecked:
        return f"\n\n{UNCHECKED}"
    lines = {f"- [{one.n}] {_place(one)}, {STANDING[one.status]}": None for one in citations}
    return "\n".join(("\n", _HEADING, *lines)) if lines else ""


def without_sources(text: str) -> str:
    """Return an answer that a client sends back without the list that was put behind it."""
    return _LISTED.sub("", text)


def _place(citation: Citation) -> str:
    end = f"-{citation.end_line}" if citation.end_line > citation.start_line else ""
    url = "" if citation.url is None else f" {citation.url}"
    return " ".join(f"{citation.path}:{citation.start_line}{end}{url}".splitlines())
