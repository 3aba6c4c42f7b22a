"""The embedded store: one folder, no server.

A database of SQLite holds all data (``schema``, ``sqlite_rows``, ``transaction``). Two things are derived from it and
can be deleted at any time: the lexical index (``lexical``, ``postings``) and the matrix of vectors (``matrix``,
``vectors``). Each records the state of the database from which it was made. A small difference from the database is
overlaid in memory (``views``); a larger one is written into the derived files (``derive``).
It does not know queries or files. Begin with ``store``.
"""

from __future__ import annotations

from quaestor.core.light_imports import NamedTuple


class Thresholds(NamedTuple):
    """Numbers at which the store changes its strategy, measured to be best. Results are correct for any.

    Attributes:
        overlaid: up to this many changed chunks are overlaid on the derived files in memory instead of being written
            into them, because a write into the lexical index waits for the disk.
        worn: up to this many dead chunks, a derived file is not compacted.
        loose: up to this many vectors without a chunk are always kept, for switching back to a branch.
        written: the number of chunks that a transaction gathers before it writes them.
        exact: up to this many searchable vectors, all are scored exactly.
        scored: of more vectors, this many with the most similar signs are scored exactly.
        scored_each: at least this many vectors are scored exactly for each wanted result.
    """

    overlaid: int = 512
    worn: int = 2_000
    loose: int = 10_000
    written: int = 4096
    exact: int = 32_768
    scored: int = 8192
    scored_each: int = 40


THRESHOLDS = Thresholds()
