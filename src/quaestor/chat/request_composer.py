"""From a conversation and its passages to the next request. Nothing here is sent, so it can be shown as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from quaestor.answers.citations.citation_marks import NO_ANSWER
from quaestor.chat.call_protocols import CallProtocol
from quaestor.chat.chat_settings import Brief, ConversationSettings
from quaestor.core.messages import Message
from quaestor.llm.models import Request
from quaestor.llm.prompts.loader import load, names
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.llm.tokens import MessageCounter
from quaestor.sessions.session_rows import passages_shown, runs
from quaestor.window import Recaller, Reminder, Settings, Window, compose

_SHORT = 3072


def is_short(limit: int) -> bool:
    """Return whether a window of ``limit`` tokens is so short that words to the model take the place of passages."""
    return limit < _SHORT


@dataclass(frozen=True, slots=True)
class Composer:
    """Composes the windows of one conversation.

    Attributes:
        settings: how the conversation is held.
        counter: counts messages for the model.
        recall: scores earlier messages; follows the conversation as it grows.
    """

    settings: ConversationSettings
    counter: MessageCounter
    recall: Recaller

    def window(
        self,
        messages: Sequence[Message],
        passages: Sequence[Passage],
        limit: int,
        summary: str = "",
        tools: Sequence[Mapping[str, object]] = (),
    ) -> Window:
        """Return the window of a conversation whose newest question is answered from ``passages``.

        ``summary`` replaces messages that are left out; without one, the policy decides. ``tools`` are part of the
        request.

        Raises:
            WindowError: the must-keep messages do not fit ``limit`` tokens.
        """
        every = self.settings.reminder
        reminder = Reminder(load("chat_reminder").render(), every) if every else None
        return compose(
            messages,
            limit=limit,
            reserve=self.reserve(limit),
            tokenizer=self.counter,
            policy=self.settings.policy,
            passages=passages,
            recall=self.recall,
            summarise=(lambda _: summary) if summary else None,
            tools=tools,
            settings=Settings(reminder=reminder),
        )

    def reserve(self, limit: int) -> int:
        """Return the tokens kept free for the reply: it may not take the room that the question needs."""
        return max(1, min(self.settings.reserve, limit // 4))

    def request(self, window: Window, protocol: CallProtocol | None = None) -> Request:
        """Return the request to the model."""
        return Request(
            window.messages,
            stop=protocol.stop if protocol else (),
            temperature=self.settings.temperature,
            max_tokens=window.reserve,
            tools=protocol.tools if protocol else (),
            extra=self.settings.parameters,
        )


def instructions(brief: Brief = "code", *more: str, short: bool = False) -> Message:
    """Return the system message of a conversation.

    Args:
        brief: its beginning.
        more: further paragraphs; empty ones are left out.
        short: whether the window is short; then the brief is left out.
    """
    if short:
        rules = load("chat_short").render(no_answer=NO_ANSWER)
    else:
        rules = load("chat").render(brief=load(f"brief_{brief}").render(), no_answer=NO_ANSWER)
    return Message("system", "\n\n".join(filter(None, (rules, *more))))


def plan_request(settings: ConversationSettings, calls: Sequence[str]) -> str:
    """Return the part of the instructions that asks for premeditation; empty where that is not wanted.

    Args:
        settings: whether it is.
        calls: names of the subroutines that may be planned.
    """
    return load("plan").render(names=", ".join(calls) or "none") if settings.premeditation else ""


def examples() -> tuple[Message, ...]:
    """Return a question and its answer as few-shot examples, which are not part of the conversation."""
    names = ("example_user", "example_assistant")
    return tuple(Message("system", load(name).render(), name=name) for name in names)


def shown_passages(window: Window, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return the passages that the model sees, be it in the window's own message or in an earlier one."""
    kept = passages_shown(runs(window.decisions))
    return tuple(passage for place, passage in enumerate(passages) if place in kept)


@cache
def prompt_hashes() -> Mapping[str, str]:
    """Return the hash of every prompt, for the record of a request."""
    return MappingProxyType({name: load(name).sha256 for name in names()})
