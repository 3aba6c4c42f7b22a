"""One of several processes that serve the same corpora at the same socket.

It is started by ``workers``, which tells it on standard input what to do. It writes a line once it can serve, and stops
when its standard input ends: then whoever started it is gone.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from quaestor.server.http.job import Job, application
from quaestor.server.http.shared_folder import SHARED, held

if TYPE_CHECKING:
    import uvicorn

# Nobody is left who would see to a worker whose replies do not end; and its address is needed again.
_LEFT_SECONDS = 5


class Place(NamedTuple):
    """A worker's place among others.

    Attributes:
        number: which worker it is, from 1.
        socket: number of the open file at which clients are heard.
        folder: where the workers of the server keep what they share.
        pause: seconds between two signs of life; with 0 there are ten a second.
    """

    number: int
    socket: int
    folder: Path
    pause: int


def main() -> None:
    """Do the job on standard input until told to stop."""
    job, place = pickle.load(sys.stdin.buffer)
    # The package that counts looks for it when it is imported.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(place.folder)
    # The server takes these while it runs, and sends them on when it has stopped in good order.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    _serve(job, place)


def _serve(job: Job, place: Place) -> None:
    # After the environment is set.
    from quaestor.accounts.process_state import SharedFile  # noqa: PLC0415
    from quaestor.server.http.json_log import log_as_json  # noqa: PLC0415
    from quaestor.server.http.run_server import make_server, take_turns_often  # noqa: PLC0415
    from quaestor.server.http.served_from_settings import Together  # noqa: PLC0415

    log_as_json(requests=job.log_requests, worker=place.number)
    take_turns_often()
    together = Together.of(SharedFile(place.folder / SHARED), place.number, place.folder)
    with held(place.folder), socket.socket(fileno=place.socket) as at, application(job, together) as app:
        server = make_server(app, alone=False, sign=_give_sign, pause=place.pause)
        threading.Thread(target=_until_left, args=(server,), daemon=True).start()
        os.write(1, b"\n")
        asyncio.run(server.serve(sockets=[at]))


async def _give_sign() -> None:
    """Tell whoever watches over this process that its event loop goes round."""
    with suppress(BrokenPipeError):
        os.write(1, b"\n")


def _until_left(server: uvicorn.Server) -> None:
    """Stop the server when whoever started this process is gone, and end the process if it does not stop."""
    # Not by the stream, whose lock this thread would hold for ever, and the end of the process would wait for.
    while os.read(0, 1):
        pass
    server.config.timeout_graceful_shutdown = _LEFT_SECONDS
    server.should_exit = True
    time.sleep(2 * _LEFT_SECONDS)
    os._exit(1)
