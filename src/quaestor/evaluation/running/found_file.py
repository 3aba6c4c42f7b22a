"""What was found for each question, kept in a file to which lines are only added."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from quaestor.core.passages import Hit
from quaestor.evaluation.datasets.dataset import Unit
from quaestor.evaluation.metrics import Location, Question, each_document_once

_SHOWN = 5
_EXCERPT = 240


@dataclass(frozen=True, slots=True)
class Found:
    """One hit as a person is shown it.

    Attributes:
        location: where it lies.
        symbol: what is defined or headed there; may be empty.
        text: the beginning of it.
    """

    location: Location
    symbol: str
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What one search gave.

    Attributes:
        locations: every hit, best first.
        shown: the first few of them, and of documents the first few, for people.
        seconds: that it took.
    """

    locations: tuple[Location, ...]
    shown: tuple[Found, ...]
    seconds: float

    @classmethod
    def of(cls, hits: Iterable[Hit], prefix: str, seconds: float) -> Answer:
        """Return what a search gave, with ``prefix`` before each path as the questions have it."""
        found = [Found(_location(hit, prefix), hit.symbol or "", _excerpt(hit.text)) for hit in hits]
        locations = tuple(one.location for one in found)
        kept = {*locations[:_SHOWN], *each_document_once(locations)[:_SHOWN]}
        return cls(locations, tuple(one for one in found if one.location in kept), seconds)

    def first(self, unit: Unit) -> list[Found]:
        """Return the first few results, whether these are chunks or documents."""
        locations = self.locations if unit == "chunks" else each_document_once(self.locations)
        shown = {one.location: one for one in self.shown}
        return [shown[location] for location in locations[:_SHOWN] if location in shown]


class Answers:
    """The answers of one way of searching one index.

    Args:
        path: the file; what is half written in it, for the writer was killed, is asked again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = dict(_read(path))

    def of(self, questions: Iterable[Question]) -> Mapping[str, Answer]:
        """Return what is known of these questions, by id."""
        return {one.id: self._known[one.id, one.text] for one in questions if (one.id, one.text) in self._known}

    @contextmanager
    def adding(self) -> Iterator[BinaryIO]:
        """Open the file for ``add``."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a+b") as file:
            if file.tell() and not _ends_a_line(self._path):
                file.write(b"\n")
            yield file

    def add(self, file: BinaryIO, question: Question, answer: Answer) -> None:
        """Keep one answer: it is on disk, as far as this process goes, before the next question is asked."""
        places = {location: place for place, location in reversed(list(enumerate(answer.locations)))}
        shown = [{"at": places[one.location], "symbol": one.symbol, "text": one.text} for one in answer.shown]
        line = {
            "id": question.id,
            "query": question.text,
            "seconds": answer.seconds,
            "hits": answer.locations,
            "shown": shown,
        }
        file.write(json.dumps(line).encode("ascii") + b"\n")
        file.flush()
        self._known[question.id, question.text] = answer


def _location(hit: Hit, prefix: str) -> Location:
    return (f"{prefix}/{hit.path}" if prefix else hit.path, hit.start_line, hit.end_line)


def _excerpt(text: str) -> str:
    return text.strip("\r\n")[:_EXCERPT]


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read(1) == b"\n"


def _read(path: Path) -> Iterator[tuple[tuple[str, str], Answer]]:
    if not path.is_file():
        return
    with path.open("rb") as file:
        for line in file:
            try:
                raw = json.loads(line)
                yield (str(raw["id"]), str(raw["query"])), _answer(raw)
            except (ValueError, LookupError, TypeError):
                continue  # cut off when its writer was killed


def _answer(raw: Mapping[str, Any]) -> Answer:
    locations = tuple((str(path), int(start), int(end)) for path, start, end in raw["hits"])
    shown = tuple(Found(locations[one["at"]], str(one["symbol"]), str(one["text"])) for one in raw["shown"])
    return Answer(locations, shown, float(raw["seconds"]))
