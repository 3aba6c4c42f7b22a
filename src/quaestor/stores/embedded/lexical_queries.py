"""What is asked of the words of a store, whatever holds them: by the protocol of stores, over one view of a state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from quaestor.stores import DEFAULT_BOOSTS, Counts, FieldBoosts, Matched, Scored, Where
from quaestor.stores.embedded.weights import distinct, weigh

if TYPE_CHECKING:
    from quaestor.stores.embedded.filtering import Allowed
    from quaestor.stores.embedded.views import LexicalView

_Read = TypeVar("_Read")


class LexicalQueries(ABC):
    """The lexical part of ``quaestor.stores.Store``."""

    @abstractmethod
    def _of_lexical(self, read: Callable[[LexicalView, Allowed | None], _Read], where: Where | None = None) -> _Read:
        """Return what ``read`` reads of the words of the present state, given what a filter lets through of it."""

    def lexical(
        self, terms: Sequence[str], k: int, where: Where | None = None, boosts: FieldBoosts = DEFAULT_BOOSTS
    ) -> Scored:
        """Return up to ``k`` chunks by BM25 over body, path and symbol terms; chunks without a match are
        absent.

        A repeated term counts once, with a little more weight; of more than 64 distinct terms the rarest
        count.
        """
        [found] = self.lexical_each(terms, k, (boosts,), where).found
        return found

    def lexical_each(
        self,
        terms: Sequence[str],
        k: int,
        each: Sequence[FieldBoosts],
        where: Where | None = None,
        among: Counts | None = None,
    ) -> Matched:
        """Return what ``lexical`` does for each choice of boosts and what ``frequencies`` does, of one reading.

        ``among`` is what several stores count together; scores and frequencies are then as if they were one.
        """
        return self._of_lexical(lambda view, allowed: view.search(weigh(terms), each, k, allowed, among), where)

    def counts(self, terms: Iterable[str]) -> Counts:
        """Return what BM25 counts of terms, to be added to what other stores count of them."""
        known = distinct(terms)
        return self._of_lexical(lambda view, _: view.counts(known))

    def holding(self, terms: Iterable[str], k: int, where: Where | None = None) -> Sequence[int]:
        """Return up to ``k`` chunks whose text holds all of the terms, the oldest first; none for no terms."""
        known = distinct(terms)
        return self._of_lexical(lambda view, allowed: view.holding(known, k, allowed), where)

    def frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """Return the number of chunks in which each term stands, in the field where it stands most often."""
        known = distinct(terms)
        found = self._of_lexical(lambda view, _: view.frequencies(known))
        return dict(zip(known, found.max(axis=0).tolist(), strict=True))
