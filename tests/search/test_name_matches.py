"""A query's terms are found in names and paths: each where it is, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.documents import Chunk, Document, Span
from quaestor.search.chunk_traits import Traits
from quaestor.search.features import terms_in_names, terms_in_paths
from quaestor.search.path_roles import profile_path
from quaestor.stores import StoredChunk

WORDS = "alpha beta gamma delta".split()
names = st.lists(st.sampled_from(WORDS), max_size=3).map(tuple)


def chunk(symbol: str | None, defines: tuple[str, ...] = (), scope: tuple[str, ...] = ()) -> Traits:
    document = Document("a.py", "0" * 64, 100, 0, "python")
    return Traits(StoredChunk(0, document, Chunk(Span(0, 4, 1, 1), "text", symbol, "function", scope, defines), 0))


def sums(chunks: list[Traits], wanted: Mapping[str, float]) -> list[list[float]]:
    found: list[list[float]] = terms_in_names(chunks, wanted).tolist()
    return found


def test_a_term_counts_by_its_weight_where_it_stands() -> None:
    chunks = [chunk("alpha", scope=("beta",)), chunk(None), chunk("alpha_beta")]
    named, symbol, precision = sums(chunks, {"alpha": 0.75, "beta": 0.25})
    assert symbol == [0.75, 0.0, 1.0]
    assert precision == pytest.approx([1.0, 0.0, 1.0])
    assert sums(chunks, {"alpha": 1.0})[2] == pytest.approx([1.0, 0.0, 0.5])
    assert named[0] > 0 == named[1]


def test_stems_and_folders_of_a_path_are_told_apart() -> None:
    profiles = [profile_path("alpha/beta_gamma.py"), profile_path("delta.py")]
    stem, folder = terms_in_paths(profiles, {"alpha": 0.25, "beta": 0.75}).tolist()
    assert stem == [0.75, 0.0]
    assert folder == [0.25, 0.0]


@pytest.mark.parametrize("wanted", [{}, {"alpha": 1.0}])
def test_nothing_is_found_in_nothing(wanted: Mapping[str, float]) -> None:
    assert terms_in_names([], wanted).shape == (3, 0)
    assert terms_in_paths([], wanted).shape == (2, 0)
    assert not terms_in_names([chunk(None)], wanted).any()


@given(
    st.lists(st.tuples(st.none() | st.sampled_from(WORDS), names, names), max_size=5), st.sets(st.sampled_from(WORDS))
)
def test_a_chunk_is_matched_the_same_among_others(
    made: list[tuple[str | None, tuple[str, ...], tuple[str, ...]]], asked: set[str]
) -> None:
    chunks = [chunk(*one) for one in made]
    wanted = {term: 1 / len(asked) for term in sorted(asked)}
    alone = [np.ravel(sums([one], wanted)).tolist() for one in chunks]
    assert np.transpose(sums(chunks, wanted)).reshape(len(chunks), 3).tolist() == alone
