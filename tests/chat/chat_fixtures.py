"""A small corpus for conversations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from quaestor import Index
from quaestor.core.config import Settings

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
