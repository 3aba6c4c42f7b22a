"""Work on batches, in this process or in several.

Workers are plain child processes spoken to over pipes, and not ``multiprocessing``: its ``fork`` is unsafe
beside a store's threads, and its ``spawn`` and ``forkserver`` run the caller's main module again, which
breaks any script that has no ``if __name__ == "__main__"``. A worker that dies costs only the file it died
of.
"""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from types import TracebackType
from typing import IO, Generic, Protocol, Self, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
_Task_contra = TypeVar("_Task_contra", contravariant=True)
_Result_co = TypeVar("_Result_co", covariant=True)

_QUEUED_PER_WORKER = 3
_CODE = "from quaestor.ingest.worker import main; main()"
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Job(Protocol[_Task_contra, _Result_co]):
    """What is done with a batch; it must be picklable to be done elsewhere."""

    def prepare(self, tasks: Sequence[_Task_contra]) -> Sequence[_Result_co]:
        """Return one result a task, in order."""
        ...


class WorkerDiedError(Exception):
    """A worker process ended in the middle of a batch."""


def run_here(job: Job[Task, Result], batches: Iterable[Sequence[Task]]) -> Iterator[Sequence[Result]]:
    """Do the batches one after the other in this process."""
    for batch in batches:
        yield job.prepare(batch)


class _Worker:
    """One child process."""

    def __init__(self, job: bytes) -> None:
        # -P: the current folder, which may be a stranger's repository, is no place to import from.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _CODE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={
                **os.environ,
                **_ONE_THREAD,
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            },
        )
        self._job: bytes | None = job

    def ask(self, batch: object) -> object:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            if self._job is not None:
                stdin.write(self._job)
                self._job = None
            pickle.dump(batch, stdin, protocol=pickle.HIGHEST_PROTOCOL)
            stdin.flush()
            return pickle.load(stdout)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError) as error:
            raise WorkerDiedError from error

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                _close(pipe)


def _close(pipe: IO[bytes]) -> None:
    # What was still to be written is of no use to a dead process.
    with suppress(OSError):
        pipe.close()


class Pool(Generic[Task, Result]):
    """Several worker processes with one job; use it as a context manager.

    Args:
        job: what is done; pickled once a worker.
        count: number of processes.
        failed: the result for a task that killed its worker.
    """

    def __init__(self, job: Job[Task, Result], count: int, failed: FailedResult[Task, Result]) -> None:
        self._job = pickle.dumps(job, protocol=pickle.HIGHEST_PROTOCOL)
        self._count = count
        self._failed = failed
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        self._all: list[_Worker] = []
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="ingest")
        self._closed = False

    def __enter__(self) -> Self:
        for _ in range(self._count):
            self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed = True
        for worker in self._all:
            worker.end()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def run(self, batches: Iterable[Sequence[Task]]) -> Iterator[Sequence[Result]]:
        """Yield the batches' results as they come; takes from ``batches`` only a little ahead of the work."""
        pending: set[Future[Sequence[Result]]] = set()
        for batch in batches:
            pending.add(self._threads.submit(self._do, batch))
            if len(pending) >= self._count * _QUEUED_PER_WORKER:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        while pending:
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)

    def _start(self) -> None:
        worker = _Worker(self._job)
        self._all.append(worker)
        self._idle.put(worker)

    def _do(self, batch: Sequence[Task]) -> Sequence[Result]:
        try:
            return self._ask(batch)
        except WorkerDiedError:
            if self._closed:
                return []
            if len(batch) == 1:
                return [self._failed(batch[0])]
            return [result for task in batch for result in self._do([task])]

    def _ask(self, batch: Sequence[Task]) -> Sequence[Result]:
        worker = self._idle.get()
        try:
            results = worker.ask(batch)
        except WorkerDiedError:
            worker.end()
            if self._closed:
                self._idle.put(worker)
            else:
                self._start()
            raise
        self._idle.put(worker)
        return results  # type: ignore[return-value]


class FailedResult(Protocol[_Task_contra, _Result_co]):
    """Makes the result of a task that killed its worker."""

    def __call__(self, task: _Task_contra) -> _Result_co: ...  # noqa: D102
