"""Cutting a list of files into batches, and leasing them, so that processes share the work."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from quaestor.files.ingest_report import FoundFile
from quaestor.indexing.prepare import Task
from quaestor.stores.shared_store import SharedWork, WorkItem

Item = TypeVar("Item")

TASK_BYTES = 256_000
"""Text per batch of a worker: some hundred chunks, a few milliseconds of overhead in a tenth of a second."""

TASK_FILES = 64
COMMIT_CHUNKS = 20_000
"""Chunks per transaction: some 15 MB of text, and at most that much work to do again after a crash."""

FIRST_COMMIT_CHUNKS = 2_500
"""The same for the first transactions, so that a small corpus is written while its rest is still being prepared."""

COMMIT_SHARE = 0.25
"""In between, a transaction is this share of the chunks written before."""

LAST_COMMIT_CHUNKS = 1_000
"""So many are written early where no more documents are still to come than wait: the last transaction is waited for."""

POOL_BYTES = 2_000_000
"""Below this much new text the start of worker processes costs more than they save."""

COPIES_BYTES = 250_000
"""The same where workers are copies of this process, which start in milliseconds."""

LARGE_BYTES = 32_000
"""Files of this size come before all others: the last ones that are worked on are small, and end at the same time."""

_TASKS_A_WORKER = 2
_LEAST_TASK_BYTES = 16_000


def task_bytes(left: int, workers: int) -> int:
    """Return the bytes of the next batch: ever less, so that all workers end together.

    Guided self-scheduling (Polychronopoulos and Kuck, 1987).
    """
    return min(TASK_BYTES, max(left // (workers * _TASKS_A_WORKER), _LEAST_TASK_BYTES))


def shrinking_batches(items: Sequence[tuple[Item, int]], workers: int, most_items: int) -> Iterator[list[Item]]:
    """Yield lists of items in order, ever smaller ones; a free worker takes the next."""
    left = sum(size for _, size in items)
    batch: list[Item] = []
    size = 0
    for item, item_bytes in items:
        if batch and (size + item_bytes > task_bytes(left, workers) or len(batch) >= most_items):
            yield batch
            left -= size
            batch, size = [], 0
        batch.append(item)
        size += item_bytes
    if batch:
        yield batch


def in_batches(items: Iterable[tuple[Item, int]], most_bytes: int, most_items: int) -> Iterator[list[Item]]:
    """Yield lists of items in order, none above either limit unless it is a single large item."""
    batch: list[Item] = []
    size = 0
    for item, item_bytes in items:
        if batch and (size + item_bytes > most_bytes or len(batch) >= most_items):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += item_bytes
    if batch:
        yield batch


_POLL_SECONDS = 0.2


class SharedBatches:
    """Batches of tasks whose files this process leases; another process may lease the others.

    Args:
        work: the list that all processes lease from.
        files: those that this process found to index, in order.
        tasks: one for each of them.
        workers: number of batches worked on at once.
    """

    def __init__(self, work: SharedWork, files: Sequence[FoundFile], tasks: Sequence[Task], workers: int) -> None:
        self._work = work
        self._workers = workers
        self._tasks: Mapping[str, tuple[Task, int]] = {
            task.path: (task, file.size) for task, file in zip(tasks, files, strict=True)
        }
        self._foreign: set[str] = set()
        work.offer([WorkItem(file.path, file.size, file.stamp) for file in files])

    def batches(self) -> Iterator[list[Task]]:
        """Yield batches until no file is free."""
        while leased := self._work.take(TASK_FILES, self._foreign):
            own = [self._tasks[path] for path in leased if path in self._tasks]
            self._leave([path for path in leased if path not in self._tasks])
            yield from shrinking_batches(own, self._workers, TASK_FILES)

    def is_over(self) -> bool:
        """Return whether every file is finished, by whomever; waits a moment if not.

        What this process has prepared must be committed before: others wait for it.
        """
        if not self._work.count_remaining(self._foreign):
            return True
        time.sleep(_POLL_SECONDS)
        return False

    def _leave(self, foreign: Sequence[str]) -> None:
        """Leave files to other processes that are not to be taken in as this one sees the folder."""
        self._work.give_back(foreign)
        self._foreign.update(foreign)
