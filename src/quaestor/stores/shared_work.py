"""Work that several processes share: the files that are to be taken into one index, each leased by one of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, runtime_checkable

from quaestor.core.light_imports import NamedTuple
from quaestor.stores import Writer


class WorkItem(NamedTuple):
    """A file that is to be taken in.

    Attributes:
        path: the document's path.
        size: bytes.
        stamp: of the file; 0 if it is to be taken in whatever the index holds.
    """

    path: str
    size: int
    stamp: int


class SharedWork(Protocol):
    """The list of work items of one index, as one process sees it.

    A leased item belongs to its process until that has finished it or given it back, or shows no sign of life for some
    seconds.
    """

    def offer(self, items: Sequence[WorkItem]) -> None:
        """Add the items that nobody has offered yet; they are leased in this order."""
        ...

    def take(self, count: int, besides: Collection[str]) -> Sequence[str]:
        """Lease up to ``count`` items that nobody holds, and return their paths; none of ``besides``."""
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
        """Join those who fill the index; at the end of the block all leases of this process end."""
        ...
