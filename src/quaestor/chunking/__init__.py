"""Cutting documents into chunks: by definitions, by headings, or by lines."""

from __future__ import annotations

from dataclasses import dataclass

from quaestor.passages import Chunk, ChunkerName


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """Sizes of chunks, in bytes.

    Attributes:
        target: neighbours are merged while they stay under this.
        limit: no chunk is larger than this.
    """

    target: int = 1000
    limit: int = 2000


@dataclass(frozen=True, slots=True)
class Cut:
    """A document cut into chunks.

    Attributes:
        language: what it was recognised as.
        encoding: as in ``Document.encoding``.
        chunker: the method that cut it.
        chunks: in order, covering the document.
        title: a prose document's title.
        note: why a fallback was used, or what was lossy.
    """

    language: str
    encoding: str
    chunker: ChunkerName
    chunks: tuple[Chunk, ...]
    title: str | None = None
    note: str | None = None
