"""Questions with their answers, as the code-search layout and JSON lines write them down."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from quaestor.core.errors import UsageError
from quaestor.evaluation.datasets.data_files import Problems, read_objects, text_of
from quaestor.evaluation.datasets.dataset import DataSet, Part, unit_of
from quaestor.evaluation.metrics import Question, Target

_NO_QUERY = "Questions without a query are left out"
_NO_ANSWER = "Questions none of whose answers can be used are left out"
_UNREADABLE = "Answers that are neither a path nor a path with lines are left out"
_UNKNOWN = "Answers that name no file of the corpus are left out"


class Files:
    """The files below a folder, by path or by the end of one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __contains__(self, path: str) -> bool:
        """Tell whether there is a file of this path, or one whose path ends with it."""
        parts = path.split("/")
        if not path or posixpath.isabs(path) or ".." in parts or "\0" in path:
            return False
        return (self._folder / path).is_file() or any(
            known == path or known.endswith(f"/{path}") for known in self._by_name.get(parts[-1], ())
        )

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for place, _, names in os.walk(self._folder):
            folder = Path(place).relative_to(self._folder).as_posix()
            for name in names:
                found.setdefault(name, []).append(name if folder == "." else f"{folder}/{name}")
        return found


@dataclass(frozen=True, slots=True)
class Judgements:
    """Reads questions and notes what is wrong with them.

    Attributes:
        exists: whether a path is a file of the corpus.
        problems: where to note.
    """

    exists: Callable[[str], bool]
    problems: Problems

    def question(self, identifier: str, place: str, raw: Mapping[str, Any]) -> Question | None:
        """Return the question that an object describes, or None if it cannot be asked.

        Args:
            identifier: unique within the data set.
            place: where it is written.
            raw: ``query``, ``relevant`` and ``secondary`` (paths, or ``{path, start_line, end_line, gain}``),
                ``category``.
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
    """Return what an entry of a list of answers means, or None."""
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
        UsageError: nothing in it can be asked, or it cannot be read.
    """
    problems = Problems()
    reader = Judgements(Files(corpus).__contains__, problems)
    found: dict[str, Question] = {}
    for place, raw in read_objects(file, problems):
        identifier = text_of(raw.get("id")) or text_of(raw.get("_id")) or place.rpartition(":")[2]
        if identifier in found:
            problems.add("Questions whose id stood before are left out", f"{identifier[:60]!r} ({place})")
        elif (question := reader.question(identifier, place, raw)) is not None:
            found[identifier] = question
    if not found:
        raise UsageError(
            f"No question of {str(file)!r} can be asked of {str(corpus)!r}. {' '.join(problems.sentences())}"
        )
    parts = (Part(corpus.name, corpus, tuple(found.values())),)
    return DataSet(file.stem, "jsonl", unit_of(parts), parts, problems.sentences())
