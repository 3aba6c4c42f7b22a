"""Data sets: questions with known answers and the corpora that they are about, read from three common layouts.

These are BEIR's layout, that of the public code-search benchmark, and a JSONL file with one question per line. A
malformed entry is left out and reported in a sentence; the rest is used.
The package does not know how questions are asked. Begin with ``dataset``.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from quaestor.core.errors import NotFoundError, UsageError
from quaestor.evaluation.datasets.beir import is_beir, read_beir
from quaestor.evaluation.datasets.dataset import DataSet, Part
from quaestor.evaluation.datasets.judged_questions import (
    is_code_search,
    read_annotations,
    read_code_search,
    read_json_lines,
)

__all__ = ["DataSet", "Part", "read_data_set"]


def read_data_set(
    place: Path,
    corpus: Path,
    *,
    copies: Path,
    checkouts: Path | None = None,
    split: str = "test",
    only: Collection[str] = (),
) -> DataSet:
    """Read a data set in any of the layouts.

    Args:
        place: a folder in BEIR's layout or in that of the code-search benchmark, a file of its annotations, or a JSONL
            file.
        corpus: the folder that a file's questions are about.
        copies: the folder in which the documents are written as files, if the data set holds them in another form.
        checkouts: the folder of the checkouts, each named after its repository; by default ``repos`` in the data set.
        split: the name of the judgements to read; only BEIR's layout has several.
        only: the names of the repositories to read; only for the code-search layout; empty for all.

    Raises:
        NotFoundError: the path does not exist, or there is no such split or repository.
        UsageError: the data set has none of the layouts, cannot be read, or holds no usable question.
    """
    if not place.exists():
        raise NotFoundError(f"{str(place)!r} does not exist. Give the folder or file of a data set, or --self.")
    if place.is_dir():
        if is_beir(place):
            return read_beir(place.resolve(), split, copies)
        if is_code_search(place):
            return read_code_search(place.resolve(), checkouts or place / "repos", only)
        raise UsageError(
            f"{str(place)!r} is not a data set: it has neither corpus.jsonl with queries.jsonl nor repos.json with "
            "annotations. To make questions of a folder itself, use --self."
        )
    if place.suffix == ".json":
        return read_annotations(place, corpus)
    return read_json_lines(place, corpus)
