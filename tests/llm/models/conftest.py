"""Makes the scripted server available here, whichever tests are collected."""

from __future__ import annotations

from scripted_server import scripted_server  # noqa: F401 - a fixture
