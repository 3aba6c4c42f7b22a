"""The additional protocol of a store that several machines share.

Processes share the work of filling it: they lease the files to index. The store also keeps the bytes of its documents,
so that a server without the files can check citations against them.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, runtime_checkable

from quaestor.core.documents import Document
from quaestor.core.errors import IndexUnusableError
from quaestor.core.light_imports import NamedTuple
from quaestor.stores import KeptBytes, Writer

# For source code, higher compression levels save little and take much longer; lower ones are no faster.
_LEVEL = 4


class WorkItem(NamedTuple):
    """A file to index.

    Attributes:
        path: the document's path.
        size: the file's size in bytes.
        stamp: the file's stamp; 0 to index the file again in any case.
    """

    path: str
    size: int
    stamp: int


class SharedWork(Protocol):
    """The list of work items of one index, as seen by one process.

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
        """Remove items in a transaction of the index.

        Returns:
            The paths whose lease this process still held. Documents of other paths must not be written: another process
            has taken them over and may have read a later version.
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
        """Return the bytes against which a document's citations are checked; None if they are not stored.

        These are the bytes of its file or, for a converted document, of the text to which it was converted.

        Raises:
            IndexUnusableError: the bytes do not match their hash.
        """
        ...

    def unkept_paths(self) -> Collection[str]:
        """Return the paths of documents whose bytes are not stored."""
        ...

    def add_bytes(self, bytes_by_document: Mapping[Document, KeptBytes]) -> None:
        """Store the bytes of documents that lack them and whose files still have the given hash."""
        ...


def keep(data: bytes) -> KeptBytes:
    """Return a document's bytes in the form in which they are stored."""
    return KeptBytes(_hash(data), zlib.compress(data, _LEVEL))


def restore_bytes(kept: KeptBytes, path: str) -> bytes:
    """Return the bytes in a value that ``keep`` returned.

    Raises:
        IndexUnusableError: the bytes do not match their hash.
    """
    if not is_intact(kept):
        raise IndexUnusableError(
            f"The bytes of {path!r} in the store do not match their hash: run `quaestor index --rebuild` where "
            "the files are."
        )
    return zlib.decompress(kept.data)


def is_intact(kept: KeptBytes) -> bool:
    """Return whether the bytes match their hash."""
    try:
        return _hash(zlib.decompress(kept.data)) == kept.hash
    except zlib.error:
        return False


def _hash(data: bytes) -> bytes:
    from hashlib import sha256  # noqa: PLC0415 - loads OpenSSL, and no search needs it

    return sha256(data).digest()
