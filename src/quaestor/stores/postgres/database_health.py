"""Checks a database, and one corpus in it, for ``quaestor doctor``, without changing anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quaestor.core.light_imports import NamedTuple
from quaestor.stores.postgres import THRESHOLDS, upkeep
from quaestor.stores.postgres.corpus_states import find_corpus, state
from quaestor.stores.postgres.migrations import check_reached, pgvector_version, reached_step, steps, try_migration
from quaestor.stores.postgres.nearest import MOST_DIMENSIONS, has_index

if TYPE_CHECKING:
    from quaestor.stores.postgres.connection import Connection, Database

_NEEDED = ("SELECT", "INSERT", "UPDATE", "DELETE")
_OF_OURS = (
    "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p') "
    "AND NOT c.relispartition AND n.nspname IN ('quaestor', 'quaestor_state', 'quaestor_sessions')"
)


class Health(NamedTuple):
    """The findings of a check.

    Attributes:
        facts: facts as text.
        damaged: descriptions of damage to stored data.
        to_correct: problems without loss of data, each with the next step.
        is_current: whether the tables are those of this version.
    """

    facts: str
    damaged: tuple[str, ...] = ()
    to_correct: tuple[str, ...] = ()
    is_current: bool = True


def examine_database(database: Database) -> Health:
    """Return the findings about a database: versions, tables and privileges.

    Raises:
        QuaestorError: the database cannot be reached or used, or is empty and this user may not create tables in it.
    """

    def read(connection: Connection) -> tuple[Health, int]:
        version = pgvector_version(connection, database.address)
        reached = reached_step(connection)
        check_reached(reached, database.address)
        number = connection.info.server_version
        server = f"PostgreSQL {number // 10_000}.{number % 10_000}"
        progress = f"tables at step {reached} of {len(steps())}"
        [(standby,)] = connection.execute("SELECT pg_is_in_recovery()")
        facts = [server, f"pgvector {version}", progress, *(["a standby: only to be read"] if standby else [])]
        return Health(", ".join(facts), to_correct=tuple(_rights(connection))), reached

    health, reached = database.read(read)
    if not reached:
        try_migration(database)
        step = "no tables yet; this user may make them, and the first `quaestor index` does so"
        return health._replace(facts=step, is_current=False)
    if reached < len(steps()):
        step = f"{health.facts}: the next command that opens it brings them up to date"
        return health._replace(facts=step, is_current=False)
    return health


def examine_corpus(database: Database, name: str) -> Health | None:
    """Return the findings about a sample of a corpus; None if the corpus is missing."""

    def read(connection: Connection) -> Health | None:
        corpus = find_corpus(connection, name) if reached_step(connection) else None
        if corpus is None:
            return None
        now = state(connection, corpus)
        [(count,)] = connection.execute("SELECT count(*) FROM quaestor.chunks WHERE corpus_id = %s", (corpus,))
        sample = upkeep.take_sample(now)
        is_slow = THRESHOLDS.exact < count and now.dimensions <= MOST_DIMENSIONS
        lacks_index = is_slow and not has_index(connection, corpus, now.dimensions)
        return Health(
            f"{min(count, len(sample.chunks)):,} of {count:,} chunks",
            tuple(upkeep.find_wrong(connection, corpus, sample)),
            ("it has no index of its vectors yet: `quaestor index` makes it",) if lacks_index else (),
        )

    return database.read(read)


def _rights(connection: Connection) -> list[str]:
    """Return the privileges on the tables that this user lacks, and those that everybody has."""
    may = " AND ".join(f"has_table_privilege(c.oid, '{right}')" for right in _NEEDED)
    closed = _names(connection, f"AND NOT (has_schema_privilege(n.oid, 'USAGE') AND {may})")
    foreign = _names(connection, "AND c.relname = 'vectors' AND NOT pg_has_role(c.relowner, 'USAGE')")
    anybody = "has_schema_privilege('public', n.oid, 'USAGE') AND has_table_privilege('public', c.oid, 'SELECT')"
    rights = {
        f"this user may not read and write {closed}: let the owner run GRANT": closed,
        f"only the owner of {foreign} can make an index of vectors: let that user run `quaestor index`": foreign,
        f"everybody who may connect can read {(everybody := _names(connection, f'AND {anybody}'))}: take that away"
        " with REVOKE": everybody,
    }
    return [text for text, applies in rights.items() if applies]


def _names(connection: Connection, condition: str) -> str:
    """Return the names of some of our tables that meet a condition; "" if none does."""
    rows = connection.execute(f"SELECT n.nspname || '.' || c.relname {_OF_OURS} {condition} ORDER BY 1".encode())
    names = [name for (name,) in rows]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
