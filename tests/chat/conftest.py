"""A small corpus and a scripted server for conversations."""

from __future__ import annotations

from chat_fixtures import corpus  # noqa: F401 - a fixture

from scripted_server import scripted_server  # noqa: F401 - a fixture
