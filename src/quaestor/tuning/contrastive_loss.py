"""Symmetric InfoNCE (van den Oord et al. 2018; Radford et al. 2021) over a batch, with extra negatives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Loss:
    """The mean loss and its gradients with respect to queries, texts and the log inverse temperature."""

    value: float
    queries: Floats
    texts: Floats
    temperature: float


def info_nce(queries: Floats, texts: Floats, log_scale: float, same: NDArray[np.bool_] | None = None) -> Loss:
    """Compare each query with every text; text ``i`` is the right one for query ``i``.

    Args:
        queries: unit rows, shape ``(n, d)``.
        texts: unit rows, shape ``(n + extra, d)``; the extra ones are negatives for the queries only.
        log_scale: logarithm of the inverse temperature.
        same: where a text other than the right one also answers, shape ``(n, n + extra)``: not a negative.
    """
    n = len(queries)
    scale = np.float32(np.exp(log_scale))
    logits = queries @ texts.T
    logits *= scale
    if same is not None:
        logits[same] = -1e4
    right = logits.diagonal().copy()
    by_query, query_loss = _softmax(logits, right)
    by_text, text_loss = _softmax(logits[:, :n].T, right)
    slope = by_query
    slope[:, :n] += by_text.T
    slope[np.arange(n), np.arange(n)] -= 2
    slope /= 2 * n
    temperature = float((slope * logits).sum())
    slope *= scale
    return Loss(float(query_loss + text_loss) / 2, slope @ texts, slope.T @ queries, temperature)


def _softmax(logits: Floats, right: Floats) -> tuple[Floats, float]:
    """Return each row's softmax and the mean cross-entropy of its right entry."""
    top = logits.max(1, keepdims=True)
    shares = np.exp(logits - top)
    total = shares.sum(1, keepdims=True)
    shares /= total
    return shares, float((np.log(total) + top)[:, 0].mean() - right.mean())
