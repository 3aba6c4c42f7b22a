"""The questions of ``asked/answers``, each with the words and the places of a right answer.

``asked/WRITING.md`` describes the files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from training.asked_questions import Part, Target, part_of, read_targets

Words = tuple[tuple[str, ...], ...]
"""What must be said: of each group at least one, in any case of letters."""

# The kinds of the older questions, as the figures group them.
GROUPS = {
    "where": "how",
    "architecture": "how",
    "trace": "error",
    "identifier": "name",
    "path": "name",
    "paraphrase": "fact",
    "multi": "fact",
    "keywords": "fact",
}


@dataclass(frozen=True, slots=True)
class Question:
    """One question, and what a right answer to it is.

    Attributes:
        id: names it within the whole set.
        kind: what kind of question it is.
        text: the question.
        answerable: whether the corpus holds the answer.
        requires: words that a right answer can hardly lack.
        parts: what an overview should name; empty for all other questions.
        evidence: the places that answer, best first.
        commits: full hashes, any of which answers as a place does.
    """

    id: str
    kind: str
    text: str
    answerable: bool
    requires: Words
    parts: Words
    evidence: tuple[Target, ...]
    commits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions about one repository.

    Attributes:
        repository: ``owner/name``.
        commit: the full hash of the checkout that they are about.
        corpus: ``code`` for a whole checkout with its history, ``prose`` for its documents.
        files: a regular expression that the paths of the documents match; empty for all files.
        questions: in the order of the file.
    """

    repository: str
    commit: str
    corpus: Literal["code", "prose"]
    files: str
    questions: tuple[Question, ...]

    @property
    def folder(self) -> str:
        """The name of the checkout's folder."""
        return self.repository.replace("/", "__")

    @property
    def part(self) -> Part:
        """What these questions serve."""
        return part_of(self.repository)


def read_answers(folder: Path) -> Iterator[Asked]:
    """Yield the questions of each file of ``folder/answers``, in the order of their names.

    A question with ``of`` is one of ``folder/code`` or ``folder/prose``, with its words and its evidence. Places in
    ``further`` answer it as well.
    """
    for file in sorted((folder / "answers").glob("*__*.json")):
        data = json.loads(file.read_text("utf-8"))
        older = _older(folder / data["corpus"] / file.name)
        questions = tuple(_question(row, older) for row in data["questions"])
        yield Asked(data["repository"], data["commit"], data["corpus"], data["files"], questions)


def of_kind(asked: Asked, kinds: Sequence[str]) -> Asked:
    """Return only the questions of some kinds; all of them where none is named."""
    return replace(asked, questions=tuple(one for one in asked.questions if not kinds or one.kind in kinds))


def _older(file: Path) -> dict[str, Mapping[str, Any]]:
    if not file.is_file():
        return {}
    return {row["id"]: row for row in json.loads(file.read_text("utf-8"))["questions"]}


def _question(row: Mapping[str, Any], older: Mapping[str, Mapping[str, Any]]) -> Question:
    whole = {**older[row["of"]], **row} if "of" in row else row
    return Question(
        whole["id"],
        GROUPS.get(whole["kind"], whole["kind"]),
        whole["question"],
        whole.get("answerable", True),
        _words(whole["requires"]),
        _words(whole.get("parts", ())),
        read_targets([*whole["evidence"], *whole.get("further", ())]),
        tuple(whole.get("commits", ())),
    )


def _words(groups: Sequence[Sequence[str]]) -> Words:
    return tuple(tuple(group) for group in groups)
