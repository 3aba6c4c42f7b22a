"""Prints each system's results for a query, cut into blocks that an agent reads one after the other.

A block names one file. It counts only after it has been read whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from _chunks import LARGEST_FILE, SKIPPED_FOLDERS, SUFFIXES
from _systems import PeerProcess

from quaestor import Index
from quaestor.cli.hits import excerpt
from quaestor.corpus.corpus_json import hit_object
from quaestor.search.query import read_query

_STOP = frozenset(
    "a an and are as at be by do does for from how in into is it its of on or that the their this to what when where "
    "which who why with work works used using between".split()
)
_LONGEST_LINE = 200


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of output about one file."""

    path: str
    text: str


class Output(Protocol):
    """Prints what it finds, in one or more forms."""

    def open(self, root: Path) -> None: ...

    def forms(self, query: str, count: int) -> dict[str, list[Block]]: ...


class Quaestor:
    """``quaestor search``, as JSON and as a terminal shows it, without colours."""

    def open(self, root: Path) -> None:
        self._index = Index.build(root)

    def forms(self, query: str, count: int) -> dict[str, list[Block]]:
        hits = self._index.search(query, k=count)
        wanted = frozenset(read_query(query).terms)
        shown = []
        for hit in hits:
            head = f"{hit.path}:{hit.start_line}" + (f"  {hit.symbol}" if hit.symbol else "")
            shown.append(Block(hit.path, "\n".join([head, *excerpt(hit, wanted), "", ""])))
        listed = [Block(hit.path, json.dumps(hit_object(hit), ensure_ascii=False) + ", ") for hit in hits]
        return {"quaestor, plain": shown, "quaestor --json": listed}


class Semble:
    """``semble search`` as JSON, its default, and as text."""

    def __init__(self, model: Path, python: str) -> None:
        self._process = PeerProcess(f"semble:{model}", python, {})

    def open(self, root: Path) -> None:
        self._root = root
        self._process.index(root)

    def forms(self, query: str, count: int) -> dict[str, list[Block]]:
        # Its ranking depends on how many results are asked for: the first ten are those of a list of ten.
        best = self._process.search(query, 10).hits
        found = [*best, *(hit for hit in self._process.search(query, count).hits if hit not in best)]
        texts = {hit: self._text(hit) for hit in found}
        listed = [Block(hit[0], json.dumps(self._entry(hit, texts[hit])) + ", ") for hit in found]
        shown = [Block(hit[0], f"{hit[0]}:{hit[1]}-{hit[2]}\n\n{texts[hit]}\n\n") for hit in found]
        return {"semble, text": shown, "semble, JSON": listed}

    def _text(self, hit: tuple[str, int, int]) -> str:
        path, start, end = hit
        lines = (self._root / path).read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(lines[start - 1 : end])

    @staticmethod
    def _entry(hit: tuple[str, int, int], text: str) -> dict[str, Any]:
        path, start, end = hit
        return {"file_path": path, "start_line": start, "end_line": end, "score": 0.0312512345, "content": text}


class Grep:
    """``grep -rniE`` for a query's words, in the order of paths, and with the files that hold most words first.

    A query of one word is looked for as it stands, like ``grep -rnF``.
    """

    def open(self, root: Path) -> None:
        self._files = [
            (path.relative_to(root).as_posix(), path.read_text(encoding="utf-8", errors="replace").splitlines())
            for path in sorted(_source_files(root))
        ]

    def forms(self, query: str, count: int) -> dict[str, list[Block]]:
        words = _words(query)
        pattern = re.compile("|".join(map(re.escape, words)), 0 if len(query.split()) == 1 else re.IGNORECASE)
        by_file = [(path, self._matches(path, lines, pattern)) for path, lines in self._files]
        by_file = [(path, blocks) for path, blocks in by_file if blocks]
        ordered = sorted(by_file, key=lambda item: -len(_held(item[1], words)))
        return {
            "grep -rn": [block for _, blocks in by_file for block in blocks],
            "grep, best files first": [block for _, blocks in ordered for block in blocks[:5]],
        }

    @staticmethod
    def _matches(path: str, lines: Sequence[str], pattern: re.Pattern[str]) -> list[Block]:
        return [
            Block(path, f"{path}:{number}:{line.strip()[:_LONGEST_LINE]}\n")
            for number, line in enumerate(lines, 1)
            if pattern.search(line)
        ]


def _words(query: str) -> list[str]:
    if len(query.split()) == 1:
        return [query]
    found = [word for word in re.findall(r"\w{3,}", query) if word.lower() not in _STOP]
    return found or [query]


def _held(blocks: Sequence[Block], words: Sequence[str]) -> set[str]:
    text = "\n".join(block.text for block in blocks).lower()
    return {word for word in words if word.lower() in text}


def _source_files(root: Path) -> Iterator[Path]:
    for path in root.rglob("*"):
        inside = path.relative_to(root).parts
        wanted = path.suffix.lower() in SUFFIXES and not SKIPPED_FOLDERS.intersection(inside)
        if wanted and path.is_file() and path.stat().st_size <= LARGEST_FILE:
            yield path
