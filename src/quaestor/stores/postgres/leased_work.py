"""Leases on work items, by which several processes index files into one corpus, each file by one of them.

A lease expires by the database's clock unless its process renews it. The documents that a process has prepared are
committed in one transaction with the removal of their items, and only if the process still holds the leases.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from quaestor.core.errors import QuaestorError
from quaestor.stores import Writer
from quaestor.stores.postgres.corpus_writer import Transaction
from quaestor.stores.postgres.stored_rows import escape, path_key, unescape
from quaestor.stores.shared_store import WorkItem

if TYPE_CHECKING:
    from quaestor.stores.postgres.connection import Connection, Database

LEASE_SECONDS = 30.0
"""How long items stay leased after their process died; some renewals may fail meanwhile, as in a failover."""

_RENEWALS = 6
"""The number of renewals in the time of one lease."""
_OFFERED_AT_ONCE = 10_000

# Whether the index already holds this version, which a late process offered again. A stamp of 0 proves nothing.
_HELD = (
    "EXISTS (SELECT FROM quaestor.documents d WHERE d.corpus_id = w.corpus_id AND d.path_key = w.path_key "
    "AND d.size = w.size AND d.stamp = w.stamp AND d.stamp <> 0)"
)
_TAKE = (
    "WITH free AS (SELECT path_key FROM quaestor.work_items WHERE corpus_id = %(corpus)s "
    "AND leased_until < statement_timestamp() AND path_key <> ALL(%(besides)s) "
    "ORDER BY position LIMIT %(count)s FOR UPDATE SKIP LOCKED) "
    "UPDATE quaestor.work_items w SET holder = %(holder)s, "
    "leased_until = statement_timestamp() + make_interval(secs => %(seconds)s) "
    f"FROM free WHERE w.corpus_id = %(corpus)s AND w.path_key = free.path_key RETURNING w.position, w.path, {_HELD}"
)
_DELETE = (
    "DELETE FROM quaestor.work_items WHERE corpus_id = %(corpus)s AND holder = %(holder)s AND path_key = ANY(%(keys)s) "
    "RETURNING path"
)
# Does not wait for locks, so that it cannot deadlock with the transaction that finishes some of the items.
_RENEW = (
    "UPDATE quaestor.work_items SET leased_until = statement_timestamp() + make_interval(secs => %(seconds)s) "
    "WHERE corpus_id = %(corpus)s AND path_key IN (SELECT path_key FROM quaestor.work_items "
    "WHERE corpus_id = %(corpus)s AND holder = %(holder)s FOR UPDATE SKIP LOCKED)"
)


class LeasedWork:
    """The work items of a corpus, as seen by one process; see ``quaestor.stores.shared_store.SharedWork``.

    Use ``join`` to make one.
    """

    def __init__(self, database: Database, corpus: int) -> None:
        self._database = database
        self._corpus = corpus
        self._holder = secrets.token_hex(8)
        self._over = threading.Event()

    @classmethod
    @contextmanager
    def join(cls, database: Database, corpus: int) -> Iterator[LeasedWork]:
        """Renew leases during the block, and end the remaining ones after it."""
        work = cls(database, corpus)
        renewing = threading.Thread(target=work._renew_until_over, name="leases", daemon=True)
        renewing.start()
        try:
            yield work
        finally:
            work._over.set()
            renewing.join()
            with suppress(QuaestorError):  # they expire by themselves
                work._end_leases()

    def offer(self, items: Sequence[WorkItem]) -> None:
        """Add new items; they are leased in this order."""
        # All processes insert in the same order, so that no two of them deadlock.
        rows = sorted((path_key(item.path), position, item) for position, item in enumerate(items))
        for start in range(0, len(rows), _OFFERED_AT_ONCE):
            self._add(rows[start : start + _OFFERED_AT_ONCE])

    def take(self, count: int, besides: Collection[str]) -> Sequence[str]:
        """Lease up to ``count`` free items, not those in ``besides``, and return their paths."""
        values = {**self._values, "besides": _keys(besides), "count": count}

        def lease(connection: Connection) -> tuple[int, list[str]]:
            rows = sorted(connection.execute(_TAKE.encode(), values).fetchall())
            done = [unescape(path) for _, path, is_stored in rows if is_stored]
            connection.execute(_DELETE.encode(), {**values, "keys": _keys(done)})
            return len(rows), [unescape(path) for _, path, is_stored in rows if not is_stored]

        while True:
            leased, paths = self._database.write(lease)
            if paths or not leased:
                return paths

    def give_back(self, paths: Collection[str]) -> None:
        """End the lease of items that this process does not finish."""
        if paths:
            self._end_leases("AND path_key = ANY(%(keys)s)", keys=_keys(paths))

    def finish(self, writer: Writer, paths: Collection[str]) -> Collection[str]:
        """Remove items in a transaction of the corpus; return the paths whose lease this process still held."""
        assert isinstance(writer, Transaction), "the transaction of another store"
        return {unescape(path) for (path,) in writer.run_beside(_DELETE, {**self._values, "keys": _keys(paths)})}

    def count_remaining(self, besides: Collection[str]) -> int:
        """Return how many items are neither finished nor in ``besides``."""
        query = "SELECT count(*) FROM quaestor.work_items WHERE corpus_id = %s AND path_key <> ALL(%s)"

        def count(connection: Connection) -> int:
            [(count,)] = connection.execute(query, (self._corpus, _keys(besides)))
            return int(count)

        return self._database.read(count, primary=True)

    @property
    def _values(self) -> dict[str, Any]:
        return {"corpus": self._corpus, "holder": self._holder, "seconds": LEASE_SECONDS}

    def _add(self, rows: Sequence[tuple[bytes, int, WorkItem]]) -> None:
        columns = [(key, escape(item.path), item.size, item.stamp, position) for key, position, item in rows]
        self._database.write(
            lambda connection: connection.execute(
                "INSERT INTO quaestor.work_items (corpus_id, path_key, path, size, stamp, position) "
                "SELECT %s, * FROM unnest(%s::bytea[], %s::text[], %s::bigint[], %s::bigint[], %s::bigint[]) "
                "ON CONFLICT DO NOTHING",
                (self._corpus, *map(list, zip(*columns, strict=True))),
            )
        )

    def _end_leases(self, which: str = "", **values: object) -> None:
        ended = (
            "UPDATE quaestor.work_items SET holder = '', leased_until = '-infinity' "
            f"WHERE corpus_id = %(corpus)s AND holder = %(holder)s {which}"
        )
        self._database.write(lambda connection: connection.execute(ended.encode(), {**self._values, **values}))

    def _renew_until_over(self) -> None:
        while not self._over.wait(LEASE_SECONDS / _RENEWALS):
            with suppress(QuaestorError):  # tried again; a late renewal only loses the lease
                self._renew()

    def _renew(self) -> None:
        self._database.write(lambda connection: connection.execute(_RENEW.encode(), self._values))


def _keys(paths: Collection[str]) -> list[bytes]:
    return [path_key(path) for path in paths]
