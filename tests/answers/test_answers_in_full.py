"""Whole answers and overviews of small trees, as they are kept in the folder ``in_full``, to the last letter.

``WRITE_ANSWERS=1 pytest tests/answers/test_answers_in_full.py`` writes them anew. Read the difference: each line of
it is seen by somebody who asks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from trees_in_full import TREES

from index_of_files import write_files
from quaestor import Index
from quaestor.answers.way import Question, WayAnswer
from quaestor.answers.ways import answer_by_way
from quaestor.core.config import Settings

KEPT = Path(__file__).parent / "in_full"
_ASKS, _SAYS = "=== ", "\n--- "


def read(tree: str) -> Mapping[str, str]:
    """Return the kept answers of a tree by question."""
    text = (KEPT / f"{tree}.txt").read_text(encoding="utf-8")
    parts = (part.partition(_SAYS) for part in re.split(rf"^{_ASKS}", text, flags=re.MULTILINE) if part)
    return {question.strip("\n"): answer.strip("\n") for question, _, answer in parts}


@pytest.fixture(scope="module", params=[*TREES])
def tree(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Index]]:
    folder = tmp_path_factory.mktemp("full")
    root = write_files(folder / request.param, TREES[request.param])
    with Index.build(root, settings=Settings(home=str(folder / "home"))) as index:
        yield request.param, index


def told(answer: WayAnswer | None) -> str:
    """Return an answer with all that is known of it."""
    if answer is None:
        return "no way"
    marks = [answer.way, *([] if answer.known else ["not known"]), *([] if answer.search else ["no search"])]
    return f"{', '.join(marks)}\n{answer.text(range(1, len(answer.hits) + 1))}".strip("\n")


def test_answers_are_what_they_were(tree: tuple[str, Index]) -> None:
    name, index = tree
    found = {question: told(answer_by_way(Question(question), index)) for question in read(name)}
    if "WRITE_ANSWERS" in os.environ:
        parts = (f"{_ASKS}{question}{_SAYS}{answer}\n" for question, answer in found.items())
        (KEPT / f"{name}.txt").write_text("\n".join(parts), encoding="utf-8")
    assert found == read(name)
