"""A small corpus and a scripted server for conversations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from quaestor.stores.postgres.connection import Database


from quaestor import Index
from quaestor.core.config import Settings
from quaestor.sessions.session_files import FolderSessions, Sessions
from scripted_server import scripted_server  # noqa: F401 - a fixture

SOURCE = "MAX_ATTEMPTS = 3\n\n\ndef send_with_retry(request):\n    return request\n"
GUIDE = "# Kitchen guide\n\n## Sourdough\n\nThe dough rests for eighteen hours in the refrigerator.\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Index]:
    """An index of two files."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "retry.py").write_text(SOURCE, encoding="utf-8")
    (folder / "guide.md").write_text(GUIDE, encoding="utf-8")
    with Index.build(folder, settings=Settings(home=str(tmp_path / "home"))) as index:
        yield index


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
    from quaestor.chat.shared_sessions import SharedSessions  # noqa: PLC0415 - needs the extra

    return SharedSessions(database)
