"""Several corpora that are searched as one: one ranking, and each hit says which corpus it is of.

Each corpus keeps its own index, freshness and embedder. If one fails, the others are still searched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from pathlib import Path
from typing import TypeVar

from quaestor.core.documents import Hit
from quaestor.core.errors import QuaestorError, UsageError
from quaestor.corpus.corpus import Corpus
from quaestor.corpus.descriptions import ByMeaning, Freshness, merged_bylines, merged_freshness, merged_reach
from quaestor.corpus.understood_filters import UnderstoodQuestion, find_understood, read_understood
from quaestor.files.walk import folder_of
from quaestor.search.corpus_words import in_words_of_corpus
from quaestor.search.features import Candidates
from quaestor.search.joint_ranking import (
    corpora_of,
    hits_without_ranking,
    join_candidates,
    shown_passages,
    top_candidates,
    with_corpus_names,
    with_one_embedder,
    without_copies,
)
from quaestor.search.query import Query, read_query
from quaestor.search.ranker import Ranker
from quaestor.search.retriever import CANDIDATES, Mode, rank
from quaestor.search.spelling import Spelling, UnknownWord, replace_unknown
from quaestor.stores import Bylines, TermCounts, Where


def short_names(roots: Sequence[Path]) -> dict[str, Path]:
    """Return the roots by folder name, with as many parents as distinguish it from the others.

    Args:
        roots: the real paths; duplicates are named once.
    """
    paths: dict[str, Path] = {}
    for root in dict.fromkeys(roots):
        others = [other for other in roots if other != root]
        for length in range(1, len(root.parts) + 1):
            name = Path(*root.parts[-length:]).as_posix()
            if all(other.parts[-length:] != root.parts[-length:] for other in others):
                break
        paths[name] = root
    return paths


_Done = TypeVar("_Done")


class SeveralCorpora(Mapping[str, Corpus]):
    """Corpora by name, searched as one.

    Args:
        corpora: the corpora, at least one; duplicates are searched once.

    Attributes:
        failures: the errors of corpora in the last search, by name.

    Raises:
        UsageError: there is no corpus.
    """

    def __init__(self, corpora: Mapping[str, Corpus]) -> None:
        if not corpora:
            raise UsageError("There is nothing to search. Give at least one corpus.")
        by_root = {corpus.root: name for name, corpus in reversed(list(corpora.items()))}
        self._corpora = {name: corpus for name, corpus in corpora.items() if by_root[corpus.root] == name}
        self.failures: dict[str, Exception] = {}

    def __getitem__(self, name: str) -> Corpus:
        return self._corpora[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._corpora)

    def __len__(self) -> int:
        return len(self._corpora)

    def search(
        self,
        query: str,
        k: int = 10,
        *,
        mode: Mode = "ranked",
        where: Where | None = None,
        since: str = "",
        before: str = "",
        by: str | Sequence[str] = (),
    ) -> list[Hit]:
        """Return up to ``k`` hits of all corpora, best first, each with its ``corpus``; otherwise as ``Corpus.search``.

        Filters apply within each corpus: paths are those in it. A file of nested corpora is found in the innermost.

        Raises:
            UsageError: a date is malformed.
            QuaestorError: every corpus failed; this is the first one's error.
        """
        if since or before or by:
            from quaestor.search.filters import both_filters, make_filter  # noqa: PLC0415 - few searches are filtered

            where = both_filters(make_filter((), (), since, before, (by,) if isinstance(by, str) else by), where)
        self.failures = {}
        self._each(lambda corpus: corpus.try_refresh())
        hits = self._search_each(query, k, mode, where)
        changed = {
            name: corpus
            for name, corpus in self._corpora_of(hits)
            if corpus.notice_changes(hit.document for hit in hits if hit.corpus == name)
        }
        if changed:
            self._each(lambda corpus: corpus.try_refresh(), changed)
            hits = self._search_each(query, k, mode, where)
            for name, corpus in changed.items():
                corpus.look_at(hit.document for hit in hits if hit.corpus == name)
        return self._set_fresh(hits)

    def find(
        self, question: str, k: int = 10, *, mode: Mode = "ranked", where: Where | None = None, filters: bool = True
    ) -> tuple[Sequence[Hit], UnderstoodQuestion]:
        """Return up to ``k`` hits for a question, and how the question was understood; as ``Corpus.find``."""
        return find_understood(self, question, k, mode, where, filters=filters)

    def spelling(self, query: str) -> Spelling:
        """Return a query's words that all corpora lack, each with the most similar words that one has."""
        spellings = list(self._each(lambda corpus: corpus.spelling(query)).values())
        lacking = [frozenset(one.word for one in spelling.unknown) for spelling in spellings]
        unknown = [one for one in spellings[0].unknown if all(one.word in words for words in lacking)]
        nearest = {one.word: one.nearest for spelling in reversed(spellings) for one in spelling.unknown if one.nearest}
        unknown_words = tuple(UnknownWord(one.word, nearest.get(one.word, ())) for one in unknown)
        all_unknown = all(spelling.all_unknown for spelling in spellings)
        return Spelling(replace_unknown(query, unknown_words), unknown_words, all_unknown)

    def translation(self, question: str) -> tuple[str, ...]:
        """Return the English translation by which a question in another language is searched."""
        words = (word for corpus in self.last_searched.values() for word in corpus.translation(question))
        return tuple(dict.fromkeys(words))

    def understand(self, question: str, where: Where | None = None) -> UnderstoodQuestion:
        """Return a question with its dates and authors as a filter, unless that leaves nothing in any corpus."""
        return read_understood(self, question, where)

    def bylines(self, where: Where | None = None) -> Bylines:
        """Return the authors and dates of the documents of all corpora that match a filter."""
        bylines = []
        for corpus in self.values():
            with suppress(QuaestorError, OSError):  # the search will say so
                bylines.append(corpus.bylines(where))
        return merged_bylines(bylines)

    @property
    def last_searched(self) -> Mapping[str, Corpus]:
        """The corpora that took part in the last search."""
        return {name: corpus for name, corpus in self._corpora.items() if name not in self.failures}

    @property
    def freshness(self) -> Freshness:
        """The freshness of the last search: that of the least fresh corpus."""
        return merged_freshness([corpus.freshness for corpus in self.last_searched.values()])

    @property
    def reach(self) -> ByMeaning:
        """How much of the index the last search could search by meaning: all, some or none."""
        return merged_reach([corpus.meaning.reach for corpus in self.last_searched.values()])

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the last search, each with the name of its corpus."""
        failed = [f"{name}: {error}" for name, error in self.failures.items()]
        remarks = [f"{name}: {text}" for name, corpus in self.last_searched.items() for text in corpus.remarks]
        return (*failed, *remarks)

    def _search_each(self, text: str, k: int, mode: Mode, where: Where | None) -> list[Hit]:
        spelling = self.spelling(text) if mode == "ranked" else Spelling(text)
        query = self._read(spelling.text)
        if spelling.all_unknown or not query.text:
            return []
        counts = self._each(lambda corpus: corpus.retry_reopened(lambda: corpus.store.counts(query.terms)))
        among = reduce(TermCounts.plus, counts.values())
        count = max(CANDIDATES, k)

        def candidates(corpus: Corpus) -> Candidates:
            return corpus.retry_reopened(lambda: corpus.retriever.candidates(query, count, where, among))

        by_name = self._each(candidates, {name: self[name] for name in counts})
        return _hits(query, {name: (self[name], of_corpus) for name, of_corpus in by_name.items()}, k, mode, count)

    def _read(self, text: str) -> Query:
        """Read a query. A project's name is no search term within it, but selects one of several."""
        if len(self) == 1:
            [corpus] = self.values()
            return corpus.retriever.read(text)
        return in_words_of_corpus(read_query(text), self._frequencies)

    def _frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """Return the number of chunks of all corpora that contain each term."""
        wanted = list(terms)
        total = Counter(dict.fromkeys(wanted, 0))
        for counts in self._each(
            lambda corpus: corpus.retry_reopened(lambda: corpus.store.frequencies(wanted))
        ).values():
            total.update(counts)
        return total

    def _corpora_of(self, hits: Sequence[Hit]) -> Iterable[tuple[str, Corpus]]:
        return [(name, self[name]) for name in dict.fromkeys(hit.corpus for hit in hits)]

    def _set_fresh(self, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits with ``fresh`` set."""
        checked = {
            name: iter(corpus.with_freshness([hit for hit in hits if hit.corpus == name]))
            for name, corpus in self._corpora_of(hits)
        }
        return [next(checked[hit.corpus]) for hit in hits]

    def _each(self, act: Callable[[Corpus], _Done], corpora: Mapping[str, Corpus] | None = None) -> dict[str, _Done]:
        """Return the result of ``act`` for each corpus that has not failed; record new failures.

        Raises:
            QuaestorError: all failed; this is the first one's error.
        """
        done: dict[str, _Done] = {}
        for name, corpus in (self if corpora is None else corpora).items():
            if name in self.failures:
                continue
            try:
                done[name] = act(corpus)
            except (QuaestorError, OSError) as error:
                self.failures[name] = error
        if len(self.failures) == len(self):
            raise next(iter(self.failures.values()))
        return done


def _hits(
    query: Query, candidates_by_name: Mapping[str, tuple[Corpus, Candidates]], k: int, mode: Mode, count: int
) -> list[Hit]:
    """Rank the hits of all corpora as one list."""
    names, corpora = list(candidates_by_name), [corpus for corpus, _ in candidates_by_name.values()]
    candidates = join_candidates([own for _, own in candidates_by_name.values()])
    if not candidates.chunks:
        return []
    if len(corpora) > 1:
        candidates = without_copies(candidates, [folder_of(corpus.root).as_posix() for corpus in corpora])
        if len({corpus.embedder.name for corpus in corpora}) > 1:
            candidates = with_one_embedder(query, candidates)
        candidates = top_candidates(query, candidates, count)
    if mode == "ranked":
        chunks_of = [corpus.retriever.chunks_of for corpus in corpora]
        ranked = rank(
            _ranker(corpora), query, candidates, k, lambda rows: shown_passages(candidates, rows, k, chunks_of)
        )
    else:
        ranked = hits_without_ranking(candidates, k, mode, count)
    of_each = [names[number] for number in corpora_of(candidates)]
    return [with_corpus_names(one, of_each) for one in ranked]


def _ranker(corpora: Sequence[Corpus]) -> Ranker:
    """Return the corpora's ranker if they share one, else the bundled one."""
    first = corpora[0].retriever.ranker
    return first if all(corpus.retriever.ranker.name == first.name for corpus in corpora) else Ranker.bundled()
