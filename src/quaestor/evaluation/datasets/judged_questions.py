"""Questions with answers in two layouts: the public code-search benchmark's, and JSON lines.

The benchmark's is ``repos.json``, ``annotations/NAME.json``, and a checkout of each. An annotation is
``{query, relevant, secondary, category}``; a target is a path of the checkout, or ``{path, start_line, end_line}``.
``benchmark_root`` is the folder of the checkout that is indexed.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from quaestor.core.errors import NotFoundError, UsageError
from quaestor.evaluation.datasets.dataset import DataSet, Part, Problems, read_json, read_objects, text_of, unit_of
from quaestor.evaluation.metrics import Question, Target

REPOSITORIES, ANNOTATIONS = "repos.json", "annotations"

_NO_QUERY = "Questions without a query are left out"
_NO_ANSWER = "Questions none of whose answers can be used are left out"
_UNREADABLE = "Answers that are neither a path nor a path with lines are left out"
_UNKNOWN = "Answers that name no file of the corpus are left out"


def is_code_search(folder: Path) -> bool:
    """Return whether a folder has this layout."""
    return (folder / REPOSITORIES).is_file() and (folder / ANNOTATIONS).is_dir()


def read_code_search(folder: Path, checkouts: Path, only: Collection[str] = ()) -> DataSet:
    """Read a data set.

    Args:
        folder: the folder with ``repos.json`` and ``annotations``.
        checkouts: the folder of the checkouts, each named after its repository.
        only: the names of the repositories to read; empty for all.

    Raises:
        NotFoundError: a repository of ``only`` is not listed.
        UsageError: it holds no usable question, or a file cannot be read.
    """
    problems = Problems()
    repositories = [one for one in _entries(read_json(folder / REPOSITORIES)) if isinstance(one, dict)]
    names = [text_of(entry.get("name")) for entry in repositories]
    if unknown := sorted(set(only) - set(names)):
        raise NotFoundError(
            f"{unknown[0]!r} is not in {str(folder / REPOSITORIES)!r}. Give one of: {', '.join(names)}."
        )
    parts: dict[str, Part] = {}
    for entry, name in zip(repositories, names, strict=True):
        if only and name not in only:
            continue
        if name in parts:
            problems.add("Repositories with the name of an earlier one are left out", repr(name))
        elif (part := _part(folder, entry, name, checkouts, problems)) is not None:
            parts[name] = part
    if not parts:
        raise UsageError(
            f"No question of {str(folder)!r} can be asked. {' '.join(problems.sentences())} "
            "--corpus names the folder of the checkouts."
        )
    return DataSet(folder.name, "code-search", "chunks", tuple(parts.values()), problems.sentences())


def read_annotations(file: Path, checkout: Path) -> DataSet:
    """Read one repository's file of annotations; raises as ``read_code_search``."""
    problems = Problems()
    questions = _questions(file, checkout, file.stem, problems)
    if not questions:
        raise UsageError(f"No question of {str(file)!r} can be asked. {' '.join(problems.sentences())}")
    return DataSet(file.stem, "code-search", "chunks", (Part(file.stem, checkout, questions),), problems.sentences())


def _part(folder: Path, entry: dict[str, Any], name: str, checkouts: Path, problems: Problems) -> Part | None:
    prefix = PurePosixPath(text_of(entry.get("benchmark_root")))
    if not name or PurePosixPath(name).name != name or name == ".." or prefix.is_absolute() or ".." in prefix.parts:
        problems.add("Repositories whose name or folder leads elsewhere are left out", repr(name[:60]))
        return None
    checkout = checkouts / name
    annotations = folder / ANNOTATIONS / f"{name}.json"
    if not (checkout / prefix).is_dir() or not annotations.is_file():
        missing = "annotations" if not annotations.is_file() else "checkout"
        problems.add(f"Repositories without {missing} are left out", repr(name))
        return None
    questions = _questions(annotations, checkout, name, problems)
    if not questions:
        return None
    return Part(name, (checkout / prefix).resolve(), questions, "" if str(prefix) == "." else str(prefix))


def _questions(file: Path, checkout: Path, name: str, problems: Problems) -> tuple[Question, ...]:
    reader = _Judgements(_Files(checkout).__contains__, problems)
    questions: dict[str, Question] = {}
    for number, raw in enumerate(_entries(read_json(file)), 1):
        place = f"{file.name}, entry {number}"
        identifier = text_of(raw.get("id")) if isinstance(raw, dict) else ""
        question = reader.question(f"{name}/{identifier or number}", place, raw if isinstance(raw, dict) else {})
        if question is not None and question.id in questions:
            problems.add("Questions with the id of an earlier one are left out", place)
        elif question is not None:
            questions[question.id] = question
    return tuple(questions.values())


def _entries(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


class _Files:
    """The files below a folder, by path or by the end of one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __contains__(self, path: str) -> bool:
        """Return whether a file has this path, or a path that ends with it."""
        parts = path.split("/")
        if not path or posixpath.isabs(path) or ".." in parts or "\0" in path:
            return False
        return (self._folder / path).is_file() or any(
            known == path or known.endswith(f"/{path}") for known in self._by_name.get(parts[-1], ())
        )

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        paths_of_name: dict[str, list[str]] = {}
        for place, _, names in os.walk(self._folder):
            folder = Path(place).relative_to(self._folder).as_posix()
            for name in names:
                paths_of_name.setdefault(name, []).append(name if folder == "." else f"{folder}/{name}")
        return paths_of_name


@dataclass(frozen=True, slots=True)
class _Judgements:
    """Reads questions and records their problems.

    Attributes:
        exists: whether a path is a file of the corpus.
        problems: collects the problems.
    """

    exists: Callable[[str], bool]
    problems: Problems

    def question(self, identifier: str, place: str, raw: Mapping[str, Any]) -> Question | None:
        """Return the question that an object describes, or None if it cannot be asked.

        Args:
            identifier: the question's identifier, unique within the data set.
            place: the place where it is written, for messages.
            raw: the object with ``query``, ``relevant`` and ``secondary`` (paths, or ``{path, start_line, end_line,
                gain}``), ``category``.
        """
        query = text_of(raw.get("query"))
        if not query:
            self.problems.add(_NO_QUERY, place)
            return None
        listed = [
            entry
            for key in ("relevant", "secondary")
            for entry in (raw[key] if isinstance(raw.get(key), list) else [raw[key]] if raw.get(key) else [])
        ]
        targets = tuple(target for entry in listed if (target := self._target(entry, place)) is not None)
        if not targets:
            self.problems.add(_NO_ANSWER, place)
            return None
        return Question(identifier, query, targets, text_of(raw.get("category")))

    def _target(self, raw: object, place: str) -> Target | None:
        target = _read(raw)
        if target is None:
            self.problems.add(_UNREADABLE, place)
        elif not self.exists(target.path):
            self.problems.add(_UNKNOWN, f"{target.path[:120]!r} ({place})")
        else:
            return target
        return None


def _read(raw: object) -> Target | None:
    """Return the target of an entry in a list of answers, or None."""
    entry = {"path": raw} if isinstance(raw, str) else raw
    if not isinstance(entry, dict) or not isinstance(entry.get("path"), str):
        return None
    path = posixpath.normpath(entry["path"]) if entry["path"] else ""
    start, end, gain = entry.get("start_line"), entry.get("end_line"), entry.get("gain", 1)
    number = isinstance(gain, (int, float)) and not isinstance(gain, bool) and 0 < gain < float("inf")
    if not number or (start is None) != (end is None):
        return None
    if start is None:
        return Target(path, gain=float(gain))
    whole = all(isinstance(line, int) and not isinstance(line, bool) for line in (start, end))
    return Target(path, start, end, float(gain)) if whole and 1 <= start <= end else None


def read_json_lines(file: Path, corpus: Path) -> DataSet:
    """Read a data set.

    Args:
        file: the questions.
        corpus: the folder that their paths are relative to.

    Raises:
        UsageError: it holds no usable question, or cannot be read.
    """
    problems = Problems()
    reader = _Judgements(_Files(corpus).__contains__, problems)
    questions: dict[str, Question] = {}
    for place, raw in read_objects(file, problems):
        identifier = text_of(raw.get("id")) or text_of(raw.get("_id")) or place.rpartition(":")[2]
        if identifier in questions:
            problems.add("Questions with the id of an earlier one are left out", f"{identifier[:60]!r} ({place})")
        elif (question := reader.question(identifier, place, raw)) is not None:
            questions[identifier] = question
    if not questions:
        raise UsageError(
            f"No question of {str(file)!r} can be asked of {str(corpus)!r}. {' '.join(problems.sentences())}"
        )
    parts = (Part(corpus.name, corpus, tuple(questions.values())),)
    return DataSet(file.stem, "jsonl", unit_of(parts), parts, problems.sentences())
