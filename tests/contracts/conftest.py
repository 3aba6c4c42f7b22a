"""Opens the stores that the contract runs on, and the scripted server, whichever tests are collected."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_factories import Open, each_store, factory_of

from quaestor.stores import Store
from scripted_server import scripted_server  # noqa: F401 - a fixture


@pytest.fixture(params=each_store())
def open_store(request: pytest.FixtureRequest) -> Open:
    return factory_of(request, request.param)


@pytest.fixture
def store(open_store: Open, tmp_path: Path) -> Iterator[Store]:
    store = open_store(tmp_path / "index")
    yield store
    store.close()
