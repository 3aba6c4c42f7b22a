"""Settings of chunking, and the result of cutting a document."""

from __future__ import annotations

from typing import Literal, Self, get_args

from quaestor.core.documents import Chunk, ChunkerName
from quaestor.core.errors import UsageError
from quaestor.core.light_imports import NamedTuple

SMALLEST_TARGET = 16
_LINES = range(1, 10_000)
_BYTES = range(100, 1_000_000)
_BYTES_OF_A_LINE = 100  # this many lines of this length still make one chunk

ChunkMethod = Literal["auto", "syntax", "headings", "lines"]


class _SettingFields(NamedTuple):
    target: int = 1000
    limit: int = 2000
    method: ChunkMethod = "auto"
    lines: int | None = None


class ChunkSettings(_SettingFields):
    """How to cut documents, and the sizes of chunks in bytes.

    Attributes:
        target: neighbours are merged up to this size.
        limit: no chunk is larger than this.
        method: ``auto`` cuts code along its definitions, prose by its headings and the rest by lines; ``syntax`` and
            ``headings`` do one of these and cut everything else by lines; ``lines`` cuts everything by lines.
        lines: lines in each chunk of the method ``lines``, instead of ``target`` bytes.

    Raises:
        UsageError: the limit is below the target, or the target is too small.
    """

    __slots__ = ()

    def __new__(
        cls, target: int = 1000, limit: int = 2000, method: ChunkMethod = "auto", lines: int | None = None
    ) -> Self:
        """Check the sizes."""
        if not SMALLEST_TARGET <= target <= limit:
            raise UsageError(
                f"Chunk sizes target={target!r}, limit={limit!r} do not work: "
                f"choose {SMALLEST_TARGET} <= target <= limit."
            )
        return super().__new__(cls, target, limit, method, lines)

    @classmethod
    def read(cls, name: str, target: int = 1000, limit: int = 2000) -> Self:
        """Parse a chunker's name: ``auto``, ``syntax:1500`` (bytes up to which chunks merge), ``lines:40`` (lines).

        Args:
            name: the method, and optionally a size after a colon.
            target: bytes, if the name has no size.
            limit: bytes, if the name has no size; else it is twice the size.

        Raises:
            UsageError: the method or the size is unknown.
        """
        method, colon, size = name.partition(":")
        number = int(size) if size.isascii() and size.isdigit() and len(size) < 8 else 0
        if method not in get_args(ChunkMethod) or (colon and number not in (_LINES if method == "lines" else _BYTES)):
            raise UsageError(
                f"There is no chunker {name!r}. Use 'auto', 'syntax', 'headings' or 'lines', with a size if you like: "
                "'syntax:1500' for bytes (100 or more), 'lines:40' for lines."
            )
        if not colon:
            return cls(target, limit, method)  # type: ignore[arg-type]
        if method == "lines":
            return cls(target, max(limit, number * _BYTES_OF_A_LINE), "lines", number)
        return cls(number, 2 * number, method)  # type: ignore[arg-type]


class CutDocument(NamedTuple):
    """A document cut into chunks.

    Attributes:
        language: the recognised language.
        encoding: the encoding as in ``Document.encoding``.
        chunker: the method that cut it.
        chunks: the chunks in order; they cover the document.
        title: a prose document's title.
        note: why a fallback was used, or what was lost.
        author: a prose document's author, from its front matter.
        date: a prose document's ISO 8601 date, from its front matter or its path.
        url: its address, from its front matter.
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
