"""How near in meaning a chunk comes to each word of a query: a match that needs no word in common.

Every word of the query looks for the chunk's word that means most nearly the same, as token vectors do in late
interaction (Khattab and Zaharia, "ColBERT", 2020); here they are the rows of the bundled embedder's table. What one
vector of a whole chunk cannot say is said so: that each thing which was asked for stands in it under some name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from quaestor.core.terms import STOP_WORDS, find_words, terms_of_word
from quaestor.embedding.static import StaticEmbedder
from quaestor.search.chunk_traits import Traits

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float32]"
_MOST_ROWS = 64  # of a query: what is longer is a pasted text, and no question
_FIRST_ROW = bytes(4)  # stands for the words of a chunk that has none


def likenesses(query: str, weights: Mapping[str, float], chunks: Sequence[Traits]) -> Floats:
    """Return for each chunk the mean likeness of the query's words to their nearest word in it, 0 to 1.

    Args:
        query: the text of the query.
        weights: what each of its terms tells, by which the mean is weighted.
        chunks: names and titles count as their words, too.
    """
    embedder = StaticEmbedder.bundled()
    asked, told = _query_rows(query, weights, embedder)
    if not len(asked) or not chunks:
        return np.zeros(len(chunks), np.float32)
    found = [_rows(chunk, embedder) for chunk in chunks]
    joined = np.frombuffer(b"".join(found), np.int32)
    seen = np.zeros(embedder.rows, bool)
    seen[joined] = True
    distinct = np.flatnonzero(seen)
    places = np.empty(embedder.rows, np.intp)
    places[distinct] = np.arange(len(distinct))
    alike = np.maximum(embedder.cosines(distinct, asked), 0)
    starts = np.cumsum([0, *map(len, found[:-1])]) // joined.itemsize
    # By rows of chunks' words, which lie together in memory; the means are then of rows that do.
    nearest = np.maximum.reduceat(alike.take(places.take(joined), axis=0), starts, axis=0)
    means: Floats = told @ np.ascontiguousarray(nearest.T)
    return means


def _query_rows(query: str, weights: Mapping[str, float], embedder: StaticEmbedder) -> tuple[NDArray[np.int32], Floats]:
    """Return the rows of the query's words, and what share of the query each of them tells."""
    rows: list[int] = []
    told: list[float] = []
    for word in dict.fromkeys(word for word in find_words(query) if word.lower() not in STOP_WORDS):
        weight = max((weights.get(term, 0.0) for term in terms_of_word(word)), default=0.0)
        of_word = embedder.pieces.rows(word).tolist() if weight and len(rows) < _MOST_ROWS else []
        rows += of_word
        told += [weight / max(len(of_word), 1)] * len(of_word)
    shares = np.array(told, np.float32)
    return np.array(rows, np.int32), shares / max(float(shares.sum()), 1e-9)


def _rows(chunk: Traits, embedder: StaticEmbedder) -> bytes:
    """Return the rows of all that a chunk says, at least one, in no order; found once and kept with its traits."""
    if not chunk.rows:
        stored = chunk.stored
        names = (stored.document.title, *stored.chunk.scope, stored.chunk.symbol)
        text = "\n".join(filter(None, (*names, stored.chunk.text)))
        chunk.rows = embedder.pieces.of_distinct(text) or _FIRST_ROW
    return chunk.rows
