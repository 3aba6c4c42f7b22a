"""From a query to ranked hits.

It knows stores and embedders only by their protocols and knows nothing of files; callers keep the index fresh.

Hits with the same content in several documents, a book's two editions or a vendored copy, are folded into one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import numpy as np

from quaestor.core.documents import Chunk, Hit
from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import styles_of, terms
from quaestor.embedding import Embedder
from quaestor.embedding.static import question_vector
from quaestor.embedding.tuning_names import is_tuned
from quaestor.search.certain_hits import (
    background_among,
    certainty_steps,
    path_and_line,
    raise_headed_section,
    raise_written_names,
    steps_of_code,
)
from quaestor.search.chunk_traits import VALUES_ROW, ChunkCache, Traits, fixed_matrix
from quaestor.search.corpus_words import in_words_of_corpus, with_other_spellings
from quaestor.search.features import FEATURES, Candidates, compute_features
from quaestor.search.file_features import group_by_file, path_agreement
from quaestor.search.joined_passages import join_passages
from quaestor.search.language import CARRIED, language_of
from quaestor.search.query import Place, Query, read_query, without_name
from quaestor.search.ranker import Matrix, Ranker, Shares, diversify
from quaestor.search.spelling import Spelling, Spellings
from quaestor.stores import (
    DEFAULT_BOOSTS,
    FieldBoosts,
    ScoredChunks,
    Store,
    StoredChunk,
    TermCounts,
    Where,
    WordMatches,
)

Mode = Literal["ranked", "fusion", "lexical", "dense"]

CANDIDATES = 100
"""The number of first chunks of each retriever that are ranked; half as many by the text alone."""

# Scores are known for more chunks than become candidates: a chunk that one retriever puts first has then a score from
# the other even where that one puts it far down.
_SCORED = 300
_DEFINITIONS = 20
# Of a name that is the whole query: headings bear it, too, and must not keep out what defines it.
_DEFINITIONS_OF_SYMBOL = 200
_HOLDING_QUOTE = 50
_HOLDING_NAME = 200
_PROSE = FEATURES.index("prose")
_BODY = FieldBoosts(1.0, 0.0, 0.0)
_PATH = FieldBoosts(0.0, 1.0, 0.0)
# How many times as many candidates as are asked for are compared with each other for being the same.
_COMPARED = 3
_POINTED_FILES = 5
_POINTED_CHUNKS = 40

# Two texts are the same if the sets of their words nearly are (Jaccard, 1912). Two such sets share their least and
# their greatest member nearly always (Broder, "On the resemblance and containment of documents", 1997), so that only
# texts that share one of these are compared.
ALIKE = 0.85
"""Share of all their words that two texts of prose or data must have in common to be the same."""

ALIKE_CODE = 0.95
"""The same for code, where functions that do different things may differ by a few names."""


class Retriever:
    """Searches one store with one embedder and one ranker.

    Args:
        store: the store to search.
        embedder: the embedder that the store was made with.
        ranker: scores the candidates.
        project: the corpus's own name, which is dropped from questions.
    """

    def __init__(self, store: Store, embedder: Embedder, ranker: Ranker, project: str = "") -> None:
        self.store = store
        self.embedder = embedder
        self.ranker = ranker
        self.project = project
        # A tuned embedder knows what words of this corpus mean that others use; then a query may be all of those.
        self.finds_strange = is_tuned(embedder.name)
        self._chunks = ChunkCache()
        self._spellings = Spellings()

    def search(self, text: str, k: int, *, mode: Mode = "ranked", where: Where | None = None) -> list[Hit]:
        """Return up to ``k`` hits, best first; none when nothing matches.

        A ranked search replaces words that occur nowhere by the nearest ones, as ``spelling`` says.
        Each hit's ``features`` hold every feature's share in its score, when it was ranked.
        """
        query = self.read(text)
        if not query.text:
            return []
        if mode == "ranked":
            return self._rank(query, k, where)
        return self._fuse(query, k, mode, where)

    def read(self, text: str) -> Query:
        """Read a query, with its words corrected for this corpus."""
        return self.in_words_of_corpus(read_query(without_name(text, self.project)))

    def translation(self, text: str) -> tuple[str, ...]:
        """Return the English words that are searched for instead of a question in another language."""
        return self.read(text).translated if language_of(text) in CARRIED else ()

    def in_english(self, text: str) -> str:
        """Return the translation of a question in another language; any other question unchanged."""
        return self.read(text).text if self.translation(text) else text

    def in_words_of_corpus(self, query: Query) -> Query:
        """Return a query with its words corrected for this corpus."""
        return in_words_of_corpus(query, self.store.frequencies)

    def candidates(
        self, query: Query, count: int = CANDIDATES, where: Where | None = None, among: TermCounts | None = None
    ) -> Candidates:
        """Return the chunks that any retriever puts among its first ``count``, with all scores that are known.

        ``among`` holds the counts of the query's terms over all stores, if several are searched together.
        """
        self._follow()
        return self._gather_candidates(query, self._match_words(query, count, where, among), count, where)

    def spelling(self, text: str) -> Spelling:
        """Return a query's words that occur nowhere in this corpus, with the nearest words that do."""
        self._follow()
        return self._spellings.of(self.store, self.read(text))

    def _follow(self) -> None:
        """Forget outdated caches, once a search, because asking for the store's generation is comparatively slow."""
        generation = self.store.generation()
        self._chunks.follow(generation)
        self._spellings.follow(generation)

    def _match_words(
        self, query: Query, count: int, where: Where | None, among: TermCounts | None = None
    ) -> WordMatches:
        return self.store.lexical_each(query.terms, max(_SCORED, count), (DEFAULT_BOOSTS, _BODY), where, among)

    def _gather_candidates(self, query: Query, matched: WordMatches, count: int, where: Where | None) -> Candidates:
        """Return the candidates, given the matches of the query's words."""
        lexical, body = matched.chunks
        dense = self._dense(query, max(_SCORED, count), where)
        # By the text alone too: a message's words stand in no name, and names of many files may hold some of them.
        chosen = dict.fromkeys([*lexical.best(count), *dense.best(count), *body.best(count // 2)])
        if query.names or query.whole:
            most = _DEFINITIONS_OF_SYMBOL if query.kind == "symbol" else _DEFINITIONS
            # As it stands, too: a name may have marks in it that part words elsewhere (save!, get-thing, print.frame).
            names = (*query.names, query.whole.lower(), *_in_other_styles(query))
            chosen |= dict.fromkeys(self.store.defining(names, most, where))
        for quote in query.quotes:
            chosen |= dict.fromkeys(self.store.holding(terms(quote), _HOLDING_QUOTE, where))
        if query.used_name:
            chosen |= dict.fromkeys(self.store.holding(terms(query.used_name), _HOLDING_NAME, where))
        chosen |= dict.fromkeys(self._at_whole_path(query, where))
        if query.places:
            chosen |= dict.fromkeys(self._pointed_at(query, where))
        found = self._chunks.get(self.store, chosen)
        if query.whole and not any(query.whole in known.stored.chunk.defines for known in found.values()):
            # What no grammar tells to be a definition may look like one.
            chosen |= dict.fromkeys(self.store.holding(terms(query.whole), _HOLDING_NAME, where))
            found = self._chunks.get(self.store, chosen)
        traits, ids = [*found.values()], np.fromiter(found, np.int64, len(found))
        return Candidates(
            traits,
            lexical.of_chunks(ids),
            dense.of_chunks(ids),
            body.of_chunks(ids),
            _rarity(matched.frequencies),
            group_by_file(traits),
            fixed_matrix(traits),
        )

    def score_candidates(
        self, query: Query, count: int = CANDIDATES, where: Where | None = None
    ) -> list[tuple[StoredChunk, float]]:
        """Return every candidate with the ranker's score, in no order and without regard to other chunks of a file.

        Used for a turn of a conversation, whose earlier turns decide the kind of answer.
        """
        if not query.text:
            return []
        candidates = self.candidates(query, count, where)
        if not candidates.traits:
            return []
        _, scores, _ = _features_and_scores(self.ranker, query, candidates)
        return list(zip(candidates.chunks, scores.tolist(), strict=True))

    def _pointed_at(self, query: Query, where: Where | None) -> list[int]:
        """Return the chunks at the files and lines that a query names, best fits first."""
        files = {place.path: self._chunks.pointed_at(place.path, where, self._files_like) for place in query.places}
        scored = [
            (fit, stored.id)
            for place in query.places
            for fit, path in files[place.path]
            for stored in self._chunks.of_document(self.store, path)
            if _shows(stored, place)
        ]
        return [identifier for _, identifier in sorted(scored, reverse=True)[:_POINTED_CHUNKS]]

    def _at_whole_path(self, query: Query, where: Where | None) -> list[int]:
        """Return the chunks of the documents whose path equals the whole query or ends with it."""
        end, line = path_and_line(query.whole)
        place = Place(end, line)
        paths = self.store.paths_ending(end, _POINTED_FILES, where) if end else ()
        every = (stored for path in paths for stored in self._chunks.of_document(self.store, path))
        return [stored.id for stored in every if _shows(stored, place)]

    def _files_like(self, query_path: str, where: Where | None) -> list[tuple[float, str]]:
        """Return the documents whose paths agree best with one that a query points at, and how well."""
        near = self.store.lexical(terms(query_path.rpartition(".")[0]), _SCORED, where, _PATH)
        paths = self.store.paths_of(chunk for chunk, _ in near)
        fits = sorted(((path_agreement(query_path, path), path) for path in paths), reverse=True)[:_POINTED_FILES]
        return [(fit, path) for fit, path in fits if fit > 0]

    def _rank(self, query: Query, k: int, where: Where | None) -> list[Hit]:
        self._follow()
        count = max(CANDIDATES, k)
        query, matched = self._matched_as_spelt(query, count, where)
        if not query.text:
            return []
        candidates = self._gather_candidates(query, matched, count, where)
        traits = candidates.traits
        ranked = rank(
            self.ranker, query, candidates, k, lambda rows: self.join((traits[row].stored for row in rows), k)
        )
        return [one.hit for one in ranked]

    def _matched_as_spelt(self, query: Query, count: int, where: Where | None) -> tuple[Query, WordMatches]:
        """Return the corrected query, with no text if none of its words occurs, and its matches."""
        matched = self._match_words(query, count, where)
        if all(matched.frequencies.values()):
            self._spellings.note(query)
            return query, matched
        spelling = self._spellings.of(self.store, query)
        if spelling.all_unknown and not self.finds_strange:
            return query._replace(text=""), matched
        if spelling.text == query.text:
            return query, matched
        query = with_other_spellings(read_query(spelling.text), query.text, self.store.frequencies)
        return query, self._match_words(query, count, where)

    def join(self, ranked: Iterable[StoredChunk], k: int) -> list[tuple[int, Chunk]]:
        """Return what up to ``k`` passages show of ranked chunks; see ``joined_passages.join_passages``."""
        return join_passages(ranked, k, self.chunks_of)

    def chunks_of(self, path: str) -> Sequence[StoredChunk]:
        """Return the chunks of a document in order; they are cached until the index changes."""
        return self._chunks.of_document(self.store, path)

    def _fuse(self, query: Query, k: int, mode: Mode, where: Where | None) -> list[Hit]:
        """Return the hits of one retriever, or of both fused without any ranking."""
        self._follow()
        count = max(CANDIDATES, k)
        lexical = self._lexical(query, count, where) if mode != "dense" else {}
        dense = dict(self._dense(query, count, where)) if mode != "lexical" else {}
        scores = (
            convex([(0.5, list(lexical.items())), (0.5, list(dense.items()))]) if mode == "fusion" else lexical or dense
        )
        chunks = [known.stored for known in self._chunks.get(self.store, scores).values()]
        hits = [Hit(one.document, one.chunk, scores[one.id], chunk_id=one.id) for one in chunks]
        return sorted(hits, key=lambda hit: (-hit.score, hit.path, hit.start_line))[:k]

    def _lexical(self, query: Query, count: int, where: Where | None) -> dict[int, float]:
        return dict(self.store.lexical(query.terms, count, where)) if query.terms else {}

    def _dense(self, query: Query, count: int, where: Where | None) -> ScoredChunks:
        vector = question_vector(self.embedder, query.text)
        return self.store.dense(vector, count, where) if vector.any() else ScoredChunks.of(())


class RankedHit(NamedTuple):
    """A hit with its candidates.

    Attributes:
        hit: the hit.
        row: the row of the candidate that is shown.
        duplicates: the rows of its duplicates, in the order of ``hit.also``.
    """

    hit: Hit
    row: int
    duplicates: tuple[int, ...]


def rank(
    ranker: Ranker,
    query: Query,
    candidates: Candidates,
    k: int,
    show: Callable[[Sequence[int]], list[tuple[int, Chunk]]],
) -> list[RankedHit]:
    """Return up to ``k`` hits, best first.

    Args:
        ranker: scores the candidates.
        query: the query, as ``read_query`` returns it.
        candidates: all candidates.
        k: the most hits.
        show: takes the candidates' rows, best first, and returns passages, each with the place of its best candidate.
    """
    if not candidates.traits:
        return []
    features, scores, step = _features_and_scores(ranker, query, candidates)
    ranked = diversify(scores.tolist(), candidates.files.owner.tolist(), ranker.decay, len(scores))
    order = [index for index, _ in ranked]
    compared, others = order[: _COMPARED * k], order[_COMPARED * k :]
    traits = [candidates.traits[index] for index in order]
    groups = group_duplicates(traits[: len(compared)], step[compared].tolist())
    hits = []
    for place, chunk in show([order[group.leader] for group in groups] + others):
        group = groups[place] if place < len(groups) else alone(len(compared) + place - len(groups))
        index, stored = order[group.leader], traits[group.leader].stored
        _, score = ranked[group.rank]
        explained = Shares(ranker, features[index].copy(), float(step[index]), score)
        also = places_of(group.duplicates, traits)
        span = None if chunk is stored.chunk else stored.chunk.span
        hit = Hit(stored.document, chunk, score, features=explained, chunk_id=stored.id, also=also, ranked_span=span)
        hits.append(RankedHit(hit, index, tuple([order[other] for other in group.duplicates])))
    return hits


def _features_and_scores(ranker: Ranker, query: Query, candidates: Candidates) -> tuple[Matrix, Matrix, Matrix]:
    """Return the candidates' features, their scores, and the steps in these scores."""
    features, step = features_and_steps(query, candidates)
    scores = ranker.scores(features) + step
    higher = raise_written_names(query, candidates.traits, scores)
    higher = raise_headed_section(query, candidates.traits, higher)
    return features, higher, step + (higher - scores)


def features_and_steps(query: Query, candidates: Candidates) -> tuple[Matrix, Matrix]:
    """Return the candidates' features, and their steps for being certain or background."""
    behind = background_among(query, candidates.fixed, candidates.files)
    features = compute_features(query, candidates, behind)
    steps = certainty_steps(query, candidates.traits, candidates.files, behind)
    prose = (features[:, _PROSE] > 0) | (candidates.fixed[VALUES_ROW] > 0)
    data = np.array([known.path.data for known in candidates.traits], np.bool_)
    return features, steps + steps_of_code(query, prose, data)


def _in_other_styles(query: Query) -> tuple[str, ...]:
    """Return the names in a query, spelled in the styles of other languages."""
    whole = re.split(r"[^\w-]", query.whole)[-1]
    names = dict.fromkeys((whole, *(parts[-1] for parts in query.written_names)))
    return tuple(style for name in names for style in styles_of(name))


def _rarity(frequencies: Mapping[str, int]) -> Mapping[str, float]:
    """Return each term's weight by the number of chunks that contain it."""
    total = max(frequencies.values(), default=0) + 1
    return {term: math.log(1 + 2 * total / (1 + count)) for term, count in frequencies.items()}


def _shows(stored: StoredChunk, place: Place) -> bool:
    """Return whether a chunk contains a place: its line, or the beginning of the file."""
    if place.line is None:
        return stored.position == 0
    return stored.chunk.span.start_line <= place.line <= stored.chunk.span.end_line


def normalise(results: Sequence[tuple[int, float]]) -> dict[int, float]:
    """Scale scores to 0..1 by the best of them; negative scores become 0."""
    best = max((score for _, score in results), default=0.0)
    if best <= 0:
        return {}
    return {identifier: max(score, 0.0) / best for identifier, score in results}


def convex(parts: Sequence[tuple[float, Sequence[tuple[int, float]]]]) -> Mapping[int, float]:
    """Return the weighted sum of normalised scores, for every chunk that any retriever found.

    Convex combination of normalised scores, after Bruch et al., "An Analysis of Fusion Functions for Hybrid
    Retrieval" (2023), where it beats reciprocal rank fusion.
    """
    fused: dict[int, float] = {}
    for weight, results in parts:
        for identifier, score in normalise(results).items():
            fused[identifier] = fused.get(identifier, 0.0) + weight * score
    return fused


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
    least_shares: list[float] = []
    by_extreme: dict[int, list[int]] = {}
    for place, known in enumerate(ranked):
        own = known.word_set
        size, extremes = (len(own.words), (own.least, ~own.greatest)) if own else (0, ())
        near = [
            number
            for extreme in extremes
            for number in by_extreme.get(extreme, ())
            # They share no more words than the smaller has.
            if size >= least_shares[number] * sizes[number] and sizes[number] >= least_shares[number] * size
        ]
        same = next((number for number in near if _is_duplicate(ranked, groups[number], place)), None)
        if same is not None:
            groups[same].append(place)
            continue
        for extreme in extremes:
            by_extreme.setdefault(extreme, []).append(len(groups))
        groups.append([place])
        sizes.append(size)
        least_shares.append(_least_share(known))
    return [_group_with_leader(group, ranked, steps) for group in groups]


def _least_share(known: Traits) -> float:
    """Return which share of all their words another text must have in common with a chunk to be the same."""
    return ALIKE if known.path.prose or known.path.data else ALIKE_CODE


def _is_duplicate(ranked: Sequence[Traits], group: Sequence[int], place: int) -> bool:
    """Return whether a candidate says the same as a group's first, and its document is not in the group."""
    one, other = ranked[group[0]], ranked[place]
    first, second = one.word_set, other.word_set
    if first is None or second is None or any(ranked[member].path.path == other.path.path for member in group):
        return False
    shared = first.count_shared(second)
    return shared >= _least_share(one) * (len(first.words) + len(second.words) - shared)


def _group_with_leader(group: Sequence[int], ranked: Sequence[Traits], steps: Sequence[float]) -> DuplicateGroup:
    if len(group) == 1:
        return alone(group[0])
    leader = min(group, key=lambda place: (-steps[place], ranked[place].path.depth, place))
    return DuplicateGroup(group[0], leader, tuple(place for place in group if place != leader))


def places_of(duplicates: Sequence[int], ranked: Sequence[Traits]) -> tuple[str, ...]:
    """Return the places of a group's duplicates, as ``path:line``."""
    stored = [ranked[place].stored for place in duplicates]
    return tuple(f"{one.document.path}:{one.chunk.span.start_line}" for one in stored)
