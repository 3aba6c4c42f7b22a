"""Shared by the tests of accounts: a file in a folder of its own, and both stores of accounts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from quaestor.accounts.database import AccountsFile
from quaestor.state.rows import Database, Shared, SharedFile


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "accounts.sqlite"


@pytest.fixture(params=["file", "server"])
def opened(request: pytest.FixtureRequest, file: Path) -> Callable[[], Database]:
    """Opens the same accounts anew each time, as several processes do."""
    if request.param == "file":
        return lambda: AccountsFile(file)
    open_tables: Callable[[], Database] = request.getfixturevalue("open_tables")
    return open_tables


@pytest.fixture(params=["file", "server"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Shared]:
    """Opens the same rates and claims anew each time, as several processes do."""
    if request.param == "file":
        return lambda: SharedFile(tmp_path / "shared")
    open_tables: Callable[[], Shared] = request.getfixturevalue("open_tables")
    return open_tables


@pytest.fixture(params=["file", "server"])
def place(request: pytest.FixtureRequest, file: Path) -> str:
    """Where accounts are, as another process is told."""
    return str(file if request.param == "file" else request.getfixturevalue("state_uri"))
