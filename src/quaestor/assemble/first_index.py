"""First indexes in turn: one process makes an index, and others that need the same one wait for it.

There is no state but a lock that the system frees when its holder dies: then the next one goes on with what is there.
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
    folder: Path, is_made: Callable[[], bool], make: Callable[[], object], waiting: Callable[[], None]
) -> bool:
    """Make an index unless it is made, alone; return whether this process made it.

    Args:
        folder: of the index.
        is_made: whether there is nothing more to make, by whomever.
        make: makes it, or goes on with it.
        waiting: called again and again while another process is at it; what it raises ends the wait.

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
        waiting()
        time.sleep(_POLL_SECONDS)
    return False


def erase_in_turn(folder: Path, erase: Callable[[], object], waiting: Callable[[], None]) -> None:
    """Throw an index away while nobody makes a first one there: its maker would go on with what is gone.

    Args:
        folder: of the index.
        erase: throws it away.
        waiting: called again and again while another process makes one; what it raises ends the wait.
    """
    place = folder / _FOLDER
    while place.is_dir():
        with translate_failures(folder), WriteLock(place).attempt() as mine:
            if mine:
                erase()
                return
        waiting()
        time.sleep(_POLL_SECONDS)
    erase()


def following(store: Store, indexer: Indexer, progress: Progress | None) -> Callable[[], None]:
    """Return what tells of documents that another process has put into an index so far, as if they were made here."""
    if progress is None:
        return lambda: None
    told = progress
    total = 0

    def waiting() -> None:
        nonlocal total
        held = store.stats()
        total = total or len({*store.documents(), *(file.path for file in indexer.awaiting().added)})
        told(ProgressState(held.documents, total, held.chunks, doing="waiting for another process"))

    return waiting
