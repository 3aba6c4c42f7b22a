"""Shared by the tests of indexing: a small deterministic embedder, and an indexer over a real store."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quaestor.core.terms import words
from quaestor.indexing.indexer import Indexer, IngestSettings
from quaestor.stores.embedded.store import EmbeddedStore

LONG_AGO_NS = 1_600_000_000_000_000_000


class HashedWords:
    """Counts words in 64 buckets; counts its own work, too."""

    name = "hashed-words"
    dimensions = 64

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in words(text):
                row[zlib.crc32(word.encode()) % self.dimensions] += 1
            row /= np.linalg.norm(row) or 1
        return rows


def open_store(folder: Path) -> EmbeddedStore:
    return EmbeddedStore.open(folder, embedder=HashedWords.name, dimensions=HashedWords.dimensions, create=True)


def make_indexer(root: Path, store: EmbeddedStore, **settings: object) -> Indexer:
    settings.setdefault("embed_in", "caller")
    return Indexer(root, store, HashedWords(), IngestSettings(**settings))  # type: ignore[arg-type]


def write(root: Path, files: dict[str, str | bytes], *, age: bool = True) -> None:
    """Write files by path; long ago by default, so that their times can be trusted."""
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        if age:
            set_age(file)


def set_age(file: Path, later_ns: int = 0) -> None:
    os.utime(file, ns=(LONG_AGO_NS + later_ns, LONG_AGO_NS + later_ns))
