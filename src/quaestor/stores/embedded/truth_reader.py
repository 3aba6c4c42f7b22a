"""The connection that a store reads its truth through, and the filters that were worked out on it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from quaestor.stores import Where
from quaestor.stores.embedded import schema, truth
from quaestor.stores.embedded.sqlite_failures import translated

if TYPE_CHECKING:
    from quaestor.stores.embedded.filtering import Allowed

_REMEMBERED_FILTERS = 16

_Read = TypeVar("_Read")


class TruthReader:
    """Reads the truth; threads may share it.

    Args:
        folder: the index.
        connection: what it is read through.
        fixed: whether the connection sees nothing of what is written.

    Attributes:
        mutex: held while one state is read; who keeps something of a state, or forgets it, holds it, too.
    """

    def __init__(self, folder: Path, connection: sqlite3.Connection, *, fixed: bool) -> None:
        self._folder = folder
        self._connection = connection
        self._fixed = fixed
        self.mutex = threading.RLock()
        self._filters: dict[Where, Allowed] = {}
        self._filters_of = -1

    @contextmanager
    def state(self) -> Iterator[sqlite3.Connection]:
        """Hold one state of the truth for the length of the block."""
        with self.mutex, translated(self._folder):
            self._connection.execute("BEGIN")
            try:
                yield self._connection
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("COMMIT")

    def ask(self, read: Callable[[sqlite3.Connection], _Read]) -> _Read:
        """Return what a single statement reads, which sees one state of the truth without a transaction around it."""
        with self.mutex:
            try:
                return read(self._connection)
            except (sqlite3.Error, OSError):
                with translated(self._folder):
                    raise

    def allowed(self, connection: sqlite3.Connection, where: Where | None) -> Allowed | None:
        """Return the documents that a filter lets through; the last few filters are remembered.

        Args:
            connection: the one that ``state`` gave.
            where: the filter.
        """
        if where is None or where == Where():
            return None

        generation = truth.generation(connection)
        if self._filters_of != generation or len(self._filters) >= _REMEMBERED_FILTERS:
            self._filters, self._filters_of = {}, generation
        if where not in self._filters:
            from quaestor.stores.embedded.filtering import allowed  # noqa: PLC0415 - most searches have no filter

            self._filters[where] = allowed(connection, where)
        return self._filters[where]

    def follow_writer(self) -> None:
        """See what is written from now on, if the connection was opened while nothing could be."""
        if not self._fixed:
            return
        with self.mutex:
            self._connection.close()
            self._connection, self._fixed = schema.connect_reading(self._folder)

    def close(self) -> None:
        """Close the connection; further use is an error."""
        with self.mutex:
            self._connection.close()
