"""Combines the results of several retrievers into one list of candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Scored = Sequence[tuple[int, float]]


def normalise(results: Scored) -> dict[int, float]:
    """Scale scores to 0..1 by the best of them; negative scores become 0."""
    best = max((score for _, score in results), default=0.0)
    if best <= 0:
        return {}
    return {identifier: max(score, 0.0) / best for identifier, score in results}


def convex(parts: Sequence[tuple[float, Scored]]) -> Mapping[int, float]:
    """Return the weighted sum of normalised scores, for every chunk that any retriever found.

    Convex combination of normalised scores, after Bruch et al., "An Analysis of Fusion Functions for Hybrid
    Retrieval" (2023), where it beats reciprocal rank fusion.
    """
    fused: dict[int, float] = {}
    for weight, results in parts:
        for identifier, score in normalise(results).items():
            fused[identifier] = fused.get(identifier, 0.0) + weight * score
    return fused
