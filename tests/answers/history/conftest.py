"""Each test of a history has a home of its own for its indexes."""

from __future__ import annotations

from history_repository import home  # noqa: F401 - a fixture
