"""The similarity of a query's words to those of a chunk: between 0 and 1, by meaning, and never an error."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.documents import Chunk, Document, Span
from quaestor.core.terms import searched_terms
from quaestor.search.chunk_traits import Traits
from quaestor.search.features import word_likenesses
from quaestor.stores import StoredChunk


def chunk(text: str, title: str | None = None, number: int = 0) -> Traits:
    document = Document("page.md", "0" * 64, 100, 0, "markdown", title=title)
    return Traits(StoredChunk(number, document, Chunk(Span(0, 10, 1, 2), text, None, "section", (), ()), number))


def like(query: str, *chunks: Traits) -> list[float]:
    found: list[float] = word_likenesses(query, dict.fromkeys(searched_terms(query), 1.0), chunks)[0].tolist()
    return found


def test_a_synonym_is_nearer_than_another_word() -> None:
    near, far = like(
        "deleting pictures", chunk("How images are removed."), chunk("How invoices are printed.", number=1)
    )
    assert near > far


def test_the_words_themselves_are_found_whole() -> None:
    assert like("retry policy", chunk("The policy says when to retry.")) == pytest.approx([1.0], abs=1e-3)


def test_a_title_counts() -> None:
    titled, bare = like("backups", chunk("Every night.", "Backups"), chunk("Every night.", number=1))
    assert titled == pytest.approx(1.0, abs=1e-3)
    assert bare < 0.9


def test_a_word_that_tells_more_counts_for_more() -> None:
    chunks = [chunk("zebra"), chunk("window", number=1)]
    rare_first, _ = word_likenesses("zebra window", {"zebra": 3.0, "window": 1.0}, chunks)
    assert rare_first[0] > rare_first[1]


def test_the_second_mean_is_low_where_one_word_has_nothing_like_it() -> None:
    """The first mean prefers a chunk with all of one word; the second, one with something of both."""
    chunks = [chunk("Deleting zebras."), chunk("How images are removed.", number=1)]
    _, (one_word, something_of_both) = word_likenesses("deleting pictures", {"delet": 1.0, "pictur": 1.0}, chunks)
    assert something_of_both > one_word


@pytest.mark.parametrize("query", ["", "the", "___", "?!", "\ud800", "x" * 10_000])
def test_odd_queries_are_like_something_or_nothing(query: str) -> None:
    found = like(query, chunk("Some words."), chunk("", number=1), chunk("\u2603 ...", number=2))
    assert all(0 <= value <= 1.001 for value in found)


def test_nothing_is_like_no_chunks() -> None:
    assert like("retry") == []


@given(st.lists(st.text(max_size=60), min_size=1, max_size=6), st.text(max_size=40))
def test_shares_stay_between_nothing_and_all(texts: list[str], query: str) -> None:
    chunks = [chunk(text, number=number) for number, text in enumerate(texts)]
    found = word_likenesses(query, dict.fromkeys(searched_terms(query), 1.0), chunks)
    assert found.shape == (2, len(texts))
    assert np.all((found >= 0) & (found <= 1.001))
