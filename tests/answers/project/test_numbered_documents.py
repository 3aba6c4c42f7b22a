"""Questions that name a document of a series by its number are answered within it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.project.named_documents import answer_within_file
from quaestor.answers.way import Question

PROPOSAL = """# Ferries in winter

* Proposal: [0012](0012-winter.md)
* Author: Mona Petit
* Status: **Accepted**

## Motivation

Ice stops every ferry from December on, and letters pile up.

## Design

A sledge takes letters over the ice, at most forty of them at a time.
"""
OTHER = "# Bells\n\n* Author: Ana Ruiz\n* Status: Rejected\n\n## Design\n\nA bell rings where forty letters wait.\n"
FILES = {
    "proposals/0012-winter.md": PROPOSAL,
    "proposals/0003-bells.md": OTHER,
    "proposals/0004-oars.md": "# Oars\n\nThere are twelve oars.\n",
    "README.md": "# Ferry proposals\n",
    "manual/ferry3.txt": "# The ferry\n\nWho wrote to the ferry gets an answer.\n",
}


VERSIONS = {f"FERRY{number}-NOTES.md": f"# Ferry {number}\n\nMove letters by hand.\n" for number in (2, 3, 4)}


@pytest.fixture(scope="module")
def ferry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("numbered") / "ferry", FILES) as index:
        yield index


def places(index: Index, question: str) -> list[tuple[str, int]]:
    found = answer_within_file(Question(question), index)
    return [] if found is None else [(hit.path, hit.start_line) for hit in found.hits]


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote proposal 0012, and what became of it?",
        "What is the status of proposal 12?",
        "When was proposal 12 accepted?",
        "Who are the editors of proposal 12, and when was it accepted?",
    ],
)
def test_the_head_of_a_document_tells_who_when_and_what_became_of_it(ferry: Index, question: str) -> None:
    found = answer_within_file(Question(question), ferry)
    assert found is not None
    [head] = found.hits
    assert (head.path, head.start_line, head.end_line) == ("proposals/0012-winter.md", 1, 5)


def test_anything_else_is_looked_for_within_the_document(ferry: Index) -> None:
    [(path, line)] = places(ferry, "How many letters does the sledge of proposal 12 take at a time?")
    assert path == "proposals/0012-winter.md" and line >= 9


@pytest.mark.parametrize(
    "question",
    [
        "How do proposal 12 and proposal 3 differ?",
        "Who wrote proposal 99?",
        "Who wrote ferry3?",
        "proposal 12 failed:\nit sank",
        "How many letters wait for ferry 12?",
        "Is version 12 out?",
        "proposal 12",
    ],
)
def test_what_names_no_single_document_is_searched_as_ever(ferry: Index, question: str) -> None:
    assert places(ferry, question) == []


def test_a_number_behind_the_name_of_the_corpus_is_a_version(tmp_path: Path) -> None:
    with index_of(tmp_path / "ferry", VERSIONS) as index:
        assert answer_within_file(Question("Is Ferry 2 safe for letters?"), index) is None
    with index_of(tmp_path / "boats", VERSIONS) as index:
        assert answer_within_file(Question("Is Ferry 2 safe for letters?"), index) is not None


def test_the_head_of_a_document_without_sections_is_its_first_24_lines(tmp_path: Path) -> None:
    text = "# Tides\n" + "".join(f"The tide of day {number} is high.\n" for number in range(40))
    with index_of(tmp_path / "tides", FILES | {"proposals/0007-tides.md": text}) as index:
        answer = answer_within_file(Question("who wrote proposal 0007?"), index)
    assert answer is not None
    assert [(hit.path, hit.start_line, hit.end_line) for hit in answer.hits] == [("proposals/0007-tides.md", 1, 24)]
