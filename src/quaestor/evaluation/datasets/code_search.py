"""The layout of the public code-search benchmark: ``repos.json``, ``annotations/NAME.json``, and a checkout of each.

An annotation is ``{query, relevant, secondary, category}``; a target is a path of the checkout, or
``{path, start_line, end_line}``. ``benchmark_root`` is the folder of the checkout that is indexed.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path, PurePosixPath
from typing import Any

from quaestor.core.errors import NotFoundError, UsageError
from quaestor.evaluation.datasets.data_files import Problems, read_json, text_of
from quaestor.evaluation.datasets.dataset import DataSet, Part
from quaestor.evaluation.datasets.judged_question import Files, Judgements
from quaestor.evaluation.metrics import Question

REPOSITORIES, ANNOTATIONS = "repos.json", "annotations"


def is_code_search(folder: Path) -> bool:
    """Tell whether a folder has this layout."""
    return (folder / REPOSITORIES).is_file() and (folder / ANNOTATIONS).is_dir()


def read_code_search(folder: Path, checkouts: Path, only: Collection[str] = ()) -> DataSet:
    """Read a data set.

    Args:
        folder: with ``repos.json`` and ``annotations``.
        checkouts: has a folder of each repository's name.
        only: these repositories; empty for all of them.

    Raises:
        NotFoundError: a repository of ``only`` is not listed.
        UsageError: nothing in it can be asked, or a file cannot be read.
    """
    problems = Problems()
    listed = [one for one in _entries(read_json(folder / REPOSITORIES)) if isinstance(one, dict)]
    names = [text_of(entry.get("name")) for entry in listed]
    if unknown := sorted(set(only) - set(names)):
        raise NotFoundError(
            f"{unknown[0]!r} is not in {str(folder / REPOSITORIES)!r}. Give one of: {', '.join(names)}."
        )
    parts: dict[str, Part] = {}
    for entry, name in zip(listed, names, strict=True):
        if only and name not in only:
            continue
        if name in parts:
            problems.add("Repositories whose name stood before are left out", repr(name))
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
    reader = Judgements(Files(checkout).__contains__, problems)
    found: dict[str, Question] = {}
    for number, raw in enumerate(_entries(read_json(file)), 1):
        place = f"{file.name}, entry {number}"
        identifier = text_of(raw.get("id")) if isinstance(raw, dict) else ""
        question = reader.question(f"{name}/{identifier or number}", place, raw if isinstance(raw, dict) else {})
        if question is not None and question.id in found:
            problems.add("Questions whose id stood before are left out", place)
        elif question is not None:
            found[question.id] = question
    return tuple(found.values())


def _entries(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
