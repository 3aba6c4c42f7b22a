"""Selects the documents of a corpus that match a filter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quaestor.core.bylines import is_by
from quaestor.stores import Bylines, Where
from quaestor.stores.embedded.filtering import AllowedDocuments, compile_globs, literal_folder
from quaestor.stores.postgres.stored_rows import escape, unescape, unescape_optional

if TYPE_CHECKING:
    from quaestor.stores.postgres.connection import Connection


def allowed_documents(connection: Connection, corpus: int, where: Where) -> AllowedDocuments:
    """Return the documents that match ``where`` and have chunks."""
    rows = _through(connection, corpus, "id, first_chunk, chunk_count", where, "chunk_count > 0")
    matching = list(rows)
    table = np.array(matching, dtype=np.int64).reshape(len(matching), 3)
    return AllowedDocuments(table[:, 0], table[:, 1], table[:, 2])


def bylines(connection: Connection, corpus: int, where: Where | None) -> Bylines:
    """Return the authors and dates of the documents that match ``where``."""
    documents, dates, authors = 0, list[str](), dict[str, int]()
    for date, author in _through(connection, corpus, "date, author", where or Where(), "true"):
        documents += 1
        if date is not None:
            dates.append(unescape(date))
        if author is not None:
            name = unescape(author)
            authors[name] = authors.get(name, 0) + 1
    return Bylines(documents, len(dates), min(dates, default=None), max(dates, default=None), authors)


def _through(
    connection: Connection, corpus: int, columns: str, where: Where, condition: str
) -> Iterator[Sequence[Any]]:
    """Yield columns of the documents that match a filter."""
    conditions, values = ["corpus_id = %s", condition], list[Any]([corpus])
    for part in where.parts():
        for text, value in _conditions(part):
            conditions.append(text)
            values.append(value)
    parts = [part for part in where.parts() if part.paths or part.authors]
    matches = [compile_globs(part.paths).fullmatch for part in parts if part.paths]
    names = [part.authors for part in parts if part.authors]
    query = f"SELECT path, author, {columns} FROM quaestor.documents WHERE {' AND '.join(conditions)}"
    for path, author, *rest in connection.execute(query.encode(), values):
        # Globs and names are matched here, by the same code as in the embedded store.
        if all(match(unescape(path)) for match in matches) and all(
            is_by(unescape_optional(author), wanted) for wanted in names
        ):
            yield rest


def _conditions(part: Where) -> Iterator[tuple[str, Any]]:
    """Yield the conditions that the database can check, each with its value."""
    if part.languages:
        yield "language = ANY(%s)", [escape(language) for language in part.languages]
    if part.since:
        yield "date >= %s", escape(part.since)
    if part.before:
        yield "date < %s", escape(part.before)
    folder = literal_folder(part.paths)
    if folder:
        yield "starts_with(path, %s)", escape(folder)
