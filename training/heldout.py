"""Pairs of repositories that are held out of training, and how well a table ranks their texts.

Stopping by held-out pairs of the trained repositories would mislead: their score still rises when search elsewhere
falls.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quaestor.tuning.text_bags import KINDS, PairedBags
from quaestor.tuning.train_embedder import encode, with_paths

Floats = NDArray[np.float32]
_ONE_IN = 16
_FEWEST = 100


def held_out(names: Sequence[str]) -> NDArray[np.bool_]:
    """Say which repositories are held out, by a checksum of their names: about one in sixteen."""
    return np.array([zlib.crc32(name.encode()) % _ONE_IN == 3 for name in names])


def samples(pairs: PairedBags, chosen: NDArray[np.bool_], each: int = 400) -> list[PairedBags]:
    """Return up to ``each`` pairs of every chosen repository that has enough."""
    chance = np.random.default_rng(0)
    found = []
    for source in np.flatnonzero(chosen):
        numbers = np.flatnonzero(pairs.source == source)
        if len(numbers) >= _FEWEST:
            found.append(pairs.take(chance.permutation(numbers)[:each]))
    return found


def reciprocal_ranks(repositories: Sequence[PairedBags], table: Floats) -> dict[str, float]:
    """Return the mean reciprocal rank of the right text among its repository's: over all, and by kind of pair."""
    scores: dict[str, list[float]] = defaultdict(list)
    for pairs in repositories:
        texts = encode(with_paths(pairs.texts, pairs.paths, np.ones(len(pairs), bool)), table).units
        likeness = encode(pairs.queries, table).units @ texts.T
        ranks = 1 + (likeness > likeness.diagonal()[:, None]).sum(1)
        scores["all"].append(float((1 / ranks).mean()))
        for number, kind in enumerate(KINDS):
            of_kind = pairs.kind == number
            if of_kind.any():
                scores[kind].append(float((1 / ranks[of_kind]).mean()))
    return {name: round(float(np.mean(values)), 4) for name, values in scores.items()}
