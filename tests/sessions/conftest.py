"""Sessions in files and on a server, and a corpus to talk about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from chat_fixtures import corpus  # noqa: F401 - a fixture

from quaestor.sessions.named_sessions import FolderSessions, Sessions
from scripted_server import scripted_server  # noqa: F401 - a fixture

if TYPE_CHECKING:
    from quaestor.stores.postgres.connection import Database


@pytest.fixture
def folder_sessions(tmp_path: Path) -> FolderSessions:
    """Sessions in files."""
    return FolderSessions(tmp_path / "sessions")


@pytest.fixture(params=["folder", "server"])
def sessions(request: pytest.FixtureRequest) -> Sessions:
    """Sessions in files, and on a server."""
    found: Sessions = request.getfixturevalue(f"{'folder' if request.param == 'folder' else 'shared'}_sessions")
    return found


@pytest.fixture
def shared_sessions(database: Database) -> Sessions:
    """Sessions on a server."""
    from quaestor.sessions.shared_sessions import SharedSessions  # noqa: PLC0415 - needs the extra

    return SharedSessions(database)
