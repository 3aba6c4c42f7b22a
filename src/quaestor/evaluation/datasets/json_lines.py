"""One question a line: ``{"id", "query", "relevant", "category"}``, about a folder that is named beside it.

``relevant`` lists paths, or ``{"path", "start_line", "end_line", "gain"}``. ``id``, ``category``, lines and ``gain``
may be left out.
"""

from __future__ import annotations

from pathlib import Path

from quaestor.core.errors import UsageError
from quaestor.evaluation.datasets.data_files import read_objects, text_of
from quaestor.evaluation.datasets.dataset import DataSet, Part, unit_of
from quaestor.evaluation.datasets.judged_question import Files, Judgements
from quaestor.evaluation.datasets.problems import Problems
from quaestor.evaluation.metrics import Question


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
