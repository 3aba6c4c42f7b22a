"""This machine's own address, as if it were one on the public internet: no test asks a server that is there."""

from __future__ import annotations

import pytest

from quaestor.crawl import clone, connections

OURS = "127.0.0.1"


@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take ``OURS`` for public; every other address is what it is."""
    really = connections.is_public
    monkeypatch.setattr(connections, "is_public", lambda text: text == OURS or really(text))
    monkeypatch.setattr(clone, "is_public", connections.is_public)
