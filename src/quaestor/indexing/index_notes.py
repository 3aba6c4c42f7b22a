"""What is noted beside an index: as of when and of which commit it is, and which documents wait for their vectors."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import blake2b

from quaestor.core.light_imports import NamedTuple
from quaestor.core.passages import Document
from quaestor.stores import Store

TAKEN_IN_KEY = "ingest.taken_in"
"""The metadata under which a shared store keeps when files were last taken in, and what was checked out then."""


class IntakeNote(NamedTuple):
    """When files were last taken in.

    Attributes:
        at: the time, ISO 8601 in UTC; empty if nobody said.
        commit: the hash of the commit that was checked out; empty outside of a repository.
    """

    at: str = ""
    commit: str = ""

    @classmethod
    def now(cls, commit: str) -> IntakeNote:
        """Return that files were taken in just now."""
        return cls(datetime.now(UTC).isoformat("T", "seconds"), commit)

    @classmethod
    def of(cls, store: Store) -> IntakeNote:
        """Return what a store keeps; nothing where that is missing or not understood."""
        try:
            at, commit = json.loads(store.metadata(TAKEN_IN_KEY) or "")
        except (ValueError, TypeError):
            return cls()
        return cls(str(at), str(commit))

    def to_text(self) -> str:
        """Return what is to be kept."""
        return json.dumps(list(self))


NOTE = "not all of it embedded yet"
KEY = blake2b(b"a chunk that waits for its vector", digest_size=16).digest()
"""The key of the vector of zeros that all waiting chunks share."""


def is_pending(document: Document) -> bool:
    """Return whether some of a document's chunks wait for their vectors."""
    return document.note is not None and document.note.endswith(NOTE)


def as_pending(document: Document) -> Document:
    """Return a document that says that some of its chunks wait."""
    return document._replace(note=f"{document.note}; {NOTE}" if document.note else NOTE)


def pending(documents: Iterable[Document]) -> list[Document]:
    """Return those that wait."""
    return [document for document in documents if is_pending(document)]
