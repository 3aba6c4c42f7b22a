"""Ranking the candidates of several corpora as one list.

Each corpus gives its candidates, scored as if all chunks were in one store (``Store.counts``). Here they become one
list, which is ranked like that of one corpus. Pure: no store is asked. A corpus is identified by its position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from quaestor.core.documents import Chunk, Hit
from quaestor.embedding.static import StaticEmbedder
from quaestor.search.certain_hits import background_among, certainty_steps
from quaestor.search.features import Candidates
from quaestor.search.file_features import CandidateFiles, path_agreement
from quaestor.search.joined_passages import join_passages
from quaestor.search.query import Query
from quaestor.search.retriever import Mode, RankedHit, convex
from quaestor.stores import StoredChunk

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Item = TypeVar("_Item")

ChunksOf = Callable[[str], Sequence[StoredChunk]]
"""Returns the chunks of one corpus's path, in order."""


def join_candidates(each: Sequence[Candidates]) -> Candidates:
    """Return the candidates of several corpora as one list; files of two corpora stay two, whatever their paths are.

    Args:
        each: the candidates of each corpus, at least one. All use the same term counts, so that a term has the same
            weight in all.
    """
    if len(each) == 1:
        return each[0]
    files = [one.files for one in each]
    first = [0, *accumulate(len(own.paths) for own in files)]
    return Candidates(
        [known for one in each for known in one.traits],
        np.concatenate([one.lexical for one in each]),
        np.concatenate([one.dense for one in each]),
        np.concatenate([one.body for one in each]),
        each[0].rarity,
        CandidateFiles(
            np.concatenate([own.owner + at for own, at in zip(files, first, strict=False)]).astype(np.intp),
            [path for own in files for path in own.paths],
            [profile for own in files for profile in own.profiles],
            [number for number, own in enumerate(files) for _ in own.paths],
        ),
        np.concatenate([one.fixed for one in each], axis=1),
    )


def corpora_of(candidates: Candidates) -> list[int]:
    """Return the number of each candidate's corpus."""
    files = candidates.files
    if not files.corpora:
        return [0] * len(candidates.traits)
    numbers: list[int] = np.array(files.corpora)[files.owner].tolist()
    return numbers


def without_copies(candidates: Candidates, roots: Sequence[str]) -> Candidates:
    """Return the candidates with each file once, from the innermost corpus if corpora are nested.

    Args:
        candidates: the candidates of all corpora.
        roots: the folder of each corpus, with ``/`` and without one at the end.
    """
    files = candidates.files
    within: dict[str, int] = {}
    of_files = list(zip(files.paths, files.corpora, strict=False))
    for path, number in of_files:
        place = f"{roots[number]}/{path}"
        if len(roots[number]) > len(roots[within.setdefault(place, number)]):
            within[place] = number
    innermost = np.array([within[f"{roots[number]}/{path}"] == number for path, number in of_files], dtype=np.bool_)
    return candidates if innermost.all() else _select_candidates(candidates, innermost[files.owner])


def top_candidates(query: Query, candidates: Candidates, count: int) -> Candidates:
    """Return the candidates that one store with all chunks would give: the first ``count`` of each retriever.

    Candidates that define a name in the query, hold its quoted words, or lie in a file that it names are kept as well.
    """
    chosen = np.zeros(len(candidates.traits), dtype=np.bool_)
    for scores, most in ((candidates.lexical, count), (candidates.dense, count), (candidates.body, count // 2)):
        chosen[[row for row, _ in _top_rows(scores, most)]] = True
    if query.names:
        names = frozenset(query.names)
        chosen |= [not known.names.isdisjoint(names) for known in candidates.traits]
    if query.quotes or query.whole:
        behind = background_among(query, candidates.fixed, candidates.files)
        chosen |= certainty_steps(query, candidates.traits, candidates.files, behind) > 0
    if query.places:
        files = candidates.files
        chosen |= np.array([any(path_agreement(place.path, path) for place in query.places) for path in files.paths])[
            files.owner
        ]
    return candidates if chosen.all() else _select_candidates(candidates, chosen)


def with_one_embedder(query: Query, candidates: Candidates) -> Candidates:
    """Return the candidates with comparable similarities if their corpora have different embedders.

    The bundled embedder, which is always there and fast, computes them all again.
    """
    embedder = StaticEmbedder.bundled()
    vectors = embedder.encode(list(map(_text_with_names, candidates.chunks)))
    return candidates._replace(dense=vectors @ embedder.question(query.text))


def shown_passages(
    candidates: Candidates, rows: Sequence[int], k: int, each: Sequence[ChunksOf]
) -> list[tuple[int, Chunk]]:
    """Return up to ``k`` passages made of ranked candidates; see ``joined_passages.join_passages``.

    Args:
        candidates: the candidates of all corpora.
        rows: the rows of the candidates, best first.
        k: the most passages.
        each: for each corpus, returns the chunks of a document.
    """
    numbers = corpora_of(candidates)

    def document(path: str) -> list[StoredChunk]:
        number, _, own = path.partition("/")
        return [_with_unique_path(stored, int(number)) for stored in each[int(number)](own)]

    return join_passages([_with_unique_path(candidates.traits[row].stored, numbers[row]) for row in rows], k, document)


def hits_without_ranking(candidates: Candidates, k: int, mode: Mode, count: int) -> list[RankedHit]:
    """Return the hits of one retriever, or of both fused without any ranking."""
    lexical = _top_rows(candidates.lexical, count) if mode != "dense" else []
    dense = _top_rows(candidates.dense, count) if mode != "lexical" else []
    scores = convex([(0.5, lexical), (0.5, dense)]) if mode == "fusion" else dict(lexical or dense)
    hits = [RankedHit(_hit(candidates.traits[row].stored, score), row, ()) for row, score in scores.items()]
    return sorted(hits, key=lambda one: (-one.hit.score, one.hit.path, one.hit.start_line, one.row))[:k]


def with_corpus_names(ranked: RankedHit, corpora: Sequence[str]) -> Hit:
    """Return a hit with the name of its corpus, and its duplicates with the names of theirs.

    Args:
        ranked: the hit.
        corpora: the name of the corpus of each candidate.
    """
    own = corpora[ranked.row]
    others = [corpora[row] for row in ranked.duplicates]
    also = [
        place if other == own else f"{other}: {place}" for place, other in zip(ranked.hit.also, others, strict=True)
    ]
    return ranked.hit._replace(corpus=own, also=tuple(also))


def _hit(stored: StoredChunk, score: float) -> Hit:
    return Hit(stored.document, stored.chunk, score, chunk_id=stored.id)


def _top_rows(scores: NDArray[np.float32], count: int) -> list[tuple[int, float]]:
    """Return the rows with the highest scores above 0, best first."""
    rows = [row for row in np.argsort(-scores, kind="stable").tolist() if scores[row] != 0]
    return [(row, float(scores[row])) for row in rows[:count]]


def _select_candidates(candidates: Candidates, chosen: NDArray[np.bool_]) -> Candidates:
    """Return those candidates that are kept."""
    rows = np.flatnonzero(chosen)
    files = candidates.files
    owner = files.owner[rows]
    numbers = np.flatnonzero(np.bincount(owner))
    renumbered = np.zeros(len(files.paths), dtype=np.intp)
    renumbered[numbers] = np.arange(len(numbers))
    return Candidates(
        _items_at(candidates.traits, rows.tolist()),
        candidates.lexical[rows],
        candidates.dense[rows],
        candidates.body[rows],
        candidates.rarity,
        CandidateFiles(
            renumbered[owner],
            _items_at(files.paths, numbers.tolist()),
            _items_at(files.profiles, numbers.tolist()),
            _items_at(files.corpora, numbers.tolist()) if files.corpora else (),
        ),
        candidates.fixed[:, rows],
    )


def _items_at(items: Sequence[_Item], places: Iterable[int]) -> list[_Item]:
    return [items[place] for place in places]


def _with_unique_path(stored: StoredChunk, number: int) -> StoredChunk:
    """Return a chunk with a path that is unique among corpora, because joining identifies documents by path."""
    document = stored.document
    return stored._replace(document=document._replace(path=f"{number}/{document.path}"))


def _text_with_names(stored: StoredChunk) -> str:
    """Return the words of a chunk, including its names."""
    document, chunk = stored.document, stored.chunk
    return "\n".join(filter(None, (document.path, document.title, *chunk.scope, chunk.symbol, chunk.text)))
