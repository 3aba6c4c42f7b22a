"""Searching a corpus with another embedder than its index has, in memory: by the very code that searches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from quaestor.corpus import Corpus
from quaestor.embedding import Embedder
from quaestor.embedding.static import StaticEmbedder
from quaestor.evaluation.metrics import CUTOFF, Question, covers, ndcg
from quaestor.indexing.pending_vectors import texts_of
from quaestor.search.ranker import Ranker, trusting
from quaestor.search.retriever import Mode
from quaestor.stores import Scored, Store, Where
from quaestor.tuning.training_pairs import Kind, Pair

_KINDS: Mapping[str, Kind] = {
    "docstring": "doc",
    "heading": "heading",
    "sentence": "sentence",
    "link": "heading",
    "commit": "commit",
}


class Chunks:
    """The chunks of a corpus with their texts and vectors.

    Attributes:
        ids: of every chunk, shape ``(n,)``.
        texts: the text that is embedded for each.
        bundled: their vectors by the bundled embedder, shape ``(n, dimensions)``.
    """

    def __init__(self, corpus: Corpus) -> None:
        ids: list[int] = []
        self.texts: list[str] = []
        self._places: list[tuple[str, int, int]] = []
        self._documents: dict[str, range] = {}
        for path, document in corpus.store.documents().items():
            stored = corpus.store.chunks_of(path)
            self._documents[path] = range(len(ids), len(ids) + len(stored))
            ids += [one.id for one in stored]
            self.texts += texts_of(document, [one.chunk for one in stored], corpus.indexer.settings)
            self._places += [(path, one.chunk.span.start_line, one.chunk.span.end_line) for one in stored]
        self.ids = np.array(ids, np.int64)
        self.bundled = StaticEmbedder.bundled().encode(self.texts)

    def answer(self, question: Question) -> Pair | None:
        """Return a question with the chunk that answers it; of several, with that which is most like it."""
        found = [
            number
            for target in question.targets
            for number in self._documents.get(target.path, ())
            if covers(self._places[number], target)
        ]
        if not found:
            return None
        likeness = self.bundled[found] @ StaticEmbedder.bundled().encode([question.text])[0]
        chosen = found[int(np.argmax(likeness))]
        return Pair(_KINDS[question.category], question.text, self.texts[chosen], self._places[chosen][0], "")


class Trial:
    """A corpus searched with an embedder that its index does not have.

    Args:
        corpus: its index.
        chunks: its chunks.
        embedder: whose vectors they are searched by.
        project: what the corpus is called.
    """

    def __init__(self, corpus: Corpus, chunks: Chunks, embedder: Embedder, project: str) -> None:
        vectors = chunks.bundled if embedder is StaticEmbedder.bundled() else embedder.encode(chunks.texts)
        store = cast(Store, _Overlaid(corpus.store, chunks.ids, vectors))
        # The copy's own retriever with other vectors: what it works out of chunks is worked out once for all trials.
        self._retriever = copy(corpus.retriever)
        self._retriever.store, self._retriever.embedder = store, embedder
        self._retriever.project = project
        # The words that are asked for were taken out of the copy: before and after, vectors alone can tell.
        self._retriever.finds_strange = True

    def ask(
        self,
        questions: Sequence[Question],
        tick: Callable[[], None],
        *,
        trust: float = 1.0,
        mode: Mode = "ranked",
    ) -> list[float]:
        """Return NDCG@10 of each question.

        Args:
            questions: the questions.
            tick: called after each; an exception from it ends the work.
            trust: factor of the dense retriever in the ranker.
            mode: the whole search, or one retriever alone.
        """
        self._retriever.ranker = trusting(Ranker.bundled(), trust)
        values = []
        for question in questions:
            hits = self._retriever.search(question.text, CUTOFF, mode=mode)
            values.append(ndcg([(hit.path, hit.start_line, hit.end_line) for hit in hits], question.targets))
            tick()
        return values


class _Overlaid:
    """A store with other vectors."""

    def __init__(self, store: Store, ids: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        self._store = store
        self._ids = ids
        self._vectors = vectors

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def dense(self, vector: NDArray[np.float32], k: int, where: Where | None = None) -> Scored:
        scores = self._vectors @ vector
        # Only what can be among the best is sorted: a large corpus has many times more.
        least = np.partition(scores, -k)[-k] if k < len(scores) else -np.inf
        near = np.flatnonzero(scores >= least)
        best = near[np.argsort(-scores[near], kind="stable")][:k]
        best = best[self._vectors[best].any(axis=1)]
        return Scored(self._ids[best], scores[best])
