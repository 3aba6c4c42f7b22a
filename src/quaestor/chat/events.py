"""The steps of a streamed turn, and what they add up to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from quaestor.core.citation import Citation
from quaestor.core.messages import ToolCall, Usage
from quaestor.core.passages import Hit
from quaestor.llm.models import FinishReason
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.search.spelling import Unknown
from quaestor.sessions.records import Plan
from quaestor.sessions.session_rows import passages_shown, runs
from quaestor.window import Window


@dataclass(frozen=True, slots=True)
class Searching:
    """Retrieval begins.

    Attributes:
        query: the text that is searched for.
        understood: words of the question that limit the documents instead, by date or author.
        missed: words that would, but nothing would be left.
        unknown: words that stand nowhere in the corpus, with the nearest that do.
        translated: what is searched for in English for the words of a question in another language.
    """

    query: str
    understood: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    translated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passages:
    """The passages that an answer may cite.

    Attributes:
        hits: best first.
        known: whether there is anything to answer from; without a model, whether it is strong enough to quote.
        numbers: by which the answer cites each; from 1 in this order where none are given.
    """

    hits: tuple[Hit, ...]
    known: bool
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Composed:
    """A request is about to be sent.

    Attributes:
        window: its messages, tokens by section, and the decision on each message and passage.
        model: to whom it goes.
    """

    window: Window
    model: str


@dataclass(frozen=True, slots=True)
class Summarising:
    """The model is asked for a summary of what slid out of the window.

    Attributes:
        messages: number of messages that are summarised.
    """

    messages: int


@dataclass(frozen=True, slots=True)
class Retried:
    """The server refused a request for its length or for its tools: it is composed anew and sent once more.

    Attributes:
        reason: what the server said.
        limit: the window that is composed for now, tokens.
        tools: whether it was for its tools; calls are told as text from now on.
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
    """The model calls a subroutine.

    Attributes:
        name: which one; it may not exist.
        arguments: as the model gave them, unchecked.
    """

    name: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Returned:
    """A call is over.

    Attributes:
        name: of the subroutine.
        text: what the model is told.
        passages: that it can cite from now on.
        failed: whether nothing came of the call.
    """

    name: str
    text: str
    passages: tuple[Passage, ...] = ()
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Proposed:
    """A change was proposed; nothing was written.

    Attributes:
        proposal: as the subroutine made it.
    """

    proposal: object


@dataclass(frozen=True, slots=True)
class Stopped:
    """The turn was ended before the model had come to its end; what it had written stands.

    Attributes:
        reason: for people.
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
        citations: in order of their numbers.
        unsupported: sentences of the answer for which no passage gives support, each once.
        quotes: where none of the citations holds, what would have been quoted without a model.
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
        proposals: changes that were proposed; none of them is made yet.
        finish: why the reply ended.
        calls: of the caller's own tools, for the caller to run.
        unchecked: whether a model answered and none of its citations holds, so that the answer is its word alone.
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


_NEAREST = 3


@dataclass(slots=True)  # mutable: filled by the events of a turn
class TurnOutcome:
    """A turn, as far as its events were taken.

    Attributes:
        understood: words of the question that limited the documents, by date or author.
        missed: words that would have, but nothing was left.
        unknown: words that stand nowhere in the corpus, with the nearest that do.
        translated: what was searched for in English for the words of a question in another language.
        hits: what was found, best first.
        citations: each as it was checked.
        unsupported: sentences without support.
        quotes: what would have been quoted without a model, where no citation of its answer holds.
        reserve: tokens that the window kept free for the reply; None if nothing was composed.
        sent: places of the passages that the model was shown, from 0, best first.
        calls: every call with its arguments, in order.
        done: the last event; None before it.
    """

    understood: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    unknown: tuple[Unknown, ...] = ()
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
        """Whether a model answered without any citation that holds."""
        return self.done is not None and self.done.unchecked

    @property
    def nearest(self) -> tuple[Hit, ...]:
        """The nearest passages if the corpus does not hold an answer; else none."""
        known = self.done is not None and self.done.known
        return () if known else self.hits[:_NEAREST]
