"""Batches of files that several processes share: each leases some at a time, and takes over those of one that died."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

from quaestor.files.ingest_report import FoundFile
from quaestor.indexing.batches import TASK_FILES, shared
from quaestor.indexing.prepare import Task
from quaestor.stores.shared_work import SharedWork, WorkItem

_POLL_SECONDS = 0.2


class SharedBatches:
    """Batches of tasks whose files this process leases; another process may lease the others.

    Args:
        work: the list that all of them take from.
        files: those that this process found to be taken in, in order.
        tasks: of these.
        workers: how many batches are worked on at a time.
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
            yield from shared(own, self._workers, TASK_FILES)

    def is_over(self) -> bool:
        """Return whether every file is finished, by whomever; waits a moment if not.

        What this process has prepared must be committed before: others wait for it.
        """
        if not self._work.remaining(self._foreign):
            return True
        time.sleep(_POLL_SECONDS)
        return False

    def _leave(self, foreign: Sequence[str]) -> None:
        """Leave files to other processes that are not to be taken in as this one sees the folder."""
        self._work.give_back(foreign)
        self._foreign.update(foreign)
