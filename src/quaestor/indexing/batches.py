"""Cutting a list of files into batches, and leasing them, so that processes share the work."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from quaestor.files.indexing_values import FoundFile
from quaestor.indexing.prepare import Task
from quaestor.stores.shared_store import SharedWork, WorkItem

Item = TypeVar("Item")

TASK_BYTES = 256_000
"""Bytes of text in a worker's batch: some hundred chunks, with milliseconds of overhead in a tenth of a second."""

TASK_FILES = 64
COMMIT_CHUNKS = 20_000
"""Chunks per transaction: some 15 MB of text, and the most work that a crash can lose."""

FIRST_COMMIT_CHUNKS = 2_500
"""Chunks of the first transactions, so that a small corpus is written while its rest is still being prepared."""

COMMIT_SHARE = 0.25
"""After those, a transaction has this share of the chunks written before."""

LAST_COMMIT_CHUNKS = 1_000
"""Chunks that are written early if no more documents are to come than wait, because the last write delays the end."""

POOL_BYTES = 2_000_000
"""Bytes of new text below which starting worker processes costs more than they save."""

COPIES_BYTES = 250_000
"""The same if workers are forks of this process, which start in milliseconds."""

LARGE_BYTES = 32_000
"""Bytes above which files come first, so that the last files are small and all workers end at the same time."""

_TASKS_A_WORKER = 2
_LEAST_TASK_BYTES = 16_000


def task_bytes(rest: int, workers: int) -> int:
    """Return the bytes of the next batch, which decrease, so that all workers end together.

    Guided self-scheduling (Polychronopoulos and Kuck, 1987).
    """
    return min(TASK_BYTES, max(rest // (workers * _TASKS_A_WORKER), _LEAST_TASK_BYTES))


def shrinking_batches(items: Sequence[tuple[Item, int]], workers: int, most_items: int) -> Iterator[list[Item]]:
    """Yield lists of items in order, of decreasing size; a free worker takes the next."""
    remaining = sum(size for _, size in items)
    batch: list[Item] = []
    size = 0
    for item, item_bytes in items:
        if batch and (size + item_bytes > task_bytes(remaining, workers) or len(batch) >= most_items):
            yield batch
            remaining -= size
            batch, size = [], 0
        batch.append(item)
        size += item_bytes
    if batch:
        yield batch


def in_batches(items: Iterable[tuple[Item, int]], most_bytes: int, most_items: int) -> Iterator[list[Item]]:
    """Yield lists of items in order, within both limits except for single large items."""
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
        work: the list of work items from which all processes lease.
        files: the files that this process found to index, in order.
        tasks: a task for each file.
        workers: the number of batches that are worked on at once.
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
        """Return whether all processes have finished every file; wait a moment if not.

        The caller must have committed what this process has prepared, because others wait for it.
        """
        if not self._work.count_remaining(self._foreign):
            return True
        time.sleep(_POLL_SECONDS)
        return False

    def _leave(self, foreign: Sequence[str]) -> None:
        """Give back the leases of files that this process did not find."""
        self._work.give_back(foreign)
        self._foreign.update(foreign)
