"""Chunks in memory beside the index on disk: terms counted in their text."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quaestor.stores.embedded.recent import RecentChunks, recent_chunks
from quaestor.stores.embedded.truth import DocumentTerms

TERMS = st.sampled_from(["a", "aa", "ab", "b", "b_a", "é"])
ONE = np.ones((3, 1))
AVERAGES = [5.0, 1.0, 1.0]
LINES = st.lists(TERMS, max_size=9).map(" ".join)


@given(st.lists(LINES, min_size=1, max_size=5), TERMS)
def test_terms_are_counted_whole_and_repeated_ones_each_time(bodies: list[str], term: str) -> None:
    entry = DocumentTerms(1, 10, [(body, "", "") for body in bodies])
    chunks = RecentChunks(recent_chunks(entry))
    counts = [Counter(body.split(" "))[term] for body in bodies]
    assert chunks.frequencies([term]).tolist() == [[sum(count > 0 for count in counts)], [0], [0]]
    found = dict(chunks.search([term], ONE, AVERAGES))
    assert sorted(found) == [10 + place for place, count in enumerate(counts) if count]


@given(st.integers(1, 5))
def test_more_of_a_term_in_as_long_a_text_counts_more(count: int) -> None:
    lines = [" ".join(["a"] * times + ["b"] * (6 - times)) for times in (count, count + 1)]
    chunks = RecentChunks(recent_chunks(DocumentTerms(1, 1, [(line, "", "") for line in lines])))
    found = dict(chunks.search(["a"], ONE, AVERAGES))
    assert found[1] < found[2]


def test_only_chunks_of_the_wanted_documents_are_found() -> None:
    entries = [DocumentTerms(number, 10 * number, [("a", "", "")]) for number in (1, 2)]
    chunks = RecentChunks(chunk for entry in entries for chunk in recent_chunks(entry))
    assert [chunk for chunk, _ in chunks.search(["a"], ONE, AVERAGES, {2})] == [20]
