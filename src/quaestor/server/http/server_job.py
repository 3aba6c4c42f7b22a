"""What a process of the server has to serve, as plain values, and how it does so."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from quaestor.core.config import Settings, load_configuration

if TYPE_CHECKING:
    from fastapi import FastAPI

    from quaestor.server.http.served_from_settings import SharedByProcesses


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
