"""Keeping a store in step with a folder: plan, refresh, survey."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from quaestor.embedding import Embedder
from quaestor.ingest.batches import POOL_BYTES, TASK_BYTES, TASK_FILES, batched
from quaestor.ingest.commit import Committer
from quaestor.ingest.files import Found, checked_root, folder_of, walk
from quaestor.ingest.names import on_disk
from quaestor.ingest.prepare import Outcome, Preparer, Refused, Task
from quaestor.ingest.reading import UNTRUSTED, read_snapshot
from quaestor.ingest.report import (
    Changes,
    FoundFile,
    Plan,
    Progress,
    ProgressState,
    Range,
    Skipped,
    Survey,
    by_reason,
)
from quaestor.ingest.scan import DECISIONS_KEY, Scanner
from quaestor.ingest.settings import IngestSettings
from quaestor.ingest.survey import CountTokens, Surveyor, summarise
from quaestor.ingest.vectors import Vectoriser
from quaestor.ingest.workers import AHEAD, AHEAD_IN_HASTE, Pool, run_here
from quaestor.stores import Store

__all__ = [
    "Changes",
    "FoundFile",
    "Indexer",
    "IngestSettings",
    "Plan",
    "Progress",
    "ProgressState",
    "Range",
    "Skipped",
    "Survey",
    "by_reason",
]

RECIPE_KEY = "ingest.recipe"
"""The metadata under which a store keeps what its chunks, terms and vectors were made by."""

Run = Callable[[Iterator[list[Task]]], Iterator[Sequence[Outcome]]]


class Indexer:
    """Brings one folder's, or one file's, documents into a store and keeps them current.

    Args:
        root: the folder or file.
        store: where documents go; opened for the same embedder.
        embedder: turns texts into vectors.
        settings: which files, in what shape.

    Raises:
        NotFoundError: ``root`` does not exist.
        UsageError: ``root`` is neither a folder nor a file.
    """

    def __init__(self, root: Path, store: Store, embedder: Embedder, settings: IngestSettings | None = None) -> None:
        self.root = checked_root(root)
        self.settings = settings or IngestSettings()
        self._folder = str(folder_of(self.root))
        self._store = store
        self._embedder = embedder
        self._scanner = Scanner(self.root, store, self.settings)

    def plan(self) -> Plan:
        """Return what a refresh would do; reads only files whose size or modification time is new."""
        found = self._scanner.scan()
        known = self._scanner.documents()
        if self._recipe_changed():
            unchanged = known.keys() - set(found.removed) - {file.path for file in found.suspects}
            again = tuple(FoundFile(path, known[path].size, known[path].mtime_ns) for path in sorted(unchanged))
            return Plan(
                tuple(found.added),
                (*found.suspects, *again),
                (),
                tuple(found.removed),
                0,
                tuple(found.skipped),
            )
        same = {file.path for file in found.suspects if self._has_hash(file, known[file.path].sha256)}
        return Plan(
            added=tuple(found.added),
            changed=tuple(file for file in found.suspects if file.path not in same),
            touched=tuple(file for file in found.suspects if file.path in same),
            removed=tuple(found.removed),
            unchanged=found.unchanged,
            skipped=tuple(found.skipped),
        )

    def refresh(self, progress: Progress | None = None, budget_seconds: float | None = None) -> Changes:
        """Bring the store up to date and return what changed.

        Args:
            progress: called as the work goes on.
            budget_seconds: take in the most recently modified files first, and begin no more after this
                time; what is left is in ``Changes.stale``. The first batch is always done.

        An exception, Ctrl-C among them, leaves the last committed transaction.
        """
        started = time.monotonic()
        deadline = None if budget_seconds is None else started + budget_seconds
        self._follow_recipe()
        found = self._scanner.scan()
        committer = Committer(self._store, self._scanner.documents())
        stale = self._work(found, committer, progress, deadline)
        committer.remove(found.removed)
        committer.commit(self._metadata(found, committer.tally.refused))
        self._scanner.follow(committer.transactions, committer.written, found.decisions)
        return committer.tally.changes(found.unchanged, found.skipped, stale, time.monotonic() - started)

    def distrust(self) -> None:
        """Look at every file at the next refresh, whatever the kernel told."""
        self._scanner.distrust()

    def survey(self, count_tokens: CountTokens | None = None) -> Survey:
        """Read and cut everything that would be indexed, and return what came of it; writes nothing.

        Args:
            count_tokens: counts a text's tokens for an estimate of cost.
        """
        found = walk(self.root, self.settings)
        surveyor = Surveyor(self._folder, self.settings, count_tokens)
        batches = batched(((Task(file.path), file.size) for file in found.added), TASK_BYTES, TASK_FILES)
        return summarise(run_here(surveyor, batches), found.skipped, with_tokens=count_tokens is not None)

    def _work(self, found: Found, committer: Committer, progress: Progress | None, deadline: float | None) -> list[str]:
        """Take in what is new; return the paths that there was no time for."""
        files = self._ordered(found, by_time=deadline is not None)
        if not files:
            return []
        queue = _Queue(files, self._tasks(files), deadline)
        state = _Meter(files, progress)
        vectoriser = Vectoriser(
            self._embedder, self._store, look_up=not self._is_cheap() and bool(self._scanner.documents())
        )
        with self._runner(sum(file.size for file in files), in_haste=deadline is not None) as run:
            for outcomes in run(queue.batches()):
                committer.add(vectoriser.complete(outcomes))
                state.advance(outcomes, committer.chunks)
        return queue.left()

    def _ordered(self, found: Found, *, by_time: bool) -> list[FoundFile]:
        files = [*found.suspects, *found.added]
        return sorted(files, key=(lambda f: (-f.mtime_ns, f.path)) if by_time else (lambda f: (0, f.path)))

    def _tasks(self, files: Sequence[FoundFile]) -> list[Task]:
        known = self._scanner.documents()
        return [Task(file.path, known[file.path].sha256 if file.path in known else None) for file in files]

    @contextmanager
    def _runner(self, size: int, *, in_haste: bool) -> Iterator[Run]:
        """Choose where the work is done: here, or in worker processes where that pays."""
        cheap = self._is_cheap()
        preparer = Preparer(self._folder, self.settings, self._embedder.name, self._embedder if cheap else None)
        workers = self.settings.workers or usable_cores()
        if workers < 2 or size < POOL_BYTES:
            yield lambda batches: run_here(preparer, batches)
            return
        with Pool[Task, Outcome](preparer, workers, _crashed) as pool:
            yield lambda batches: pool.run(batches, AHEAD_IN_HASTE if in_haste else AHEAD)

    def _is_cheap(self) -> bool:
        """Whether embedding costs less than asking what is known, and workers can load the embedder."""
        if self.settings.embed_in != "auto":
            return self.settings.embed_in == "workers"
        return type(self._embedder).__module__ == "quaestor.embedding.static"

    def _has_hash(self, file: FoundFile, sha256: str) -> bool:
        try:
            return read_snapshot(on_disk(self._folder, file.path)).sha256 == sha256
        except OSError:
            return False

    def _recipe_changed(self) -> bool:
        return bool(self._scanner.documents()) and self._store.metadata(RECIPE_KEY) != self.settings.recipe()

    def _follow_recipe(self) -> None:
        """Mark every document as out of date if it was made by another recipe.

        One transaction, after which each document is made anew as if its bytes had changed; so a crash
        half-way leaves nothing that passes for current.
        """
        if not self._recipe_changed():
            return
        with self._store.writing() as writer:
            for document in self._scanner.documents().values():
                writer.touch(replace(document, sha256="", mtime_ns=UNTRUSTED))
            writer.set_metadata(RECIPE_KEY, self.settings.recipe())

    def _metadata(self, found: Found, refused: Sequence[Refused]) -> dict[str, str]:
        """Return what is to be remembered and is not yet."""
        for outcome in refused:
            if outcome.size >= 0:
                skipped = outcome.skipped
                stamp = (outcome.size, outcome.mtime_ns)
                found.decisions.refused[skipped.path] = (skipped.reason, skipped.detail, stamp)
        changed = {}
        if found.decisions != self._scanner.decisions:
            changed[DECISIONS_KEY] = found.decisions.to_text()
        if self._store.metadata(RECIPE_KEY) != self.settings.recipe():
            changed[RECIPE_KEY] = self.settings.recipe()
        return changed


class _Queue:
    """Batches of tasks, until the time is up."""

    def __init__(self, files: Sequence[FoundFile], tasks: Sequence[Task], deadline: float | None) -> None:
        self._sizes = [file.size for file in files]
        self._tasks = tasks
        self._deadline = deadline
        self._given = 0

    def batches(self) -> Iterator[list[Task]]:
        for batch in batched(zip(self._tasks, self._sizes, strict=True), TASK_BYTES, TASK_FILES):
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
