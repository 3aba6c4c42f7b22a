"""The real application under uvicorn in a thread, over real corpora.

@pytest.fixture
def at(...):
    with running(served) as server:
        yield server.url
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from index_of_files import write_files
from quaestor.accounts.rates import Guesses
from quaestor.core.config import Settings
from quaestor.server.free_port import listen_at
from quaestor.server.http.app import create_app
from quaestor.server.http.run_server import make_server
from quaestor.server.http.served_from_settings import served_of
from quaestor.server.http.served_state import Served
from quaestor.server.open_corpora import Corpora

FILES = {
    "retry.py": "MAX_ATTEMPTS = 3\n\n\ndef send_with_retry(request):\n    return request\n",
    "guide.md": "# Kitchen guide\n\n## Sourdough\n\nThe dough rests for eighteen hours in the refrigerator.\n",
}
"""A corpus of code and prose."""

# Each asks as somebody new does. No TLS is spoken here, and reading certificates would take most of each test's time.
_ASKING: dict[str, Any] = {"verify": False, "timeout": 600}
get, post = partial(httpx.get, **_ASKING), partial(httpx.post, **_ASKING)
request, stream = partial(httpx.request, **_ASKING), partial(httpx.stream, **_ASKING)


@dataclass(frozen=True)
class Running:
    """A server that answers.

    Attributes:
        url: its address, without a slash at the end.
        served: what it serves.
        server: to stop it as a signal would.
    """

    url: str
    served: Served
    server: uvicorn.Server


def write(folder: Path, files: dict[str, str] = FILES) -> Path:
    """Write files into a new folder and return it."""
    return write_files(folder, files)


@contextmanager
def serving(
    *folders: Path, home: Path, grace: int = 30, guesses: Guesses | None = None, **settings: Any
) -> Iterator[Running]:
    """Serve folders.

    Args:
        folders: each a corpus.
        home: where indexes and sessions lie.
        grace: seconds that replies have when the server stops.
        guesses: counts tokens that are nobody's.
        settings: of the server and the corpora: ``model``, ``base_url``, ``window``, ...
    """
    chosen = Settings(home=str(home), **{"requests_per_minute": 0, **settings})
    with Corpora(folders, lambda _: chosen) as corpora:
        for name in corpora.names:
            corpora.get(name, wait=600)
        with running(replace(served_of(corpora, chosen), guesses=guesses or Guesses()), grace=grace) as server:
            yield server


@contextmanager
def running(served: Served, *, grace: int = 30, **changes: Any) -> Iterator[Running]:
    """Run the application over what is served, on a port of its own."""
    served = replace(served, **changes)
    at = listen_at("127.0.0.1", 0)
    server = make_server(create_app(served), grace=grace)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[at])), daemon=True)
    thread.start()
    # pytest changes the filters for warnings with each test, which a server that still starts would feel.
    while thread.is_alive() and not server.started:
        time.sleep(0.005)
    try:
        yield Running(f"http://127.0.0.1:{at.getsockname()[1]}", served, server)
    finally:
        server.should_exit = True
        thread.join(timeout=600)
        at.close()
    assert not thread.is_alive(), "the server did not stop"
