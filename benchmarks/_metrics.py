"""The metric of the code-search benchmark: NDCG@10 with binary gain, by the product's own code.

It follows the public benchmark's definition: primary and secondary targets count alike; a target's rank is that of the
first result whose path matches by suffix and whose lines overlap the target's; two targets that the same result covers
first share one gain. It does not know systems or files.
"""

from __future__ import annotations

from collections.abc import Iterable

from quaestor.evaluation.metrics import CUTOFF, Location, Target, covers, each_document_once, ndcg, path_matches

__all__ = ["CUTOFF", "Location", "Target", "covers", "each_file_once", "ndcg", "path_matches"]


def each_file_once(results: Iterable[Location], k: int = CUTOFF) -> list[Location]:
    """The first result of every file, in order, at most ``k`` of them."""
    return each_document_once(results)[:k]
