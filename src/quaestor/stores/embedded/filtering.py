"""Selects the documents that match a filter in SQLite, and compiles the path globs of a ``Where``.

As in ignore files, ``*`` and ``?`` stay within one name, ``**`` spans folders, ``[...]`` is a set of characters. A
glob without ``/`` matches a name in any folder; with ``/`` it starts at the source's root. What matches a folder
matches everything below it, so ``src``, ``src/`` and ``src/**`` mean the same if ``src`` is a folder.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from quaestor.core.bylines import is_by
from quaestor.stores import Bylines, Where
from quaestor.stores.embedded.sqlite_rows import from_storable, marks, storable

if TYPE_CHECKING:
    from numpy.typing import NDArray


_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]/]*\]|[^*?\[]+|\[")
_SIMPLE = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_WILD = re.compile(r"[*?\[]")


class AllowedDocuments(NamedTuple):
    """The documents that match a filter, in arbitrary order.

    Attributes:
        documents: their row identifiers.
        first_chunks: the identifier of each one's first chunk.
        chunk_counts: each one's number of chunks.
    """

    documents: NDArray[np.int64]
    first_chunks: NDArray[np.int64]
    chunk_counts: NDArray[np.int64]

    def runs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first chunks, ascending, and the numbers of chunks."""
        order = np.argsort(self.first_chunks)
        return self.first_chunks[order], self.chunk_counts[order]

    def only(self, chunks: Sequence[int]) -> list[int]:
        """Return those of the given chunks that belong to these documents, in the same order."""
        firsts, counts = self.runs()
        ids = np.asarray(chunks, dtype=np.int64)
        places = np.searchsorted(firsts, ids, side="right") - 1
        inside = (places >= 0) & (ids < (firsts + counts)[places]) if len(firsts) else np.zeros(len(ids), dtype=bool)
        return [int(chunk) for chunk in ids[inside]]


def allowed_documents(connection: sqlite3.Connection, where: Where) -> AllowedDocuments:
    """Return the documents that match ``where`` and have chunks."""
    rows = _through(connection, "id, first_chunk, chunk_count", where, "chunk_count > 0")
    matching = list(rows)
    table = np.array(matching, dtype=np.int64).reshape(len(matching), 3)
    return AllowedDocuments(table[:, 0], table[:, 1], table[:, 2])


def bylines(connection: sqlite3.Connection, where: Where | None) -> Bylines:
    """Return the authors and dates of the documents that match ``where``."""
    if where is None:
        of_all = connection.execute("SELECT count(*), count(date), min(date), max(date) FROM documents").fetchone()
        count, dated, earliest, latest = of_all
        rows = connection.execute("SELECT author, count(*) FROM documents WHERE author IS NOT NULL GROUP BY author")
        return Bylines(count, dated, earliest, latest, {from_storable(author): count for author, count in rows})
    documents, dates, authors = 0, list[str](), dict[str, int]()
    for date, author in _through(connection, "date, author", where, "1"):
        documents += 1
        if date is not None:
            dates.append(date)
        if author is not None:
            name = from_storable(author)
            authors[name] = authors.get(name, 0) + 1
    return Bylines(documents, len(dates), min(dates, default=None), max(dates, default=None), authors)


def _through(connection: sqlite3.Connection, columns: str, where: Where, condition: str) -> Iterator[Sequence[Any]]:
    """Yield columns of the documents that match a filter."""
    conditions, values = [condition], list[Any]()
    for part in where.parts():
        for text, part_values in _conditions(part):
            conditions.append(text)
            values.extend(part_values)
    parts = [part for part in where.parts() if part.paths or part.authors]
    matches = [compile_globs(part.paths).fullmatch for part in parts if part.paths]
    names = [part.authors for part in parts if part.authors]
    rows = connection.execute(f"SELECT path, author, {columns} FROM documents WHERE {' AND '.join(conditions)}", values)
    for path, author, *rest in rows:
        # Globs and names are matched here: SQLite knows neither folders nor accents.
        if all(match(from_storable(path)) for match in matches) and all(
            is_by(from_storable(author), wanted) for wanted in names
        ):
            yield rest


def _conditions(part: Where) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield the conditions that SQLite can check, each with its values."""
    if part.languages:
        yield f"language IN ({marks(len(part.languages))})", tuple(map(storable, part.languages))
    if part.since:
        yield "date >= ?", (storable(part.since),)
    if part.before:
        yield "date < ?", (storable(part.before),)
    folder = literal_folder(part.paths)
    if folder and folder.isascii():
        # "0" follows "/"
        yield "(path >= ? AND path < ? OR typeof(path) = 'blob')", (folder, folder[:-1] + "0")


def _set(token: str) -> str:
    inner = token[1:-1]
    negated, inner = inner.startswith("!"), inner.removeprefix("!")
    inner = re.sub(r"([\\\[\]^&|~])", r"\\\1", inner)
    # Two hyphens are a range that begins or ends with one; unescaped, Python warns that their meaning may change.
    inner = re.sub("^--", r"\\--", inner)
    inner = re.sub(r"(?<=[^\\])--", r"-\\-", inner)
    return f"(?!/)[{'^' if negated else ''}{inner}]"


def _piece(token: str) -> str:
    if token in _SIMPLE:
        return _SIMPLE[token]
    if len(token) > 2 and token[0] == "[":
        return _set(token)
    return re.escape(token)


def _expression(glob: str) -> str:
    anchored = "/" in glob.rstrip("/")
    body = "".join(_piece(token) for token in _TOKEN.findall(glob.removeprefix("./").strip("/")))
    return f"{'' if anchored else '(?:.*/)?'}{body}(?:/.*)?"


@lru_cache(maxsize=256)
def compile_globs(globs: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern whose ``fullmatch`` matches the paths that any of ``globs`` matches.

    A set that is not a valid set (``[z-a]``) is taken literally.
    """
    pieces = []
    for glob in globs:
        try:
            pieces.append(re.compile(_expression(glob)).pattern)
        except re.error:
            pieces.append(re.escape(glob))
    return re.compile("|".join(f"(?:{piece})" for piece in pieces), re.DOTALL)


def literal_folder(globs: Iterable[str]) -> str:
    """Return the folder, with its final ``/``, that holds every match of every glob; "" if there is none."""
    folders = {_folder(glob) for glob in globs}
    return folders.pop() if len(folders) == 1 else ""


def _folder(glob: str) -> str:
    glob = glob.removeprefix("./").lstrip("/")
    wild = _WILD.search(glob)
    plain = glob[: wild.start()] if wild else glob.rstrip("/")
    return plain[: plain.rfind("/") + 1] if "/" in glob.rstrip("/") else ""
