"""Prepares a turn for the page, with the changes that a model proposed in it, line by line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from markupsafe import Markup

from quaestor.answers.citations.citation_marks import words_of_sentence
from quaestor.answers.quotes.pick_quotes import ExtractiveModel
from quaestor.core.documents import Citation
from quaestor.core.wording import amount
from quaestor.server.web.answer_html import UNCHECKED, LinkedCitation, render, render_sentence
from quaestor.server.web.safe_text import in_words, plain, plain_line
from quaestor.sessions.records import CallRecord, Feedback, Source, TurnRecord
from quaestor.sessions.transcript import Transcript

_LONGEST_STEP = 160
_PICTURE = re.compile(r"!\[|<img", re.IGNORECASE)
_MOST_PICTURES = 4
# How the page names the model's calls.
_DONE = {
    "search": "Searched",
    "read": "Read",
    "related": "Looked at what belongs to",
    "overview": "Looked over",
    "history": "Looked into the history",
    "edit": "Proposed a change",
    "create": "Proposed a file",
}

_COLOURS = {"+": "inserted", "-": "deleted"}
_HEADS = ("+++ ", "--- ", "@@ ")


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a turn, such as a tool call.

    Attributes:
        text: what was done, on one line.
        result: the result that the model was sent; "" if there is none.
        failed: whether it failed.
    """

    text: str
    result: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in a document.

    Attributes:
        path: its path in the corpus.
        alt: its alternative text in the document.
        href: its address on the server.
    """

    path: str
    alt: str
    href: str


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn with its answer as HTML.

    Attributes:
        number: the turn's number, from 1.
        path: the path below which its pages are.
        question: the user's words.
        state: done, failed, cancelled, unfinished or running.
        html: the answer, or its beginning.
        pictures: the pictures in cited passages.
        known: whether the corpus held an answer.
        written: whether a model wrote the answer; what is quoted says itself that it found none.
        unchecked: whether a model answered without a valid citation.
        quotes: quotes from the corpus, beside an unchecked answer.
        unsupported: unsupported sentences, as HTML.
        error: why it failed or ended early; "" if it did not.
        limits: a sentence on words of the question that were, or were not, used as a filter.
        steps: its steps.
        steps_summary: a summary of the steps.
        proposed: changes that the model proposed.
        feedback: a person's feedback; None if there is none.
        sources: the number of hits.
        requests: the number of requests to a model.
        answered_by: which model wrote the answer, or that it is made of quotes.
        last: whether it is the last turn.
        superseded: whether a later turn repeats its question.
        seconds: how long ago it began.
    """

    number: int
    path: str
    question: str
    state: str
    html: Markup
    pictures: Sequence[Picture]
    known: bool
    written: bool
    unchecked: bool
    quotes: tuple[LinkedCitation, ...]
    unsupported: tuple[Markup, ...]
    error: str
    limits: str
    steps: tuple[Step, ...]
    steps_summary: str
    proposed: tuple[_ProposedChange, ...]
    feedback: Feedback | None
    sources: int
    requests: int
    answered_by: str
    last: bool
    superseded: bool
    seconds: int


def views(
    transcript: Transcript, turns: Sequence[TurnRecord], pictures: PicturesIn, place: PlaceIn, *, running: bool = False
) -> list[TurnView]:
    """Return the views of some turns of a session.

    Args:
        transcript: the session's transcript.
        turns: the turns to show.
        pictures: finds the pictures that a text names.
        place: describes the place of lines.
        running: whether the session's last turn is running.
    """
    every = transcript.turns()
    last = max((turn.number for turn in every), default=0)
    again = {turn.resumes for turn in every}
    at_work = last if running else 0
    return [
        _view(transcript, turn, last, pictures, place, running=turn.number == at_work, superseded=turn.number in again)
        for turn in turns
    ]


PicturesIn = Callable[[str, str], Sequence[Picture]]
"""Takes a text and its document's path; returns the pictures that the text names."""

PlaceIn = Callable[[str, int, int], str]
"""Takes a document's path, a first and a last line; returns the place as text for people."""


def _pictures(citations: Sequence[Citation], find: PicturesIn) -> tuple[Picture, ...]:
    """Return the pictures in an answer's quoted passages."""
    quoted = [one for one in citations if one.status == "verified" and _PICTURE.search(one.quote)]
    return tuple(dict.fromkeys(picture for one in quoted for picture in find(one.quote, one.path)))[:_MOST_PICTURES]


def _cited_of(path: str, citations: Sequence[Citation], place: PlaceIn) -> tuple[LinkedCitation, ...]:
    """Return a turn's citations with the links to their passages; ``path`` is the turn's."""
    return tuple(
        LinkedCitation(
            one.n,
            place(one.path, one.start_line, one.end_line),
            one.quote,
            one.status,
            f"{path}/citations/{index}",
        )
        for index, one in enumerate(citations)
    )


def lines_place(path: str, first: int, last: int) -> str:
    """Return ``src/a.py:10-24``, or ``src/a.py:10`` for a single line."""
    return f"{path}:{first}" if first == last else f"{path}:{first}-{last}"


def _view(
    transcript: Transcript,
    turn: TurnRecord,
    last: int,
    pictures: PicturesIn,
    place: PlaceIn,
    *,
    running: bool,
    superseded: bool,
) -> TurnView:
    ending = turn.ending
    path = f"/sessions/{transcript.id}/turns/{turn.number}"
    sources = transcript.sources(turn.number)
    calls = transcript.calls(turn.number)
    requests = transcript.sent_count(turn.number)
    counts = _found_and_sent(len(sources), *transcript.count_shown_passages(turn.number))
    return TurnView(
        number=turn.number,
        path=path,
        question=turn.question,
        state="running" if running and ending.state == "unfinished" else ending.state,
        html=_answer(turn, path, sources, place),
        pictures=_pictures(ending.citations, pictures),
        known=ending.known,
        written=ending.model != ExtractiveModel.name,
        unchecked=ending.unchecked,
        quotes=_cited_of(path, (*ending.citations, *ending.quotes), place)[len(ending.citations) :],
        unsupported=tuple(render_sentence(words_of_sentence(one)) for one in ending.unsupported),
        error=in_words(ending.error),
        limits=_limits(*transcript.limits(turn.number)),
        steps=tuple(_steps(counts, calls)),
        steps_summary=_summarise_steps(counts, calls),
        proposed=proposed_changes(calls),
        feedback=turn.feedback,
        sources=len(sources),
        requests=requests,
        answered_by=_origin_of_answer(turn),
        last=turn.number == last,
        superseded=superseded,
        seconds=_seconds_since(turn.began),
    )


def _seconds_since(began: str) -> int:
    """Return the whole seconds since a recorded time; 0 if the clock was set back meanwhile."""
    return max(0, int((datetime.now(UTC) - datetime.fromisoformat(began)).total_seconds()))


def _answer(turn: TurnRecord, path: str, sources: Sequence[Source], place: PlaceIn) -> Markup:
    """Return an answer as HTML; in an unfinished one, the citations are unchecked."""
    ending = turn.ending
    places = [one.passage for one in sources]
    if turn.answer:
        found = [
            (lines_place(one.path, one.start_line, one.end_line), f"{path}/sources/{index}")
            for index, one in enumerate(places)
        ]
        return render(turn.answer, _cited_of(path, ending.citations, place), ending.unsupported, found)
    unchecked = [
        LinkedCitation(one.n, place(one.path, one.start_line, one.end_line), "", UNCHECKED, f"{path}/sources/{index}")
        for index, one in enumerate(places)
    ]
    return render(ending.partial, unchecked)


def _limits(understood: Sequence[str], missed: Sequence[str]) -> str:
    if understood:
        return f"Understood as a filter: {_with_quotes(understood)}. Put it in quotation marks to search for the words."
    return f"Not used as a filter, because nothing would be left: {_with_quotes(missed)}." if missed else ""


def _with_quotes(phrases: Sequence[str]) -> str:
    return ", ".join(f"“{phrase}”" for phrase in phrases)


def _found_and_sent(every: int, sent: int, searched: int) -> str:
    """Return how many passages were found and, if not all of the search's were sent, how many were.

    Args:
        every: the number of passages from the search and from tool calls.
        sent: the number of passages from the search that a model was sent.
        searched: the number of passages from the search; 0 if nothing was sent.
    """
    left_out = f", {sent:,} of {searched:,} read" if sent < searched else ""
    return f"{amount(every, 'passage')} found{left_out}" if every else ""


def _steps(counts: str, calls: Sequence[CallRecord]) -> list[Step]:
    searched = [Step(f"Searched; {counts}")] if counts else []
    return [*searched, *(Step(_call(call), call.result, call.failed) for call in calls)]


def _summarise_steps(counts: str, calls: Sequence[CallRecord]) -> str:
    calls_made = f"the model looked {amount(len(calls), 'more time')}" if calls else ""
    return ", ".join(filter(None, (counts or ("0 passages found" if calls else ""), calls_made)))


def _call(call: CallRecord) -> str:
    try:
        text = ", ".join(str(value) for value in dict(json.loads(call.arguments)).values())
    except (ValueError, TypeError, RecursionError):
        text = call.arguments
    brought = "it failed" if call.failed else amount(len(call.numbers), "passage")
    text = text if len(text) <= _LONGEST_STEP else f"{text[:_LONGEST_STEP]}…"
    return f"{_DONE.get(call.name, call.name)}: {' '.join(text.split())} ({brought})"


def _origin_of_answer(turn: TurnRecord) -> str:
    ending = turn.ending
    if ending.model == ExtractiveModel.name:
        return "Quoted from the documents" if ending.known else ""
    return f"Written by {ending.model}" if ending.model and (turn.answer or ending.partial) else ""


@dataclass(frozen=True, slots=True)
class _ProposedChange:
    """A change that a model proposed.

    Attributes:
        path: the path of the document that it changes.
        lines: the lines of its diff, each with the name of its colour, which may be empty.
        applied: whether it was applied.
    """

    path: str
    lines: tuple[tuple[str, str], ...]
    applied: bool = False


def proposed_changes(calls: Iterable[CallRecord]) -> tuple[_ProposedChange, ...]:
    """Return the changes that recorded calls proposed."""
    return tuple(
        _ProposedChange(_path(call), tuple(_lines(call.difference)), bool(call.applied))
        for call in calls
        if call.difference
    )


def _path(call: CallRecord) -> str:
    try:
        return plain_line(str(json.loads(call.arguments)["path"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        return "a document"


def _lines(difference: str) -> Iterator[tuple[str, str]]:
    for line in plain(difference).rstrip("\n").split("\n"):
        yield ("comment" if line.startswith(_HEADS) else _COLOURS.get(line[:1], "")), line
