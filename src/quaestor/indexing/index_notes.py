"""Metadata of an index: its time and commit, and which documents wait for their vectors."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import blake2b

from quaestor.core.documents import Document
from quaestor.core.light_imports import NamedTuple
from quaestor.stores import Store

TAKEN_IN_KEY = "ingest.taken_in"
"""Metadata key for the time and commit of a shared store's last refresh."""


class IntakeNote(NamedTuple):
    """The time and commit of the last refresh.

    Attributes:
        at: the time, ISO 8601 in UTC, or "".
        commit: the hash of the commit that was checked out, or "".
    """

    at: str = ""
    commit: str = ""

    @classmethod
    def now(cls, commit: str) -> IntakeNote:
        """Return a note with the present time."""
        return cls(datetime.now(UTC).isoformat("T", "seconds"), commit)

    @classmethod
    def of(cls, store: Store) -> IntakeNote:
        """Return the note of a store; an empty one if it is missing or malformed."""
        try:
            at, commit = json.loads(store.metadata(TAKEN_IN_KEY) or "")
        except (ValueError, TypeError):
            return cls()
        return cls(str(at), str(commit))

    def to_text(self) -> str:
        """Return the note as text."""
        return json.dumps(list(self))


NOTE = "not all of it embedded yet"
KEY = blake2b(b"a chunk that waits for its vector", digest_size=16).digest()
"""The key of the vector of zeros that all waiting chunks share."""


def is_pending(document: Document) -> bool:
    """Return whether some of a document's chunks wait for their vectors."""
    return document.note is not None and document.note.endswith(NOTE)


def as_pending(document: Document) -> Document:
    """Return a document, marked as having chunks that wait for their vectors."""
    return document._replace(note=f"{document.note}; {NOTE}" if document.note else NOTE)


def pending_documents(documents: Iterable[Document]) -> list[Document]:
    """Return the documents of which some chunks wait for vectors."""
    return [document for document in documents if is_pending(document)]
