"""What a run takes and gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from quaestor.evaluation.datasets import Part
from quaestor.evaluation.grid import Configuration
from quaestor.evaluation.running.built import Built
from quaestor.evaluation.running.found_file import Answer
from quaestor.indexing.indexer import Progress


@dataclass(frozen=True, slots=True)
class Place:
    """Where an evaluation keeps what it makes.

    Attributes:
        folder: of everything.
    """

    folder: Path

    @property
    def indexes(self) -> Path:
        """One folder for each index."""
        return self.folder / "indexes"

    @property
    def answers(self) -> Path:
        """One file for each index and way of searching."""
        return self.folder / "answers"

    @property
    def copies(self) -> Path:
        """Corpora that are no files, as files."""
        return self.folder / "copies"

    @property
    def reports(self) -> Path:
        """Where reports are written unless told otherwise."""
        return self.folder / "reports"


@dataclass(frozen=True, slots=True)
class Cell:
    """One configuration on one part of a data set.

    Attributes:
        configuration: what was tried.
        part: on what.
        built: the index, and what it cost.
        answers: of each question, by its id.
    """

    configuration: Configuration
    part: Part
    built: Built
    answers: Mapping[str, Answer]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run gave.

    Attributes:
        cells: configuration by configuration within each part.
        problems: sentences about parts that were left out.
    """

    cells: tuple[Cell, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Watcher:
    """Who is told how far a run is.

    Attributes:
        indexing: as of any index.
        asked: called with the number of questions that are done, of all, and the configuration.
    """

    indexing: Progress | None = None
    asked: Callable[[int, int, Configuration], None] = lambda done, total, configuration: None
