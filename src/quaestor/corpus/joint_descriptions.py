"""What several corpora tell of themselves, as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from quaestor.corpus.descriptions import ByMeaning, Freshness
from quaestor.stores import Bylines


def merged_bylines(each: Iterable[Bylines]) -> Bylines:
    """Return who wrote the documents of several corpora, and when."""
    found = list(each)
    authors: Counter[str] = Counter()
    for one in found:
        authors.update(one.authors)
    return Bylines(
        sum(one.documents for one in found),
        sum(one.dated for one in found),
        min((one.earliest for one in found if one.earliest), default=None),
        max((one.latest for one in found if one.latest), default=None),
        authors,
    )


def merged_freshness(each: Sequence[Freshness]) -> Freshness:
    """Return how current an answer of several corpora is: as current as the least of them."""
    return Freshness(
        all(one.fresh for one in each),
        min((one.checked_at for one in each), default=""),
        " ".join(dict.fromkeys(one.hindrance for one in each if one.hindrance)),
        any(one.stored for one in each),
        ", ".join(dict.fromkeys(one.commit for one in each if one.commit)),
    )


def merged_reach(each: Sequence[ByMeaning]) -> ByMeaning:
    """Return what a search of several corpora could find by meaning."""
    reached = set(each)
    return reached.pop() if len(reached) == 1 else "some"
