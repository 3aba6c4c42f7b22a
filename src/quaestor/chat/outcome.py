"""What the events of one turn add up to, for those who want its end and not its steps."""

from __future__ import annotations

from dataclasses import dataclass, field

from quaestor.chat.events import Called, Citations, Composed, Done, Event, Passages, Searching
from quaestor.core.citation import Citation
from quaestor.core.passages import Hit
from quaestor.search.spelling import Unknown
from quaestor.sessions.sent_messages import passages_shown, runs

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
        """Whether a model answered and nothing of its answer could be checked."""
        return self.done is not None and self.done.unchecked

    @property
    def nearest(self) -> tuple[Hit, ...]:
        """What comes nearest where the corpus does not hold an answer; nothing where it does."""
        known = self.done is not None and self.done.known
        return () if known else self.hits[:_NEAREST]
