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


def check_quotes(answer: WayAnswer, index: Index) -> None:
    """Check that each quote is cited, and holds the lines of its file and no more."""
    assert {piece for piece in answer.pieces if isinstance(piece, int)} == {*range(len(answer.hits))}
    for hit in answer.hits:
        data = (index.root / hit.path).read_bytes()
        lines = data.decode().split("\n")[hit.start_line - 1 : hit.end_line]
        assert (hit.text.split("\n"), hit.score) == (lines, 0.0)
        assert hit.document.sha256 == index.store.documents()[hit.path].sha256
        if hit.chunk_id < 0:
            assert (hit.chunk.span.start, hit.chunk.span.end) == (0, 0)
        else:  # bytes are told as well, and the chunk that they begin in
            span, chunk = hit.chunk.span, index.store.get([hit.chunk_id])[hit.chunk_id].chunk
            assert data[span.start : span.end].decode().rstrip("\n") == hit.text
            assert (hit.chunk.kind, hit.chunk.scope) == (chunk.kind, chunk.scope)
            assert chunk.span.start_line <= hit.start_line <= chunk.span.end_line


def test_answers_are_what_they_were(tree: tuple[str, Index]) -> None:
    name, index = tree
    answers = {question: answer_by_way(Question(question), index) for question in read(name)}
    for answer in filter(None, answers.values()):
        check_quotes(answer, index)
    found = {question: told(answer) for question, answer in answers.items()}
    if "WRITE_ANSWERS" in os.environ:
        parts = (f"{_ASKS}{question}{_SAYS}{answer}\n" for question, answer in found.items())
        (KEPT / f"{name}.txt").write_text("\n".join(parts), encoding="utf-8")
    assert found == read(name)
