"""Cutting a list of files into batches: what one worker does at a time, and what one transaction holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")

TASK_BYTES = 256_000
"""Text per batch of a worker: some hundred chunks, a few milliseconds of overhead in a tenth of a second."""

TASK_FILES = 64
COMMIT_CHUNKS = 20_000
"""Chunks per transaction: some 15 MB of text, and at most that much work to do again after a crash."""

FIRST_COMMIT_CHUNKS = 2_500
"""The same for the first transactions, so that a small corpus is written while its rest is still being prepared."""

COMMIT_SHARE = 0.25
"""In between, a transaction is this share of what was written before."""

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
    """Return the text of the next batch where so many bytes are left: ever less, so that all workers end together.

    Guided self-scheduling (Polychronopoulos and Kuck, 1987).
    """
    return min(TASK_BYTES, max(left // (workers * _TASKS_A_WORKER), _LEAST_TASK_BYTES))


def shared(items: Sequence[tuple[Item, int]], workers: int, most_items: int) -> Iterator[list[Item]]:
    """Yield lists of items in order, ever smaller ones: each of so many workers takes the next when it is free."""
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


def batched(items: Iterable[tuple[Item, int]], most_bytes: int, most_items: int) -> Iterator[list[Item]]:
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
