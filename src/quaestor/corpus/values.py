"""What a corpus tells of itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

ByMeaning = Literal["all", "some", "none"]
"""Which documents a search can find by meaning: all, those that are embedded, or none, for the query was not."""


class CorpusStats(NamedTuple):
    """What an index holds.

    Attributes:
        root: the folder that was indexed.
        documents: number of documents.
        chunks: number of chunks.
        bytes: sum of the documents' sizes.
        index_bytes: what the index takes on disk.
        languages: documents per language.
        chunkers: documents per method of cutting.
        notes: documents per fallback or lossy reading.
        embedder: the embedder's name.
        store: the kind of store.
        generation: number of committed changes.
    """

    root: str
    documents: int
    chunks: int
    bytes: int
    index_bytes: int
    languages: Mapping[str, int]
    chunkers: Mapping[str, int]
    notes: Mapping[str, int]
    embedder: str
    store: str
    generation: int


class Freshness(NamedTuple):
    """How current an answer is.

    Attributes:
        fresh: whether everything that changed on disk is in the index.
        checked_at: when that was checked, ISO 8601 in UTC.
    """

    fresh: bool
    checked_at: str
