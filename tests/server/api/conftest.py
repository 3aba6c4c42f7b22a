"""A server of two people, with a corpus that both may see."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from native_parts import client
from served import Running


@pytest.fixture
def shared_api(shared: Running) -> Iterator[httpx.Client]:
    """A client of a server that other tests use, too."""
    with client(shared.url) as found:
        yield found


@pytest.fixture
def api(quoting: Running) -> Iterator[httpx.Client]:
    """A client of a server without a model and without users."""
    with client(quoting.url) as found:
        yield found
