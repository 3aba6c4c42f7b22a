"""How large chunks are, and what cutting a document gives."""

from __future__ import annotations

from dataclasses import dataclass

from quaestor.errors import UsageError
from quaestor.passages import Chunk, ChunkerName

SMALLEST_TARGET = 16


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """Sizes of chunks, in bytes.

    Attributes:
        target: neighbours are merged while they stay under this.
        limit: no chunk is larger than this.
    """

    target: int = 1000
    limit: int = 2000

    def __post_init__(self) -> None:
        if not SMALLEST_TARGET <= self.target <= self.limit:
            raise UsageError(
                f"Chunk sizes target={self.target!r}, limit={self.limit!r} do not work: "
                f"choose {SMALLEST_TARGET} <= target <= limit."
            )


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
        author: who wrote a prose document, where its front matter says so.
        date: a prose document's date, as its front matter writes it.
        url: where it says that it came from.
    """

    language: str
    encoding: str
    chunker: ChunkerName
    chunks: tuple[Chunk, ...]
    title: str | None = None
    note: str | None = None
    author: str | None = None
    date: str | None = None
    url: str | None = None
