"""How far a ranker trusts what the dense retriever says: more, where the embedder was tuned to the corpus."""

from __future__ import annotations

import numpy as np

from quaestor.search.features import FEATURES
from quaestor.search.ranker import Ranker

_DENSE = np.array(["dense" in name for name in FEATURES])


def trusting(ranker: Ranker, dense: float) -> Ranker:
    """Return a ranker that counts every feature of the dense retriever ``dense`` times; 1 changes nothing."""
    if dense == 1:
        return ranker
    times = np.where(_DENSE, np.float32(dense), np.float32(1))
    return ranker._replace(
        name=f"{ranker.name}, dense x {dense:g}", of_code=ranker.of_code * times, of_prose=ranker.of_prose * times
    )
