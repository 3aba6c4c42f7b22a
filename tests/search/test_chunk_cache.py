"""The cache of recently fetched chunks: chunks in use are not fetched again, others are dropped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from quaestor.core.documents import Chunk, Document, Span
from quaestor.search import chunk_traits as cache
from quaestor.search.chunk_traits import ChunkCache
from quaestor.stores import Store, StoredChunk

STORED = 100_000
MOST = cache._MOST_RECENT
DOCUMENT = Document("a.py", "0" * 64, 100, 0, "python")


class Shelf:
    """Has a chunk for every number below ``STORED``, and notes what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.state = 1

    def get(self, ids: Iterable[int]) -> Mapping[int, StoredChunk]:
        self.asked += (wanted := [*ids])
        return {one: StoredChunk(one, DOCUMENT, Chunk(Span(0, 4, 1, 1), "text"), one) for one in wanted if one < STORED}


def fetched(chunks: ChunkCache, shelf: Shelf, ids: Iterable[int]) -> list[int]:
    """Return what the shelf is asked for when these chunks are wanted in one search; check that they all come."""
    wanted = [*ids]
    shelf.asked.clear()
    chunks.follow(shelf.state)
    found = chunks.get(cast("Store", shelf), wanted)
    assert [known.stored.id for known in found] == [one for one in wanted if one < STORED]
    return shelf.asked


def test_a_chunk_is_fetched_once_and_one_that_is_not_there_leaves_nothing() -> None:
    chunks, shelf = ChunkCache(), Shelf()
    assert fetched(chunks, shelf, [3, 5, 200_000]) == [3, 5, 200_000]
    assert fetched(chunks, shelf, [5, 3]) == []


def test_what_is_in_use_outlives_any_number_of_others() -> None:
    chunks, shelf = ChunkCache(), Shelf()
    fetched(chunks, shelf, [0, 1])
    for start in range(2, 3 * MOST, 1000):
        assert fetched(chunks, shelf, [0, *range(start, start + 1000)]) == [*range(start, start + 1000)]


def test_what_is_not_in_use_is_forgotten() -> None:
    chunks, shelf = ChunkCache(), Shelf()
    for start in range(0, 3 * MOST, 1000):
        fetched(chunks, shelf, range(start, start + 1000))
    assert fetched(chunks, shelf, [0]) == [0]
    anew = sum(len(fetched(chunks, shelf, range(start, start + 1000))) for start in range(1, 3 * MOST, 1000))
    assert anew >= MOST - 2000


def test_another_state_of_the_store_is_fetched_anew() -> None:
    chunks, shelf = ChunkCache(), Shelf()
    fetched(chunks, shelf, [0, 1])
    shelf.state = 2
    assert fetched(chunks, shelf, [0, 1]) == [0, 1]
