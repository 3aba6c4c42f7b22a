"""ListNet with a ridge, for linear models (Cao et al., "Learning to Rank: From Pairwise Approach to Listwise Approach",
2007): the cross-entropy between the softmax of the scores and what was judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_RIDGE = 1e-3
_STEPS = 100
# A feature that hardly varies in the training data (of phrases, in stack traces) would be given any weight.
_LEAST_DEVIATION = 0.05


def listnet(features: Sequence[Array], targets: Sequence[Array]) -> Array:
    """Return the weights that minimise the loss, by L-BFGS over standardised features.

    Args:
        features: of each search, shape ``(candidates, features)``.
        targets: of each search, the share of each candidate; they sum to 1.
    """
    from scipy.optimize import minimize  # noqa: PLC0415 - an extra, needed in training only

    stacked, target = np.concatenate(features), np.concatenate(targets)
    lengths = [len(rows) for rows in features]
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    owner = np.repeat(np.arange(len(lengths)), lengths)
    scale = np.maximum(stacked.std(axis=0), _LEAST_DEVIATION)
    stacked = stacked / scale

    def loss(weights: Array) -> tuple[float, Array]:
        scores = stacked @ weights
        exponentials = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        share = exponentials / np.add.reduceat(exponentials, starts)[owner]
        value = -(target * np.log(share + 1e-12)).sum() / len(lengths) + _RIDGE * weights @ weights
        gradient = stacked.T @ (share - target) / len(lengths) + 2 * _RIDGE * weights
        return float(value), gradient

    start = np.zeros(stacked.shape[1])
    best: Array = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS}).x / scale
    return best
