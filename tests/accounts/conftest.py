"""What the tests of accounts share: a file in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "accounts.sqlite"
