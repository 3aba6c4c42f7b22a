"""Making segments of the lexical index: of terms, and of other segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from quaestor.stores.embedded.postings import FIELDS, MOST_ROWS, Keys, Segment, key_of
from quaestor.stores.embedded.truth import DocumentTerms

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_LENGTH = (1 << 16) - 1
_MOST_COUNT = (1 << 8) - 1
_ROW_BITS = MOST_ROWS.bit_length() - 1
_COUNT_BITS = _MOST_COUNT.bit_length()

Codes: TypeAlias = "NDArray[np.int64]"


class _Numbers(dict[str, bytes]):
    """A number for each term, in the order in which they come, as the bytes of a 32-bit integer: quick to join."""

    def __missing__(self, term: str) -> bytes:
        number = self[term] = len(self).to_bytes(4, "little")
        return number


class Builder:
    """Gathers the terms of chunks, whose identifiers ascend, for one segment."""

    def __init__(self) -> None:
        self._numbers = _Numbers()
        self._chunks: list[int] = []
        self._lengths: list[int] = []
        self._terms: list[bytes] = []

    def __len__(self) -> int:
        return len(self._chunks)

    def add(self, entry: DocumentTerms) -> None:
        """Add a document's chunks."""
        number = self._numbers.__getitem__
        for chunk, lines in enumerate(entry.chunks, entry.first_chunk):
            self._chunks.append(chunk)
            for line in lines:
                found = b"".join(map(number, line.split(" "))) if line else b""
                self._terms.append(found)
                self._lengths.append(len(found) // 4)

    def segment(self) -> Segment:
        """Return the segment."""
        lengths = np.array(self._lengths, dtype=np.int64)
        rows = len(self._chunks)
        owners = np.repeat(np.arange(len(lengths)), lengths)
        numbers = np.frombuffer(b"".join(self._terms), dtype="<i4").astype(np.int64)
        columns = numbers * len(FIELDS) + owners % len(FIELDS)
        keys, ranks = self._keys(columns)
        codes = ranks[columns] << _ROW_BITS | owners // len(FIELDS)
        codes.sort()
        firsts = np.flatnonzero(np.diff(codes, prepend=-1))
        counts = np.diff(firsts, append=len(codes))
        by_field = np.minimum(lengths.reshape(rows, len(FIELDS)).T, _MOST_LENGTH)
        return _segment(np.array(self._chunks, dtype=np.int64), by_field, keys, codes[firsts], counts)

    def _keys(self, columns: Codes) -> tuple[Keys, Codes]:
        """Return the keys of the terms in the fields where they stand, ascending, and the rank of each column."""
        used = np.zeros(len(self._numbers) * len(FIELDS), dtype=np.bool_)
        used[columns] = True
        first = np.array(list(map(key_of, self._numbers)), dtype=np.uint64)
        every: Keys = np.add.outer(first, np.arange(len(FIELDS), dtype=np.uint64)).ravel()
        keys = _distinct(every[used])
        return keys, np.searchsorted(keys, every).astype(np.int64)


def merged(segments: Sequence[Segment], alive: Sequence[NDArray[np.bool_]]) -> Segment:
    """Return one segment of those chunks of several that exist; they ascend from one segment to the next."""
    keys = _distinct(np.concatenate([segment.keys for segment in segments]))
    codes: list[Codes] = []
    before = 0
    for segment, exists in zip(segments, alive, strict=True):
        places = np.cumsum(exists) - 1 + before
        before += int(np.count_nonzero(exists))
        kept = exists[segment.places]
        ranks = np.repeat(np.searchsorted(keys, segment.keys), np.diff(segment.starts))[kept]
        rows = places[segment.places[kept]]
        codes.append((ranks << _ROW_BITS | rows) << _COUNT_BITS | segment.counts[kept])
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
    distinct: Keys = ascending[np.append(True, ascending[1:] != ascending[:-1])[: len(ascending)]]
    return distinct


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
