"""Making a first index in one process, while others that need it wait.

The only state is a lock that the system frees when its holder dies: then the next process continues its work.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from quaestor.indexing.indexer import Indexer, Progress, ProgressState
from quaestor.stores import Store
from quaestor.stores.embedded.lock import WriteLock
from quaestor.stores.embedded.sqlite_failures import translate_failures

_FOLDER = "first"
_POLL_SECONDS = 0.2


def make_in_turn(
    folder: Path, is_made: Callable[[], bool], make: Callable[[], object], on_wait: Callable[[], None]
) -> bool:
    """Make an index unless it exists, in one process at a time; return whether this process made it.

    Args:
        folder: the folder of the index.
        is_made: returns whether the index is complete.
        make: makes or continues it.
        on_wait: called repeatedly while another process makes it; an exception from it ends the wait.

    Raises:
        LimitError: the disk is full.
    """
    place = folder / _FOLDER
    while not is_made():
        with translate_failures(folder):
            place.mkdir(parents=True, exist_ok=True)
            with WriteLock(place).attempt() as mine:
                if mine:
                    # It may have become whole between the question and the lock.
                    if is_made():
                        return False
                    make()
                    return True
        on_wait()
        time.sleep(_POLL_SECONDS)
    return False


def erase_in_turn(folder: Path, erase: Callable[[], object], on_wait: Callable[[], None]) -> None:
    """Delete an index while no process makes it: its maker would continue with deleted files.

    Args:
        folder: the folder of the index.
        erase: deletes it.
        on_wait: called repeatedly while another process makes it; an exception from it ends the wait.
    """
    place = folder / _FOLDER
    while place.is_dir():
        with translate_failures(folder), WriteLock(place).attempt() as mine:
            if mine:
                erase()
                return
        on_wait()
        time.sleep(_POLL_SECONDS)
    erase()


def follow_progress(store: Store, indexer: Indexer, progress: Progress | None) -> Callable[[], None]:
    """Return a function that reports another process's progress with an index as if it were our own."""
    if progress is None:
        return lambda: None
    report = progress
    total = 0

    def waiting() -> None:
        nonlocal total
        stats = store.stats()
        total = total or len({*store.documents(), *(file.path for file in indexer.awaiting_files().added)})
        report(ProgressState(stats.documents, total, stats.chunks, doing="waiting for another process"))

    return waiting
