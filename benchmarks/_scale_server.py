"""Runs what ``scale.py`` measures, one JSON object a line."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quaestor import Index
from quaestor.assemble.source_paths import index_folder
from quaestor.core.config import load_configuration
from quaestor.stores.embedded import Thresholds
from quaestor.stores.embedded.store import EmbeddedStore

TEN = 10
Answer = dict[str, Any]


class Scale:
    """One index that is built, opened, searched and refreshed."""

    def index(self, root: str) -> Answer:
        with Index.build(root) as index:
            stats = index.stats()
        return {"documents": stats.documents, "chunks": stats.chunks, "bytes": stats.bytes, "disk": stats.index_bytes}

    def open(self, root: str) -> Answer:
        self._index = Index.open(root)
        return {}

    def search(self, queries: Sequence[str]) -> Answer:
        """Search with the check for changes."""
        return {"times": _timed(queries, lambda query: self._index.search(query, TEN))}

    def look_up(self, queries: Sequence[str]) -> Answer:
        """Search without the check."""
        return {"times": _timed(queries, lambda query: self._index.retriever.search(query, TEN))}

    def dense(self, queries: Sequence[str]) -> Answer:
        """Return the share of the ten nearest that the approximate search finds, and the times of both.

        What is as near as the tenth counts as found, since equals are in no order.
        """
        vectors = [vector for vector in self._index.embedder.encode(queries) if vector.any()]
        found = [self._index.store.dense(vector, TEN) for vector in vectors]
        times = _timed(vectors, lambda vector: self._index.store.dense(vector, TEN))
        every = self._exact()
        exact = [every.dense(vector, TEN) for vector in vectors]
        exact_times = _timed(vectors, lambda vector: every.dense(vector, TEN))
        every.close()
        recalls = [
            min(1.0, sum(score >= best[-1][1] - 1e-5 for _, score in own) / len(best))
            for own, best in zip(found, exact, strict=True)
            if best
        ]
        return {"recall": float(np.mean(recalls)), "times": times, "exact_times": exact_times}

    def _exact(self) -> EmbeddedStore:
        """Open the same store so that it looks at every vector."""
        folder = index_folder(self._index.root, load_configuration().settings)
        embedder = self._index.embedder
        sizes = Thresholds(exact=1 << 60)
        return EmbeddedStore.open(
            folder, embedder=embedder.name, dimensions=embedder.dimensions, create=False, sizes=sizes
        )

    def refresh(self) -> Answer:
        changes = self._index.refresh()
        return {"changed": len(changes.changed)}


def _timed(items: Sequence[Any], work: Callable[[Any], object]) -> list[float]:
    times = []
    for item in items:
        started = time.perf_counter()
        work(item)
        times.append(time.perf_counter() - started)
    return times


def main() -> None:
    # Only answers go to the pipe.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    scale = Scale()
    for line in sys.stdin:
        request = json.loads(line)
        work = getattr(scale, request.pop("do"))
        started = time.perf_counter()
        done = work(**request)
        answers.write(json.dumps({"seconds": time.perf_counter() - started, **done}) + "\n")
        answers.flush()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
