"""The present state of a store: the database, read through one connection, and the derived files.

Changes since the derived files were written are overlaid in memory.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from quaestor.stores import ScoredChunks, Where
from quaestor.stores.embedded import Thresholds, derive, lexical, matrix, schema, sqlite_rows
from quaestor.stores.embedded.checksums import DamagedError
from quaestor.stores.embedded.derived_files import Lag, lag
from quaestor.stores.embedded.lexical import LexicalBase
from quaestor.stores.embedded.lock import WriteLock
from quaestor.stores.embedded.matrix import MatrixBase
from quaestor.stores.embedded.sqlite_failures import translate_failures
from quaestor.stores.embedded.views import DenseView, LexicalView

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from quaestor.stores.embedded.filtering import AllowedDocuments


_CATCH_UP_SECONDS = 30.0
_POLL_SECONDS = 0.01

_Base = TypeVar("_Base", LexicalBase, MatrixBase)
_Read = TypeVar("_Read")

_REMEMBERED_FILTERS = 16


class CurrentViews:
    """Postings and vectors as of the present state; threads may share them.

    Args:
        folder: the index's folder.
        reader: reads the database.
        lock: held while derived files are made.
        embedder: the name of the vectors' embedder.
        dimensions: the length of the vectors.
        sizes: decide which changes are overlaid in memory, and when the files are brought up to date.

    Attributes:
        damaged: the names of derived files that were found damaged since the index was opened.
    """

    def __init__(
        self, folder: Path, reader: TruthReader, lock: WriteLock, embedder: str, dimensions: int, sizes: Thresholds
    ) -> None:
        self.damaged: set[str] = set()
        self._folder = folder
        self._reader = reader
        self._lock = lock
        self._embedder = embedder
        self._dimensions = dimensions
        self._sizes = sizes
        self._lexical: LexicalView | None = None
        self._dense: DenseView | None = None

    def forget(self) -> None:
        """Close the derived files."""
        with self._reader.mutex:
            self._lexical = self._dense = None

    def of_lexical(
        self, read: Callable[[LexicalView, AllowedDocuments | None], _Read], where: Where | None = None
    ) -> _Read:
        """Return the result of a lexical query on the present state; rebuild a damaged lexical index and repeat it."""
        try:
            return read(*self._lexical_now(where))
        except DamagedError:
            self._distrust(lexical.FOLDER)
            return read(*self._lexical_now(where))

    def nearest(self, vector: NDArray[np.float32], k: int, where: Where | None) -> ScoredChunks:
        """Return up to ``k`` chunks by cosine similarity; ``vector`` has the index's dimensions."""
        try:
            view, allowed = self._dense_now(where)
            return view.search(vector, k, allowed)
        except DamagedError:
            self._distrust(matrix.STATE)
            view, allowed = self._dense_now(where)
            return view.search(vector, k, allowed)

    def _distrust(self, name: str) -> None:
        """Close the derived files, and check them completely before they are used again."""
        with self._reader.mutex:
            self.damaged.add(name)
            self._lexical = self._dense = None

    def _lexical_now(self, where: Where | None) -> tuple[LexicalView, AllowedDocuments | None]:
        """Return the lexical view of the present state and the documents that match a filter."""
        present = self._lexical
        if where is None and present is not None and present.content == self._reader.ask(sqlite_rows.content):
            return present, None
        with self._reader.state() as connection:
            view = self._lexical = self._lexical_view(connection)
            return view, self._reader.allowed_documents(connection, where)

    def _dense_now(self, where: Where | None) -> tuple[DenseView, AllowedDocuments | None]:
        """Return the vectors of the present state and the documents that match a filter."""
        present = self._dense
        if where is None and present is not None and present.content == self._reader.ask(sqlite_rows.content):
            return present, None
        with self._reader.state() as connection:
            view = self._dense = self._dense_view(connection)
            return view, self._reader.allowed_documents(connection, where)

    def _lexical_view(self, connection: sqlite3.Connection) -> LexicalView:
        present = self._lexical
        if present is not None and present.content == sqlite_rows.content(connection):
            return present
        base = present.base if present else self._load_lexical()
        base, behind = self._pin(connection, base, self._load_lexical)
        return LexicalView.make(connection, base, behind)

    def _dense_view(self, connection: sqlite3.Connection) -> DenseView:
        present = self._dense
        if present is not None and present.content == sqlite_rows.content(connection):
            return present
        schema.check_embedder(connection, self._folder, self._embedder)
        base, behind = self._pin(connection, None, self._load_matrix)
        # Again after pinning, which may see a newer state of the database than the block began with.
        schema.check_embedder(connection, self._folder, self._embedder)
        return DenseView.make(connection, base, behind, self._dimensions, self._sizes)

    def _load_lexical(self) -> LexicalBase | None:
        return LexicalBase.load(self._folder, whole=bool(self.damaged), on_damage=self.damaged.add)

    def _load_matrix(self) -> MatrixBase | None:
        whole = bool(self.damaged)
        return MatrixBase.load(self._folder, self._dimensions, whole=whole, on_damage=self.damaged.add)

    def _pin(
        self, connection: sqlite3.Connection, base: _Base | None, load: Callable[[], _Base | None]
    ) -> tuple[_Base | None, Lag]:
        """Return derived files and the changes since, which are few enough to be overlaid.

        Files that are too far behind are brought up to date first. If another process is doing that, this waits for it;
        if the wait is too long, all changes are overlaid in memory, which is slow but correct.
        """
        deadline = time.monotonic() + _CATCH_UP_SECONDS
        while True:
            base, behind = self._load(connection, base, load)
            if behind is not None and behind.size <= self._sizes.overlaid:
                return base, behind
            # Read a new state of the database from here on, because the writer may be ahead of the block's first one.
            connection.execute("COMMIT")
            tried = self._catch_up()
            connection.execute("BEGIN")
            if tried is False or time.monotonic() >= deadline:
                base, behind = self._load(connection, None, load)
                whole = behind or lag(connection, None)
                assert whole is not None
                return (base if behind else None), whole
            if tried is None:
                time.sleep(_POLL_SECONDS)
            base = None

    def _load(
        self, connection: sqlite3.Connection, base: _Base | None, load: Callable[[], _Base | None]
    ) -> tuple[_Base | None, Lag | None]:
        """Return the open files, or those on disk if the open ones are too old, with their lag."""
        if base is not None:
            behind = lag(connection, base.mark)
            if behind is not None and behind.size <= self._sizes.overlaid:
                return base, behind
        base = load()
        return base, lag(connection, base.mark if base else None)

    def _catch_up(self) -> bool | None:
        """Bring the derived files up to date; return None if another process holds the lock, False if that failed."""
        try:
            with self._lock.attempt() as is_locked:
                if not is_locked:
                    return None
                with closing(schema.connect(self._folder)) as connection:
                    connection.execute("BEGIN")
                    # Vectors of another embedder may have another length than is expected here.
                    schema.check_embedder(connection, self._folder, self._embedder)
                    derivation = derive.prepare(
                        connection,
                        self._folder,
                        self._dimensions,
                        self._sizes,
                        trim=False,
                        whole=bool(self.damaged),
                        on_damage=self.damaged.add,
                    )
                    connection.execute("COMMIT")
                    return derivation.publish()
        except (OSError, sqlite3.OperationalError):
            return False


class TruthReader:
    """Reads the database; threads may share it.

    Args:
        folder: the index's folder.
        connection: a connection to the database.
        fixed: whether the connection does not see later writes.

    Attributes:
        mutex: held while one state is read, and while a cache of a state is changed.
    """

    def __init__(self, folder: Path, connection: sqlite3.Connection, *, fixed: bool) -> None:
        self._folder = folder
        self._connection = connection
        self._fixed = fixed
        self.mutex = threading.RLock()
        self._filters: dict[Where, AllowedDocuments] = {}
        self._filters_of = -1

    @contextmanager
    def state(self) -> Iterator[sqlite3.Connection]:
        """Read one state of the database during the block."""
        with self.mutex, translate_failures(self._folder):
            self._connection.execute("BEGIN")
            try:
                yield self._connection
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("COMMIT")

    def ask(self, read: Callable[[sqlite3.Connection], _Read]) -> _Read:
        """Return the rows of a single statement, which sees one state without a transaction."""
        with self.mutex:
            try:
                return read(self._connection)
            except (sqlite3.Error, OSError):
                with translate_failures(self._folder):
                    raise

    def allowed_documents(self, connection: sqlite3.Connection, where: Where | None) -> AllowedDocuments | None:
        """Return the documents that match a filter; None without a filter. The last few results are cached.

        Args:
            connection: what ``state`` yielded.
            where: the filter.
        """
        if where is None or where == Where():
            return None

        generation = sqlite_rows.generation(connection)
        if self._filters_of != generation or len(self._filters) >= _REMEMBERED_FILTERS:
            self._filters, self._filters_of = {}, generation
        if where not in self._filters:
            from quaestor.stores.embedded.filtering import allowed_documents  # noqa: PLC0415 - most searches have no filter

            self._filters[where] = allowed_documents(connection, where)
        return self._filters[where]

    def follow_writer(self) -> None:
        """Reopen a connection that does not see later writes, so that it sees them."""
        if not self._fixed:
            return
        with self.mutex:
            self._connection.close()
            self._connection, self._fixed = schema.connect_reading(self._folder)

    def close(self) -> None:
        """Close the connection; further use is an error."""
        with self.mutex:
            self._connection.close()
