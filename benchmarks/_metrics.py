"""The metric of the code-search benchmark, which is the product's own: NDCG@10 with binary gain.

Reproduces the public benchmark's definition: primary and secondary targets count alike; a target's rank
is that of the first result whose path matches by suffix and whose lines overlap the target's; two
targets first covered by the same result share that one gain. Knows nothing of systems or files.
"""

from __future__ import annotations

from collections.abc import Iterable

from quaestor.evaluation.metrics import CUTOFF, Location, Target, covers, each_document_once, ndcg, path_matches

__all__ = ["CUTOFF", "Location", "Target", "covers", "each_file_once", "ndcg", "path_matches"]


def each_file_once(results: Iterable[Location], k: int = CUTOFF) -> list[Location]:
    """The first result of every file, in order, at most ``k`` of them."""
    return each_document_once(results)[:k]
