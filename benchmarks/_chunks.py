"""The pieces that the plain baselines index: source files cut into about 1,500 characters.

It is simple on purpose, and needs the standard library only, because it also runs in the peers' environment.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CHUNK_CHARACTERS = 1500
LARGEST_FILE = 1_000_000  # bytes; what the peer semble accepts
SKIPPED_FOLDERS = {".git", "node_modules", "__pycache__", ".venv", "venv", "dist", "build"}
ENDINGS = (
    ".bash .c .cc .cjs .cpp .cs .cts .cxx .ex .exs .go .h .hh .hpp .hs .hxx .java .js .jsx .kt .kts "
    ".lua .mjs .mts .php .py .pyi .rb .rs .scala .sh .swift .ts .tsx .zig .zsh"
)
SUFFIXES = frozenset(ENDINGS.split())


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole lines of one file; lines are 1-based and inclusive, the path is relative to the root."""

    path: str
    start_line: int
    end_line: int
    text: str


def pieces(root: Path) -> list[Piece]:
    """Every piece of every source file under ``root``, in the order of paths."""
    return [piece for path in sorted(_source_files(root)) for piece in _cut(root, path)]


def _source_files(root: Path) -> Iterator[Path]:
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = [name for name in subfolders if name not in SKIPPED_FOLDERS]
        for name in names:
            path = Path(folder, name)
            if path.suffix.lower() in SUFFIXES and path.is_file() and path.stat().st_size <= LARGEST_FILE:
                yield path


def _cut(root: Path, path: Path) -> Iterator[Piece]:
    name = path.relative_to(root).as_posix()
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
    start, size = 0, 0
    for number, line in enumerate(lines):
        if size and size + len(line) > CHUNK_CHARACTERS:
            yield Piece(name, start + 1, number, "".join(lines[start:number]))
            start, size = number, 0
        size += len(line)
    if "".join(lines[start:]).strip():
        yield Piece(name, start + 1, len(lines), "".join(lines[start:]))
