"""Texts as bags of table rows, and a file of paired bags that training can map into memory."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from quaestor.embedding.static import Pieces
from quaestor.tuning.training_pairs import Kind, read_pairs

HASHED = 256
"""Rows at the end of the table that words outside the vocabulary share, by their hash."""

KINDS: tuple[Kind, ...] = get_args(Kind)
_MOST_REPEATS = 255


@dataclass(frozen=True, slots=True)
class Bags:
    """Distinct rows of each text with their counts, as in a compressed sparse matrix.

    Attributes:
        offsets: where each text begins, shape ``(texts + 1,)``, int64.
        rows: uint16.
        counts: uint8.
    """

    offsets: NDArray[np.int64]
    rows: NDArray[np.uint16]
    counts: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, chosen: NDArray[np.intp]) -> Bags:
        """Return the bags at ``chosen``, in that order."""
        starts, lengths = self.offsets[chosen], np.diff(self.offsets)[chosen]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        at = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
        return Bags(offsets, self.rows[at], self.counts[at])


@dataclass(frozen=True, slots=True)
class PairedBags:
    """Training pairs as bags; all parts have the same length.

    Attributes:
        queries, texts, paths: bags of each pair.
        source: the number of each pair's repository, int32.
        kind: the index of each pair's kind in ``KINDS``, uint8.
        names: the repositories' names.
    """

    queries: Bags
    texts: Bags
    paths: Bags
    source: NDArray[np.int32]
    kind: NDArray[np.uint8]
    names: tuple[str, ...]

    def take(self, chosen: NDArray[np.intp]) -> PairedBags:
        """Return the pairs at ``chosen``, in that order."""
        queries, texts, paths = (part.take(chosen) for part in (self.queries, self.texts, self.paths))
        return PairedBags(queries, texts, paths, self.source[chosen], self.kind[chosen], self.names)

    def __len__(self) -> int:
        return len(self.source)


def bags_of(texts: Iterable[str], pieces: Pieces) -> Bags:
    """Count the rows of each text."""
    lengths, rows, counts = [0], [], []
    for text in texts:
        row_numbers, times = np.unique(pieces.rows(text).astype(np.uint16), return_counts=True)
        lengths.append(len(row_numbers))
        rows.append(row_numbers)
        counts.append(np.minimum(times, _MOST_REPEATS).astype(np.uint8))
    empty_rows, empty_counts = np.zeros(0, np.uint16), np.zeros(0, np.uint8)
    return Bags(np.cumsum(lengths), np.concatenate([empty_rows, *rows]), np.concatenate([empty_counts, *counts]))


def join(parts: Sequence[Bags]) -> Bags:
    """Concatenate bags."""
    lengths = np.concatenate([np.diff(part.offsets) for part in parts])
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Bags(offsets, np.concatenate([p.rows for p in parts]), np.concatenate([p.counts for p in parts]))


def bag_files(files: Sequence[Path], vocabulary: Path, processes: int = 3) -> PairedBags:
    """Count the rows of every pair in ``files``."""
    with ProcessPoolExecutor(processes, initializer=_remember, initargs=(vocabulary,)) as pool:
        bags = list(pool.map(_bag_file, files))
    queries, texts, paths = (
        join([one[0] for one in bags]),
        join([one[1] for one in bags]),
        join([one[2] for one in bags]),
    )
    source = np.repeat(np.arange(len(files), dtype=np.int32), [len(one[0]) for one in bags])
    kind = np.concatenate([one[3] for one in bags])
    names = tuple(file.name.removesuffix(".jsonl.gz").replace("+", "/") for file in files)
    return PairedBags(queries, texts, paths, source, kind, names)


def save(file: Path, pairs: PairedBags) -> None:
    """Write pairs as one npz."""
    parts = {f"{name}_{field}": getattr(getattr(pairs, name), field) for name in _PARTS for field in _FIELDS}
    np.savez(file, source=pairs.source, kind=pairs.kind, names=np.array(pairs.names), **parts)


def load(file: Path) -> PairedBags:
    """Read what ``save`` wrote."""
    data = np.load(file)
    bags = [Bags(*(data[f"{name}_{field}"] for field in _FIELDS)) for name in _PARTS]
    return PairedBags(bags[0], bags[1], bags[2], data["source"], data["kind"], tuple(map(str, data["names"])))


_PARTS = ("queries", "texts", "paths")
_FIELDS = ("offsets", "rows", "counts")
_pieces: Pieces | None = None


def _remember(vocabulary: Path) -> None:
    global _pieces  # noqa: PLW0603 -- one copy per process instead of one per job
    _pieces = Pieces(vocabulary.read_text("utf-8").split("\n"), HASHED)


def _bag_file(file: Path) -> tuple[Bags, Bags, Bags, NDArray[np.uint8]]:
    assert _pieces is not None  # the initializer ran
    pairs = list(read_pairs(file))
    kinds = np.array([KINDS.index(pair.kind) for pair in pairs], np.uint8)
    queries = bags_of((pair.query for pair in pairs), _pieces)
    texts = bags_of((pair.text for pair in pairs), _pieces)
    return queries, texts, bags_of((pair.path for pair in pairs), _pieces), kinds


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``python -m quaestor.tuning.text_bags PAIRS --vocabulary FILE --out FILE``."""
    parser = argparse.ArgumentParser(prog="quaestor.tuning.text_bags", description="Turn pairs into bags of rows.")
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    pairs = bag_files(sorted(options.pairs.glob("*.jsonl.gz")), options.vocabulary)
    save(options.out, pairs)
    print(f"{len(pairs)} pairs of {len(pairs.names)} sources, {len(pairs.texts.rows)} entries")
    return 0


if __name__ == "__main__":
    sys.exit(main())
