"""Summaries of what slid out of the window, written by the model from time to time.

The model is asked once enough has slid out since the last time, with the last summary and what is new. In between, the
last summary is given again: what slid out since is in no summary yet, but can still be recalled. Summaries are kept
beside the transcript; one that cannot be had is done without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quaestor.core.messages import Message
from quaestor.llm.prompts.loader import load
from quaestor.llm.tokens import MessageCounter
from quaestor.window import Decision, Window, compose

_EVERY = 16
# A summary may take this share of the window; compose gives it a little less than that.
_SHARE = 0.1
_WORDS_OF_A_TOKEN = 0.6


@dataclass(slots=True)  # mutable: follows its conversation
class Summaries:
    """The latest summary of a conversation.

    Attributes:
        text: the summary; empty before the first one.
        covered: number of the conversation's messages, from the first one on, that it covers.
        out: places of messages that the last window left out.
        wait: number of messages that must be out before it is asked again.
    """

    text: str = ""
    covered: int = 0
    out: tuple[int, ...] = ()
    wait: int = _EVERY

    def follow(self, decisions: Sequence[Decision]) -> None:
        """Take note of what a window left out."""
        self.out = tuple(
            one.index
            for one in decisions
            if one.kind == "message" and one.action in ("dropped", "summarised") and one.index >= self.covered
        )

    @property
    def due(self) -> bool:
        """Whether so much has slid out that a new summary is worth a request."""
        return len(self.out) >= self.wait

    def request(self, messages: Sequence[Message], counter: MessageCounter, limit: int) -> Window:
        """Return the window of a request for a new summary.

        Raises:
            WindowError: the instructions do not fit ``limit`` tokens.
        """
        reserve = max(1, int(limit * _SHARE))
        words = str(int(reserve * _WORDS_OF_A_TOKEN))
        system = Message("system", load("chat_summary").render(words=words))
        room = limit - reserve - counter.request((system, self._question(""))) - 1
        told = _fitting([_line(messages[place]) for place in self.out], counter, room)
        return compose([system, self._question(told)], limit=limit, reserve=reserve, tokenizer=counter)

    def written(self, text: str) -> None:
        """Take a new summary; it covers all that the last window left out."""
        self.text, self.covered, self.out, self.wait = text, self.out[-1] + 1, (), _EVERY

    def failed(self) -> None:
        """Take note that there is no new summary: it is not worth a request with every turn."""
        self.wait = len(self.out) + _EVERY

    def _question(self, told: str) -> Message:
        return Message("user", load("chat_summarised").render(summary=self.text, messages=told))


def _line(message: Message) -> str:
    return f"{message.name or message.role}: {message.content}"


def _fitting(lines: Sequence[str], counter: MessageCounter, room: int) -> str:
    """Return as many lines as fit ``room`` tokens, long ones cut so that each has its share."""
    share = max(1, room // max(1, len(lines)))
    kept: list[str] = []
    for line in lines:
        # No token is longer than its letters are many, so this many letters are safe to count.
        cut = line[: 8 * share]
        while cut and counter.text(f"{cut}\n") > share:
            cut = cut[: len(cut) * 3 // 4]
        if cut.strip():
            kept.append(cut)
    return "\n".join(kept)
