"""Thresholds between the embedded store's ways of working."""

from __future__ import annotations

from quaestor.core.light_imports import NamedTuple


class Sizes(NamedTuple):
    """The thresholds; the defaults were measured to be best. Results do not depend on them.

    Attributes:
        overlaid: changed chunks that are laid over the derived files in memory instead of being written into them. A
            write into the lexical index waits for the disk some 30 to 100 ms; laying 512 chunks over it costs under 10.
        worn: dead chunks in a derived file up to which it is never made anew for their sake.
        loose: vectors in no chunk that are always kept, for a branch to come back to.
        written: chunks that a transaction gathers before it writes them.
        exact: searchable vectors up to which all are scored exactly, in some 3 ms on one core.
        scored: of more, how many are scored exactly, those whose signs are most alike: some 2 ms.
        scored_each: or so many for each one wanted.
    """

    overlaid: int = 512
    worn: int = 2_000
    loose: int = 10_000
    written: int = 4096
    exact: int = 32_768
    scored: int = 8192
    scored_each: int = 40


SIZES = Sizes()
