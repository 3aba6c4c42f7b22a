"""Links that are swapped in while a file is read, indexed or served lead nobody out of the root.

Changes to files are tried in the same way in ``tests/faults/test_edit_kill.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from folder_swapper import swapping

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.core.errors import QuaestorError

OUTSIDE = "heron-of-the-outside"
INSIDE = "kingfisher-of-the-inside"
ROUNDS = 300


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for place, word in ((root / "docs" / "birds", INSIDE), (tmp_path / "outside" / "birds", OUTSIDE)):
        place.mkdir(parents=True)
        # Of one size, as whoever swaps them would see to.
        (place / "a.md").write_text(f"# Birds\n\nThe {word:<30} stands there.\n", encoding="utf-8")
    (root / "b.md").write_text("# Beasts\n\nThe badger digs.\n", encoding="utf-8")
    return root


@pytest.fixture
def index(root: Path, tmp_path: Path) -> Iterator[Index]:
    with Index.build(root, settings=Settings(home=str(tmp_path / "home"))) as index:
        yield index


WAYS: dict[str, Callable[[Index], str]] = {
    "read": lambda index: (index.read("docs/birds/a.md") or b"").decode(),
    "lines": lambda index: "\n".join(index.read_lines("docs/birds/a.md").lines),
    "search": lambda index: "\n".join(hit.chunk.text for hit in index.search("birds stands there")),
}


@pytest.mark.parametrize("way", WAYS)
def test_no_link_is_followed_by_whoever_reads(index: Index, root: Path, tmp_path: Path, way: str) -> None:
    with swapping(root / "docs", tmp_path / "kept", tmp_path / "outside"):
        for _ in range(ROUNDS):
            with suppress(QuaestorError):
                assert OUTSIDE not in WAYS[way](index)
    assert INSIDE in WAYS[way](index)


def text_of(index: Index) -> str:
    return "\n".join(one.chunk.text for path in index.store.documents() for one in index.store.chunks_of(path))


def test_no_link_is_followed_by_whoever_indexes(root: Path, tmp_path: Path) -> None:
    with swapping(root / "docs", tmp_path / "kept", tmp_path / "outside"):
        for number in range(ROUNDS // 10):
            with Index.build(root, settings=Settings(home=str(tmp_path / f"home{number}"))) as index:
                assert OUTSIDE not in text_of(index)
    with Index.build(root, settings=Settings(home=str(tmp_path / "home"))) as index:
        assert INSIDE in text_of(index)
