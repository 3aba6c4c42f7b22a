"""What a corpus tells of itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from quaestor.core.light_imports import NamedTuple

ByMeaning = Literal["all", "some", "none"]
"""Which documents a search can find by meaning: all, those that are embedded, or none, for the query was not."""


class Coming(NamedTuple):
    """Vectors that an index is yet to be given, while it answers by those that it has.

    Attributes:
        embedder: what chooses the embedder that makes them.
        done: how many are made.
        total: how many there will be; 0 while that is not known.
        busy: whether somebody is making them.
    """

    embedder: str
    done: int
    total: int
    busy: bool


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
        hindrance: why it could not be taken in, where time alone would not have helped; else empty.
        stored: whether the files are not here: then it is as current as the index, whose files were taken in at
            ``checked_at``.
        commit: what was checked out then, where the files are not here; empty outside of a repository.
    """

    fresh: bool
    checked_at: str
    hindrance: str = ""
    stored: bool = False
    commit: str = ""
