"""Cuts one document by definitions, headings or lines."""

from __future__ import annotations

import re
from collections.abc import Collection

from quaestor.chunking.by_lines import cut_lines
from quaestor.chunking.chunk_settings import ChunkSettings, CutDocument
from quaestor.chunking.decode import DecodedFile, decode
from quaestor.chunking.languages import KEYED, PROSE, TEMPLATES, WITHOUT_GRAMMAR, recognise, why_not_parse
from quaestor.core.documents import Chunk, ChunkerName

_COLUMN = re.compile(r"[^\W\d_][\w .()/%-]{0,60}")
"""The name of a column, which begins with a letter."""
_LONGEST_COLUMNS = 200


def cut(
    data: bytes,
    path: str,
    settings: ChunkSettings = ChunkSettings(),  # noqa: B008 - frozen
    *,
    paged: bool = False,
) -> CutDocument:
    """Cut a file into chunks; if it cannot be cut by its structure, it is cut by lines.

    Args:
        data: the file's bytes.
        path: its path, which decides its language.
        settings: the method, and sizes of chunks.
        paged: whether the top sections of prose are pages, slides or sheets; no chunk spans two.

    Spans refer to bytes of ``decode(data).data``, which is the file itself unless it is UTF-16 or UTF-32.
    """
    decoded = decode(data)
    language = recognise(decoded.data, path)
    note = decoded.note
    # Code and prose need different modules, and most refreshes bring files of one kind.
    if settings.method in ("auto", "syntax") and language not in PROSE and language in _syntaxes():
        from quaestor.chunking.code import Refusal, cut_code  # noqa: PLC0415 - see above

        reason = why_not_parse(decoded.data, path)
        chunks = Refusal(reason) if reason else cut_code(decoded, language, settings)
        if not isinstance(chunks, Refusal):
            return CutDocument(language, decoded.encoding, "tree-sitter", chunks, note=note)
        note = f"{note}; {chunks.reason}, cut by lines" if note else f"{chunks.reason}, cut by lines"
    if settings.method in ("auto", "syntax") and language in WITHOUT_GRAMMAR:
        from quaestor.chunking.code import cut_by_defining_lines  # noqa: PLC0415 - see above

        defining_chunks = (
            () if why_not_parse(decoded.data, path) else cut_by_defining_lines(decoded, language, settings)
        )
        if defining_chunks:
            return CutDocument(language, decoded.encoding, "lines", defining_chunks, note=note)
    if settings.method in ("auto", "syntax") and language in KEYED | TEMPLATES:
        outlined = () if why_not_parse(decoded.data, path) else _along_outline(decoded, language, settings)
        if outlined:
            return CutDocument(language, decoded.encoding, "lines", outlined, note=note)
    if language in PROSE:
        from quaestor.chunking.prose import cut_prose  # noqa: PLC0415 - see above

        prose = cut_prose(decoded, language, settings, paged=paged)
        about = prose.about
        metadata = (about.title, note, about.author, about.date, about.url)
        if settings.method in ("auto", "headings"):
            by_headings = prose.has_headings or language != "text"
            chunker: ChunkerName = "headings" if by_headings else "lines"
            return CutDocument(language, decoded.encoding, chunker, prose.chunks, *metadata)
        # A document's metadata count however it is cut.
        return CutDocument(language, decoded.encoding, "lines", _by_lines(decoded, settings), *metadata)
    lines = _by_lines(decoded, settings)
    chunks = _named_for_columns(lines) if language == "csv" else lines
    return CutDocument(language, decoded.encoding, "lines", chunks, note=note)


def _named_for_columns(chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...]:
    """Return the chunks of a table of values, all but the first named for its columns, if its head names any."""
    cells = re.split(r"[,;\t|]", chunks[0].text.partition("\n")[0].strip()) if chunks else []
    names = [cell.strip(' "') for cell in cells]
    if len(names) < 2 or len(set(names)) < len(names) or not all(_COLUMN.fullmatch(name) for name in names):
        return chunks
    columns = ", ".join(names)[:_LONGEST_COLUMNS]
    return (chunks[0], *(chunk._replace(symbol=columns) for chunk in chunks[1:]))


def _along_outline(file: DecodedFile, language: str, settings: ChunkSettings) -> tuple[Chunk, ...]:
    if language in KEYED:
        from quaestor.chunking.keys import cut_keys  # noqa: PLC0415 - see ``cut``

        return cut_keys(file, language, settings)
    from quaestor.chunking.templates import cut_template  # noqa: PLC0415 - see ``cut``

    return cut_template(file, settings)


def _by_lines(file: DecodedFile, settings: ChunkSettings) -> tuple[Chunk, ...]:
    return cut_lines(file.data, file.start, file.encoding, settings)


def _syntaxes() -> Collection[str]:
    from quaestor.chunking.syntax import SYNTAXES  # noqa: PLC0415 - see ``cut``

    return SYNTAXES
