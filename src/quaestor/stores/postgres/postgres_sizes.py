"""Thresholds between a PostgreSQL store's ways of working; tests make them small."""

from __future__ import annotations

from quaestor.core.light_imports import NamedTuple


class Sizes(NamedTuple):
    """Bounds, in chunks.

    Attributes:
        written: sent to the server together.
        overlaid: behind the last segment, before they are made one.
        gathered: that make a new segment.
        worn: in a segment that no longer exist, before it may be made anew.
        exact: searched by comparing all of their vectors; of more, by an index.
        loose: vectors that are in no chunk, before they may be dropped.
    """

    written: int = 4096
    overlaid: int = 2048
    gathered: int = 1 << 14
    worn: int = 1024
    exact: int = 8192
    loose: int = 10_000


SIZES = Sizes()
