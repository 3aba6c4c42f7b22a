"""Metrics of a ranked list, given the places of the answers. Knows nothing of systems or files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

CUTOFF = 10

Location = tuple[str, int, int]
"""A result: path with ``/``, first line, last line; lines are 1-based and inclusive."""


@dataclass(frozen=True, slots=True)
class Target:
    """A place that answers a question: a whole document, or lines of one (1-based, inclusive).

    Attributes:
        gain: how well it answers; 1 where answers are not graded.
    """

    path: str
    start_line: int | None = None
    end_line: int | None = None
    gain: float = 1.0


@dataclass(frozen=True, slots=True)
class Question:
    """One question with its answers.

    Attributes:
        id: the identifier, unique within its data set.
        text: the question's text.
        targets: every place that answers it; at least one.
        category: the name of a group of questions, for results by category; may be empty.
    """

    id: str
    text: str
    targets: tuple[Target, ...]
    category: str = ""


def path_matches(path: str, target: str) -> bool:
    """Return whether one path is the other, or its last components."""
    return path == target or path.endswith(f"/{target}") or target.endswith(f"/{path}")


def covers(location: Location, target: Target) -> bool:
    """Return whether a result is in the target's document, matched by suffix, and shares a line with it."""
    path, start, end = location
    if not path_matches(path, target.path):
        return False
    if target.start_line is None or target.end_line is None:
        return True
    return start <= target.end_line and end >= target.start_line


def ndcg(results: Sequence[Location], targets: Sequence[Target], k: int = CUTOFF) -> float:
    """Return NDCG@k (Järvelin and Kekäläinen 2002), 0 to 1; the ideal list has every target at a rank of its own.

    A target counts at the first result that covers it. If one result covers several targets, they share its rank and
    the highest of their gains.
    """
    gains: dict[int, float] = {}
    for target in targets:
        if rank := _rank(results[:k], target):
            gains[rank] = max(target.gain, gains.get(rank, 0.0))
    ideal = sorted((target.gain for target in targets), reverse=True)[:k]
    best = sum(gain * _discount(rank) for rank, gain in enumerate(ideal, 1))
    return sum(gain * _discount(rank) for rank, gain in gains.items()) / best if best else 0.0


def recall(results: Sequence[Location], targets: Sequence[Target], k: int = CUTOFF) -> float:
    """Return the share of the targets that the first ``k`` results cover."""
    return sum(_rank(results[:k], target) is not None for target in targets) / len(targets)


def reciprocal_rank(results: Sequence[Location], targets: Sequence[Target], k: int = CUTOFF) -> float:
    """Return one over the rank of the first result that covers any target; 0 if none of the first ``k`` does."""
    ranks = [rank for target in targets if (rank := _rank(results[:k], target))]
    return 1 / min(ranks) if ranks else 0.0


"""Every metric by the name under which it is shown."""


def each_document_once(results: Iterable[Location]) -> list[Location]:
    """Return the first result of every document, in order."""
    first: dict[str, Location] = {}
    for result in results:
        first.setdefault(result[0], result)
    return list(first.values())


def _rank(results: Sequence[Location], target: Target) -> int | None:
    return next((rank for rank, result in enumerate(results, 1) if covers(result, target)), None)


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)
