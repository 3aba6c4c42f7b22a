"""Segments of the lexical index, compared with plain counts of the chunks' terms."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_factories import keyed

from quaestor.stores import ChunkTerms
from quaestor.stores.embedded.checksums import DamagedError
from quaestor.stores.embedded.lexical import count_terms, merge_segments, runs
from quaestor.stores.embedded.postings import FIELDS, K1, B, QueryRuns, Segment, keys_of

TERMS = ["a", "aa", "b_a", "é", "x" * 70]
LINES = st.lists(st.sampled_from(TERMS), max_size=9).map(" ".join)
CHUNKS = st.lists(st.tuples(LINES, LINES, LINES), max_size=8)


def segment_of(chunks: list[tuple[str, str, str]], first: int = 10) -> Segment:
    segment = count_terms([ChunkTerms(*(keyed(line.split()) for line in lines)) for lines in chunks])
    return segment._replace(chunks=segment.chunks + first)


def counts_of(chunks: list[tuple[str, str, str]]) -> list[list[Counter[str]]]:
    return [[Counter(line.split()) for line in lines] for lines in zip(*chunks, strict=True)]


def same(one: Segment, other: Segment) -> bool:
    return all(np.array_equal(*parts) for parts in zip(one, other, strict=True))


@given(CHUNKS)
def test_every_posting_is_that_of_a_plain_count(chunks: list[tuple[str, str, str]]) -> None:
    segment = segment_of(chunks)
    starts, ends = segment.bounds(keys_of(TERMS))
    for field, counts in enumerate(counts_of(chunks)):
        assert segment.lengths[field].tolist() == [count.total() for count in counts]
        for number, term in enumerate(TERMS):
            own = slice(starts[field, number], ends[field, number])
            expected = [(row, count[term]) for row, count in enumerate(counts) if count[term]]
            assert list(zip(segment.places[own].tolist(), segment.counts[own].tolist(), strict=True)) == expected


@given(CHUNKS, CHUNKS, st.data())
def test_a_merged_segment_is_one_made_of_what_was_left(
    earlier: list[tuple[str, str, str]], later: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    alive = [np.array([data.draw(st.booleans()) for _ in own], dtype=np.bool_) for own in (earlier, later)]
    found = merge_segments([segment_of(earlier), segment_of(later, 100)], alive)
    left = [
        (first + row, chunk)
        for first, own, exist in ((10, earlier, alive[0]), (100, later, alive[1]))
        for row, chunk in enumerate(own)
        if exist[row]
    ]
    expected = segment_of([chunk for _, chunk in left])
    assert same(found, expected._replace(chunks=np.array([number for number, _ in left], dtype=np.int64)))


@given(st.lists(CHUNKS, max_size=6), st.integers(1, 20))
def test_neighbouring_segments_are_put_together_up_to_a_limit(
    every: list[list[tuple[str, str, str]]], most: int
) -> None:
    segments = [segment_of(chunks) for chunks in every]
    found = list(runs(segments, most))
    assert [segment for run in found for segment in run] == segments
    sizes = [[len(segment.chunks) for segment in run] for run in found]
    assert all(sum(own) <= most or len(own) == 1 for own in sizes)
    assert all(sum(own) + following[0] > most for own, following in pairwise(sizes))


@given(CHUNKS)
def test_a_segment_is_read_as_it_was_written(chunks: list[tuple[str, str, str]]) -> None:
    segment = segment_of(chunks)
    assert same(segment, Segment.read(segment.data()))


def test_a_file_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "1.postings"
    checksum = segment_of([("a b", "c", "")]).write(path)
    assert Segment.map(path, checksum).chunks.tolist() == [10]
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DamagedError, match="does not match"):
        Segment.map(path, checksum)


@given(CHUNKS, st.lists(st.floats(0, 2), min_size=3, max_size=3))
def test_scores_are_bm25(chunks: list[tuple[str, str, str]], boosts: list[float]) -> None:
    segment, averages = segment_of(chunks), [4.0, 3.0, 2.0]
    factors = np.array(boosts)[None, :, None] * np.arange(1.0, len(TERMS) + 1)
    [scores] = segment.scores(segment.bounds(keys_of(TERMS)), QueryRuns.of(factors, averages))
    for row, lines in enumerate(chunks):
        expected = 0.0
        for field in range(len(FIELDS)):
            words = lines[field].split()
            norm = K1 * (1 - B + B * len(words) / averages[field])
            for number, term in enumerate(TERMS):
                count = words.count(term)
                expected += boosts[field] * (number + 1) * (K1 + 1) * count / (count + norm)
        assert math.isclose(scores[row], expected, rel_tol=1e-5, abs_tol=1e-9)


def test_more_of_a_term_than_a_byte_holds_is_cut() -> None:
    segment = segment_of([("a " * 999 + "a", "", "")])
    assert segment.counts.tolist() == [255]
    assert segment.lengths[0].tolist() == [1000]
