"""A softmax over candidates of which only the answering places are known: the marginal likelihood of any of them.

Several candidates may lie in a place that answers, and all chunks of a file in a file that answers. Which of them is
best is not known, so the loss requires that their shares of the softmax add up to much, not that each has some (the
multiple-instance form of ListNet; Cao et al., "Learning to Rank: From Pairwise Approach to Listwise Approach", 2007).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_STEPS = 400
_LEAST = 1e-12


def fit_softmax(
    features: Sequence[Array],
    answers: Sequence[NDArray[np.bool_]],
    ridge: float,
    beside: Sequence[NDArray[np.floating]] | None = None,
) -> Array:
    """Return the weights that minimise the loss, by L-BFGS over standardised features.

    Half of a search's loss is that any of its places is found, half, shared out equally, that each is.

    Args:
        features: of each search, shape ``(candidates, features)``.
        answers: of each search, which candidates lie in which place, shape ``(places, candidates)``; places without a
            candidate count for nothing, and each search has one with some.
        ridge: what the squares of the standardised weights cost, in units of one search's loss.
        beside: of each search, what the candidates score already, shape ``(candidates,)``; 0 if left out.
    """
    from scipy.optimize import minimize  # noqa: PLC0415 - an extra, needed in training only

    stacked = np.concatenate(features)
    deviation = stacked.std(axis=0)
    # A feature that never varies has no weight; its column is zero after this.
    scale = np.where(deviation > 0, deviation, 1.0)
    stacked = (stacked - stacked.mean(axis=0)) / scale
    lengths = np.array([len(rows) for rows in features])
    starts = np.cumsum(lengths) - lengths
    search_of = np.repeat(np.arange(len(lengths)), lengths)
    groups, group_starts, search_of_group, told = _groups(answers, starts)
    group_of = np.repeat(np.arange(len(told)), np.diff([*group_starts, len(groups)]))
    told_of_search = np.bincount(search_of_group, told, len(lengths))
    known = np.concatenate(beside).astype(np.float64) if beside else 0.0

    def loss(weights: Array) -> tuple[float, Array]:
        scores = stacked @ weights + known
        shares = np.exp(scores - np.maximum.reduceat(scores, starts)[search_of])
        shares /= np.add.reduceat(shares, starts)[search_of]
        sums = np.add.reduceat(shares[groups], group_starts) + _LEAST
        pulled = np.bincount(groups, told[group_of] * shares[groups] / sums[group_of], len(scores))
        gradient = stacked.T @ (told_of_search[search_of] * shares - pulled)
        value = -(told @ np.log(sums)) + ridge * weights @ weights / 2
        return float(value), gradient + ridge * weights

    start = np.zeros(stacked.shape[1])
    best: Array = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS}).x
    return np.where(deviation > 0, best / scale, 0.0)


def _groups(
    answers: Sequence[NDArray[np.bool_]], starts: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp], Array]:
    """Return the rows of each group of answers one after the other, where each begins, its search and what it tells."""
    rows: list[NDArray[np.intp]] = []
    searches: list[int] = []
    told: list[float] = []
    for search, (places, start) in enumerate(zip(answers, starts, strict=True)):
        found = [np.flatnonzero(place) for place in places if place.any()]
        together = np.flatnonzero(places.any(axis=0))
        rows += [start + own for own in (*found, together)]
        searches += [search] * (len(found) + 1)
        told += [0.5 / len(found)] * len(found) + [0.5]
    lengths = np.array([len(own) for own in rows])
    return np.concatenate(rows), np.cumsum(lengths) - lengths, np.array(searches), np.array(told)
