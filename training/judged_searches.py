"""Judged searches: questions with the places that answer them, and the features of the candidates."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quaestor.assemble import Index
from quaestor.core.config import Settings
from quaestor.search.retriever import features_and_steps
from training.asked_questions import Asked, Question, Target, read_targets


@dataclass(frozen=True, slots=True)
class Search:
    """One question with its candidates.

    Attributes:
        repository: where it was asked.
        kind: what kind of question it is.
        targets: the places that answer it.
        features: shape ``(candidates, len(FEATURES))``.
        steps: what each candidate has for being certain, or lacks for being background.
        paths: the candidates' documents.
        positions: which chunk of its document each is.
        sizes: their characters.
        answers: which candidates lie in which target, shape ``(targets, candidates)``.
    """

    repository: str
    kind: str
    targets: tuple[Target, ...]
    features: NDArray[np.float32]
    steps: NDArray[np.float32]
    paths: tuple[str, ...]
    positions: tuple[int, ...]
    sizes: tuple[int, ...]
    answers: NDArray[np.bool_]

    @property
    def answerable(self) -> bool:
        """Whether any candidate answers."""
        return bool(self.answers.any())


def asked_searches(asked: Asked, checkouts: Path, indexes: Path) -> list[Search]:
    """Index what questions are about and run each of them up to its features; none where there is no checkout.

    Args:
        asked: the questions.
        checkouts: holds one folder ``OWNER__NAME`` a repository.
        indexes: where indexes and copies of documents are kept; a second run only brings them up to date.
    """
    root = checkouts / asked.folder
    if not root.is_dir():
        return []
    if asked.files:
        root = documents_of(root, asked.files, indexes / "documents" / asked.folder)
    return list(_searches(asked.repository, root, asked.questions, indexes))


def prepared_searches(annotations: Path, checkouts: Path, indexes: Path) -> list[Search]:
    """Run the annotated queries about prepared folders of source code, whose targets are mostly whole files.

    Args:
        annotations: folder with ``repos.json`` and ``annotations/NAME.json``.
        checkouts: folder with one checkout a name; names without one are left out.
        indexes: as for ``asked_searches``.
    """
    searches: list[Search] = []
    for entry in json.loads((annotations / "repos.json").read_text("utf-8")):
        root = checkouts / entry["name"] / (entry.get("benchmark_root") or "")
        if root.is_dir():
            rows = json.loads((annotations / "annotations" / f"{entry['name']}.json").read_text("utf-8"))
            questions = tuple(
                Question(row["query"], row["category"], read_targets([*row["relevant"], *row.get("secondary", [])]))
                for row in rows
            )
            searches.extend(_searches(entry["name"], root, questions, indexes))
    return searches


def documents_of(checkout: Path, pattern: str, place: Path) -> Path:
    """Lay the files whose paths match ``pattern`` out in a folder of their own, by hard links, and return it."""
    wanted = re.compile(pattern)
    for file in sorted(checkout.rglob("*")):
        inside = file.relative_to(checkout).as_posix()
        if file.is_file() and not file.is_symlink() and wanted.fullmatch(inside):
            copy = place / inside
            if not copy.exists():
                copy.parent.mkdir(parents=True, exist_ok=True)
                os.link(file, copy)
    return place


def _searches(name: str, root: Path, questions: tuple[Question, ...], indexes: Path) -> Iterator[Search]:
    with Index.build(root, settings=Settings(home=str(indexes))) as index:
        for question in questions:
            query = index.retriever.read(question.text)
            found = index.retriever.candidates(query)
            if not found.chunks:
                continue
            spans = [(one.document.path, one.chunk.span.start_line, one.chunk.span.end_line) for one in found.chunks]
            yield Search(
                name,
                question.kind,
                question.targets,
                *features_and_steps(query, found),
                tuple(path for path, _, _ in spans),
                tuple(one.position for one in found.chunks),
                tuple(len(one.chunk.text) for one in found.chunks),
                np.array([[target.holds(*span) for span in spans] for target in question.targets], dtype=np.bool_),
            )
