"""Taking in what a walk found: reading, cutting, embedding and writing it, here or in worker processes.

Imported only when there is something to take in: most searches find nothing new, and need none of the parts.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from quaestor.embedding import Embedder
from quaestor.ingest.batches import COPIES_BYTES, POOL_BYTES, TASK_FILES, batched, task_bytes
from quaestor.ingest.commit import Committer
from quaestor.ingest.files import Found
from quaestor.ingest.prepare import Outcome, Preparer, Refused, Task
from quaestor.ingest.report import FoundFile, Progress, ProgressState, Skipped
from quaestor.ingest.settings import IngestSettings
from quaestor.ingest.vectors import Vectoriser
from quaestor.passages import Document
from quaestor.stores import Store

Run = Callable[[Iterator[list[Task]]], Iterator[Sequence[Outcome]]]


class Intake:
    """The work of one refresh.

    Args:
        folder: the folder that paths are relative to.
        store: where documents go.
        embedder: turns texts into vectors.
        settings: which files, in what shape.
        known: the store's documents by path.

    Attributes:
        committer: what gathers outcomes and writes them; the caller has it write the last of them.
    """

    def __init__(
        self, folder: str, store: Store, embedder: Embedder, settings: IngestSettings, known: Mapping[str, Document]
    ) -> None:
        self._folder = folder
        self._store = store
        self._embedder = embedder
        self._settings = settings
        self._known = known
        self.committer = Committer(store, known)

    def take(self, found: Found, progress: Progress | None, deadline: float | None) -> list[str]:
        """Take in what is new and drop what is gone; return the paths that there was no time for."""
        files = _ordered([*found.suspects, *found.added], by_time=deadline is not None)
        stale = self._work(files, progress, deadline) if files else []
        self.committer.remove(found.removed)
        return stale

    def _work(self, files: Sequence[FoundFile], progress: Progress | None, deadline: float | None) -> list[str]:
        size = sum(file.size for file in files)
        queue = _Queue(files, self._tasks(files), deadline, task_bytes(size, self._workers()))
        state = _Meter(files, progress)
        vectoriser = Vectoriser(self._embedder, self._store, look_up=not self._is_cheap() and bool(self._known))
        with self._runner(size, in_haste=deadline is not None) as run:
            for outcomes in run(queue.batches()):
                self.committer.add(vectoriser.complete(outcomes))
                state.advance(outcomes, self.committer.chunks)
        return queue.left()

    def _tasks(self, files: Sequence[FoundFile]) -> list[Task]:
        known = self._known
        return [Task(file.path, known[file.path].sha256 if file.path in known else None) for file in files]

    @contextmanager
    def _runner(self, size: int, *, in_haste: bool) -> Iterator[Run]:
        """Choose where the work is done: here, or in worker processes where that pays."""
        cheap = self._is_cheap()
        preparer = Preparer(self._folder, self._settings, self._embedder.name, self._embedder if cheap else None)
        workers = self._workers()
        if workers < 2 or size < min(COPIES_BYTES, POOL_BYTES):
            yield lambda batches: map(preparer.prepare, batches)
            return
        # Most changes are to a file or two, and are taken in sooner than this is imported.
        from quaestor.ingest.processes import can_copy  # noqa: PLC0415
        from quaestor.ingest.workers import AHEAD, AHEAD_IN_HASTE, Pool  # noqa: PLC0415

        if size < POOL_BYTES and not can_copy():
            yield lambda batches: map(preparer.prepare, batches)
            return
        with Pool[Task, Outcome](preparer, workers, _crashed) as pool:
            yield lambda batches: pool.run(batches, AHEAD_IN_HASTE if in_haste else AHEAD)

    def _workers(self) -> int:
        return self._settings.workers or usable_cores()

    def _is_cheap(self) -> bool:
        """Whether embedding costs less than asking what is known, and workers can load the embedder."""
        if self._settings.embed_in != "auto":
            return self._settings.embed_in == "workers"
        return type(self._embedder).__module__ == "quaestor.embedding.static"


def _ordered(files: Sequence[FoundFile], *, by_time: bool) -> list[FoundFile]:
    return sorted(files, key=(lambda f: (-f.mtime_ns, f.path)) if by_time else (lambda f: (0, f.path)))


class _Queue:
    """Batches of tasks, until the time is up."""

    def __init__(
        self, files: Sequence[FoundFile], tasks: Sequence[Task], deadline: float | None, batch_bytes: int
    ) -> None:
        self._sizes = [file.size for file in files]
        self._tasks = tasks
        self._deadline = deadline
        self._batch_bytes = batch_bytes
        self._given = 0

    def batches(self) -> Iterator[list[Task]]:
        for batch in batched(zip(self._tasks, self._sizes, strict=True), self._batch_bytes, TASK_FILES):
            if self._given and self._deadline is not None and time.monotonic() >= self._deadline:
                return
            self._given += len(batch)
            yield batch

    def left(self) -> list[str]:
        return [task.path for task in self._tasks[self._given :]]


class _Meter:
    """Adds up outcomes and tells the caller."""

    def __init__(self, files: Sequence[FoundFile], progress: Progress | None) -> None:
        self._sizes = {file.path: file.size for file in files}
        self._progress = progress
        self._total = sum(self._sizes.values())
        self._files = 0
        self._bytes = 0

    def advance(self, outcomes: Sequence[Outcome], chunks: int) -> None:
        if self._progress is None or not outcomes:
            return
        paths = [outcome.path for outcome in outcomes]
        self._files += len(paths)
        self._bytes += sum(self._sizes.get(path, 0) for path in paths)
        self._progress(ProgressState(self._files, len(self._sizes), chunks, self._bytes, self._total, paths[-1]))


def _crashed(task: Task) -> Outcome:
    return Refused(Skipped(task.path, "failed", "a worker process died of it"))


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
