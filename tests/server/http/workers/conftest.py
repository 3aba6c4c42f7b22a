"""The model behind the servers of these tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from worker_parts import CITED

from scripted_server import Recorded, Reply, ScriptedServer, endless

ENDLESS = endless("It rests and rests ")


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedServer]:
    """A model that cites the one file, or goes on for ever if it is asked to."""

    def script(request: Recorded) -> Reply:
        return ENDLESS if "for ever" in request.last else Reply([CITED])

    with ScriptedServer(script) as upstream:
        yield upstream
