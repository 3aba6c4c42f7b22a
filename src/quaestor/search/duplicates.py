"""Folds hits with the same content in several documents into one: a book's two editions, a vendored copy.

Two texts are the same if the sets of their words nearly are (Jaccard, 1912). Two such sets share their least and
their greatest member nearly always (Broder, "On the resemblance and containment of documents", 1997), so that only
texts that share one of these are compared.
"""

from __future__ import annotations

from collections.abc import Sequence

from quaestor.core.light_imports import NamedTuple
from quaestor.search.chunk_traits import Traits

ALIKE = 0.85
"""Share of all their words that two texts of prose or data must have in common to be the same."""

ALIKE_CODE = 0.95
"""The same for code, where functions that do different things may differ by a few names."""


class DuplicateGroup(NamedTuple):
    """A group of candidates that say the same.

    Attributes:
        rank: the place of the best of them.
        leader: the place of the candidate that is shown.
        duplicates: the places of the others.
    """

    rank: int
    leader: int
    duplicates: tuple[int, ...]


def alone(place: int) -> DuplicateGroup:
    """Return the group of a candidate that has no duplicates."""
    return DuplicateGroup(place, place, ())


def group_duplicates(ranked: Sequence[Traits], steps: Sequence[float]) -> list[DuplicateGroup]:
    """Group ranked candidates of different documents that say the same.

    Each group shows a certain candidate if it has one, else one that is not background, else the one nearest to the
    root, else the best.

    Args:
        ranked: the candidates, best first.
        steps: the step of each candidate: positive if it is certain, negative if it is background.

    Returns:
        Groups in the order of their best candidates; most have one member.
    """
    groups: list[list[int]] = []
    sizes: list[int] = []
    by_extreme: dict[int, list[int]] = {}
    for place, known in enumerate(ranked):
        own = known.word_set
        size, extremes = (len(own.words), (own.least, ~own.greatest)) if own else (0, ())
        near = [
            number
            for extreme in extremes
            for number in by_extreme.get(extreme, ())
            # They share no more words than the smaller has.
            if size >= ALIKE * sizes[number] and sizes[number] >= ALIKE * size
        ]
        same = next((number for number in near if _is_duplicate(ranked, groups[number], place)), None)
        if same is not None:
            groups[same].append(place)
            continue
        for extreme in extremes:
            by_extreme.setdefault(extreme, []).append(len(groups))
        groups.append([place])
        sizes.append(size)
    return [_group_with_leader(group, ranked, steps) for group in groups]


def _is_duplicate(ranked: Sequence[Traits], group: Sequence[int], place: int) -> bool:
    """Return whether a candidate says the same as a group's first, and its document is not in the group."""
    one, other = ranked[group[0]], ranked[place]
    first, second = one.word_set, other.word_set
    if first is None or second is None:
        return False
    enough = ALIKE if one.path.prose or one.path.data else ALIKE_CODE
    fewer, more = sorted((len(first.words), len(second.words)))
    if fewer < enough * more or any(ranked[member].path.path == other.path.path for member in group):
        return False
    shared = first.count_shared(second)
    return shared >= enough * (fewer + more - shared)


def _group_with_leader(group: Sequence[int], ranked: Sequence[Traits], steps: Sequence[float]) -> DuplicateGroup:
    if len(group) == 1:
        return alone(group[0])
    leader = min(group, key=lambda place: (-steps[place], ranked[place].path.depth, place))
    return DuplicateGroup(group[0], leader, tuple(place for place in group if place != leader))


def places_of(duplicates: Sequence[int], ranked: Sequence[Traits]) -> tuple[str, ...]:
    """Return the places of a group's duplicates, as ``path:line``."""
    stored = [ranked[place].stored for place in duplicates]
    return tuple(f"{one.document.path}:{one.chunk.span.start_line}" for one in stored)
