"""Documents whose chunks are not all embedded: found by their words until a user accepts the cost of the rest.

Such a document is whole in every other respect. That it waits stands in its note, so that sizes and messages tell of
it; a chunk that waits has a vector of zeros, which no search by meaning finds, under a key of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from quaestor.core.passages import Document

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
