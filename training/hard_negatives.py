"""Finds hard negatives: texts of a pair's repository that the embedder mistakes for the answer.

They are mined with the result of a first round of training (Xiong et al. 2021, "ANCE"). A text that ranks near or above
the right one is often another right one, so only texts that score clearly less are taken (Moreira et al. 2024,
"NV-Retriever").
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from quaestor.tuning.text_bags import PairedBags
from quaestor.tuning.train_embedder import encode, with_paths

Floats = NDArray[np.float32]
_POOL = 2_048  # texts of one repository that are compared with one another: more find little harder ones
_DRAWN_FROM = 8
_LESS = 0.05  # of the right text's score; NV-Retriever's choice


def hard_negatives(pairs: PairedBags, table: Floats, seed: int) -> NDArray[np.intp]:
    """Return for each pair the number of the pair whose text is its hard negative, shape ``(pairs,)``.

    It is drawn from the best-scoring ones, so that another seed finds others. Where a repository has nothing that
    scores clearly less than the right text, the number is the pair's own: such a pair has none.
    """
    chance = np.random.default_rng(seed)
    found = np.arange(len(pairs))
    for numbers in _pools(pairs.source, chance):
        part = pairs.take(numbers)
        queries = encode(part.queries, table).units
        texts = encode(with_paths(part.texts, part.paths, np.ones(len(part), bool)), table).units
        found[numbers] = numbers[draw(queries @ texts.T, chance)]
    return found


def draw(likeness: Floats, chance: np.random.Generator) -> NDArray[np.intp]:
    """Return a column for each row of ``likeness``, shape ``(n, n)``, whose diagonal holds the right ones."""
    rows = np.arange(len(likeness))
    right = likeness.diagonal().copy()
    wrong = np.where(likeness < (right - _LESS * np.abs(right))[:, None], likeness, -np.inf)
    most = min(_DRAWN_FROM, len(rows))
    best = np.argpartition(-wrong, most - 1, axis=1)[:, :most]
    usable = np.isfinite(np.take_along_axis(wrong, best, 1))
    best = np.take_along_axis(best, np.argsort(~usable, axis=1, kind="stable"), 1)
    many = usable.sum(1)
    chosen = best[rows, chance.integers(0, most, len(rows)) % np.maximum(many, 1)]
    return np.where(many > 0, chosen, rows)


def _pools(source: NDArray[np.int32], chance: np.random.Generator) -> Iterator[NDArray[np.intp]]:
    """Yield the numbers of pairs to compare with one another: shuffled parts of one repository each."""
    for one in np.unique(source):
        numbers = chance.permutation(np.flatnonzero(source == one))
        yield from np.array_split(numbers, -(-len(numbers) // _POOL))
