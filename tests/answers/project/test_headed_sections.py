"""A section whose heading is the question comes first in a search, and answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_of_files import index_of
from quaestor.answers.project.headed_section import answer_with_headed_section
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way
from quaestor.core.documents import Chunk, Document, Span
from quaestor.search.certain_hits import STEP, raise_headed_section
from quaestor.search.chunk_traits import Traits
from quaestor.search.query import read_query
from quaestor.stores import StoredChunk

NOTES = """# Notes

A tag is a word of a note. Add one, add two: a note may have as many tags as you add to it.

## Adding a tag

Write a hash sign before the word.

### Nested tags

Put a stroke between two words.

## Converting notes to pages

Press P.

## Converting pages to notes

Press N.

## Installing Sail

Ask a sailor.
"""
PROPERTIES = "# Properties\n\n- `tags`: add a tag for every subject; add them as a list.\n- `add`: adds a tag.\n"
CODE = 'def add_tag(note, tag):\n    """Add a tag to a note."""\n    note.tags.add(tag)\n'
FILES = {"docs/notes.md": NOTES, "docs/properties.md": PROPERTIES, "src/tags.py": CODE, "README.md": "# Sail\n"}


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("how do I add a tag?", 7),
        ("How to add tags", 7),
        ("how do I convert notes to pages?", 15),
        ("how do I convert pages to notes?", 19),
        ("how do I convert notes?", 15),
    ],
)
def test_the_section_of_that_heading_answers(question: str, line: int, tmp_path: Path) -> None:
    with index_of(tmp_path, FILES) as index:
        answer = answer_by_way(Question(question), index)
        assert answer is not None
        assert (answer.hits[0].path, answer.hits[0].start_line) == ("docs/notes.md", line)


@pytest.mark.parametrize(
    "question",
    [
        "where is a tag added?",  # asks for code
        "who adds tags?",
        "how do I tag?",  # a word alone is many things
        "how do I add a tag with a colour?",
        "how do I build the notes?",
        "how do I add it to a tag?",
        "how do I install sail?",
    ],
)
def test_no_other_question_is_answered_by_a_heading(question: str, tmp_path: Path) -> None:
    with index_of(tmp_path, FILES) as index:
        assert answer_with_headed_section(Question(question), index) is None


def test_a_section_of_each_document_with_that_heading_is_quoted(tmp_path: Path) -> None:
    files = FILES | {"docs/pages.md": "# Pages\n\n## Adding tags\n\nUse the menu.\n"}
    with index_of(tmp_path, files) as index:
        answer = answer_with_headed_section(Question("how do I add a tag?"), index)
        assert answer is not None
        assert {hit.path for hit in answer.hits} == {"docs/notes.md", "docs/pages.md"}


def candidate(path: str, *headings: str, language: str = "markdown") -> Traits:
    document = Document(path, "0" * 64, 100, 0, language)
    chunk = Chunk(Span(0, 10, 1, 2), "text", headings[0], "section", (), headings)
    return Traits(StoredChunk(0, document, chunk, 0))


SCORES = st.lists(st.floats(-5, 20, width=32), min_size=1, max_size=30)


@given(SCORES, st.floats(-5, 20, width=32))
def test_a_heading_that_is_the_question_stands_above_all_that_is_not_certain(scores: list[float], own: float) -> None:
    traits = [candidate("docs/notes.md", "Adding a tag"), *(candidate(f"{n}.md", "Tags") for n in range(len(scores)))]
    before = np.array([own, *scores, STEP], np.float32)
    traits.append(candidate("tag.md", "Tag"))
    after = raise_headed_section(read_query("How do I add tags?"), traits, before)
    assert after[-1] > after[0] >= max(own, *scores)
    assert (after[1:] == before[1:]).all()


@pytest.mark.parametrize("question", ["add_tag", "docs/notes.md", "where is the tag added?", "tags"])
@given(scores=SCORES)
def test_other_searches_are_left_as_they_are(question: str, scores: list[float]) -> None:
    traits = [candidate(f"{n}.md", "Adding a tag") for n in range(len(scores))]
    before = np.array(scores, np.float32)
    assert (raise_headed_section(read_query(question), traits, before) == before).all()


@given(st.lists(st.floats(-5, 20, width=32), min_size=4, max_size=30))
def test_a_heading_of_many_sections_tells_nothing(scores: list[float]) -> None:
    traits = [candidate(f"{n}.md", "Basic usage", "Adding a tag") for n in range(len(scores))]
    before = np.array(scores, np.float32)
    assert (raise_headed_section(read_query("How do I add tags?"), traits, before) == before).all()
