"""A segment of the lexical index: which chunks hold which terms, in one immutable file.

The file holds arrays, one after the other: the chunks, their lengths, the keys of the terms in ascending order, where
each term's postings begin, and the postings: ascending places of chunks within the segment, with the number of the
term's occurrences. After them come the checksums of the file's blocks, whose own checksum is in the state file. A
segment has so few chunks that a place takes two bytes, and that a query's sums stay in the cache of one core.

A term is stored as its key plus the number of its field.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from zlib import crc32

import numpy as np

from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import key_of
from quaestor.stores.embedded.checksums import Blocks, DamagedError, block_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

FIELDS = ("body", "path", "symbol")
MOST_ROWS = 1 << 16

# BM25 as usual (Robertson and Zaragoza, 2009).
K1 = 1.2
B = 0.75

Keys: TypeAlias = "NDArray[np.uint64]"
Bounds: TypeAlias = "NDArray[np.int64]"
"""The offsets at which the postings of terms begin and end; shape ``(2, len(FIELDS), terms)``."""
Factors: TypeAlias = "NDArray[np.float64]"
# Half the size of float64, so that the sums of a segment stay in the cache of one core.
Scores: TypeAlias = "NDArray[np.float32]"

_FIELD_NUMBERS = np.arange(len(FIELDS), dtype=np.uint64)[:, None]
_HEAD = 4
_SIZE_BYTES = 8
_VERSION = 1


class QueryRuns(NamedTuple):
    """A query as every segment reads it: a run of postings for each term in each field with a weight.

    Attributes:
        is_searched: whether a term is searched for in a field; shape ``(len(FIELDS), terms)``.
        fields: the field of each run; shape ``(runs,)``.
        slopes: BM25's length penalty for each further term of a chunk in a run's field; shape ``(runs,)``.
        weights: the weight of each run for each choice of boosts; shape ``(ways, runs)``.
        same: the number of leading runs that have the same weight for all choices.
    """

    is_searched: NDArray[np.bool_]
    fields: NDArray[np.intp]
    slopes: NDArray[np.float32]
    weights: NDArray[np.float32]
    same: int

    @classmethod
    def of(cls, factors: Factors, averages: Sequence[float]) -> QueryRuns:
        """Make a query from ``factors``.

        Args:
            factors: each term's weight in each field, including its rarity; shape ``(ways, len(FIELDS), terms)``.
            averages: the mean length of each field.
        """
        there = factors.max(axis=0) > 0
        fields, _ = np.nonzero(there)
        weights = ((K1 + 1) * factors[:, there]).astype(np.float32)
        differs = (weights != weights[0]).any(axis=0)
        same = int(differs.argmax()) if differs.any() else len(fields)
        return cls(there, fields, (K1 * B / np.array(averages)[fields]).astype(np.float32), weights, same)


class Segment(NamedTuple):
    """Some chunks and their postings.

    Attributes:
        chunks: the chunks' identifiers, ascending; shape ``(rows,)``.
        lengths: the number of terms of each chunk by field; shape ``(len(FIELDS), rows)``.
        keys: the keys of all terms, ascending; shape ``(terms,)``.
        starts: where each term's postings begin, and where the last one's end; shape ``(terms + 1,)``.
        places: the row of each posting's chunk; shape ``(postings,)``.
        counts: the number of occurrences in each posting; shape ``(postings,)``.
        blocks: the file from which it is mapped; None in memory.
        postings_at: the byte of this file at which the postings begin.
    """

    chunks: NDArray[np.int64]
    lengths: NDArray[np.uint16]
    keys: Keys
    starts: NDArray[np.uint32]
    places: NDArray[np.uint16]
    counts: NDArray[np.uint8]
    blocks: Blocks | None = None
    postings_at: int = 0

    @classmethod
    def map(cls, path: Path, checksum: int) -> Segment:
        """Map a segment from disk; the checksums of its postings are checked when they are read.

        Args:
            path: the segment's file.
            checksum: what ``write`` returned.

        Raises:
            DamagedError: the file does not match the checksum.
            OSError: the file cannot be read.
        """
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        size = int.from_bytes(data[-_SIZE_BYTES:], "little")
        if size > len(data) or crc32(data[size:]) != checksum:
            raise DamagedError(f"{path.name} does not match its checksum")
        blocks = Blocks(data, size, np.frombuffer(data[size:-_SIZE_BYTES], dtype=np.uint32))
        blocks.check(0, _HEAD * 8)
        segment = cls.read(memoryview(data)[:size])
        derived = (segment.chunks, segment.keys, segment.starts, segment.lengths)
        segment = segment._replace(blocks=blocks, postings_at=_HEAD * 8 + sum(part.nbytes for part in derived))
        blocks.check(0, segment.postings_at)
        return segment

    @classmethod
    def read(cls, data: bytes | memoryview) -> Segment:
        """Read a segment from the bytes that ``data`` returned.

        Raises:
            ValueError: the bytes are truncated or in another format.
        """
        version, rows, terms, postings = np.frombuffer(data, np.int64, _HEAD).tolist()
        arrays: list[NDArray[Any]] = []
        at = _HEAD * 8
        for kind, count in _layout(rows, terms, postings):
            if at + count * kind().itemsize > len(data):
                break
            arrays.append(np.frombuffer(data, kind, count, at) if count else np.empty(0, kind))
            at += arrays[-1].nbytes
        if version != _VERSION or at != len(data):
            raise ValueError("not a whole segment")
        chunks, keys, starts, lengths, places, counts = arrays
        return cls(chunks, lengths.reshape(len(FIELDS), rows), keys, starts, places, counts)

    def data(self) -> bytes:
        """Return the segment as the bytes of its file."""
        head = np.array([_VERSION, len(self.chunks), len(self.keys), len(self.places)], dtype=np.int64)
        parts = (head, self.chunks, self.keys, self.starts, self.lengths, self.places, self.counts)
        return b"".join(part.tobytes() for part in parts)

    def write(self, path: Path) -> int:
        """Write the segment as one file; return the checksum of its blocks' checksums."""
        body = self.data()
        tail = block_sums(body).tobytes() + len(body).to_bytes(_SIZE_BYTES, "little")
        path.write_bytes(body + tail)
        return crc32(tail)

    def check(self) -> None:
        """Check the whole file.

        Raises:
            DamagedError: a block does not match its checksum.
        """
        if self.blocks is not None:
            self._check(0, len(self.places))

    def frequencies(self, bounds: Bounds, alive: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Return the number of chunks with each term in each field, shape ``(len(FIELDS), terms)``.

        Args:
            bounds: the bounds of the terms' postings.
            alive: which chunks count; None for all.
        """
        many: NDArray[np.int64] = bounds[1] - bounds[0]
        if alive is None:
            return many
        for field, term in zip(*np.nonzero(many), strict=True):
            start, end = bounds[:, field, term].tolist()
            self._check(start, end)
            many[field, term] = np.count_nonzero(alive[self.places[start:end]])
        return many

    def _check(self, start: int, end: int) -> None:
        """Check the blocks with some postings against their checksums."""
        if self.blocks is not None:
            places = self.postings_at
            counts = places + 2 * len(self.places)
            self.blocks.check(places + 2 * start, places + 2 * end)
            self.blocks.check(counts + start, counts + end)

    def bounds(self, keys: Keys) -> Bounds:
        """Return the range of each term's postings; ``keys`` are those of ``keys_of``."""
        bounds = np.zeros((2, *keys.shape), dtype=np.int64)
        if not len(self.keys):
            return bounds
        # The keys of a term are consecutive, one per field, so that only the first has to be looked up.
        at = self.keys.searchsorted(keys[0])
        for field, own in enumerate(keys):
            # Behind the last key nothing begins, so that what is not there has no postings wherever it is looked for.
            after = at + (self.keys.take(at, mode="clip") == own)
            bounds[0, field], bounds[1, field] = self.starts.take(at), self.starts.take(after)
            at = after
        return bounds

    def holding(self, bounds: Bounds) -> NDArray[np.int64]:
        """Return the chunks whose body holds all of the terms with these bounds."""
        runs = sorted(bounds[:, FIELDS.index("body")].T.tolist(), key=lambda run: run[1] - run[0])
        for start, end in runs:
            self._check(start, end)
        places = self.places[slice(*runs[0])] if runs else self.places[:0]
        for start, end in runs[1:]:
            if not len(places):
                break
            own = self.places[start:end]
            places = places[own.take(own.searchsorted(places), mode="clip") == places] if len(own) else own
        return self.chunks[places]

    def scores(self, bounds: Bounds, query: QueryRuns) -> list[Scores]:
        """Return the BM25 score of every chunk, shape ``(rows,)``, for each choice of boosts; do not modify it.

        Args:
            bounds: the bounds of the terms' postings.
            query: the query.
        """
        runs = bounds[:, query.is_searched]
        many = runs[1] - runs[0]
        places, parts = self._gather_runs(runs.T.tolist())
        # No place is out of bounds; with `clip`, `take` skips the check.
        lengths = self.lengths.ravel().take(places + (query.fields * len(self.chunks)).repeat(many), mode="clip")
        norms = lengths.astype(np.float32)
        norms *= query.slopes.repeat(many)
        norms += np.float32(K1 * (1 - B))
        norms += parts
        parts /= norms
        return self._sums(places, parts, many, query)

    def _gather_runs(self, runs: Iterable[Sequence[int]]) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Return the places and counts of runs of postings."""
        places, counts = [self.places[:0]], [self.counts[:0]]
        for start, end in runs:
            if start < end:
                self._check(start, end)
                places.append(self.places[start:end])
                counts.append(self.counts[start:end])
        return np.concatenate(places, dtype=np.intp), np.concatenate(counts, dtype=np.float32)

    def _sums(self, places: NDArray[np.intp], parts: Scores, many: NDArray[np.int64], query: QueryRuns) -> list[Scores]:
        """Return the weighted sums, shape ``(rows,)``, for each choice of boosts; shared parts are summed once."""
        weights, same = query.weights, query.same
        split = int(many[:same].sum())
        shared = np.zeros(len(self.chunks), dtype=np.float32)
        np.add.at(shared, places[:split], parts[:split] * weights[0, :same].repeat(many[:same]))
        sums = []
        for own in weights[:, same:]:
            total = shared
            if split < len(places) and own.any():
                total = shared.copy()
                np.add.at(total, places[split:], parts[split:] * own.repeat(many[same:]))
            sums.append(total)
        return sums


def keys_of(terms: Iterable[str]) -> Keys:
    """Return the keys of terms in every field, shape ``(len(FIELDS), terms)``."""
    first = np.array(list(map(key_of, terms)), dtype=np.uint64)
    return first + _FIELD_NUMBERS


def _layout(rows: int, terms: int, postings: int) -> list[tuple[type[np.generic], int]]:
    """Return the type and length of a file's arrays in order: widest types first, so that each is aligned."""
    return [
        (np.int64, rows),
        (np.uint64, terms),
        (np.uint32, terms + 1),
        (np.uint16, len(FIELDS) * rows),
        (np.uint16, postings),
        (np.uint8, postings),
    ]
