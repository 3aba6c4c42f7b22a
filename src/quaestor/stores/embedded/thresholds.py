"""Thresholds at which the embedded store changes its strategy."""

from __future__ import annotations

from quaestor.core.light_imports import NamedTuple


class Thresholds(NamedTuple):
    """The thresholds; the defaults were measured to be best. Results are correct for any values.

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
