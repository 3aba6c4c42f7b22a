"""Making segments of the lexical index: of terms, of other segments, and in memory of the chunks that came last."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from quaestor.core.terms import KEY_BYTES
from quaestor.stores import ChunkTerms
from quaestor.stores.embedded.postings import FIELDS, MOST_ROWS, Asked, Keys, Segment, keys_of
from quaestor.stores.embedded.truth import DocumentTerms

if TYPE_CHECKING:
    from numpy.typing import NDArray


_MOST_LENGTH = (1 << 16) - 1
_MOST_COUNT = (1 << 8) - 1
_ROW_BITS = MOST_ROWS.bit_length() - 1
_COUNT_BITS = _MOST_COUNT.bit_length()

Codes: TypeAlias = "NDArray[np.int64]"


def count_terms(chunks: Sequence[ChunkTerms]) -> Segment:
    """Return a segment of some chunks' terms, with positions in place of identifiers."""
    every = [field for chunk in chunks for field in chunk]
    lengths = np.array(list(map(len, every)), dtype=np.int64) // KEY_BYTES
    rows, fields = np.divmod(np.repeat(np.arange(len(lengths)), lengths), len(FIELDS))
    found = np.frombuffer(b"".join(every), dtype="<u8") + fields.astype(np.uint64)
    keys = _distinct(found)
    codes = np.searchsorted(keys, found) << _ROW_BITS | rows
    codes.sort()
    firsts = np.flatnonzero(_differs(codes))
    counts = np.diff(firsts, append=len(codes))
    by_field = np.minimum(lengths.reshape(len(chunks), len(FIELDS)).T, _MOST_LENGTH)
    return _segment(np.arange(len(chunks)), by_field, keys, codes[firsts], counts)


def runs(segments: Iterable[Segment], rows: int) -> Iterator[list[Segment]]:
    """Yield neighbouring segments together, of as many chunks as are no more than ``rows``, or of one segment."""
    run: list[Segment] = []
    for segment in segments:
        if run and sum(len(one.chunks) for one in run) + len(segment.chunks) > rows:
            yield run
            run = []
        run.append(segment)
    if run:
        yield run


def merge_segments(segments: Sequence[Segment], alive: Sequence[NDArray[np.bool_]]) -> Segment:
    """Merge segments, without deleted chunks; identifiers ascend from one segment to the next."""
    keys = _distinct(np.concatenate([segment.keys for segment in segments]))
    codes: list[Codes] = []
    before = 0
    for segment, exists in zip(segments, alive, strict=True):
        ranks = np.repeat(np.searchsorted(keys, segment.keys), np.diff(segment.starts))
        places = np.cumsum(exists) - 1 + before
        own = (ranks << _ROW_BITS | places[segment.places]) << _COUNT_BITS | segment.counts
        codes.append(own if exists.all() else own[exists[segment.places]])
        before += int(np.count_nonzero(exists))
    every = np.concatenate(codes)
    every.sort()
    return _segment(
        np.concatenate([segment.chunks[exists] for segment, exists in zip(segments, alive, strict=True)]),
        np.concatenate([segment.lengths[:, exists] for segment, exists in zip(segments, alive, strict=True)], axis=1),
        keys,
        every >> _COUNT_BITS,
        every & _MOST_COUNT,
    )


def _distinct(keys: Keys) -> Keys:
    """Return keys in ascending order, each once."""
    ascending = np.sort(keys)  # np.unique would import NumPy's masked arrays, which takes as long as a small index
    distinct: Keys = ascending[_differs(ascending)]
    return distinct


def _differs(ascending: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Return whether each number is another than the one before."""
    differs = np.ones(len(ascending), dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=differs[1:])
    return differs


def _segment(
    chunks: NDArray[np.int64], lengths: NDArray[np.integer], keys: Keys, codes: Codes, counts: NDArray[np.int64]
) -> Segment:
    """Return a segment of postings in order; a code is the rank of a key before the place of a chunk."""
    postings = np.bincount(codes >> _ROW_BITS, minlength=len(keys))
    used = np.flatnonzero(postings)
    return Segment(
        chunks,
        lengths.astype(np.uint16),
        keys[used],
        np.concatenate([[0], np.cumsum(postings[used])]).astype(np.uint32),
        (codes & (MOST_ROWS - 1)).astype(np.uint16),
        np.minimum(counts, _MOST_COUNT).astype(np.uint8),
    )


class RecentChunks:
    """Chunks in memory beside the index on disk.

    Args:
        entries: their terms, by document.
    """

    def __init__(self, entries: Iterable[DocumentTerms]) -> None:
        found = list(entries)
        sizes = [len(entry.segment.chunks) for entry in found]
        self._documents = np.repeat(np.array([entry.document for entry in found], dtype=np.int64), sizes)
        self._segments = [
            merge_segments(run, [np.ones(len(one.chunks), dtype=np.bool_) for one in run])
            for run in runs((entry.segment for entry in found), MOST_ROWS)
        ]
        self.lengths = {
            field: sum(int(segment.lengths[number].sum(dtype=np.int64)) for segment in self._segments)
            for number, field in enumerate(FIELDS)
        }

    def __len__(self) -> int:
        return len(self._documents)

    def frequencies(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of chunks with each term in each field, shape ``(len(FIELDS), terms)``."""
        total = np.zeros((len(FIELDS), len(terms)), dtype=np.int64)
        for segment in self._segments:
            starts, ends = segment.bounds(keys_of(terms))
            total += ends - starts
        return total

    def holding(self, terms: Sequence[str]) -> list[int]:
        """Return the chunks whose body holds all of the terms."""
        keys = keys_of(terms)
        return [chunk for segment in self._segments for chunk in segment.holding(segment.bounds(keys)).tolist()]

    def search(
        self,
        terms: Sequence[str],
        factors: NDArray[np.float64],
        averages: Sequence[float],
        documents: Collection[int] | None = None,
    ) -> list[tuple[int, float]]:
        """Return the chunks that match, in arbitrary order.

        Args:
            terms: keys of the query's terms.
            factors: each term's weight in each field, shape ``(len(FIELDS), terms)``.
            averages: the mean length of each field.
            documents: only chunks of these.
        """
        keys, asked = keys_of(terms), Asked.of(factors[None], averages)
        every = [segment.scores(segment.bounds(keys), asked)[0] for segment in self._segments]
        scores = np.concatenate([np.empty(0, dtype=np.float32), *every])
        if documents is not None:
            scores = scores * np.isin(self._documents, list(documents))
        places = np.flatnonzero(scores)
        chunks = np.concatenate([np.empty(0, dtype=np.int64), *(segment.chunks for segment in self._segments)])
        return list(zip(chunks[places].tolist(), scores[places].tolist(), strict=True))
