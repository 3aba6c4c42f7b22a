"""Answering a message or a trace: what raises it, what of ours leads there, and what the documents say mends it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quaestor.answers.document_lines import CorpusLines
from quaestor.answers.drafts import Draft
from quaestor.answers.frames_here import FrameHere, frames_here
from quaestor.answers.raised_here import Raised, Template, find_templates, is_pasted, stands_behind
from quaestor.answers.resolved_names import raises_of, uses_of
from quaestor.answers.surroundings import around, qualified_name, stretch
from quaestor.answers.traces import read_trace
from quaestor.answers.way import Question, WayAnswer
from quaestor.corpus import Corpus
from quaestor.related import Relative
from quaestor.search.asked_names import names_of_code

_MOST_FRAMES = 2
_MOST_USES = 10
_MOST_NAMES = 4
_ANY = frozenset({"Error", "Exception", "Err", "Result", "Ok", "None", "RuntimeError"})
_SHORT = 6
_FAULT = re.compile(r"(?:[Ee]rror|[Ee]xception|Failure|Fault)s?$|^Unable[A-Z]")
_LONGEST = 200_000


def answer_error(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer a question with a message or a trace in it; None where nothing here prints it and no frame is ours."""
    text = question.text[:_LONGEST].strip()
    trace = read_trace(text)
    if not (trace.frames or is_pasted(text)):
        return None
    corpus.take_in()
    return corpus.following(lambda: _answered(text, corpus))


def _answered(text: str, corpus: Corpus) -> WayAnswer | None:
    trace, lines = read_trace(text), CorpusLines(corpus)
    frames = frames_here(corpus, trace.frames, lines)
    ours: dict[str, list[int]] = {}
    for frame in frames:
        ours.setdefault(frame.path, []).append(frame.line)
    found = find_templates(corpus, trace, ours, lines)
    said = "\n".join(trace.messages)
    raising: tuple[Relative, ...] = ()
    if not frames and found.raised is None:
        raising = _raising(corpus, said)
    traced = frames and (len(trace.frames) > 1 or trace.frames[0].names)
    if found.raised is None and not raising and not traced:
        return None
    return _Telling(corpus, lines, found, frames, said).answer(raising)


def _raising(corpus: Corpus, said: str) -> tuple[Relative, ...]:
    """Return the places that raise an error which the message names by its class."""
    names = dict.fromkeys(re.split(r"::|->|[.\\#$:/]", name)[-1] for name in names_of_code(said))
    for name in [*names][:_MOST_NAMES]:
        if name[:1].isupper() and name not in _ANY and (found := raises_of(corpus, name, _MOST_USES)):
            return found
    return ()


class _Telling:
    """One answer: what prints the message, and the frames that are ours, innermost first."""

    def __init__(
        self, corpus: Corpus, lines: CorpusLines, found: Raised, frames: tuple[FrameHere, ...], said: str
    ) -> None:
        self._corpus = corpus
        self._lines = lines
        self._said = said
        self._found = found
        self._frames = frames
        self._draft = Draft()
        self._quoted: list[tuple[str, int, int]] = []

    def answer(self, raising: Sequence[Relative]) -> WayAnswer:
        """Return the answer; ``raising`` are places that raise an error which the message names."""
        raised = self._found.raised
        if self._throws() or self._leads():
            self._lead()
        elif raised is not None and _is_fault(raised, self._said):
            raising = raising or uses_of(self._corpus, raised.symbol or "", _MOST_USES)
        self._raise(raising)
        places = [place for place in (raised, *self._found.also) if place is not None]
        places = [place for place in places if not self._is_quoted(place.path, place.first)]
        if places:
            self._draft.say("The message comes from here:")
        for place in places:
            self._quote_template(place)
        self._lead()
        if self._found.told is not None:
            self._draft.say("The documents say of it:")
            self._quote_template(self._found.told)
        return self._draft.finished("errors")

    def _throws(self) -> bool:
        """Return whether the message is worded by a class of errors that the innermost frame names: it raises it."""
        raised = self._found.raised
        if raised is None or not self._frames or not _is_fault(raised, self._said):
            return False
        frame = self._frames[0]
        shown = self._lines.hit(frame.path, frame.first, frame.last).text
        return frame.path != raised.path or (
            not frame.first <= raised.first <= frame.last
            and any(name in shown for name in (raised.symbol or "").split("."))
        )

    def _lead(self) -> None:
        """Quote the frames that lead to what raises the message, or that alone tell where it happens."""
        frames = [one for one in self._frames if not self._is_quoted(one.path, one.line)]
        if not frames:
            return
        self._draft.say(
            "The trace leads there from here:" if self._quoted else "Innermost of what is here, the trace points at:"
        )
        shown = 0
        for frame in frames:
            if shown < _MOST_FRAMES and not self._is_quoted(frame.path, frame.line):
                self._quote(frame.path, frame.first, frame.last, frame.symbol)
                shown += 1

    def _leads(self) -> bool:
        """Return whether the frames tell more than the message, which is worded in a file that none of them is in."""
        raised = self._found.raised
        return raised is not None and bool(self._frames) and all(one.path != raised.path for one in self._frames)

    def _raise(self, raising: Sequence[Relative]) -> None:
        """Quote where an error is raised."""
        places = [one for one in raising if not stands_behind(one.path)]
        if places:
            self._draft.say("It is raised here:")
        for one in places[:_MOST_FRAMES]:
            holder = around(self._lines.definitions(one.path), one.start_line)
            file = self._lines.file(one.path)
            if file is not None and not self._is_quoted(one.path, one.start_line):
                self._quote(one.path, *stretch(file, holder, one.start_line), qualified_name(holder))

    def _quote_template(self, place: Template) -> None:
        self._quote(place.path, place.first, place.last, place.symbol)

    def _quote(self, path: str, first: int, last: int, symbol: str | None) -> None:
        hit = self._lines.hit(path, first, last, symbol)
        self._quoted.append((path, hit.start_line, hit.end_line))
        self._draft.quote(hit)

    def _is_quoted(self, path: str, line: int) -> bool:
        return any(path == known and first <= line <= last for known, first, last in self._quoted)


def _is_fault(place: Template, said: str) -> bool:
    """Return whether a place is part of a class of errors: by its name, or because the message begins with it."""
    names = (place.symbol or "").split(".")
    return any(
        _FAULT.search(name) or (len(name) > _SHORT and re.search(rf"\b{re.escape(name)}\b(?:[('\"]|:(?!:))", said))
        for name in names
    )
