"""What a corpus, or several as one, tells of itself; and what it says of files that its settings leave out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from quaestor.core.light_imports import NamedTuple
from quaestor.files.ingest_report import BY_SETTING, Changes
from quaestor.stores import Bylines

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


AS_IF_NOT_SET = "QUAESTOR_IGNORE='#' in the environment reads them nevertheless"
"""How to read what the setting ``ignore`` leaves out: a pattern that is a comment takes the place of the project's."""


def hidden_by_settings(changes: Changes) -> tuple[str, ...]:
    """Return what is to be said of files that settings leave out, if they are more than those that are indexed."""
    indexed = changes.unchanged + len(changes.added) + len(changes.changed) + len(changes.touched)
    ignored = ignored_by_setting(changes)
    large = sum(entry.reason == "too large" for entry in changes.skipped)
    said = []
    if ignored > indexed:
        said.append(f"The setting 'ignore' leaves out {ignored:,} files and folders. {AS_IF_NOT_SET}.")
    if large > indexed:
        said.append(
            f"The setting 'max_file_bytes' leaves out {large:,} files. A greater one reads them:"
            " QUAESTOR_MAX_FILE_BYTES=2000000, say, in the environment."
        )
    return tuple(said)


def ignored_by_setting(changes: Changes) -> int:
    """Return how many files and folders are left out by the setting ``ignore``; a folder counts once."""
    return sum(entry.detail == BY_SETTING for entry in changes.skipped)


def merged_bylines(each: Iterable[Bylines]) -> Bylines:
    """Return who wrote the documents of several corpora, and when."""
    found = list(each)
    authors: Counter[str] = Counter()
    for one in found:
        authors.update(one.authors)
    return Bylines(
        sum(one.documents for one in found),
        sum(one.dated for one in found),
        min((one.earliest for one in found if one.earliest), default=None),
        max((one.latest for one in found if one.latest), default=None),
        authors,
    )


def merged_freshness(each: Sequence[Freshness]) -> Freshness:
    """Return how current an answer of several corpora is: as current as the least of them."""
    return Freshness(
        all(one.fresh for one in each),
        min((one.checked_at for one in each), default=""),
        " ".join(dict.fromkeys(one.hindrance for one in each if one.hindrance)),
        any(one.stored for one in each),
        ", ".join(dict.fromkeys(one.commit for one in each if one.commit)),
    )


def merged_reach(each: Sequence[ByMeaning]) -> ByMeaning:
    """Return what a search of several corpora could find by meaning."""
    reached = set(each)
    return reached.pop() if len(reached) == 1 else "some"
