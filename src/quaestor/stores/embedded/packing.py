"""Making a document ready to be written: all work that needs no store, so that worker processes can do it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from quaestor.core.light_imports import NamedTuple
from quaestor.core.passages import Chunk, Document
from quaestor.stores import ChunkTerms, Packed
from quaestor.stores.embedded.lexical_segments import counted
from quaestor.stores.embedded.quantise import quantise
from quaestor.stores.embedded.truth import chunk_checksum, storable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_TOGETHER = 1 << 14
"""Chunks whose terms are counted together: a segment holds no more than some of these."""


class Columns(NamedTuple):
    """What is written of a document's chunks.

    Attributes:
        chunks: the columns of each, from its offset to its checksum.
        names: what they define, in lower case, each with the place of its chunk in the document; in no order.
        dimensions: length of the vectors.
        vectors: their int8 rows, one after the other.
        keys: under which they are kept, one a chunk.
        terms: compressed segments of their terms, each with the place of its first chunk in the document.
    """

    chunks: Sequence[tuple[Any, ...]]
    names: Sequence[tuple[str | bytes, int]]
    dimensions: int
    vectors: bytes
    keys: Sequence[bytes]
    terms: Sequence[tuple[int, bytes]]

    def rows(self) -> Iterator[bytes]:
        """Yield each chunk's vector."""
        for start in range(0, len(self.vectors), self.dimensions):
            yield self.vectors[start : start + self.dimensions]


def pack(
    document: Document,
    chunks: Sequence[Chunk],
    vectors: NDArray[np.float32],
    terms: Sequence[ChunkTerms],
    keys: Sequence[bytes],
) -> Packed:
    """Return a document with its chunks, ready to be written; see ``quaestor.stores.Pack``.

    Raises:
        ValueError: the arguments' lengths do not fit each other.
    """
    count = len(chunks)
    if len(vectors) != count or len(terms) != count or len(keys) != count:
        raise ValueError(
            f"{document.path!r}: {count} chunks need as many vectors, terms and keys, not {len(vectors)}, {len(terms)} "
            f"and {len(keys)}"
        )
    columns = Columns(
        [_columns(chunk) for chunk in chunks],
        [name for place, chunk in enumerate(chunks) for name in _names(chunk, place)],
        vectors.shape[1],
        quantise(vectors).tobytes(),
        list(keys),
        [(start, _counted(terms[start : start + MOST_TOGETHER])) for start in range(0, count, MOST_TOGETHER)],
    )
    return Packed(document, count, columns)


def _columns(chunk: Chunk) -> tuple[Any, ...]:
    span = chunk.span
    fields = (
        span.start,
        span.end,
        span.start_line,
        span.end_line,
        None if chunk.symbol is None else storable(chunk.symbol),
        chunk.kind,
        _listed(chunk.scope),
        _listed(chunk.defines),
    )
    text = storable(chunk.text)
    return *fields, text, chunk_checksum(fields, text)


@lru_cache(maxsize=1 << 10)  # neighbouring chunks have one scope, and most define what few others do
def _listed(names: tuple[str, ...]) -> str | None:
    return json.dumps(names) if names else None


def _names(chunk: Chunk, place: int) -> Iterator[tuple[str | bytes, int]]:
    for name in {name.lower() for name in chunk.defines}:
        yield storable(name), place


def _counted(terms: Sequence[ChunkTerms]) -> bytes:
    return zlib.compress(counted(terms).data(), 1)
