"""The state of a conversation between turns: its messages with their record numbers, window, summaries and citations.

The model summarises messages that no longer fit the window. It is asked again once enough more have been left out, with
the last summary and the new messages. In between, the last summary is used; messages left out since can still be
recalled.

A passage that is cited keeps its number in all later turns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from quaestor.chat.chat_settings import Brief
from quaestor.chat.turn import Turn
from quaestor.core.documents import Citation, Hit
from quaestor.core.messages import Message
from quaestor.corpus.conversation_corpus import ConversationCorpus
from quaestor.llm.models import Model
from quaestor.llm.models.capabilities import Capabilities
from quaestor.llm.prompts.loader import load
from quaestor.llm.prompts.numbered_passages import Passage, number
from quaestor.llm.tokens import MessageCounter
from quaestor.sessions.transcript import Transcript
from quaestor.window import Decision, Window, compose

_EVERY = 16
# A summary may take this share of the window; compose gives it a little less than that.
_SHARE = 0.1
_WORDS_OF_A_TOKEN = 0.6


@dataclass(slots=True)  # mutable: follows its conversation
class _Summaries:
    """The latest summary of a conversation.

    Attributes:
        text: the summary; empty before the first one.
        covered: number of the conversation's messages, from the first one on, that it covers.
        out: places of messages that the last window left out.
        wait: number of messages that must be left out before the model is asked again.
    """

    text: str = ""
    covered: int = 0
    out: tuple[int, ...] = ()
    wait: int = _EVERY

    def follow(self, decisions: Sequence[Decision]) -> None:
        """Record the messages that a window left out."""
        self.out = tuple(
            one.index
            for one in decisions
            if one.kind == "message" and one.action in ("dropped", "summarised") and one.index >= self.covered
        )

    @property
    def due(self) -> bool:
        """Whether enough messages were left out since the last summary that a new one is worth a request."""
        return len(self.out) >= self.wait

    def request(self, messages: Sequence[Message], counter: MessageCounter, limit: int) -> Window:
        """Return the window of a request for a new summary.

        Raises:
            WindowError: the instructions do not fit ``limit`` tokens.
        """
        reserve = max(1, int(limit * _SHARE))
        words = str(int(reserve * _WORDS_OF_A_TOKEN))
        system = Message("system", load("chat_summary").render(words=words))
        room = limit - reserve - counter.request((system, self._request_message(""))) - 1
        lines = _lines_that_fit([_line_of_message(messages[place]) for place in self.out], counter, room)
        return compose([system, self._request_message(lines)], limit=limit, reserve=reserve, tokenizer=counter)

    def take_summary(self, text: str) -> None:
        """Take a new summary; it covers all that the last window left out."""
        self.text, self.covered, self.out, self.wait = text, self.out[-1] + 1, (), _EVERY

    def note_failure(self) -> None:
        """Record that the summary failed, so that not every turn asks for it again."""
        self.wait = len(self.out) + _EVERY

    def _request_message(self, transcript: str) -> Message:
        return Message("user", load("chat_summarised").render(summary=self.text, messages=transcript))


def _line_of_message(message: Message) -> str:
    return f"{message.name or message.role}: {message.content}"


def _lines_that_fit(lines: Sequence[str], counter: MessageCounter, room: int) -> str:
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


def charged_to(model: Model | None, index: ConversationCorpus, transcript: Transcript) -> Model | None:
    """Return the model with its requests charged to a conversation, if a ledger keeps them."""
    charged: Callable[..., Model] | None = getattr(model, "with_purpose", None)
    if charged is None:
        return model
    return charged(source=index.source, session=transcript.id if transcript.saved else "")


def known_capabilities(model: Model | None, transcript: Transcript) -> Capabilities:
    """Return the capabilities of a model, without those that its server refused earlier in this session."""
    if model is None:
        return Capabilities()
    known = model.capabilities
    return replace(known, native_tools=False) if transcript.refused_tools(model.name) else known


MessagesSent = tuple[Sequence[Message], Sequence[int | None]]
"""Messages, and their numbers in the transcript, or None."""


@dataclass(slots=True)  # mutable: follows its conversation
class History:
    """The state of a conversation between its turns.

    Attributes:
        limit: the model's window, tokens.
        accepted: tokens of the largest request that the server accepted, by our count.
        messages: the instructions and every message of finished turns.
        ids: their numbers in the transcript, or None.
        summaries: the summaries of messages that no longer fit the window.
        instruct: returns the instructions for a window, the first of the messages; None keeps them.
    """

    limit: int
    accepted: int = 0
    messages: list[Message] = field(default_factory=list)
    ids: list[int | None] = field(default_factory=list)
    summaries: _Summaries = field(default_factory=_Summaries)
    instruct: Callable[[int], Message] | None = None

    def learn(self, limit: int) -> None:
        """Take over the model's window as its server reported it, and the instructions for a window of that size."""
        self.limit = limit
        if self.instruct is not None:
            self.messages[0] = self.instruct(limit)

    @property
    def spoken_messages(self) -> list[Message]:
        """The messages of the turns that are done."""
        return [message for message in self.messages if message.role != "system"]

    def with_turn(self, turn: Turn, tail: Sequence[Message] = ()) -> MessagesSent:
        """Return the messages including a turn's question and its messages so far, and their numbers."""
        messages = [*self.messages, turn.question, *tail]
        return messages, [*self.ids, turn.question_id, *(None for _ in tail)]

    def add(self, turn: Turn, answers: Sequence[Message], ids: Sequence[int]) -> None:
        """Take in a turn that is done."""
        self.messages += [turn.question, *answers]
        self.ids += [turn.question_id, *ids]


def restore_history(transcript: Transcript, model: Model | None, limit: int, head: Sequence[Message]) -> History:
    """Return the history in a transcript.

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
        history.summaries = _Summaries(text, numbers.index(last) + 1 if last in numbers else 0)
    return history


# A mark of four digits is not read as a citation.
_HIGHEST = 999
_MARKED = re.compile(r"[\[【]\D{0,12}(\d{1,3})(?!\d)")

Place = tuple[str, int, int]


class Numbering:
    """Gives passages their numbers.

    Args:
        cited: passages that earlier answers cite, oldest first.
        marked: numbers that earlier answers use, whatever they cite.
    """

    def __init__(self, cited: Iterable[Passage] = (), marked: Iterable[int] = ()) -> None:
        self._cited: dict[Place, Passage] = {}
        self._marked = frozenset(marked)
        for passage in cited:
            self._remember(passage)

    @property
    def cited(self) -> tuple[Passage, ...]:
        """Passages that answers of this session cite, oldest first."""
        return tuple(self._cited.values())

    def passages(self, hits: Sequence[Hit]) -> tuple[Passage, ...]:
        """Return hits as passages under numbers that mean nothing else in this session."""
        return self.renumber(number(hits))

    def renumber(self, passages: Sequence[Passage], shown: Sequence[Passage] = ()) -> tuple[Passage, ...]:
        """Return passages under numbers that mean nothing else in this session, nor among those ``shown`` before."""
        before = {_place(passage): passage.n for passage in shown}
        used_numbers = {passage.n for passage in self._cited.values()} | set(before.values()) | self._marked
        free = (n for n in count(1) if n not in used_numbers)
        numbers = {**{place: passage.n for place, passage in self._cited.items()}, **before}
        return tuple(replace(passage, n=numbers.get(_place(passage)) or next(free)) for passage in passages)

    def remember(self, citations: Sequence[Citation], passages: Sequence[Passage]) -> tuple[Passage, ...]:
        """Keep the numbers of the passages that an answer cites, and return those passages."""
        numbers = {citation.n for citation in citations}
        cited = tuple(passage for passage in passages if passage.n in numbers)
        for passage in cited:
            self._remember(passage)
        return cited

    def _remember(self, passage: Passage) -> None:
        self._cited[_place(passage)] = passage
        # Far more than a window shows: the one cited first gives its number up.
        if len(self._cited) > _HIGHEST // 2:
            del self._cited[next(iter(self._cited))]


def numbers_cited(messages: Sequence[Message]) -> frozenset[int]:
    """Return the numbers that the latest answers seem to cite by.

    A conversation that was held elsewhere does not say what its numbers meant, so they shall mean nothing else here.
    """
    numbers: set[int] = set()
    for message in reversed(messages):
        if message.role == "assistant":
            numbers.update(int(number) for number in _MARKED.findall(message.content))
        if len(numbers) > _HIGHEST // 3:
            break
    return frozenset(numbers)


def _place(passage: Passage) -> Place:
    return passage.path, passage.start_line, passage.end_line


def brief_for(index: ConversationCorpus) -> Brief:
    """Return the brief for a corpus of mostly code or mostly prose."""
    return "documents" if index.is_prose() else "code"
