"""Lines of a document as they are on disk. Pure: bytes in, lines out."""

from __future__ import annotations

from quaestor.chunking.decode import decode
from quaestor.core.documents import Document
from quaestor.core.light_imports import NamedTuple


class Excerpt(NamedTuple):
    """Lines of a document.

    Attributes:
        path: the document's path.
        start_line: the first line, 1-based.
        end_line: the last line, inclusive; ``start_line - 1`` for an empty document.
        total_lines: the number of lines of the whole document.
        lines: the lines without their ends.
        language: the document's language.
        sha256: the hash of the file from which the lines were taken, lower-case hex.
        fresh: whether the index holds the same bytes.
        title: the title of a page or a prose document.
        url: the address of a page that was crawled.
    """

    path: str
    start_line: int
    end_line: int
    total_lines: int
    lines: tuple[str, ...]
    language: str
    sha256: str
    fresh: bool
    title: str | None = None
    url: str | None = None

    @property
    def text(self) -> str:
        """The lines, joined."""
        return "\n".join(self.lines)


def lines_of(data: bytes) -> list[str]:
    """Return the lines of a file without their ends, as spans count them: cut at line feeds."""
    decoded = decode(data)
    # What cannot be decoded is replaced: it is shown, and never matched against anything.
    text = decoded.data[decoded.start :].decode(decoded.encoding, "replace")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def excerpt(document: Document, data: bytes, sha256: str, start_line: int, end_line: int | None) -> Excerpt:
    """Return lines of ``data``, a document's text; an ``end_line`` beyond the last line means the last line.

    ``sha256`` is the hash of the file, which is the text itself or was converted to it.

    The lines from ``start_line`` on must exist.
    """
    lines = lines_of(data)
    last = len(lines) if end_line is None else min(end_line, len(lines))
    return Excerpt(
        path=document.path,
        start_line=start_line,
        end_line=max(last, start_line - 1),
        total_lines=len(lines),
        lines=tuple(lines[start_line - 1 : last]),
        language=document.language,
        sha256=sha256,
        fresh=sha256 == document.sha256,
        title=document.title,
        url=document.url,
    )
