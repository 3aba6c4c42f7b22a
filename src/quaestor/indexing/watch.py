"""Keeping an index up to date while files are edited: refresh, wait, refresh again.

Polling needs no rights and no daemon. If the kernel reports no change, a refresh costs next to nothing; without its
reports, checking 5,000 files takes some ten milliseconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from quaestor.core.errors import IndexBusyError, IndexReadOnlyError, LimitError, QuaestorError
from quaestor.files.ingest_report import Changes, Progress

LONGEST_SHARE = 0.1
"""Checks take at most this share of the time, so that a slow file system is checked less often."""

Refresh = Callable[[Progress | None], Changes]


def watch(
    refresh: Refresh,
    interval: float = 1.0,
    *,
    progress: Progress | None = None,
    report_failure: Callable[[QuaestorError], None],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Changes]:
    """Refresh repeatedly; yield the first result, and then every one with changes.

    Args:
        refresh: usually ``Indexer.refresh``.
        interval: seconds between the end of one refresh and the beginning of the next.
        progress: passed on to every refresh.
        report_failure: called with the reason if a refresh failed (another process writes, the disk is full), before it
            is tried again.
        clock: monotonic seconds.
        sleep: waits for some seconds; an exception from it ends the watch.

    Never ends by itself; Ctrl-C, or closing the generator, ends it between two transactions.
    """
    first = True
    while True:
        started = clock()
        try:
            changes = refresh(progress)
        except (IndexBusyError, IndexReadOnlyError, LimitError) as error:
            report_failure(error)
            sleep(interval)
            continue
        took = clock() - started
        if first or changes.any:
            yield changes
        # The time of a refresh with changes says nothing about the next one.
        pause = interval if changes.any else max(interval, took / LONGEST_SHARE)
        first = False
        sleep(pause)
