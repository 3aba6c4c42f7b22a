"""A small corpus, served."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from served import Running, serving, write

from scripted_server import scripted_server  # noqa: F401 - a fixture


@pytest.fixture
def quoting(tmp_path: Path) -> Iterator[Running]:
    """A server without a model."""
    with serving(write(tmp_path / "kitchen"), home=tmp_path / "home") as server:
        yield server
