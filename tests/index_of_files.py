"""An index of a few files that a test writes out, apart from every other index of this user."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from quaestor import Index
from quaestor.core.config import Settings


def write_files(root: Path, files: Mapping[str, str] | Mapping[str, str | bytes]) -> Path:
    """Write files into a folder byte for byte, make the folder if need be, and return it."""
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content.encode() if isinstance(content, str) else content)
    return root


@contextmanager
def index_of(root: Path, files: Mapping[str, str]) -> Iterator[Index]:
    """Write files into a folder and yield its index; the data folder lies beside it."""
    settings = Settings(home=str(root.with_name(f"{root.name}-home")))
    with Index.build(write_files(root, files), settings=settings) as index:
        yield index
