"""Questions about repositories and documents with the lines that answer them, and the division into parts.

``benchmarks/asked/WRITING.md`` describes the files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

Part = Literal["learn", "choose", "report"]

_PARTS: tuple[Part, ...] = ("report", "choose", "learn", "learn", "learn")

# Weights are fitted to the questions in these folders, and chosen on them; others only measure.
FITTED = ("code", "mechanisms", "prose")
SHORT = "short"


@dataclass(frozen=True, slots=True)
class Target:
    """A place that answers a question: lines of a file, 1-based and inclusive, or a whole file."""

    path: str
    start_line: int = 1
    end_line: int = 1 << 31

    @property
    def whole(self) -> bool:
        """Whether any line of the file answers."""
        return self.end_line == 1 << 31

    def holds(self, path: str, start_line: int, end_line: int) -> bool:
        """Return whether lines of a file touch this place; paths compare by suffix."""
        same = path == self.path or self.path.endswith("/" + path) or path.endswith("/" + self.path)
        return same and start_line <= self.end_line and self.start_line <= end_line


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, what kind of question it is, and the places that answer it, best first."""

    text: str
    kind: str
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions about one repository.

    Attributes:
        repository: ``owner/name``.
        commit: the full hash of the checkout that they are about.
        corpus: ``code`` for a whole checkout, ``prose`` for its documents, ``mechanisms`` for a whole checkout that is
            asked how its parts work, in long questions; ``short_code`` and ``short_prose`` for a few words asked about
            either.
        files: a regular expression that the paths of the documents match; empty for all files.
        questions: all with an answer.
    """

    repository: str
    commit: str
    corpus: Literal["code", "prose", "mechanisms", "short_code", "short_prose"]
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


def part_of(repository: str) -> Part:
    """Return which part a repository belongs to, by its name alone: a fifth to choose, a fifth to report."""
    return _PARTS[int(sha256(repository.encode()).hexdigest(), 16) % len(_PARTS)]


def read_asked(folder: Path, kinds: Sequence[str] = FITTED) -> Iterator[Asked]:
    """Yield the questions of each file in the folders ``kinds`` of a folder, in the order of their names."""
    for file in sorted(file for kind in kinds for file in folder.glob(f"{kind}/*.json")):
        data = json.loads(file.read_text("utf-8"))
        questions = tuple(
            Question(one["question"], one["kind"], read_targets(one["evidence"])) for one in data["questions"]
        )
        yield Asked(data["repository"], data["commit"], data["corpus"], data["files"], questions)


def read_targets(places: list[Any]) -> tuple[Target, ...]:
    """Return places as data sets write them: a path, or a path with lines."""
    return tuple(
        Target(place)
        if isinstance(place, str)
        else Target(place["path"], place.get("start_line") or 1, place.get("end_line") or 1 << 31)
        for place in places
    )
