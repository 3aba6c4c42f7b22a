"""Chunks in memory that are overlaid on the index on disk."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from store_factories import keyed

from quaestor.stores import ChunkTerms, FieldBoosts, WordMatches
from quaestor.stores.embedded.filtering import AllowedDocuments
from quaestor.stores.embedded.lexical import count_terms, recent_segments
from quaestor.stores.embedded.postings import MOST_ROWS
from quaestor.stores.embedded.sqlite_rows import Content, DocumentTerms
from quaestor.stores.embedded.views import LexicalView

TERMS = st.sampled_from(["a", "aa", "ab", "b", "b_a", "é"])
EVERY_FIELD = FieldBoosts(1.0, 1.0, 1.0)
LINES = st.lists(TERMS, max_size=9).map(" ".join)


def document(number: int, first: int, bodies: list[str]) -> DocumentTerms:
    segment = count_terms([ChunkTerms(keyed(body.split())) for body in bodies])
    return DocumentTerms(number, segment._replace(chunks=segment.chunks + first))


def view_of(*entries: DocumentTerms) -> LexicalView:
    """Return a view of nothing but recent chunks."""
    return LexicalView.of(Content(1, "stamp"), None, (), recent_segments(entries))


def search(view: LexicalView, term: str, allowed: AllowedDocuments | None = None) -> dict[int, float]:
    matches: WordMatches = view.search({term: 1.0}, [EVERY_FIELD], 1000, allowed)
    return dict(matches.chunks[0])


def allow(*runs: tuple[int, int]) -> AllowedDocuments:
    """Return documents, each by its first chunk and its number of chunks."""
    firsts, counts = np.array(runs).T
    return AllowedDocuments(np.arange(len(runs)), firsts, counts)


@given(st.lists(st.lists(LINES, min_size=1, max_size=5), max_size=4), TERMS)
def test_terms_are_counted_whole_and_repeated_ones_each_time(every: list[list[str]], term: str) -> None:
    view = view_of(*(document(number, 10 * number, bodies) for number, bodies in enumerate(every)))
    counts = {
        10 * number + place: Counter(body.split(" "))[term]
        for number, bodies in enumerate(every)
        for place, body in enumerate(bodies)
    }
    assert view.chunks == len(counts)
    assert view.frequencies([term]).tolist() == [[sum(count > 0 for count in counts.values())], [0], [0]]
    assert sorted(search(view, term)) == [chunk for chunk, count in counts.items() if count]


@given(st.integers(1, 5))
def test_more_of_a_term_in_as_long_a_text_counts_more(count: int) -> None:
    lines = [" ".join(["a"] * times + ["b"] * (6 - times)) for times in (count, count + 1)]
    found = search(view_of(document(1, 1, lines)), "a")
    assert found[1] < found[2]


def test_only_chunks_of_the_wanted_documents_are_found() -> None:
    view = view_of(*(document(number, 10 * number, ["a"]) for number in (1, 2)))
    assert [*search(view, "a", allow((20, 1)))] == [20] == view.holding(["a"], 9, allow((20, 1)))


def test_more_chunks_than_a_segment_holds_are_found_in_several() -> None:
    each = MOST_ROWS // 3
    view = view_of(*(document(number, 100_000 * number, ["a b", *["b"] * (each - 1)]) for number in range(1, 5)))
    assert view.frequencies(["b"])[0, 0] == 4 * each > MOST_ROWS
    assert [*search(view, "a", allow((400_000, each), (200_000, each)))] == [200_000, 400_000]
    assert view.lengths == [4 * each + 4, 0, 0]
    assert view.chunks == 4 * each
