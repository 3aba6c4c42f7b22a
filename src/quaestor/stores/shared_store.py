"""What a store does beyond the protocol if machines share it.

Processes share the work of filling it: files to index, each leased by one of them. And it keeps the bytes of its
documents, so that a server that does not hold the files can check citations against them.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, runtime_checkable

from quaestor.core.documents import Document
from quaestor.core.errors import IndexUnusableError
from quaestor.core.light_imports import NamedTuple
from quaestor.stores import Kept, Writer

# Of source code, higher levels make little less and take much longer; lower ones are no faster.
_LEVEL = 4


class WorkItem(NamedTuple):
    """A file to index.

    Attributes:
        path: the document's path.
        size: bytes.
        stamp: of the file; 0 to index it again in any case.
    """

    path: str
    size: int
    stamp: int


class SharedWork(Protocol):
    """The list of work items of one index, as one process sees it.

    A leased item belongs to its process until the process finishes it, gives it back, or stops renewing its leases.
    """

    def offer(self, items: Sequence[WorkItem]) -> None:
        """Add new items; they are leased in this order."""
        ...

    def take(self, count: int, besides: Collection[str]) -> Sequence[str]:
        """Lease up to ``count`` free items, not those in ``besides``, and return their paths."""
        ...

    def give_back(self, paths: Collection[str]) -> None:
        """End the lease of items that this process does not finish."""
        ...

    def finish(self, writer: Writer, paths: Collection[str]) -> Collection[str]:
        """Remove items with a transaction of the index.

        Returns:
            the paths whose lease this process still had. Documents of others must not be written: another process
            has taken them over, and may have read a later version.
        """
        ...

    def count_remaining(self, besides: Collection[str]) -> int:
        """Return how many items are neither finished nor in ``besides``."""
        ...


@runtime_checkable
class SharingStore(Protocol):
    """A store that several processes fill together, for servers that may lack the files."""

    def sharing(self) -> AbstractContextManager[SharedWork]:
        """Join the processes that fill the index; at the end of the block all leases of this process end."""
        ...

    def bytes_of(self, path: str) -> bytes | None:
        """Return the bytes that a document's citations quote; None if it is unknown, or among ``unkept``.

        These are its file's; of a document that is converted, the text that was made of it.

        Raises:
            IndexUnusableError: they do not agree with their hash.
        """
        ...

    def unkept_paths(self) -> Collection[str]:
        """Return the paths of documents that were put without their bytes."""
        ...

    def add_bytes(self, given: Mapping[Document, Kept]) -> None:
        """Keep the bytes of documents that are among ``unkept`` and that still have the given hash of their file."""
        ...


def keep(data: bytes) -> Kept:
    """Return a document's bytes in the form in which they are kept."""
    return Kept(_hash(data), zlib.compress(data, _LEVEL))


def restore_bytes(kept: Kept, path: str) -> bytes:
    """Return the bytes that ``keep`` was given.

    Raises:
        IndexUnusableError: they are not those.
    """
    if not is_whole(kept):
        raise IndexUnusableError(
            f"The bytes of {path!r} in the store do not agree with their hash: run `quaestor index --rebuild` where "
            "the files are."
        )
    return zlib.decompress(kept.data)


def is_whole(kept: Kept) -> bool:
    """Return whether the bytes agree with their hash."""
    try:
        return _hash(zlib.decompress(kept.data)) == kept.hash
    except zlib.error:
        return False


def _hash(data: bytes) -> bytes:
    from hashlib import sha256  # noqa: PLC0415 - loads OpenSSL, and no search needs it

    return sha256(data).digest()
