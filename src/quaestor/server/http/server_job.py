"""The job of a server's process, as plain values, and running it."""

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
        roots: real paths of the corpora, with their settings.
        settings: of the server.
        flags: settings of the command line, for corpora that are added later.
        beyond: whether other machines can reach the server.
        hosts: names of the server, besides those of the loopback.
        log_requests: whether each request is logged; failures are logged in any case.
    """

    roots: Mapping[Path, Settings]
    settings: Settings
    flags: Mapping[str, object]
    beyond: bool
    hosts: tuple[str, ...]
    log_requests: bool = False

    def settings_of(self, root: Path) -> Settings:
        """Return the settings of a corpus."""
        found = self.roots.get(root)
        if found is not None:
            return found
        # A copy of what a user uploaded, which every server indexes for itself: one that lags behind would take out
        # of a common index what another has just put there.
        return load_configuration(self.flags, project=root).settings._replace(store="embedded", corpus="")


@contextmanager
def application(job: Job, together: SharedByProcesses) -> Iterator[FastAPI]:
    """Open the corpora in the background, and yield the application."""
    # Seconds of imports for which a process that only watches over others need not wait.
    from quaestor.server.http.app import create_app  # noqa: PLC0415
    from quaestor.server.http.served_from_settings import served_of  # noqa: PLC0415
    from quaestor.server.open_corpora import Corpora  # noqa: PLC0415
    from quaestor.server.process_claims import Renewal  # noqa: PLC0415

    together = together.with_others(job.settings)
    with (
        Renewal(together.turns),
        Corpora(list(job.roots), job.settings_of, apart=True, claims=together.claims) as corpora,
    ):
        yield create_app(served_of(corpora, job.settings, beyond=job.beyond, hosts=job.hosts, together=together))


def serve(job: Job, at: socket.socket) -> None:
    """Serve with this process until interrupted."""
    # As in ``application``.
    from quaestor.server.http.run_server import make_server, take_turns_often  # noqa: PLC0415
    from quaestor.server.http.served_from_settings import SharedByProcesses  # noqa: PLC0415

    take_turns_often()
    with application(job, SharedByProcesses()) as app:
        asyncio.run(make_server(app).serve(sockets=[at]))
