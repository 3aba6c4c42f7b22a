"""Cutting a list of files into batches: what one worker does at a time, and what one transaction holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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

POOL_BYTES = 2_000_000
"""Below this much new text the start of worker processes costs more than they save."""

COPIES_BYTES = 250_000
"""The same where workers are copies of this process, which start in milliseconds."""

_TASKS_A_WORKER = 4
_LEAST_TASK_BYTES = 16_000


def task_bytes(size: int, workers: int) -> int:
    """Return the text per batch for so many bytes in all: little enough that no worker has the last batch to itself."""
    return min(TASK_BYTES, max(size // (workers * _TASKS_A_WORKER), _LEAST_TASK_BYTES))


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
