"""The metric of the code-search benchmark: NDCG@10 with binary gain.

Reproduces the public benchmark's definition: primary and secondary targets count alike; a target's rank
is that of the first result whose path matches by suffix and whose lines overlap the target's; two
targets first covered by the same result share that one gain. Knows nothing of systems or files.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Location = tuple[str, int, int]
"""A result: path with ``/``, first line, last line; lines are 1-based and inclusive."""

CUTOFF = 10


@dataclass(frozen=True, slots=True)
class Target:
    """What a query should find: a file, or some lines of it (1-based, inclusive)."""

    path: str
    start_line: int | None = None
    end_line: int | None = None


def path_matches(path: str, target: str) -> bool:
    """Whether one path is the other or its last components."""
    return path == target or path.endswith("/" + target) or target.endswith("/" + path)


def covers(location: Location, target: Target) -> bool:
    """Whether the result lies in the target's file and shares a line with it."""
    path, start, end = location
    if not path_matches(path, target.path):
        return False
    if target.start_line is None or target.end_line is None:
        return True
    return start <= target.end_line and end >= target.start_line


def target_rank(results: Sequence[Location], target: Target) -> int | None:
    """The 1-based rank of the first result that covers the target."""
    return next((rank for rank, result in enumerate(results, 1) if covers(result, target)), None)


def ndcg(results: Sequence[Location], targets: Sequence[Target], k: int = CUTOFF) -> float:
    """NDCG@k of one query, 0 to 1; the ideal list has every target in its own rank."""
    if not targets:
        return 0.0
    ranks = {target_rank(results[:k], target) for target in targets} - {None}
    gain = sum(_discount(rank) for rank in ranks if rank is not None)
    return gain / sum(_discount(rank) for rank in range(1, min(k, len(targets)) + 1))


def each_file_once(results: Iterable[Location], k: int = CUTOFF) -> list[Location]:
    """The first result of every file, in order, at most ``k`` of them."""
    first: dict[str, Location] = {}
    for result in results:
        first.setdefault(result[0], result)
    return list(first.values())[:k]


def _discount(rank: int) -> float:
    return 1.0 / math.log2(rank + 1)
