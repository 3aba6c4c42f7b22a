"""A small corpus, served."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from served import Running, serving, write

from scripted_server import Script, ScriptedServer, StartServer, scripted_server  # noqa: F401 - a fixture


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server without a model, shared by the tests of a file that leave nothing behind."""
    folder = tmp_path_factory.mktemp("shared")
    with serving(write(folder / "kitchen"), home=folder / "home") as server:
        yield server


@pytest.fixture
def quoting(tmp_path: Path) -> Iterator[Running]:
    """A server without a model."""
    with serving(write(tmp_path / "kitchen"), home=tmp_path / "home") as server:
        yield server


@pytest.fixture
def answering(tmp_path: Path, scripted_server: StartServer) -> Iterator[Callable[..., tuple[Running, ScriptedServer]]]:  # noqa: F811
    """Start a server over a scripted model: takes the script and settings, returns both servers."""
    with ExitStack() as stack:

        def start(script: Script, **settings: object) -> tuple[Running, ScriptedServer]:
            upstream = scripted_server(script, window=settings.pop("window_of", None))
            folder = write(tmp_path / "kitchen")
            chosen = {"model": "tiny", "base_url": upstream.base_url, "subroutines": "off", **settings}
            return stack.enter_context(serving(folder, home=tmp_path / "home", **chosen)), upstream

        yield start
