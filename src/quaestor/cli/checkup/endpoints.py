"""Whether a server listens at the model's endpoint, and whether the port to serve at is free."""

from __future__ import annotations

import json
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from quaestor.assemble import check_endpoint
from quaestor.cli.checkup.finding import TO_SET_RIGHT, UNREACHABLE, FindingError
from quaestor.cli.commands.serve import PORT
from quaestor.core.config import Settings, without_credentials
from quaestor.llm.endpoints import OPENAI_URL
from quaestor.llm.endpoints.reaching import is_listening

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_SECONDS = 1.0
_LARGEST = 4096


def check_model(settings: Settings) -> str:
    """Return which model is set; of an endpoint on this machine, a connection is opened and closed again.

    Raises:
        FindingError: nobody listens there.
        UsageError: the settings cannot be an endpoint's.
    """
    if not settings.model:
        return "none: answers are quotes; set --model and --base-url for synthesis"
    check_endpoint(settings)
    url = settings.base_url or OPENAI_URL
    said = f"{settings.model} at {without_credentials(url)}"
    if urlsplit(url).hostname not in _LOOPBACK:
        return f"{said} (not contacted)"
    if not is_listening(url):
        raise FindingError(
            f"nobody listens at {without_credentials(url)}, the endpoint of {settings.model!r}: start its server, or"
            " correct `base_url`; until then answers are quotes",
            UNREACHABLE,
        )
    return f"{said}; a server listens (--probe finds out what it can do)"


def check_port(settings: Settings) -> str:
    """Return whether ``quaestor serve`` would find its port free, or serves there already.

    Raises:
        FindingError: another program has it.
    """
    del settings
    if not is_listening(f"http://127.0.0.1:{PORT}"):
        return f"{PORT} is free for `quaestor serve`"
    if _is_ours():
        return f"`quaestor serve` answers at {PORT}"
    raise FindingError(
        f"another program listens at {PORT}: serve at another port, as with `quaestor serve --port {PORT + 1}`",
        TO_SET_RIGHT,
    )


def _is_ours() -> bool:
    """Return whether a server of Quaestor answers at the port."""
    with closing(HTTPConnection("127.0.0.1", PORT, timeout=_SECONDS)) as connection:
        try:
            connection.request("GET", "/healthz")
            found = json.loads(connection.getresponse().read(_LARGEST))
        except (OSError, HTTPException, ValueError, RecursionError):
            return False
    return isinstance(found, dict) and found.keys() == {"status", "ready"}
