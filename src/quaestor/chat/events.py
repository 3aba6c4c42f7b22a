"""The events of a streamed turn, and their sum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from quaestor.core.documents import Citation, Hit
from quaestor.core.messages import ToolCall, Usage
from quaestor.llm.models import FinishReason
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.search.spelling import UnknownWord
from quaestor.sessions.records import Plan
from quaestor.sessions.session_rows import passages_shown, runs
from quaestor.window import Window


@dataclass(frozen=True, slots=True)
class Searching:
    """Retrieval begins.

    Attributes:
        query: the search query.
        understood: words of the question that were read as a filter on date or author.
        missed: words that would be a filter, but would leave no document.
        unknown: words that the corpus lacks, each with the most similar ones that it has.
        translated: the English translation by which a question in another language is searched.
    """

    query: str
    understood: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    unknown: tuple[UnknownWord, ...] = ()
    translated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passages:
    """The passages that an answer may cite.

    Attributes:
        hits: best first.
        known: whether there is anything to answer from; without a model, whether it is strong enough to quote.
        numbers: the numbers by which the answer cites each; from 1 in this order where none are given.
    """

    hits: tuple[Hit, ...]
    known: bool
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Composed:
    """A request is about to be sent.

    Attributes:
        window: its messages, tokens by section, and the decision on each message and passage.
        model: the receiver.
    """

    window: Window
    model: str


@dataclass(frozen=True, slots=True)
class Summarising:
    """The model is asked for a summary of messages that no longer fit into the window.

    Attributes:
        messages: number of messages that are summarised.
    """

    messages: int


@dataclass(frozen=True, slots=True)
class Retried:
    """The server refused a request because of its length or its tools; it is composed again and sent once more.

    Attributes:
        reason: the server's message.
        limit: the new window, tokens.
        tools: whether tools were refused; from now on calls are written as text.
    """

    reason: str
    limit: int
    tools: bool = False


@dataclass(frozen=True, slots=True)
class Premeditated:
    """The plan that the model made before its answer; it is shown only on request."""

    plan: Plan


@dataclass(frozen=True, slots=True)
class Called:
    """The model calls a tool.

    Attributes:
        name: which one; it may not exist.
        arguments: the arguments as the model gave them, unchecked.
    """

    name: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Returned:
    """A call has ended.

    Attributes:
        name: the name of the tool.
        text: the result for the model.
        passages: new passages that the model can cite.
        failed: whether the call failed.
    """

    name: str
    text: str
    passages: tuple[Passage, ...] = ()
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Proposed:
    """A change was proposed; nothing was written.

    Attributes:
        proposal: the proposal as the tool made it.
    """

    proposal: object


@dataclass(frozen=True, slots=True)
class Stopped:
    """The turn was ended before the model finished; its text so far is kept.

    Attributes:
        reason: the reason, as it is shown to the user.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the answer, fit to be shown at once."""

    text: str


@dataclass(frozen=True, slots=True)
class Citations:
    """The answer's citations after they were checked.

    Attributes:
        citations: the citations in order of their numbers.
        unsupported: sentences of the answer that no passage supports, each once.
        quotes: quotes to show if none of the citations is valid.
    """

    citations: tuple[Citation, ...]
    unsupported: tuple[str, ...] = ()
    quotes: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """The turn is over.

    Attributes:
        answer: the whole answer as shown.
        known: whether the corpus held an answer: at least one citation of it is verified or repaired, or changes are
            proposed.
        model: what wrote it.
        usage: tokens of all requests of the turn.
        proposals: proposed changes, not applied yet.
        finish: why the reply ended.
        calls: calls of the caller's own tools, for the caller to run.
        unchecked: whether a model answered and none of its citations is valid.
    """

    answer: str
    known: bool
    model: str
    usage: Usage
    proposals: tuple[object, ...] = ()
    finish: FinishReason = "stop"
    calls: tuple[ToolCall, ...] = ()
    unchecked: bool = False


Event = (
    Searching
    | Passages
    | Summarising
    | Composed
    | Retried
    | Premeditated
    | Called
    | Returned
    | Proposed
    | Text
    | Stopped
    | Citations
    | Done
)


_NEAREST = 5
"""The most passages that a refusal names."""


@dataclass(slots=True)  # mutable: filled by the events of a turn
class TurnOutcome:
    """The sum of a turn's events so far.

    Attributes:
        understood: words of the question that were read as a filter on date or author.
        missed: words that would be a filter, but would leave no document.
        unknown: words that the corpus lacks, each with the most similar ones that it has.
        translated: the English translation by which a question in another language was searched.
        hits: the hits, best first.
        citations: the citations after they were checked.
        unsupported: sentences without support.
        quotes: quotes to show if none of the citations is valid.
        reserve: tokens kept free for the reply; None if no request was composed.
        sent: indexes of the passages that the model was shown, best first.
        calls: every call with its arguments, in order.
        done: the last event; None before it.
    """

    understood: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    unknown: tuple[UnknownWord, ...] = ()
    translated: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()
    citations: tuple[Citation, ...] = ()
    unsupported: tuple[str, ...] = ()
    quotes: tuple[Citation, ...] = ()
    reserve: int | None = None
    sent: frozenset[int] = frozenset()
    calls: list[dict[str, object]] = field(default_factory=list)
    done: Done | None = None

    def take(self, event: Event) -> None:
        """Take the next event."""
        match event:
            case Searching():
                self.understood, self.missed = event.understood, event.missed
                self.unknown, self.translated = event.unknown, event.translated
            case Passages(hits=hits):
                self.hits = hits
            case Composed(window=window):
                self.reserve = window.reserve
                self.sent |= passages_shown(runs(window.decisions))
            case Called(name=name, arguments=arguments):
                self.calls.append({"name": name, "arguments": dict(arguments)})
            case Citations(citations=citations, unsupported=unsupported, quotes=quotes):
                self.citations, self.unsupported, self.quotes = citations, unsupported, quotes
            case Done():
                self.done = event

    @property
    def unchecked(self) -> bool:
        """Whether a model answered without any valid citation."""
        return self.done is not None and self.done.unchecked

    @property
    def nearest(self) -> tuple[Hit, ...]:
        """The nearest passages if the corpus has no answer; else none."""
        known = self.done is not None and self.done.known
        return () if known else self.hits[:_NEAREST]
