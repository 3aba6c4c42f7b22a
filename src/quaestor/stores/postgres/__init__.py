"""Indexes in PostgreSQL with pgvector, for teams: one database, any number of corpora and servers.

It does not know queries or files. Begin with ``postgres_store``; ``migrations`` holds the tables.
"""

from __future__ import annotations

from quaestor.core.light_imports import NamedTuple


class Thresholds(NamedTuple):
    """Numbers of chunks at which the store changes its strategy. Results are correct for any; tests make them small.

    Attributes:
        written: the number of chunks that are sent to the server together.
        overlaid: up to this many chunks after the last segment are searched one by one, before they become a segment.
        gathered: a new segment is made of this many chunks.
        worn: with up to this many dead chunks, a segment is not rebuilt.
        exact: up to this many chunks, the vectors of all are compared; of more, an HNSW index is searched.
        loose: up to this many vectors without a chunk are kept.
    """

    written: int = 4096
    overlaid: int = 2048
    gathered: int = 1 << 14
    worn: int = 1024
    exact: int = 8192
    loose: int = 10_000


THRESHOLDS = Thresholds()
