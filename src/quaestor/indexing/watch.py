"""Keeping an index current while files are edited: look, wait, look again.

Polling needs no rights and no daemon. Where the kernel tells that nothing happened, a look costs next to nothing;
elsewhere looking at 5,000 files takes some ten milliseconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from quaestor.core.errors import IndexBusyError, IndexReadOnlyError, LimitError, QuaestorError
from quaestor.files.ingest_report import Changes, Progress

LONGEST_SHARE = 0.1
"""Looking takes at most this share of the time: a slow file system is looked at less often."""

Refresh = Callable[[Progress | None], Changes]


def watch(
    refresh: Refresh,
    interval: float = 1.0,
    *,
    progress: Progress | None = None,
    hindered: Callable[[QuaestorError], None],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Changes]:
    """Refresh again and again; yield what changed whenever something did, and the first look in any case.

    Args:
        refresh: usually ``Indexer.refresh``.
        interval: seconds between the end of one look and the beginning of the next.
        progress: passed on to every refresh.
        hindered: told why a look could take nothing in: another process writes, or there is no room. It is tried again.
        clock: seconds that only go forward.
        sleep: waits so many seconds; whatever it raises ends the watch.

    Never ends by itself; Ctrl-C, or closing the generator, ends it between two transactions.
    """
    first = True
    while True:
        started = clock()
        try:
            changes = refresh(progress)
        except (IndexBusyError, IndexReadOnlyError, LimitError) as error:
            hindered(error)
            sleep(interval)
            continue
        took = clock() - started
        if first or changes.any:
            yield changes
        # A look that worked through changes is long for a good reason and says nothing about the next one.
        pause = interval if changes.any else max(interval, took / LONGEST_SHARE)
        first = False
        sleep(pause)
