"""What a data set is, however it was written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from quaestor.evaluation.metrics import Question

Layout = Literal["beir", "code-search", "jsonl", "self"]
Unit = Literal["chunks", "documents"]


@dataclass(frozen=True, slots=True)
class Part:
    """One corpus and the questions about it.

    Attributes:
        name: unique within the data set.
        root: the folder that is indexed.
        questions: at least one.
        prefix: what the questions' paths have before the corpus's own, without a slash at its end.
        project: what people call the corpus, a name that tells nothing within it; None: as its repository is called.
        copied: whether the folder is a copy that was made for this, so that no rule of what lies above it counts.
        names: what its documents are called elsewhere, by path; empty: as their paths.
    """

    name: str
    root: Path
    questions: tuple[Question, ...]
    prefix: str = ""
    project: str | None = None
    copied: bool = False
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DataSet:
    """Questions with known answers about one corpus or several.

    Attributes:
        name: for people.
        layout: how it was written down.
        unit: what a result is: a chunk; or a document, which counts once, where no answer names lines.
        parts: at least one.
        problems: sentences about what was left out.
        about: sentences about how the questions came to be and what they cannot tell.
    """

    name: str
    layout: Layout
    unit: Unit
    parts: tuple[Part, ...]
    problems: tuple[str, ...] = ()
    about: tuple[str, ...] = ()

    @property
    def questions(self) -> tuple[Question, ...]:
        """Every question of every part."""
        return tuple(question for part in self.parts for question in part.questions)

    def name_of(self, path: str) -> str:
        """Return what a document is called in the data set: its id, where it has one besides its path."""
        return next((part.names[path] for part in self.parts if path in part.names), path)


def unit_of(parts: tuple[Part, ...]) -> Unit:
    """Return what a result is for these questions: a document unless some answer names lines."""
    lines = any(target.start_line is not None for part in parts for one in part.questions for target in one.targets)
    return "chunks" if lines else "documents"
