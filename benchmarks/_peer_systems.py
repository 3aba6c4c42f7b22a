"""The peers as systems: BM25, all-MiniLM-L6-v2 and semble. Runs in the peers' own environment.

A system has ``index(root)`` and ``search(query, k)``, which returns (path, first line, last line) with paths relative
to the root.
"""

# ruff: noqa: PLC0415 - each peer imports only what it needs

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any, Protocol

from _chunks import Piece, pieces

Location = tuple[str, int, int]

WORDS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+")
PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


class Peer(Protocol):
    """What every peer offers."""

    def index(self, root: Path) -> int: ...

    def search(self, query: str, k: int) -> list[Location]: ...


class Bm25:
    """BM25 (k1 1.5, b 0.75) over pieces of 1,500 characters, identifiers whole and split."""

    def index(self, root: Path) -> int:
        import bm25s

        self._pieces = pieces(root)
        self._bm25 = bm25s.BM25()
        self._bm25.index([words(piece.text) or ["_"] for piece in self._pieces], show_progress=False)
        return len(self._pieces)

    def search(self, query: str, k: int) -> list[Location]:
        count = min(k, len(self._pieces))
        found, scores = self._bm25.retrieve([words(query)], k=count, show_progress=False)
        return [_location(self._pieces[i]) for i, score in zip(found[0], scores[0], strict=True) if score > 0]


class MiniLM:
    """Cosine of all-MiniLM-L6-v2 vectors over the same pieces, searched exactly."""

    def __init__(self, cache: Path, threads: int) -> None:
        from _minilm import MiniLM as Encoder

        self._encoder = Encoder(cache, threads)

    def index(self, root: Path) -> int:
        self._pieces = pieces(root)
        self._matrix = self._encoder.encode([piece.text for piece in self._pieces])
        return len(self._pieces)

    def search(self, query: str, k: int) -> list[Location]:
        scores = self._matrix @ self._encoder.query(query)
        return [_location(self._pieces[i]) for i in (-scores).argsort()[:k]]


class Semble:
    """semble with a model2vec folder in place of its own model."""

    def __init__(self, model: str) -> None:
        self._cache = tempfile.TemporaryDirectory(prefix="semble-")
        # Set before the import: its index and statistics must not come from, or go to, the user's cache.
        os.environ["SEMBLE_CACHE_LOCATION"] = self._cache.name
        self._model = str(Path(model).resolve())

    def index(self, root: Path) -> int:
        from semble import SembleIndex

        self._index = SembleIndex.from_path(root, model_path=self._model)
        return len(self._index.chunks)

    def search(self, query: str, k: int) -> list[Location]:
        chunks = [result.chunk for result in self._index.search(query, top_k=k)]
        return [(chunk.file_path, chunk.start_line, chunk.end_line) for chunk in chunks]


def make(name: str, settings: dict[str, Any]) -> Peer:
    """The peer of that name: ``bm25``, ``minilm`` or ``semble:PATH``."""
    kind, _, argument = name.partition(":")
    if kind == "bm25":
        return Bm25()
    if kind == "minilm":
        return MiniLM(Path(settings["cache"]), int(settings["threads"]))
    if kind == "semble" and argument:
        return Semble(argument)
    raise ValueError(f"no such peer: {name}")


def words(text: str) -> list[str]:
    """Lower-case words; an identifier of several parts also gives its parts."""
    found: list[str] = []
    for word in WORDS.findall(text):
        parts = PARTS.findall(word)
        found.append(word.lower())
        if len(parts) > 1:
            found.extend(part.lower() for part in parts)
    return found


def _location(piece: Piece) -> Location:
    return piece.path, piece.start_line, piece.end_line
