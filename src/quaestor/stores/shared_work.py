"""Work that several processes share: files to index, each leased by one of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, runtime_checkable

from quaestor.core.light_imports import NamedTuple
from quaestor.stores import Writer


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
        """Lease up to ``count`` free items, except ``besides``, and return their paths."""
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

    def remaining(self, besides: Collection[str]) -> int:
        """Return how many items are neither finished nor among ``besides``."""
        ...


@runtime_checkable
class SharingStore(Protocol):
    """A store that several processes fill together."""

    def sharing(self) -> AbstractContextManager[SharedWork]:
        """Join the processes that fill the index; at the end of the block all leases of this process end."""
        ...
