"""Starts, replaces and stops the worker processes that serve at one socket.

Several processes are needed for many users, because Python runs one thread at a time and a response takes tens of
milliseconds. The parent process serves nothing itself: it holds the socket and a temporary folder for the workers'
shared state. It imports the server's modules but starts no thread and opens no database, so that a worker can be a
forked copy of it (``process_start``), which serves after a tenth of a second and shares its memory. On systems other
than Linux, a worker is a new Python process.
"""

from __future__ import annotations

import logging
import os
import pickle
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from quaestor.core.errors import QuaestorError, UsageError
from quaestor.indexing.process_start import Copy, Process, can_copy
from quaestor.server.http.server_process import SHARED, Job, Place, new_folder, preload, serve_as_copy
from quaestor.server.process_claims import Claims
from quaestor.state.rows import SharedFile

_LOG = logging.getLogger("quaestor.server")
_CODE = "from quaestor.server.http.server_process import main; main()"
# Responses have thirty seconds to finish when the server stops; a worker that still runs after that is stuck.
_PATIENCE_SECONDS = 45.0
# Within the longest allowed silence, a worker sends this many heartbeats, and this process checks for them this often.
_SIGNS, _LOOKS = 8, 4
_SILENCE_SECONDS = 40.0
# Until it serves, a worker sends none: a new process imports for seconds, or longer on a busy machine.
_BEGINNING = 3
# A worker that dies repeatedly is restarted after longer and longer pauses.
_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
_STOPPING = (signal.SIGINT, signal.SIGTERM)


class WorkersFailedError(QuaestorError):
    """A worker ended before it could serve, so others would, too."""

    code = "workers"


def serve_with(workers: int, job: Job, at: socket.socket, *, silence: float = _SILENCE_SECONDS) -> int:
    """Serve with several processes until interrupted; return the number of the signal.

    This process must not have a database open, or anything else that a forked copy must not share.

    Args:
        workers: the number of worker processes.
        job: what each worker serves.
        at: the listening socket; closed at the end.
        silence: seconds without a heartbeat after which a worker is replaced; three times as many before it serves.
            It must exceed the thirty seconds that responses have in a worker that was signalled to stop.

    Raises:
        UsageError: the system does not support it.
        WorkersFailedError: a worker cannot start.
    """
    if sys.platform == "win32":
        raise UsageError("Several processes cannot share a socket on Windows. Leave out --workers.")
    with new_folder() as folder:
        return _Workers(workers, job, at, folder, silence).run()


@dataclass(slots=True)  # mutable: its process is replaced when it ends
class _WorkerSlot:
    """One worker, which is a series of processes.

    Attributes:
        number: the worker's number, from 1.
        process: the present process; None if there is none.
        serves: whether the present process has sent a heartbeat.
        silent: checks since the last heartbeat.
        began: when the process was started.
        next: when the process is checked next, or when the next process is started.
        pause: seconds before the next process is started.
        ever_served: whether any of its processes ever served; if none did, another is not tried.
    """

    number: int
    process: Process | None = None
    serves: bool = False
    silent: int = 0
    began: float = 0.0
    next: float = 0.0
    pause: float = 0.0
    ever_served: bool = False


class _Workers:
    def __init__(self, workers: int, job: Job, at: socket.socket, folder: Path, silence: float) -> None:
        self._posts = [_WorkerSlot(number) for number in range(1, workers + 1)]
        self._job = job
        self._at = at
        self._folder = folder
        self._silence = silence
        self._signalled: list[int] = []
        self._passed_on = 0
        self._patient_until: float | None = None
        self._failure: WorkersFailedError | None = None
        self._pipes = selectors.DefaultSelector()
        self._waking = socket.socketpair()
        # Creates the database before any worker opens it.
        self._shared().close()

    def run(self) -> int:
        """Keep the workers running until told to stop; return the number of the signal."""
        with self._pipes, self._hear_signals():
            if can_copy():
                # If a module is missing, the first worker fails with the message.
                with suppress(ImportError):
                    preload(self._folder, model=bool(self._job.settings.model))
            while not self._is_stopping() or any(post.process for post in self._posts):
                self._attend()
        if self._failure is not None:
            raise self._failure
        return self._signalled[-1]

    def _attend(self) -> None:
        """Wait for the next event, and handle it."""
        for key, _ in self._pipes.select(self._seconds_left()):
            self._read(key)
        if self._passed_on < len(self._signalled):
            self._tell_to_stop()
        if self._patient_until is not None and time.monotonic() >= self._patient_until:
            self._patient_until = None
            self._signal_all(signal.SIGKILL)
        for post in self._posts:
            if post.process is not None:
                self._look_after(post, post.process)
            elif not self._is_stopping() and time.monotonic() >= post.next:
                self._start(post)

    def _seconds_left(self) -> float:
        times = [post.next for post in self._posts if post.process is not None or not self._is_stopping()]
        times += [] if self._patient_until is None else [self._patient_until]
        return max(0.0, min(times) - time.monotonic())

    def _read(self, key: selectors.SelectorKey) -> None:
        """Read heartbeats from a worker, or the bytes that wake this process for a signal."""
        try:
            data = os.read(key.fd, 4096)
        except BlockingIOError:
            return
        post: _WorkerSlot | None = key.data
        if not data:
            self._pipes.unregister(key.fileobj)
        elif post is not None:
            post.serves, post.silent, post.next = True, 0, time.monotonic() + self._silence / _LOOKS

    def _look_after(self, post: _WorkerSlot, process: Process) -> None:
        """Check whether a worker has ended; kill it if it hangs: stopped, in an endless loop, or deadlocked."""
        code = process.poll()
        if code is not None:
            self._forget(post, process)
            self._note_end(post, code)
        elif time.monotonic() >= post.next:
            # Checks are counted, not seconds: while this process or the machine was asleep, there was at most one.
            # A worker that is stopping sends no heartbeats while its responses finish.
            post.silent += not self._is_stopping()
            post.next = time.monotonic() + self._silence / _LOOKS
            if post.silent >= (_LOOKS if post.serves else _BEGINNING * _LOOKS):
                _LOG.error("worker hangs", extra={"data": {"worker": post.number, "pid": process.pid}})
                post.silent, post.ever_served = 0, True
                process.kill()

    def _start(self, post: _WorkerSlot) -> None:
        """Start a worker; its standard input stays open while this process lives."""
        place = Place(post.number, self._at.fileno(), self._folder, int(self._silence / _SIGNS))
        post.serves, post.silent, post.began = False, 0, time.monotonic()
        try:
            process = self._copy(place) or self._fresh(place)
        except OSError as error:
            self._note_end(post, str(error))
            return
        post.process, post.next = process, post.began + self._silence / _LOOKS
        assert process.stdout is not None  # a pipe was asked for
        os.set_blocking(process.stdout.fileno(), False)
        self._pipes.register(process.stdout, selectors.EVENT_READ, post)
        _LOG.info("worker started", extra={"data": {"worker": post.number, "pid": process.pid}})

    def _copy(self, place: Place) -> Process | None:
        if not can_copy():
            return None
        # Until the copy has replaced this process's signal handlers, it must not receive signals.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
        try:
            return Copy(partial(self._serve_as_copy, place, before))
        except OSError:
            return None
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _serve_as_copy(self, place: Place, mask: Iterable[int]) -> None:
        """In a copy of this process, close what belongs to the original, then serve."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._pipes.close()
        for end in self._waking:
            end.close()
        serve_as_copy(self._job, place, mask)

    def _fresh(self, place: Place) -> Process:
        process = subprocess.Popen(
            # -P: do not import from the current folder, which may be a stranger's repository.
            [sys.executable, "-P", "-c", _CODE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(place.socket,),
            # Ctrl-C reaches every process of a terminal's session; workers are to be stopped by this process alone.
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        assert process.stdin is not None  # a pipe was asked for
        with suppress(BrokenPipeError):
            process.stdin.write(pickle.dumps((self._job, place)))
            process.stdin.flush()
        return process

    def _note_end(self, post: _WorkerSlot, ending: int | str) -> None:
        """Decide whether and when a worker is started again."""
        post.ever_served = post.ever_served or post.serves
        if self._is_stopping():
            return
        _LOG.error("worker ended", extra={"data": {"worker": post.number, "ending": ending}})
        if not post.ever_served:
            self._failure = WorkersFailedError(
                f"A worker ended with {ending!r} before it could serve, as others would. See its output above."
            )
            self._signalled.append(signal.SIGTERM)
        now = time.monotonic()
        post.pause = 0.0 if now - post.began > _LONGEST_PAUSE else min(post.pause * 2 or _PAUSE, _LONGEST_PAUSE)
        post.next = now + post.pause

    def _forget(self, post: _WorkerSlot, process: Process) -> None:
        """Free the claims of a worker that has ended, and reset its metric of requests under way."""
        assert process.stdin is not None and process.stdout is not None  # pipes were asked for
        with suppress(OSError):
            post.serves = post.serves or bool(os.read(process.stdout.fileno(), 1))
        with suppress(KeyError):
            self._pipes.unregister(process.stdout)
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):  # flushing fails if the worker never read its job
                pipe.close()
        post.process = None
        with closing(self._shared()) as shared:
            Claims(shared).free_all(str(post.number))
        for file in self._folder.glob(f"gauge_live*_{process.pid}.db"):
            file.unlink(missing_ok=True)

    def _shared(self) -> SharedFile:
        """Open the workers' shared database, to be closed at once: a fork must not inherit a connection."""
        return SharedFile(self._folder / SHARED)

    def _is_stopping(self) -> bool:
        return bool(self._signalled)

    def _tell_to_stop(self) -> None:
        """Tell the workers to stop; at the second call, not to wait for responses."""
        again = self._passed_on > 0
        self._passed_on = len(self._signalled)
        if not again:
            # Once the workers have closed the socket, too, new connections are refused.
            self._at.close()
            self._patient_until = time.monotonic() + _PATIENCE_SECONDS
        self._signal_all(signal.SIGINT if again or self._passed_on > 1 else signal.SIGTERM)

    def _signal_all(self, number: int) -> None:
        for post in self._posts:
            if post.process is not None:
                post.process.send_signal(number)

    @contextmanager
    def _hear_signals(self) -> Iterator[None]:
        """Note signals, and wake up for them and for the end of a worker."""
        for end in self._waking:
            end.setblocking(False)
        waking, woken = self._waking
        with waking, woken:
            before = {number: signal.signal(number, self._note_signal) for number in _STOPPING}
            before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
            signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
            self._pipes.register(woken, selectors.EVENT_READ)
            try:
                yield
            finally:
                signal.set_wakeup_fd(-1)
                for number, handler in before.items():
                    signal.signal(number, handler)

    def _note_signal(self, number: int, _: object) -> None:
        self._signalled.append(number)
