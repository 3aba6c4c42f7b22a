"""Chooses the rows of the table: the ancestor's word pieces that our words can reach, and frequent words it would cut.

``python -m training.vocabulary PAIRS --ancestor vocab.txt --out vocabulary.txt --counts counts.npy``
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path

import numpy as np

from quaestor.core.terms import find_words, split_identifier
from quaestor.embedding.static import Pieces
from quaestor.tuning.text_bags import HASHED
from quaestor.tuning.training_pairs import read_pairs

_REACHABLE = re.compile(r"(?:##)?(?:[^\W\d_]+|\d+)")
_ADDED = re.compile(r"[a-z]{3,24}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="training.vocabulary", description="Choose the vocabulary.")
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--ancestor", type=Path, required=True, help="its vocab.txt, one piece per line")
    parser.add_argument("--added", type=int, default=16_000, help="words to add")
    parser.add_argument("--per-source", type=int, default=3_000, help="pairs to count in each source")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--counts", type=Path, required=True, help="occurrences of each row, for the first weights")
    options = parser.parse_args(arguments)
    counts, spread = count_words(sorted(options.pairs.glob("*.jsonl.gz")), options.per_source)
    ancestor = options.ancestor.read_text("utf-8").splitlines()
    vocabulary = choose(ancestor, counts, spread, options.added)
    options.out.write_text("\n".join(vocabulary), "utf-8")
    np.save(options.counts, count_rows(vocabulary, counts))
    print(f"{len(vocabulary)} rows from {len(counts)} distinct words")
    return 0


def count_words(files: Iterable[Path], per_source: int) -> tuple[Counter[str], Counter[str]]:
    """Count split words over all files: occurrences, and in how many sources each occurs."""
    counts: Counter[str] = Counter()
    spread: Counter[str] = Counter()
    with ProcessPoolExecutor(3) as pool:
        for found in pool.map(_count_file, files, [per_source] * len(list(files))):
            counts.update(found)
            spread.update(found.keys())
    return counts, spread


def _count_file(file: Path, most: int) -> Counter[str]:
    raw: Counter[str] = Counter()
    for pair in islice(read_pairs(file), most):
        raw.update(find_words(pair.text))
        raw.update(find_words(pair.query))
    found: Counter[str] = Counter()
    for word, times in raw.items():
        for part in split_identifier(word):
            found[part] += times
    return found


def choose(ancestor: Iterable[str], counts: Counter[str], spread: Counter[str], added: int) -> list[str]:
    """Return the rows: reachable pieces, then up to ``added`` words that several sources use, then hashed rows."""
    kept = [piece for piece in ancestor if _REACHABLE.fullmatch(piece)]
    known = set(kept)
    wanted = [
        word for word, _ in counts.most_common() if spread[word] >= 4 and word not in known and _ADDED.fullmatch(word)
    ]
    return [*kept, *wanted[:added], *(f"[{number}]" for number in range(HASHED))]


def count_rows(vocabulary: Sequence[str], counts: Counter[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return how often each row occurs, shape ``(rows,)``."""
    pieces = Pieces(vocabulary, HASHED)
    rows = np.zeros(len(vocabulary))
    for word, times in counts.items():
        for row in pieces.rows(word):
            rows[row] += times
    return rows


if __name__ == "__main__":
    sys.exit(main())
