"""Chunks in memory that are overlaid on the index on disk."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from store_factories import keyed

from quaestor.stores import ChunkTerms
from quaestor.stores.embedded.lexical import RecentChunks, count_terms
from quaestor.stores.embedded.postings import MOST_ROWS
from quaestor.stores.embedded.sqlite_rows import DocumentTerms

TERMS = st.sampled_from(["a", "aa", "ab", "b", "b_a", "é"])
ONE = np.ones((3, 1))
AVERAGES = [5.0, 1.0, 1.0]
LINES = st.lists(TERMS, max_size=9).map(" ".join)


def document(number: int, first: int, bodies: list[str]) -> DocumentTerms:
    segment = count_terms([ChunkTerms(keyed(body.split())) for body in bodies])
    return DocumentTerms(number, segment._replace(chunks=segment.chunks + first))


@given(st.lists(st.lists(LINES, min_size=1, max_size=5), max_size=4), TERMS)
def test_terms_are_counted_whole_and_repeated_ones_each_time(every: list[list[str]], term: str) -> None:
    chunks = RecentChunks(document(number, 10 * number, bodies) for number, bodies in enumerate(every))
    counts = {
        10 * number + place: Counter(body.split(" "))[term]
        for number, bodies in enumerate(every)
        for place, body in enumerate(bodies)
    }
    assert len(chunks) == len(counts)
    assert chunks.frequencies([term]).tolist() == [[sum(count > 0 for count in counts.values())], [0], [0]]
    found = dict(chunks.search([term], ONE, AVERAGES))
    assert sorted(found) == [chunk for chunk, count in counts.items() if count]


@given(st.integers(1, 5))
def test_more_of_a_term_in_as_long_a_text_counts_more(count: int) -> None:
    lines = [" ".join(["a"] * times + ["b"] * (6 - times)) for times in (count, count + 1)]
    found = dict(RecentChunks([document(1, 1, lines)]).search(["a"], ONE, AVERAGES))
    assert found[1] < found[2]


def test_only_chunks_of_the_wanted_documents_are_found() -> None:
    chunks = RecentChunks(document(number, 10 * number, ["a"]) for number in (1, 2))
    assert [chunk for chunk, _ in chunks.search(["a"], ONE, AVERAGES, {2})] == [20]


def test_more_chunks_than_a_segment_holds_are_found_in_several() -> None:
    each = MOST_ROWS // 3
    chunks = RecentChunks(document(number, 100_000 * number, ["a b", *["b"] * (each - 1)]) for number in range(1, 5))
    assert chunks.frequencies(["b"])[0, 0] == 4 * each > MOST_ROWS
    assert [chunk for chunk, _ in chunks.search(["a"], ONE, AVERAGES, {2, 4})] == [200_000, 400_000]
    assert chunks.lengths == {"body": 4 * each + 4, "path": 0, "symbol": 0}
