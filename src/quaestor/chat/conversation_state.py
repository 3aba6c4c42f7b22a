"""What a conversation knows at a moment: its model, its messages and their numbers on record, its window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from quaestor.chat.summaries import Summaries
from quaestor.chat.turn import Turn
from quaestor.core.messages import Message
from quaestor.corpus.conversation_corpus import ConversationCorpus
from quaestor.llm.models import Model
from quaestor.llm.models.capabilities import Capabilities
from quaestor.sessions.transcript import Transcript


def charged_to(model: Model | None, index: ConversationCorpus, transcript: Transcript) -> Model | None:
    """Return the model with its requests charged to a conversation, if a ledger keeps them."""
    charged: Callable[..., Model] | None = getattr(model, "charged", None)
    if charged is None:
        return model
    return charged(source=index.source, session=transcript.id if transcript.saved else "")


def known_capabilities(model: Model | None, transcript: Transcript) -> Capabilities:
    """Return the capabilities of a model, without those that its server refused earlier in this session."""
    if model is None:
        return Capabilities()
    known = model.capabilities
    return replace(known, native_tools=False) if transcript.refused_tools(model.name) else known


Sent = tuple[Sequence[Message], Sequence[int | None]]
"""Messages, and their numbers in the transcript; None for what is not in it."""


@dataclass(slots=True)  # mutable: follows its conversation
class History:
    """The state of a conversation between its turns.

    Attributes:
        limit: the model's window, tokens.
        accepted: tokens of the largest request that the model's server took, by our count.
        messages: the instructions and every message of the turns that are done.
        ids: their numbers in the transcript; None for what is not in it.
        summaries: of what slid out of the window.
        instruct: returns the instructions for a window, the first of the messages; None: they stay as they are.
    """

    limit: int
    accepted: int = 0
    messages: list[Message] = field(default_factory=list)
    ids: list[int | None] = field(default_factory=list)
    summaries: Summaries = field(default_factory=Summaries)
    instruct: Callable[[int], Message] | None = None

    def learn(self, limit: int) -> None:
        """Keep the model's window as it turned out to be, with the instructions that suit it."""
        self.limit = limit
        if self.instruct is not None:
            self.messages[0] = self.instruct(limit)

    @property
    def said(self) -> list[Message]:
        """The messages of the turns that are done."""
        return [message for message in self.messages if message.role != "system"]

    def with_turn(self, turn: Turn, tail: Sequence[Message] = ()) -> Sent:
        """Return the messages with a turn's question and what follows it, and their numbers."""
        messages = [*self.messages, turn.question, *tail]
        return messages, [*self.ids, turn.question_id, *(None for _ in tail)]

    def add(self, turn: Turn, answers: Sequence[Message], ids: Sequence[int]) -> None:
        """Take in a turn that is done."""
        self.messages += [turn.question, *answers]
        self.ids += [turn.question_id, *ids]


def restored(transcript: Transcript, model: Model | None, limit: int, head: Sequence[Message]) -> History:
    """Return the history that a transcript holds.

    Args:
        transcript: the record.
        model: whose window may be known from it.
        limit: the window otherwise, tokens.
        head: the instructions, and examples.
    """
    learned = None if model is None else transcript.limit_of(model.name)
    messages, ids = transcript.conversation()
    numbers: list[int | None] = [*(None for _ in head), *ids]
    history = History(min(limit, learned or limit), messages=[*head, *messages], ids=numbers)
    if kept := transcript.summaries():
        _, last, text = kept[-1]
        history.summaries = Summaries(text, numbers.index(last) + 1 if last in numbers else 0)
    return history
