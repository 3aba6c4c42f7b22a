"""Indexing the files that a walk found: read, cut, embed and write them, here or in worker processes.

Imported only when there is something to index, because most searches find nothing new. Vectors come from the store if
it has them, else from the embedder. Texts wait if a slow embedder is down, or lacks time or money.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from quaestor.core.documents import Document
from quaestor.core.errors import QuaestorError
from quaestor.embedding import Embedder, Vectors
from quaestor.embedding.remote import Allowance, SlowEmbedder
from quaestor.embedding.tuning_names import is_tuned
from quaestor.files.indexing_values import Changes, FoundFile, IngestSettings, Progress, ProgressState, SkippedPath
from quaestor.files.walk import WalkResult
from quaestor.indexing.batches import (
    COPIES_BYTES,
    LARGE_BYTES,
    POOL_BYTES,
    TASK_FILES,
    SharedBatches,
    shrinking_batches,
)
from quaestor.indexing.commit import Committer
from quaestor.indexing.index_notes import KEY, as_pending, is_pending, pending_documents
from quaestor.indexing.prepare import (
    CutFile,
    Outcome,
    Preparer,
    ReadyDocument,
    RefusedFile,
    Task,
    encode,
    ready,
    with_vectors,
)
from quaestor.stores import Pack, Store
from quaestor.stores.shared_store import SharingStore

# Four requests to most servers: the most paid or slow work that a crash can lose.
_TEXTS_AT_ONCE = 512

Run = Callable[[Iterator[list[Task]]], Iterator[Sequence[Outcome]]]


class Intake:
    """The work of one refresh.

    Args:
        folder: the folder that paths are relative to.
        store: stores the documents.
        embedder: turns texts into vectors.
        settings: the settings of indexing.
        known: the store's documents by path.
        allowance: the limit of a slow embedder's cost.
        complete: whether documents that wait for vectors are indexed again even if unchanged.

    Attributes:
        committer: collects outcomes and writes them; the caller commits the last ones.
        vectoriser: embeds the texts that workers do not, and counts them.
    """

    def __init__(
        self,
        folder: str,
        store: Store,
        embedder: Embedder,
        settings: IngestSettings,
        known: Mapping[str, Document],
        allowance: Allowance | None = None,
        *,
        complete: bool = False,
    ) -> None:
        self._folder = folder
        self._store = store
        self._embedder = embedder
        self._settings = settings
        self._known = known
        self._complete = complete
        self.committer = Committer(store, known)
        self._slow = isinstance(embedder, SlowEmbedder)
        look_up = self._slow or (not self._is_cheap() and bool(known))
        self.vectoriser = _Vectoriser(embedder, store, look_up=look_up, allowance=allowance)

    def take(self, walk_result: WalkResult, progress: Progress | None, deadline: float | None) -> list[str]:
        """Index new files and remove missing ones; return the paths for which there was no time."""
        files = _order_files([*walk_result.suspects, *walk_result.added], by_time=deadline is not None)
        self.committer.to_come = len(files)
        queue = _Queue(files, self._tasks(files), deadline, self._workers())
        if files:
            self._work(files, queue, progress, deadline)
        self.committer.remove(walk_result.removed)
        return queue.remaining_paths()

    def take_shared(self, walk_result: WalkResult, progress: Progress | None, store: SharingStore) -> list[str]:
        """Index files as ``take`` does, together with other processes; return the paths that those indexed."""
        files = _order_files([*walk_result.suspects, *walk_result.added], by_time=False)
        with store.sharing() as work:
            self.committer.work = work
            queue = SharedBatches(work, files, self._tasks(files), self._workers())
            self._work(files, queue, progress, None)
            self.committer.work = None
        self.committer.remove(walk_result.removed)
        return [file.path for file in files if file.path not in self.committer.finished]

    def with_embedding_report(self, changes: Changes) -> Changes:
        """Return the report with the figures of embedding added."""
        written = [one for one in self.committer.written.values() if one is not None]
        failure = self.vectoriser.failure
        return changes._replace(
            embedded=self.vectoriser.embedded,
            cut=self.vectoriser.cut,
            spent=self.vectoriser.spent,
            pending=tuple(one.path for one in pending_documents(written)),
            failure=failure if isinstance(failure, QuaestorError) else None,
        )

    def _work(
        self,
        files: Sequence[FoundFile],
        queue: _Queue | SharedBatches,
        progress: Progress | None,
        deadline: float | None,
    ) -> None:
        size = sum(file.size for file in files)
        state = _Meter(files, progress)
        self.vectoriser.allowance.until = deadline
        with self._runner(size, deadline, leased=isinstance(queue, SharedBatches)) as run:
            while True:
                for outcomes in self._in_requests(run(queue.batches())):
                    self.committer.add(self.vectoriser.complete(outcomes))
                    if self._slow:
                        self._commit_paid()
                    state.advance(outcomes, self.committer.chunks)
                if isinstance(queue, _Queue):
                    return
                self.committer.commit()
                if queue.is_over():
                    return

    def _in_requests(self, batches: Iterator[Sequence[Outcome]]) -> Iterator[Sequence[Outcome]]:
        """Yield outcomes as they come; for a slow embedder, collect enough to fill its requests."""
        if not self._slow:
            yield from batches
            return
        waiting: list[Outcome] = []
        for outcomes in batches:
            waiting.extend(outcomes)
            if sum(len(one.texts) for one in waiting if isinstance(one, CutFile)) >= _TEXTS_AT_ONCE:
                yield waiting
                waiting = []
        if waiting:
            yield waiting

    def _commit_paid(self) -> None:
        """Commit the vectors that were paid for, and stop if that was requested."""
        self.committer.commit()
        failure = self.vectoriser.failure
        if failure is not None and not isinstance(failure, QuaestorError):
            raise failure

    def _tasks(self, files: Sequence[FoundFile]) -> list[Task]:
        return [Task(file.path, self._indexed_hash(file.path)) for file in files]

    def _indexed_hash(self, path: str) -> str | None:
        """Return the hash of a document's indexed bytes, or None if the file must be indexed in any case."""
        document = self._known.get(path)
        return None if document is None or (self._complete and is_pending(document)) else document.sha256

    @contextmanager
    def _runner(self, size: int, deadline: float | None, *, leased: bool) -> Iterator[Run]:
        """Choose where to work: in this process, or in worker processes or on a cluster if that is faster."""
        embedder = self._embedder if self._is_cheap() else None
        keeps = isinstance(self._store, SharingStore)
        preparer = Preparer(self._folder, self._settings, self._embedder.name, self._store.pack, embedder, keeps)
        if self._settings.ray and deadline is None and size >= POOL_BYTES:
            with self._cluster(preparer) as run:
                yield run
            return
        workers = self._workers()
        if workers < 2 or size < min(COPIES_BYTES, POOL_BYTES):
            yield lambda batches: map(preparer.prepare, batches)
            return
        # Most changes are to a file or two, and indexing those is faster than this import.
        from quaestor.indexing.process_start import can_copy  # noqa: PLC0415
        from quaestor.indexing.worker_pool import AHEAD, AHEAD_IN_HASTE, Pool  # noqa: PLC0415

        if size < POOL_BYTES and not can_copy():
            yield lambda batches: map(preparer.prepare, batches)
            return
        if can_copy():
            preparer.warm_up()
        with Pool[Task, Outcome](preparer, workers, _crash_outcome) as pool:
            yield lambda batches: pool.run(batches, AHEAD_IN_HASTE if leased or deadline is not None else AHEAD)

    @contextmanager
    def _cluster(self, preparer: Preparer) -> Iterator[Run]:
        """Do the work on a Ray cluster; an embedder tuned on this machine embeds here."""
        from quaestor.indexing.ray_cluster import RayCluster  # noqa: PLC0415 - few have one

        if is_tuned(self._embedder.name):
            preparer = preparer._replace(embedder=None)
        with RayCluster(self._settings.ray, preparer, _crash_outcome) as cluster:
            yield cluster.run

    def _workers(self) -> int:
        return self._settings.workers or usable_cores()

    def _is_cheap(self) -> bool:
        """Whether embedding is cheaper than looking vectors up, and workers can load the embedder."""
        if self._settings.embed_in != "auto":
            return self._settings.embed_in == "workers"
        return type(self._embedder).__module__ == "quaestor.embedding.static"


def _order_files(files: Sequence[FoundFile], *, by_time: bool) -> list[FoundFile]:
    """Return files in the order of indexing: newest first, or large ones first and the others by path."""
    if by_time:
        return sorted(files, key=lambda file: (-file.mtime_ns, file.path))
    return sorted(files, key=lambda file: (-file.size if file.size >= LARGE_BYTES else 0, file.path))


class _Queue:
    """Batches of tasks until time runs out."""

    def __init__(self, files: Sequence[FoundFile], tasks: Sequence[Task], deadline: float | None, workers: int) -> None:
        self._sizes = [file.size for file in files]
        self._tasks = tasks
        self._deadline = deadline
        self._workers = workers
        self._handed_out = 0

    def batches(self) -> Iterator[list[Task]]:
        for batch in shrinking_batches(list(zip(self._tasks, self._sizes, strict=True)), self._workers, TASK_FILES):
            if self._handed_out and self._deadline is not None and time.monotonic() >= self._deadline:
                return
            self._handed_out += len(batch)
            yield batch

    def remaining_paths(self) -> list[str]:
        return [task.path for task in self._tasks[self._handed_out :]]


class _Meter:
    """Counts outcomes and reports progress."""

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


def _crash_outcome(task: Task) -> Outcome:
    return RefusedFile(SkippedPath(task.path, "failed", "a worker process died of it"))


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Vectoriser:
    """Embeds the texts whose vectors the store lacks.

    Args:
        embedder: turns texts into vectors.
        store: has the vectors of earlier texts.
        look_up: whether to look in the store first.
        allowance: limit of a slow embedder's cost.

    Attributes:
        embedded: texts that a slow embedder embedded so far.
        cut: number of them that exceeded the model's limit.
        failure: why no more requests go to the embedder, or None.
    """

    def __init__(self, embedder: Embedder, store: Store, *, look_up: bool, allowance: Allowance | None = None) -> None:
        self._embedder = embedder
        self._store = store
        self._look_up = look_up
        self.allowance = allowance or Allowance()
        self.embedded = self.cut = 0
        self.failure: BaseException | None = None

    @property
    def spent(self) -> int:
        """The remote embedder's cost so far, in millionths of the currency's unit."""
        return self.allowance.spent

    def complete(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Return the outcomes with every document ready; one call to the embedder makes all missing vectors."""
        if isinstance(self._embedder, SlowEmbedder):
            return self._complete_slowly(outcomes, self._embedder)
        return ready(outcomes, self._store.pack, self._vectors)

    def _vectors(self, keys: Sequence[bytes], texts: Sequence[str]) -> Vectors:
        known = self._store.known_vectors(keys) if self._look_up and keys else {}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        new_vectors = dict(zip(missing, encode(self._embedder, list(missing.values())), strict=True))
        rows = [known[key] if key in known else new_vectors[key] for key in keys]
        return np.stack(rows).astype(np.float32, copy=False) if rows else encode(self._embedder, ())

    def _complete_slowly(self, outcomes: Sequence[Outcome], embedder: SlowEmbedder) -> list[Outcome]:
        """Return the outcomes with the available vectors; documents that lack some are marked as waiting."""
        waiting = [done for done in outcomes if isinstance(done, CutFile)]
        texts = {key: text for done in waiting for key, text in zip(done.keys, done.texts, strict=True)}
        known = dict(self._store.known_vectors(list(texts))) if self._look_up and texts else {}
        missing = [key for key in texts if key not in known]
        if missing and self.failure is None:
            encoded = embedder.encode_within([texts[key] for key in missing], self.allowance)
            self.failure = encoded.failure
            self.embedded += int(encoded.done.sum())
            self.cut += encoded.cut
            rows = zip(missing, encoded.vectors, encoded.done, strict=True)
            known.update((key, row) for key, row, done in rows if done)
        nothing = np.zeros(embedder.dimensions, np.float32)
        return [
            _with_known(done, self._store.pack, known, nothing) if isinstance(done, CutFile) else done
            for done in outcomes
        ]


def _with_known(done: CutFile, pack: Pack, known: Mapping[bytes, Vectors], nothing: Vectors) -> ReadyDocument:
    """Return a document with its known vectors."""
    rows = [known.get(key, nothing) for key in done.keys]
    vectors = np.stack(rows) if rows else np.zeros((0, len(nothing)), np.float32)
    if not all(key in known for key in done.keys):
        keys = [key if key in known else KEY for key in done.keys]
        done = done._replace(document=as_pending(done.document), keys=keys)
    return with_vectors(done, pack, vectors)
