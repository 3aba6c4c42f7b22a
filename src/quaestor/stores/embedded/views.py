"""The state that a query sees, which is the derived files with later changes overlaid, and the queries on it."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from quaestor.core.light_imports import NamedTuple
from quaestor.stores import DEFAULT_BOOSTS, FieldBoosts, ScoredChunks, TermCounts, Where, WordMatches
from quaestor.stores.embedded import Thresholds, sqlite_rows
from quaestor.stores.embedded.checksums import require
from quaestor.stores.embedded.derived_files import Lag
from quaestor.stores.embedded.lexical import LexicalBase, lengths_of, recent_segments
from quaestor.stores.embedded.matrix import MatrixBase
from quaestor.stores.embedded.postings import FIELDS, Bounds, Factors, QueryRuns, Segment, keys_of
from quaestor.stores.embedded.sqlite_rows import Content, RemovedRun
from quaestor.stores.embedded.vectors import BestScores, Floats, Rows, nearest, which_are_covered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quaestor.stores.embedded.filtering import AllowedDocuments


_ROWS_AT_ONCE = 8192

Alive: TypeAlias = "NDArray[np.bool_] | None"
"""Which chunks of a segment exist; None if all do."""

_Read = TypeVar("_Read")

_MAX_TERMS = 64
"""The most distinct terms of a query that are looked up: the rarest ones."""

_CONSIDERED_TERMS = 4096
_LONGEST_TERM_BYTES = 1024
# Okapi's saturation of repeated query terms (Robertson et al., TREC-3, 1994); twice in a query counts 1.8
# times.
_K3 = 8.0


class LexicalView(NamedTuple):
    """The lexical index as of one state of the chunks.

    Attributes:
        content: the state.
        base: the index on disk.
        segments: its segments, then those of chunks that were added since; chunks ascend from one to the next.
        alive: for each segment, which of its chunks exist; None if all do.
        chunks: the number of chunks that exist.
        lengths: the number of their terms in each field.
    """

    content: Content
    base: LexicalBase | None
    segments: Sequence[Segment]
    alive: Sequence[Alive]
    chunks: int
    lengths: Sequence[int]

    @classmethod
    def make(cls, connection: sqlite3.Connection, base: LexicalBase | None, lag: Lag) -> LexicalView:
        """Apply the changes in ``lag`` on top of ``base``."""
        entries = sqlite_rows.terms_after(connection, base.mark.last_chunk if base else 0) if lag.added else ()
        recent = recent_segments(entries)
        require(sum(len(segment.chunks) for segment in recent) == lag.added, "the number of chunks with terms")
        return cls.of(lag.content, base, lag.removed, recent)

    @classmethod
    def of(
        cls, content: Content, base: LexicalBase | None, removed: Iterable[RemovedRun], recent: Sequence[Segment]
    ) -> LexicalView:
        """Return ``base`` without removed chunks and with recent ones."""
        runs = [(run.first_chunk, run.first_chunk + run.chunk_count) for run in removed]
        alive: list[Alive] = []
        chunks, lengths = (base.statistics.chunks, Counter(base.statistics.lengths)) if base else (0, Counter())
        for segment, before in zip(base.segments, base.alive, strict=True) if base else ():
            left = _without(segment, before, runs)
            alive.append(left)
            if left is not None and left is not before:
                gone = np.flatnonzero(~left if before is None else before & ~left)
                chunks -= len(gone)
                lengths.subtract(lengths_of(segment, gone))
        for segment in recent:
            alive.append(None)
            chunks += len(segment.chunks)
            lengths.update(lengths_of(segment, slice(None)))
        segments = [*(base.segments if base else ()), *recent]
        return cls(content, base, segments, alive, chunks, [lengths[field] for field in FIELDS])

    def frequencies(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of chunks with each term in each field, shape ``(len(FIELDS), terms)``."""
        return self._count_terms(terms)[1]

    def counts(self, terms: Sequence[str]) -> TermCounts:
        """Return BM25's counts of distinct terms."""
        columns = self.frequencies(terms).T.tolist()
        return TermCounts(self.chunks, tuple(self.lengths), dict(zip(terms, map(tuple, columns), strict=True)))

    def search(
        self,
        weights: Mapping[str, float],
        each: Sequence[FieldBoosts],
        k: int,
        allowed: AllowedDocuments | None,
        among: TermCounts | None = None,
    ) -> WordMatches:
        """Return up to ``k`` chunks by BM25 for each choice of boosts, best first; of equal ones, the oldest first.

        If ``among`` is given, its counts determine how rare terms are.
        """
        terms = list(weights)
        bounds, counts = self._count_terms(terms)
        chunks, lengths = self.chunks, self.lengths
        if among is not None:
            chunks, lengths = among.chunks, among.lengths
            counts = np.array([among.frequencies[term] for term in terms], dtype=np.int64).reshape(-1, len(FIELDS)).T
        known = dict(zip(terms, counts.max(axis=0).tolist(), strict=True))
        if len(terms) > _MAX_TERMS:
            chosen = _rarest(counts.sum(axis=0).tolist())
            terms = [terms[place] for place in chosen]
            bounds, counts = [own[..., chosen] for own in bounds], counts[:, chosen]
        if k <= 0 or not terms or not self.chunks:
            return WordMatches([ScoredChunks.of(()) for _ in each], known)
        factors = np.array(each)[:, :, None] * (_rarities(chunks, counts) * [weights[term] for term in terms])
        averages = [(length or 1) / chunks for length in lengths]
        return WordMatches(self._best(bounds, factors, averages, k, allowed), known)

    def holding(self, terms: Sequence[str], k: int, allowed: AllowedDocuments | None) -> list[int]:
        """Return up to ``k`` chunks whose body contains all of the terms, oldest first."""
        chunk_ids: list[int] = []
        keys = keys_of(terms)
        for segment, alive in zip(self.segments, self.alive, strict=True):
            chunks = segment.holding(segment.bounds(keys))
            chunk_ids += (chunks if alive is None else chunks[alive[segment.chunks.searchsorted(chunks)]]).tolist()
        return (chunk_ids if allowed is None else allowed.only(chunk_ids))[: max(k, 0)]

    def _count_terms(self, terms: Sequence[str]) -> tuple[Sequence[Bounds], NDArray[np.int64]]:
        """Return the range of each term's postings in each segment, and the terms' frequencies."""
        keys = keys_of(terms)
        bounds = [segment.bounds(keys) for segment in self.segments]
        total = np.zeros(keys.shape, dtype=np.int64)
        for segment, alive, own in zip(self.segments, self.alive, bounds, strict=True):
            total += segment.frequencies(own, alive)
        return bounds, total

    def _best(
        self,
        bounds: Sequence[Bounds],
        factors: Factors,
        averages: Sequence[float],
        k: int,
        allowed: AllowedDocuments | None,
    ) -> list[ScoredChunks]:
        """Return the best of the chunks that exist, for each choice of boosts."""
        best = [BestScores(k) for _ in factors]
        runs = None if allowed is None else allowed.runs()
        query = QueryRuns.of(factors, averages)
        for segment, alive, own in zip(self.segments, self.alive, bounds, strict=True):
            if not (own[1] > own[0]).any():
                continue
            for one, scores in zip(best, segment.scores(own, query), strict=True):
                offered = scores if alive is None else scores * alive
                if runs is not None:
                    offered = offered * which_are_covered(segment.chunks, runs)
                one.offer(segment.chunks, offered)
        return [one.best_first() for one in best]


class DenseView(NamedTuple):
    """The matrix as of one state of the chunks.

    Attributes:
        content: the state.
        parts: the rows on disk and those that were added since.
        sizes: decide how they are searched.
    """

    content: Content
    parts: list[Rows]
    sizes: Thresholds

    @classmethod
    def make(
        cls, connection: sqlite3.Connection, base: MatrixBase | None, lag: Lag, dimensions: int, sizes: Thresholds
    ) -> DenseView:
        """Apply the changes in ``lag`` on top of ``base``."""
        parts: list[Rows] = []
        if base is not None:
            runs = [np.arange(run.first_chunk, run.first_chunk + run.chunk_count) for run in lag.removed]
            parts.append(base.rows.without(np.concatenate([np.empty(0, dtype=np.int64), *runs])))
        if lag.added:
            last = base.mark.last_chunk if base else 0
            parts.extend(
                Rows.of(ids, data)
                for ids, data in sqlite_rows.vectors_after(connection, last, dimensions, _ROWS_AT_ONCE)
            )
        return cls(lag.content, parts, sizes)

    def search(self, vector: Floats, k: int, allowed: AllowedDocuments | None) -> ScoredChunks:
        """Return up to ``k`` chunks by cosine, best first; of equal ones, the oldest first."""
        return nearest(self.parts, vector, k, None if allowed is None else allowed.runs(), self.sizes)


def _without(segment: Segment, alive: Alive, runs: Iterable[tuple[int, int]]) -> Alive:
    """Return ``alive`` without the chunks of ``runs``; ``alive`` itself if the segment has none of them."""
    left = alive
    for run in runs:
        first, end = np.searchsorted(segment.chunks, run)
        if first == end:
            continue
        if left is alive:
            left = np.ones(len(segment.chunks), dtype=np.bool_) if alive is None else alive.copy()
        assert left is not None
        left[first:end] = False
    return left


def _rarities(chunks: int, frequencies: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the inverse document frequency of each term."""
    rarities: NDArray[np.float64] = np.log1p((chunks - frequencies + 0.5) / (frequencies + 0.5))
    return rarities


class LexicalQueries(ABC):
    """The lexical part of ``quaestor.stores.Store``."""

    @abstractmethod
    def _of_lexical(
        self, read: Callable[[LexicalView, AllowedDocuments | None], _Read], where: Where | None = None
    ) -> _Read:
        """Call ``read`` with the lexical view and the documents that match a filter, and return its result."""

    def lexical(
        self, terms: Sequence[str], k: int, where: Where | None = None, boosts: FieldBoosts = DEFAULT_BOOSTS
    ) -> ScoredChunks:
        """Return up to ``k`` chunks by BM25 over body, path and symbol terms; chunks without a match are
        absent.

        A repeated term counts once, with a little more weight; of more than 64 distinct terms the rarest
        count.
        """
        [chunks] = self.lexical_each(terms, k, (boosts,), where).chunks
        return chunks

    def lexical_each(
        self,
        terms: Sequence[str],
        k: int,
        each: Sequence[FieldBoosts],
        where: Where | None = None,
        among: TermCounts | None = None,
    ) -> WordMatches:
        """Return the results of ``lexical`` for each choice of boosts and of ``frequencies``, reading postings once.

        ``among`` holds the counts of several stores; scores and frequencies are then those of one store with all their
        chunks.
        """
        return self._of_lexical(lambda view, allowed: view.search(weigh(terms), each, k, allowed, among), where)

    def counts(self, terms: Iterable[str]) -> TermCounts:
        """Return BM25's counts of terms, to be added to other stores' counts."""
        known = _distinct(terms)
        return self._of_lexical(lambda view, _: view.counts(known))

    def holding(self, terms: Iterable[str], k: int, where: Where | None = None) -> Sequence[int]:
        """Return up to ``k`` chunks whose text contains all of the terms, oldest first; none without terms."""
        known = _distinct(terms)
        return self._of_lexical(lambda view, allowed: view.holding(known, k, allowed), where)

    def frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """Return the number of chunks that contain each term, counted in the field with most of them."""
        known = _distinct(terms)
        counts = self._of_lexical(lambda view, _: view.frequencies(known))
        return dict(zip(known, counts.max(axis=0).tolist(), strict=True))


def weigh(terms: Sequence[str]) -> dict[str, float]:
    """Return each distinct term with a weight, which is 1 and grows slowly with repetitions.

    Terms that no index can hold, such as lone surrogates, are left out.
    """
    counts = Counter(terms)
    return {term: (_K3 + 1) * count / (_K3 + count) for term, count in counts.items() if _is_text(term)}


def _distinct(terms: Iterable[str]) -> list[str]:
    """Return each term once, in order, without those that no index can contain."""
    return list(filter(_is_text, dict.fromkeys(terms)))


def _is_text(term: str) -> bool:
    if term.isascii():
        return 0 < len(term) <= _LONGEST_TERM_BYTES
    try:
        return 0 < len(term.encode()) <= _LONGEST_TERM_BYTES
    except UnicodeEncodeError:
        return False


def _rarest(counts: Sequence[int]) -> list[int]:
    """Return the places of up to ``_MAX_TERMS`` terms: those in the fewest chunks, but in at least one.

    Of a query that is longer than any question, only the first few thousand distinct terms are considered.
    """
    counted = sorted((count, place) for place, count in enumerate(counts[:_CONSIDERED_TERMS]) if count)
    return [place for _, place in counted[:_MAX_TERMS]]
