"""A database's corpora, for the tests of the store in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from postgres_parts import Opened


@pytest.fixture
def opened(postgres_address: str, tmp_path: Path) -> Iterator[Opened]:
    """Open a corpus of the test's own; several with the same name are the same one."""
    from postgres_parts import opener  # noqa: PLC0415 - needs psycopg, which other tests here do without

    with opener(postgres_address, tmp_path) as opened:
        yield opened
