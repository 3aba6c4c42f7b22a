"""How far a ranker trusts what the dense retriever says: more, where the embedder was tuned to the corpus."""

from __future__ import annotations

import numpy as np

from quaestor.retrieval.features import FEATURES
from quaestor.retrieval.ranker import Ranker

_DENSE = np.array(["dense" in name for name in FEATURES])
# What asks for a name or a place is found by it, whatever else is near in meaning.
_LEFT = frozenset({"of_symbols", "of_places"})


def trusting(ranker: Ranker, dense: float) -> Ranker:
    """Return a ranker that counts every feature of the dense retriever ``dense`` times; 1 changes nothing."""
    if dense == 1:
        return ranker
    scaled = {
        name: np.where(_DENSE, weights * np.float32(dense), weights)
        for name, weights in ranker._asdict().items()
        if name not in _LEFT and isinstance(weights, np.ndarray)
    }
    return ranker._replace(name=f"{ranker.name}, dense x {dense:g}", **scaled)  # type: ignore[arg-type]
