"""Work on batches, in this process or in several: the pool of worker processes, and what each of them does.

Workers are plain child processes connected by pipes (``process_start``), not those of ``multiprocessing``: its ``fork``
ignores threads, and its ``spawn`` and ``forkserver`` run the caller's main module again, which breaks any script that
has no ``if __name__ == "__main__"``. A worker reads pickled batches from its standard input and answers on its standard
output. If it dies, only the file at fault is left out.
"""

from __future__ import annotations

import gc
import os
import pickle
import queue
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import IO, Any, BinaryIO, Generic, Protocol, Self, TypeVar

from quaestor.indexing.process_start import Copy, can_copy, fresh

Task = TypeVar("Task")
Result = TypeVar("Result")
_Task_contra = TypeVar("_Task_contra", contravariant=True)
_Result_co = TypeVar("_Result_co", covariant=True)

AHEAD = 12
"""Queued batches for each worker: enough to work on while the caller writes a transaction."""

AHEAD_IN_HASTE = 2
"""The same if batches may end at any moment, because queued ones must still be finished."""

_AT_ONCE = 2
"""Batches that a worker has: the present one and the next."""

# A batch makes no reference cycles: collecting garbage after every 700 objects would take a tenth of the time.
_OBJECTS_BETWEEN_LOOKS = 100_000

_READY = "ready"
"""A fresh worker sends it once, when the job has arrived and everything that it needs is imported."""

_BROKEN = (EOFError, OSError, ValueError, pickle.UnpicklingError)


class Job(Protocol[_Task_contra, _Result_co]):
    """The work on a batch; it can be pickled, so that it can run in another process."""

    def prepare(self, tasks: Sequence[_Task_contra]) -> Sequence[_Result_co]:
        """Return one result for each task, in order."""
        ...


class WorkerDiedError(Exception):
    """A worker process died during a batch."""


class WorkerGoneError(Exception):
    """A worker process had died during another batch before this one."""


class WorkerStartError(Exception):
    """A worker process could not start, because this Python cannot be started again in the same way."""


def run_here(job: Job[Task, Result], batches: Iterable[Sequence[Task]]) -> Iterator[Sequence[Result]]:
    """Work on the batches one after the other in this process."""
    for batch in batches:
        yield job.prepare(batch)


class _Worker:
    """One child process, which has its next batch in its pipe while it works on one, so that it never waits."""

    def __init__(self, job: Job[Any, Any]) -> None:
        self._sending, self._receiving = threading.Lock(), threading.Lock()
        self._gone = False
        self._job: Job[Any, Any] | None = None
        self._process = self._copy(job) or fresh()
        if not isinstance(self._process, Copy):
            self._job = job

    @staticmethod
    def _copy(job: Job[Any, Any]) -> Copy | None:
        try:
            return Copy(partial(_work, job)) if can_copy() else None
        except OSError:
            return None

    def ask(self, batch: object) -> object:
        """Return the answer to a batch; two threads may call it at once.

        Raises:
            WorkerStartError: the process ended before its first batch.
            WorkerDiedError: the process ended during this one.
            WorkerGoneError: the process ended before this one.
        """
        # A thread sends only when the previous batch is answered, and no other thread sends meanwhile, so each gets
        # its own answer.
        with self._sending:
            self._begin()
            with suppress(*_BROKEN):  # the process has ended, as reading its answer will show
                self._send(batch)
            self._receiving.acquire()
        try:
            if self._gone:
                raise WorkerGoneError
            return self._receive()
        except _BROKEN as error:
            self._gone = True
            raise WorkerDiedError from error
        finally:
            self._receiving.release()

    def _begin(self) -> None:
        """Give a fresh process its job."""
        if self._job is None:
            return
        try:
            self._send(self._job)
            self._receive()
        except _BROKEN as error:
            raise WorkerStartError from error
        self._job = None

    def _send(self, what: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(pickle.dumps(what, protocol=pickle.HIGHEST_PROTOCOL))
        self._process.stdin.flush()

    def _receive(self) -> object:
        assert self._process.stdout is not None
        return pickle.load(self._process.stdout)

    def kill(self) -> None:
        """Kill the process; callers that wait for an answer get an error."""
        self._process.kill()

    def end(self) -> None:
        """Stop the process and release its resources."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                _close(pipe)


def _close(pipe: IO[bytes]) -> None:
    # A dead process does not need the bytes that are still to be written.
    with suppress(OSError):
        pipe.close()


class Pool(Generic[Task, Result]):
    """Several worker processes with one job; use it as a context manager.

    Args:
        job: the work; pickled once for each worker.
        count: number of processes.
        on_failure: returns the result of a task that killed its worker.
    """

    def __init__(self, job: Job[Task, Result], count: int, on_failure: Callable[[Task], Result]) -> None:
        self._job = job
        self._count = count
        self._failed = on_failure
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        self._all: list[_Worker] = []
        self._threads = ThreadPoolExecutor(count * _AT_ONCE, thread_name_prefix="ingest")
        self._closed = False

    def __enter__(self) -> Self:
        started = [_Worker(self._job) for _ in range(self._count)]
        self._all += started
        for worker in started * _AT_ONCE:
            self._idle.put(worker)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._all:
            worker.kill()
        self._threads.shutdown(wait=True)
        for worker in self._all:
            worker.end()

    def run(self, batches: Iterable[Sequence[Task]], ahead: int = AHEAD) -> Iterator[Sequence[Result]]:
        """Yield the batches' results in the order of the batches, so that an index does not depend on their speed.

        Args:
            batches: read only a little ahead of the work.
            ahead: queued batches for each worker.
        """
        pending: deque[Future[Sequence[Result]]] = deque()
        for batch in batches:
            pending.append(self._threads.submit(self._do, batch))
            if len(pending) >= self._count * ahead:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()

    def _replace(self, worker: _Worker) -> None:
        worker.end()
        if self._closed:
            return
        other = _Worker(self._job)
        self._all.append(other)
        for _ in range(_AT_ONCE):
            self._idle.put(other)

    def _do(self, batch: Sequence[Task]) -> Sequence[Result]:
        try:
            return self._ask(batch)
        except WorkerStartError:
            return [] if self._closed else self._job.prepare(batch)
        except WorkerDiedError:
            if self._closed:
                return []
            if len(batch) == 1:
                return [self._failed(batch[0])]
            return [result for task in batch for result in self._do([task])]

    def _ask(self, batch: Sequence[Task]) -> Sequence[Result]:
        if self._closed:
            return []
        worker = self._idle.get()
        try:
            answer = worker.ask(batch)
        except WorkerDiedError:
            self._replace(worker)
            raise
        except WorkerGoneError:
            return self._ask(batch)
        except WorkerStartError:
            self._idle.put(worker)
            raise
        self._idle.put(worker)
        if isinstance(answer, Exception):
            raise answer
        return answer  # type: ignore[return-value]


def main() -> None:
    """Work in a fresh process, which ``process_start`` starts."""
    _work(None)


def _work(job: Job[Any, Any] | None) -> None:
    """Answer batches until the input ends; without a job, read it first from the input."""
    # Ctrl-C reaches the whole process group, but the parent decides when to stop, by closing the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(_OBJECTS_BETWEEN_LOOKS)
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Accidental prints go to standard error, not into the answers.
    os.dup2(2, 1)
    try:
        if job is None:
            job = pickle.load(source)
            _say(sink, _READY)
        while True:
            batch = pickle.load(source)
            try:
                answer = job.prepare(batch)
            except Exception as error:
                answer = _portable(error)
            _say(sink, answer)
    except (EOFError, BrokenPipeError):
        # os._exit: nothing is left to flush, and the pipe may be gone.
        os._exit(0)


def _say(sink: BinaryIO, answer: object) -> None:
    pickle.dump(answer, sink, protocol=pickle.HIGHEST_PROTOCOL)
    sink.flush()


def _portable(error: Exception) -> Exception:
    """Return the error itself if it can be pickled, else one with the same message."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
