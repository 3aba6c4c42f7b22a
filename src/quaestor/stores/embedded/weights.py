"""From a query's terms to their weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

MAX_TERMS = 64
"""Distinct terms of a query that are looked up; of more, the rarest."""

_CONSIDERED_TERMS = 4096
_LONGEST_TERM_BYTES = 1024
# Okapi's saturation of repeated query terms (Robertson et al., TREC-3, 1994); twice in a query counts 1.8
# times.
_K3 = 8.0


def weigh(terms: Sequence[str]) -> dict[str, float]:
    """Return each distinct term once, with a weight of 1 that grows slowly with its repetitions.

    What no index can hold, such as halves of surrogate pairs, is left out.
    """
    counts = Counter(terms)
    return {term: (_K3 + 1) * count / (_K3 + count) for term, count in counts.items() if _is_text(term)}


def distinct(terms: Iterable[str]) -> list[str]:
    """Return each term once, in order, without what no index can hold."""
    return list(filter(_is_text, dict.fromkeys(terms)))


def _is_text(term: str) -> bool:
    if term.isascii():
        return 0 < len(term) <= _LONGEST_TERM_BYTES
    try:
        return 0 < len(term.encode()) <= _LONGEST_TERM_BYTES
    except UnicodeEncodeError:
        return False


def rarest(counts: Sequence[int]) -> list[int]:
    """Return the places of ``MAX_TERMS`` of the terms: those found in the fewest chunks, but in one at least.

    Of a query longer than any question, only the first few thousand distinct terms are considered.
    """
    counted = sorted((count, place) for place, count in enumerate(counts[:_CONSIDERED_TERMS]) if count)
    return [place for _, place in counted[:MAX_TERMS]]
