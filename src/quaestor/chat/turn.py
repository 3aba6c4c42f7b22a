"""One turn of a conversation while it is under way, and the next request as it would be sent."""

from __future__ import annotations

from dataclasses import dataclass, field

from quaestor.chat.reply_reader import VisibleText
from quaestor.core.documents import Hit
from quaestor.core.errors import UsageError
from quaestor.core.messages import Message, ToolCall, Usage, without_surrogates
from quaestor.core.wording import TRANSLATED
from quaestor.llm import tags
from quaestor.llm.models import FinishReason
from quaestor.llm.models.reply_stream import StopCutter
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.sessions.records import ModelCall, Plan, Round
from quaestor.window import Window

_EXTRACTIVE = "extractive"
_PARAGRAPH = 2
_MOST_WORDS = 12
"""Number of translated words that are shown."""


@dataclass(slots=True)  # mutable: filled while a turn runs
class Turn:
    """The state of one turn.

    Attributes:
        number: its number in the transcript, from 1; 0 for a preview.
        question: the user's message.
        question_id: its number in the transcript.
        deadline: the deadline in the event loop's seconds.
        search_text: the question without filters on date or author, in English as far as it can be translated.
        translated: the English translation by which a question in another language was searched.
        passages: the numbered hits.
        own_answer: what is answered without the model, if a way answers the question; "" if none does.
        weak_evidence: whether the hits hardly answer the question.
        shown: passages that the model was shown.
        visible: the reply so far.
        tag_filter: removes tags from the visible text.
        passages_of_tools: passages that tools returned.
        rounds: requests that were answered, with their calls.
        plan: the model's plan, or None.
        proposals: proposed changes.
        calls: every call so far, in order.
        failed_in_a_row: number of calls since the last one that was run.
        no_more_calls: whether no more calls are allowed.
        after_call: whether a call has come since the last text.
        stop_reason: why the loop ended before the model finished, or "".
        usages: tokens of each request so far.
        model: the model that wrote the reply.
        retried: whether a request was already composed again because it was too long.
        finish: why the last reply ended.
        calls_for_caller: calls for the caller to run.
        stop_cutter: ends the visible text at a stop sequence.
        ending_recorded: whether its ending is on record.
    """

    number: int
    question: Message
    question_id: int | None
    deadline: float
    search_text: str = ""
    translated: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()
    own_answer: str = ""
    weak_evidence: bool = False
    shown: tuple[Passage, ...] = ()
    passages_of_tools: tuple[Passage, ...] = ()
    visible: VisibleText = field(default_factory=VisibleText)
    tag_filter: tags.Shown = field(default_factory=tags.Shown)
    rounds: list[Round] = field(default_factory=list)
    plan: Plan | None = None
    proposals: list[object] = field(default_factory=list)
    calls: list[ModelCall] = field(default_factory=list)
    failed_in_a_row: int = 0
    no_more_calls: bool = False
    after_call: bool = False
    stop_reason: str = ""
    usages: list[Usage] = field(default_factory=list)
    model: str = _EXTRACTIVE
    retried: bool = False
    finish: FinishReason = "stop"
    calls_for_caller: tuple[ToolCall, ...] = ()
    stop_cutter: StopCutter = field(default_factory=lambda: StopCutter(()))
    ending_recorded: bool = False

    @property
    def language_remark(self) -> str:
        """A remark before quotes that were found by a translated question, or ""."""
        if not self.translated:
            return ""
        more = ", …" if len(self.translated) > _MOST_WORDS else ""
        return f"{TRANSLATED}: {', '.join(self.translated[:_MOST_WORDS])}{more}.\n\n"

    def show(self, text: str) -> str:
        """Take text of the reply and return the text to show now; text after a call begins a new paragraph."""
        if not text:
            return ""
        if self.after_call and (written := self.visible.written):
            ends = len(written) - len(written.rstrip("\n")) + len(text) - len(text.lstrip("\n"))
            text = "\n" * max(0, _PARAGRAPH - ends) + text
        self.after_call = False
        return self.visible.feed(self.stop_cutter.feed(text))

    def begin_part(self) -> str:
        """Begin another part of the reply, and return the text held back of the last."""
        return self._flush_held() + self.visible.begin_part()

    def release_rest(self) -> str:
        """Return the text held back, at the end of the reply."""
        return self._flush_held() + self.visible.release_rest()

    def _flush_held(self) -> str:
        text = self.stop_cutter.flush()
        return self.visible.feed(text) if text else ""

    @property
    def usage(self) -> Usage:
        """Tokens of all requests so far; ``reported`` if the server reported each of them."""
        return Usage(
            sum(one.prompt_tokens for one in self.usages),
            sum(one.completion_tokens for one in self.usages),
            reported=bool(self.usages) and all(one.reported for one in self.usages),
        )

    def spend(self, usage: Usage, model: str) -> None:
        """Record a request's tokens and the model that answered it."""
        self.usages.append(usage)
        self.model = model


@dataclass(frozen=True, slots=True)
class Preview:
    """The next request as it would be sent.

    Attributes:
        query: the search query.
        hits: the hits.
        window: the exact messages, tokens by section, decisions.
        max_tokens: the limit on the reply, tokens.
        temperature: 0 is the most settled.
    """

    query: str
    hits: tuple[Hit, ...]
    window: Window
    max_tokens: int
    temperature: float


def question_message(question: str) -> Message:
    """Return a question as a message.

    Raises:
        UsageError: the question is empty.
    """
    question = without_surrogates(question)
    if not question.strip():
        raise UsageError("the question is empty; ask something")
    return Message("user", question)
