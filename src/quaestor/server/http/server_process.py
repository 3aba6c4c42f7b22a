"""A process of the server: what it serves, alone or as a worker among several, and the folder of workers' shared state.

``server_pool`` starts a worker as a forked copy of itself, or as a new Python process that reads its job from standard
input. The worker writes a line once it can serve, and stops when its standard input ends, because then its parent is
gone.

The folder is temporary. Processes that use it hold a lock on it, which the system releases however they end. So an
unlocked folder was left by a server that was killed, and the next server removes it.
"""

from __future__ import annotations

import asyncio
import gc
import os
import pickle
import shutil
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from quaestor.core.config import Settings, load_configuration

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

    from quaestor.server.http.served_from_settings import SharedByProcesses


# How long responses may take once the parent is gone: nobody would kill a stuck worker, and its port is needed again.
_LEFT_SECONDS = 5

_PREFIX = "quaestor-serve-"
SHARED = "shared.sqlite"
"""The name of the workers' shared database."""


class Job(NamedTuple):
    """The corpora to serve, and the settings of the server.

    Attributes:
        roots: the corpora's real paths, with their settings.
        settings: the server's settings.
        flags: settings from the command line, for corpora that are added later.
        reachable: whether other machines can reach the server.
        hosts: the server's names besides those of the loopback.
        log_requests: whether each request is logged; failures always are.
    """

    roots: Mapping[Path, Settings]
    settings: Settings
    flags: Mapping[str, object]
    reachable: bool
    hosts: tuple[str, ...]
    log_requests: bool = False

    def settings_of(self, root: Path) -> Settings:
        """Return the settings of a corpus."""
        settings = self.roots.get(root)
        if settings is not None:
            return settings
        # A folder of uploads is a copy, which every server indexes for itself: with a shared index, a server whose copy
        # is out of date would remove documents that another has just added.
        return load_configuration(self.flags, project=root).settings._replace(store="embedded", corpus="")


class Place(NamedTuple):
    """What distinguishes a worker, and what it shares with others.

    Attributes:
        number: the worker's number, from 1.
        socket: the descriptor of the listening socket.
        folder: the folder of the workers' shared state.
        pause: seconds between two heartbeats; 0 for ten a second.
    """

    number: int
    socket: int
    folder: Path
    pause: int


@contextmanager
def application(job: Job, together: SharedByProcesses) -> Iterator[FastAPI]:
    """Open the corpora in the background, and yield the application."""
    # These imports take seconds, and a process that only supervises others does not need them.
    from quaestor.server.http.app import create_app  # noqa: PLC0415
    from quaestor.server.http.served_from_settings import served_of  # noqa: PLC0415
    from quaestor.server.open_corpora import Corpora  # noqa: PLC0415
    from quaestor.server.process_claims import Renewal  # noqa: PLC0415

    together = together.with_others(job.settings)
    with (
        Renewal(together.turns),
        Corpora(list(job.roots), job.settings_of, in_processes=True, claims=together.claims) as corpora,
    ):
        yield create_app(served_of(corpora, job.settings, reachable=job.reachable, hosts=job.hosts, together=together))


def serve(job: Job, at: socket.socket) -> None:
    """Serve with this process until interrupted."""
    # As in ``application``.
    from quaestor.server.http.run_server import make_server, switch_threads_often  # noqa: PLC0415
    from quaestor.server.http.served_from_settings import SharedByProcesses  # noqa: PLC0415

    switch_threads_often()
    with application(job, SharedByProcesses()) as app:
        asyncio.run(make_server(app).serve(sockets=[at]))


def main() -> None:
    """Serve the job on standard input until told to stop."""
    job, place = pickle.load(sys.stdin.buffer)
    _count_in(place.folder)
    _leave_signals_to_the_server()
    _serve(job, place)
    gc.freeze()  # at exit, Python would collect garbage among everything imported, which takes a quarter of a second


def preload(folder: Path, *, model: bool) -> None:
    """Import the server's modules, for forked copies of this process.

    Args:
        folder: the folder of the workers' shared state.
        model: whether the workers will use a model.

    Raises:
        ImportError: a module is missing.
    """
    _count_in(folder)
    # After the environment is set.
    from quaestor.server.http import app, run_server  # noqa: F401, PLC0415

    app.preload(model=model)


def serve_as_copy(job: Job, place: Place, mask: Iterable[int]) -> NoReturn:
    """Serve a job in a copy of the parent process until told to stop; then end without running its exit handlers.

    Args:
        job: what to serve.
        place: this worker's number, socket and folder.
        mask: the signals to block from now on; pending ones that it does not block are delivered.
    """
    # Ctrl-C reaches every process of a terminal's session; workers are to be stopped by their parent alone.
    os.setsid()
    _leave_signals_to_the_server()
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    try:
        _serve(job, place)
    except Exception:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _count_in(folder: Path) -> None:
    # `prometheus_client` reads it when it is imported.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def _leave_signals_to_the_server() -> None:
    # uvicorn handles these while it runs, and raises them again after it has stopped.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)


def _serve(job: Job, place: Place) -> None:
    # After the environment is set.
    from quaestor.server.http.json_log import log_as_json  # noqa: PLC0415
    from quaestor.server.http.run_server import make_server, switch_threads_often  # noqa: PLC0415
    from quaestor.server.http.served_from_settings import SharedByProcesses  # noqa: PLC0415
    from quaestor.state.rows import SharedFile  # noqa: PLC0415

    log_as_json(requests=job.log_requests, worker=place.number)
    switch_threads_often()
    together = SharedByProcesses.of(SharedFile(place.folder / SHARED), place.number, place.folder)
    with lock_folder(place.folder), socket.socket(fileno=place.socket) as at, application(job, together) as app:
        server = make_server(app, alone=False, sign=_give_sign, pause=place.pause)
        threading.Thread(target=_end_with_parent, args=(server,), daemon=True).start()
        os.write(1, b"\n")
        asyncio.run(server.serve(sockets=[at]))


async def _give_sign() -> None:
    """Send a heartbeat, which shows that the event loop is running."""
    with suppress(BrokenPipeError):
        os.write(1, b"\n")


def _end_with_parent(server: uvicorn.Server) -> None:
    """Stop the server when the parent process is gone, and end this process if it does not stop."""
    # Not `sys.stdin`: this thread would hold its lock for ever, and the process would wait for that lock at its end.
    while os.read(0, 1):
        pass
    server.config.timeout_graceful_shutdown = _LEFT_SECONDS
    server.should_exit = True
    time.sleep(2 * _LEFT_SECONDS)
    os._exit(1)


@contextmanager
def new_folder() -> Iterator[Path]:
    """Yield a new, locked folder; first remove folders that killed servers of this user left."""
    remove_leftovers(Path(gettempdir()))
    with TemporaryDirectory(prefix=_PREFIX) as name, lock_folder(Path(name)):
        yield Path(name)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder, so that neither another server nor systemd-tmpfiles removes it."""
    import fcntl  # noqa: PLC0415 - not on Windows

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


def remove_leftovers(place: Path) -> None:
    """Remove the folders in ``place`` that killed servers of this user left, as far as possible."""
    for folder in place.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            _remove_unless_locked(folder)


def _remove_unless_locked(folder: Path) -> None:
    """Remove a folder of this user's that is not locked.

    Raises:
        OSError: it is not a folder, is locked, or cannot be removed.
    """
    import fcntl  # noqa: PLC0415 - not on Windows

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # A folder without a database may be a new one, which is not locked yet.
        if os.fstat(descriptor).st_uid == os.getuid() and (folder / SHARED).is_file():
            shutil.rmtree(folder)
    finally:
        os.close(descriptor)
