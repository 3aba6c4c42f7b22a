"""A pool of processes that serve at one socket: starting, replacing and stopping them.

Python runs one thread at a time, and a reply takes tens of milliseconds. The parent process serves nothing itself: it
holds the socket and a temporary folder for the processes' shared state.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from asyncio.subprocess import Process
from contextlib import suppress
from pathlib import Path

from quaestor.core.errors import QuaestorError, UsageError
from quaestor.server.http.server_job import Job
from quaestor.server.http.server_process import SHARED, Place, new_folder
from quaestor.server.process_claims import Claims
from quaestor.state.rows import SharedFile

_LOG = logging.getLogger("quaestor.server")
_CODE = "from quaestor.server.http.server_process import main; main()"
# Replies have thirty seconds to come to their end; what is still there then is stuck.
_PATIENCE_SECONDS = 45.0
# A worker's event loop gives a sign of life so many times as often as it must.
_SIGNS, _LOOKS = 8, 4
_SILENCE_SECONDS = 40.0
# Until it serves, a worker gives none: it imports for seconds, on a busy machine for many.
_BEGINNING = 3
# A worker that dies again and again is given longer and longer before the next try.
_PAUSE, _LONGEST_PAUSE = 0.5, 30.0


class WorkersFailedError(QuaestorError):
    """A worker ended before it could serve, so others would as well."""

    code = "workers"


def serve_with(workers: int, job: Job, at: socket.socket, *, silence: float = _SILENCE_SECONDS) -> int:
    """Serve with several processes until interrupted; return the number of the signal.

    Args:
        workers: number of processes.
        job: of each process.
        at: the listening socket; closed at the end.
        silence: seconds without a sign of life after which a worker is replaced; three times as many before it serves.
            It must exceed the thirty seconds that replies have in a worker that is told to stop.

    Raises:
        UsageError: the system does not support it.
        WorkersFailedError: a worker cannot start.
    """
    if sys.platform == "win32":
        raise UsageError("Several processes cannot share a socket on Windows. Leave out --workers.")
    with new_folder() as folder:
        return asyncio.run(_Workers(job, at, folder, silence).run(workers))


class _Workers:
    def __init__(self, job: Job, at: socket.socket, folder: Path, silence: float) -> None:
        self._job = job
        self._at = at
        self._folder = folder
        self._silence = silence
        # Opened here first, so that the file is whole before any worker looks at it.
        self._claims = Claims(SharedFile(folder / SHARED))
        self._running: dict[int, Process] = {}
        self._signalled: int = 0
        self._stopping = asyncio.Event()
        self._failure: WorkersFailedError | None = None

    async def run(self, workers: int) -> int:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop, number)
        await asyncio.gather(*(self._keep_worker(number) for number in range(1, workers + 1)))
        if self._failure is not None:
            raise self._failure
        return self._signalled

    async def _keep_worker(self, number: int) -> None:
        """Have a worker of this number until all is to stop."""
        pause, worth_it = 0.0, False
        while not self._stopping.is_set():
            began = time.monotonic()
            could, ending = await self._run_worker(number)
            worth_it = worth_it or could
            if self._stopping.is_set():
                return
            _LOG.error("worker ended", extra={"data": {"worker": number, "ending": ending}})
            if not worth_it:
                self._failure = WorkersFailedError(
                    f"A worker ended with {ending!r} before it could serve, as others would. What it said stands above."
                )
                self._stop(signal.SIGTERM)
                return
            pause = 0.0 if time.monotonic() - began > _LONGEST_PAUSE else min(pause * 2 or _PAUSE, _LONGEST_PAUSE)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), pause)

    async def _run_worker(self, number: int) -> tuple[bool, int | str]:
        """Have one worker until it ends; return whether another is worth a try, and how it ended.

        It is not where one ended by itself before it served: so would others.
        """
        try:
            process = await self._start_worker(number)
        except OSError as error:
            return False, str(error)
        # A line when it serves; nothing when it ends before that.
        begun = await self._read_signs(process, _BEGINNING * _LOOKS)
        hearing = asyncio.ensure_future(self._hear(number, process, begun))
        code = await process.wait()
        hearing.cancel()
        self._forget(number, process.pid)
        return begun != b"", code

    async def _hear(self, number: int, process: Process, said: bytes | None) -> None:
        """Kill a worker once it hangs: stopped, in a loop without end, or waiting for something before it serves."""
        while said:
            said = await self._read_signs(process, _LOOKS)
        if said is None:
            _LOG.error("worker hangs", extra={"data": {"worker": number, "pid": process.pid}})
            _signal(process, signal.SIGKILL)

    async def _read_signs(self, process: Process, looks: int) -> bytes | None:
        """Return signs of life: b"" once a worker has ended, None if it was silent for so many checks."""
        assert process.stdout is not None  # a pipe was asked for
        silent = 0
        # Looks are counted, not seconds: when this process, or the machine, was asleep, only one of them passed.
        while silent < looks:
            try:
                return await asyncio.wait_for(process.stdout.read(_SIGNS), self._silence / _LOOKS)
            except TimeoutError:
                # One that is to stop gives no signs while its replies come to their end.
                silent += not self._stopping.is_set()
        return None

    async def _start_worker(self, number: int) -> Process:
        """Start a worker and send it its job; its standard input stays open while this process lives."""
        place = Place(number, self._at.fileno(), self._folder, int(self._silence / _SIGNS))
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            # The current folder, which may be a stranger's repository, is no place to import from.
            *("-P", "-c", _CODE),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(place.socket,),
            # Ctrl-C reaches every process of a terminal; how these stop is told to them by this one.
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        self._running[number] = process
        _LOG.info("worker started", extra={"data": {"worker": number, "pid": process.pid}})
        assert process.stdin is not None  # a pipe was asked for
        process.stdin.write(pickle.dumps((self._job, place)))
        with suppress(ConnectionError):
            await process.stdin.drain()
        if self._stopping.is_set():
            _signal(process, signal.SIGTERM)
        return process

    def _stop(self, signalled: int) -> None:
        """Tell the workers to stop; at the second call, not to wait for replies."""
        again = self._stopping.is_set()
        self._signalled = signalled
        self._stopping.set()
        # No process accepts connections here from now on.
        self._at.close()
        for process in self._running.values():
            _signal(process, signal.SIGINT if again else signal.SIGTERM)
        asyncio.get_running_loop().call_later(_PATIENCE_SECONDS, self._kill)

    def _kill(self) -> None:
        for process in self._running.values():
            _signal(process, signal.SIGKILL)

    def _forget(self, number: int, pid: int) -> None:
        """Free the claims of a worker that has ended, and reset its metric of requests under way."""
        del self._running[number]
        self._claims.free_all(str(number))
        for file in self._folder.glob(f"gauge_live*_{pid}.db"):
            file.unlink(missing_ok=True)


def _signal(process: Process, number: int) -> None:
    with suppress(ProcessLookupError):
        process.send_signal(number)
