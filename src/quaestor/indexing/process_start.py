"""Starting a worker process: a fork of this one if that is safe, else a fresh Python.

A fork has every module and all weights at once and shares their memory; a fresh Python takes a third of a second of one
core, and a server more than a second. But a fork has only the thread that called for it, and every lock in its present
state, so only a process with one thread is forked. A fork also inherits everything that is open, so the caller closes
databases and connections before.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, NoReturn, Protocol

_STANDARD = (0, 1, 2)
_PIPE_BYTES = 1 << 20
"""Size of the pipe from a fork: an answer or two, so that it can continue before they are read."""

_CODE = "from quaestor.indexing.worker_pool import main; main()"
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Process(Protocol):
    """A child process with a pipe to and from it: the needed part of ``subprocess.Popen``."""

    @property
    def pid(self) -> int:
        """Its process id."""
        ...

    @property
    def stdin(self) -> IO[bytes] | None:
        """Its standard input."""
        ...

    @property
    def stdout(self) -> IO[bytes] | None:
        """Its standard output."""
        ...

    def poll(self) -> int | None:
        """Return its exit code, or None if it is running."""
        ...

    def wait(self) -> int:
        """Wait for its end and return its exit code."""
        ...

    def send_signal(self, sig: int) -> None:
        """Send it a signal, unless it has ended."""
        ...

    def kill(self) -> None:
        """Kill it, unless it has ended."""
        ...


def fresh() -> Process:
    """Start another Python, which waits for a job on its standard input."""
    # -P: do not import from the current folder, which may be a stranger's repository.
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _CODE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **_ONE_THREAD, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )


def can_copy() -> bool:
    """Return whether this process may be forked: it has only one thread, including those of C libraries."""
    if sys.platform != "linux":
        return False
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False


def _fork() -> int:
    """Return as ``os.fork``; Ctrl-C waits meanwhile, because Python's hooks at a fork would swallow it and print it."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return os.fork()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


class Copy:
    """A fork of this process that does one thing and ends.

    Args:
        work: the function that it runs, with the pipes as its standard input and output.

    Raises:
        OSError: the system cannot start another process, or a standard stream is closed.
    """

    def __init__(self, work: Callable[[], None]) -> None:
        ends = (*os.pipe(), *os.pipe())
        tasks_out, tasks_in, answers_out, answers_in = ends
        try:
            if min(ends) <= _STANDARD[-1]:
                raise OSError("this process lacks a standard stream, and a pipe has taken its number")
            self.pid = _fork()
        except OSError:
            for end in ends:
                os.close(end)
            raise
        if self.pid == 0:
            # If the fork held the parent's ends, it would never see them closed.
            _run_as_copy(work, tasks_out, answers_in, (tasks_in, answers_out))
        _widen(answers_in)
        os.close(tasks_out)
        os.close(answers_in)
        self.stdin: IO[bytes] = os.fdopen(tasks_in, "wb")
        self.stdout: IO[bytes] = os.fdopen(answers_out, "rb")
        self._code: int | None = None
        self._turns = threading.Lock()
        _copies.add(self)

    def poll(self) -> int | None:
        """Return its exit code, or None if it is running."""
        return self._look(os.WNOHANG)

    def wait(self) -> int:
        """Wait for its end and return its exit code."""
        code = self._look(0)
        assert code is not None
        return code

    def send_signal(self, sig: int) -> None:
        """Send it a signal, unless it has ended."""
        # No other thread may reap it between the check and the signal, because its id could then be another process's.
        with self._turns:
            if self._wait_status(os.WNOHANG) is None:
                os.kill(self.pid, sig)

    def kill(self) -> None:
        """Kill it, unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def _look(self, how: int) -> int | None:
        with self._turns:
            return self._wait_status(how)

    def _wait_status(self, how: int) -> int | None:
        if self._code is None:
            number, status = os.waitpid(self.pid, how)
            if number:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code


def _widen(pipe: int) -> None:
    import fcntl  # noqa: PLC0415 - where processes are copied, it is there

    # The wide pipes of one user are limited; narrow ones suffice.
    with suppress(OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


_copies: weakref.WeakSet[Copy] = weakref.WeakSet()


def _run_as_copy(work: Callable[[], None], source: int, sink: int, far_ends: tuple[int, int]) -> NoReturn:
    """Run as the fork: no ``finally`` of the parent runs, no file is flushed, no lock is released."""
    try:
        gc.freeze()  # the parent's objects are never collected here, so that their pages stay shared
        os.dup2(source, 0)
        os.dup2(sink, 1)
        siblings = [pipe for copy in _copies for pipe in (copy.stdin, copy.stdout) if not pipe.closed]
        for end in (source, sink, *far_ends, *(pipe.fileno() for pipe in siblings)):
            os.close(end)
        work()
    finally:
        os._exit(1)
