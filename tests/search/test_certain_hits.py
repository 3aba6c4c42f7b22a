"""The definition of a name that a question writes out comes among the first hits, whatever else fits better."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from quaestor.core.documents import Chunk, Document, Span
from quaestor.search.certain_hits import (
    NAMED_AT,
    OUT_OF_PLACE,
    STEP,
    certainty_steps,
    raise_written_names,
    steps_of_code,
)
from quaestor.search.chunk_traits import DATA_ROW, FIXED, PROSE_ROW, VALUES_ROW, Traits
from quaestor.search.file_features import group_by_file
from quaestor.search.query import read_query
from quaestor.stores import StoredChunk


def traits(path: str, name: str, scope: tuple[str, ...] = (), text: str = "text") -> Traits:
    document = Document(path, "0" * 64, 100, 0, "python")
    return Traits(StoredChunk(0, document, Chunk(Span(0, 10, 1, 2), text, name, "function", scope, (name,)), 0))


def places_of(question: str, *named: Traits, scores: list[float], lowest: float = -9.0) -> list[int]:
    """Return the places, 0 for the first, of candidates that were last, behind others with the given scores."""
    others = [traits(f"other/{number}.py", f"other_{number}") for number in range(len(scores))]
    before = np.array([*scores, *[lowest] * len(named)], np.float32)
    after = raise_written_names(read_query(question), [*others, *named], before)
    return [int((after > score).sum()) for score in after[len(scores) :]]


SCORES = st.lists(st.floats(-5, 9), min_size=10, max_size=40)


@pytest.mark.parametrize(
    "question",
    [
        "what does DataItem hold, the class?",
        "where is `DataItem` made, and by what?",
        "how does DataItem differ from other_items()?",
    ],
)
@given(scores=SCORES)
def test_a_named_definition_is_among_the_first_and_not_the_first(question: str, scores: list[float]) -> None:
    [place] = places_of(question, traits("tests/test_items.py", "DataItem"), scores=[*scores, 10.0])
    assert 0 < place < NAMED_AT


@pytest.mark.parametrize(
    "question",
    [
        "what does the DataItem class hold?",
        "why is the `DataItem` function slow?",
        "how does the store.DataItem method wait for other_items?",
    ],
)
@given(scores=SCORES)
def test_a_definition_stands_first_where_the_question_says_what_it_is(question: str, scores: list[float]) -> None:
    [place] = places_of(question, traits("store.py", "DataItem"), scores=[*scores, 10.0])
    assert place == 0
    [behind] = places_of(question, traits("store.py", "DataItem"), scores=[*scores, STEP + 1])
    assert behind == 1  # what is certain stays above


def test_of_several_definitions_the_best_stands_first_and_of_two_names_none() -> None:
    both = traits("a.py", "read_all"), traits("b.py", "read_all")
    assert sorted(places_of("what does the read_all method do?", *both, scores=[1.0] * 10)) == [0, 1]
    two = traits("a.py", "read_all"), traits("b.py", "WriteAll")
    scores = [float(score) for score in range(10)]
    assert places_of("how do the read_all method and the WriteAll class differ?", *two, scores=scores) == [2, 2]
    assert places_of("what do read_all and a method do?", two[0], scores=scores) == [2]


def test_case_tells_names_apart() -> None:
    assert places_of("what does DataItem hold?", traits("a.py", "dataitem"), scores=[1.0] * 10) == [10]


def test_an_owner_tells_which_definition_is_meant() -> None:
    own, other = traits("a.py", "concat", ("Variable",)), traits("b.py", "concat", ("Index",))
    scores = [float(score) for score in range(10)]
    assert places_of("what does Variable.concat do with positions?", own, other, scores=scores) == [2, 11]
    # `self` and the names of variables own nothing.
    assert places_of("what does self.concat do with positions?", own, other, scores=scores) == [2, 2]


@given(st.floats(-5, 9), st.floats(-5, 9), SCORES)
def test_a_namesake_stands_behind_the_definition_whose_owner_is_asked_for(
    own: float, other: float, scores: list[float]
) -> None:
    named = [traits("a.py", "flush", ("Pipe",)), traits("b.py", "flush", ("Queue",))]
    others = [traits(f"other/{number}.py", f"other_{number}") for number in range(len(scores))]
    before = np.array([own, other, *scores], np.float32)
    after = raise_written_names(read_query("how does `Pipe::flush` know who sleeps?"), [*named, *others], before)
    assert after[0] > after[1]
    assert after[0] >= before[0]


def test_a_namesake_stays_where_only_background_has_the_owner_asked_for() -> None:
    named = traits("vendor/a.py", "flush", ("Pipe",)), traits("b.py", "flush", ("Queue",))
    before = np.array([-STEP, 3.0, *[1.0] * 10], np.float32)
    others = [traits(f"other/{number}.py", f"other_{number}") for number in range(10)]
    after = raise_written_names(read_query("how does Pipe::flush end, in short?"), [*named, *others], before)
    assert after[1] == 3.0


@given(st.integers(1, 8))
def test_a_name_that_is_defined_in_many_places_points_at_none(count: int) -> None:
    named = [traits(f"{number}.py", "read_all") for number in range(count)]
    places = places_of("how does read_all end?", *named, scores=[1.0] * 10)
    assert places == [0 if count <= 3 else 10] * count  # level with the others


def test_background_is_not_brought_up() -> None:
    vendored = traits("vendor/b.py", "read_all")
    assert places_of("how does read_all end?", vendored, scores=[1.0] * 10, lowest=-STEP) == [10]


def test_few_candidates_are_left_as_they_are() -> None:
    assert places_of("how does read_all end?", traits("a.py", "read_all"), scores=[1.0, 2.0]) == [2]


OPTIONS = st.from_regex(r"--?[a-z]{1,6}(-[a-z]{1,6})?", fullmatch=True)


@given(OPTIONS, SCORES)
def test_the_best_place_of_an_option_is_among_the_first(option: str, scores: list[float]) -> None:
    guide = traits("guide.md", "Options", text=f"To turn this off, use `{option}`.")
    longer = traits("other.md", "Options", text=f"{option}x and x{option} and {option}-x are others")
    assert places_of(f"what is {option} for?", guide, longer, scores=[*scores, 10.0])[0] < NAMED_AT


def test_the_place_that_holds_most_of_the_options_is_meant() -> None:
    one, both = (traits(f"{text}.md", "Options", text=text) for text in ("only -u", "both -u and -uuu"))
    assert places_of("difference between -u and -uuu", one, both, scores=[float(n) for n in range(10)]) == [11, 2]


def test_an_option_that_stands_everywhere_points_at_nothing() -> None:
    many = [traits(f"{number}.md", "Options", text="-v tells more") for number in range(11)]
    assert places_of("what is -v for?", *many, scores=[1.0] * 10) == [10] * 11


DEFINES = traits("a.py", "read_all", text="def read_all(): ...")
USES = traits("b.py", "load", text="def load(): return read_all()")
TESTS = traits("tests/test_a.py", "test_all", text="def test_all(): assert read_all()")
NAMED_ALIKE = traits("c.py", "other", text="def other(): read_all_lines()")
SAYS_SO = traits("guide.md", "Guide", text="Call read_all() first.")


def certain_of(question: str, *candidates: Traits) -> list[bool]:
    files = group_by_file(candidates)
    behind = np.zeros(len(files.paths), np.bool_)
    return [step > 0 for step in certainty_steps(read_query(question), candidates, files, behind)]


@pytest.mark.parametrize(
    "question", ["who calls read_all?", "callers of read_all", "I wanted to change read_all; who depends on it?"]
)
def test_who_asks_for_callers_is_shown_these_and_not_what_is_called(question: str) -> None:
    assert certain_of(question, DEFINES, USES, TESTS, NAMED_ALIKE, SAYS_SO) == [False, True, False, False, False]
    assert certain_of(question, DEFINES, TESTS) == [False, True]


def test_who_asks_for_something_else_is_not_shown_callers() -> None:
    assert not any(certain_of("how does read_all end?", DEFINES, USES, TESTS))


@given(
    st.integers(0, 60),
    st.integers(0, 60),
    st.integers(0, 60),
    st.sampled_from(["how long are backups kept?", "who keeps the backups?", "where is it parsed?"]),
)
def test_code_and_data_stand_behind_in_a_corpus_of_documents_unless_code_is_asked_for(
    prose: int, code: int, data: int, text: str
) -> None:
    count = prose + code + data
    steps = steps_of_code(read_query(text), fixed_of(prose, code, data))
    mostly = 10 * prose >= 7 * count or (2 * prose >= count and prose >= 4 * code)
    behind = mostly and count >= 20 and not text.startswith("where")
    assert steps.tolist() == [0.0] * prose + [-OUT_OF_PLACE * behind] * (code + data)
    assert not steps_of_code(read_query("what does parse_backup() do?"), fixed_of(30, 0, 1)).any()


def fixed_of(prose: int, code: int, data: int) -> NDArray[np.float32]:
    """Return what is fixed of so many chunks of each kind, tables of values among the documents."""
    fixed = np.zeros((len(FIXED), prose + code + data), np.float32)
    fixed[PROSE_ROW, : prose // 2] = fixed[VALUES_ROW, prose // 2 : prose] = 1
    fixed[DATA_ROW, prose + code :] = 1
    return fixed
