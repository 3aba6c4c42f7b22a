"""What is known of models' windows while the server runs: one that objected is not asked for too much again."""

from __future__ import annotations

import threading

from quaestor.llm.models import Model


class Windows:
    """The windows that models turned out to have. Threads may share it."""

    def __init__(self) -> None:
        self._limits: dict[str, int] = {}
        self._lock = threading.Lock()

    def limit(self, model: Model | None, limit: int) -> int:
        """Return the window to compose for, in tokens: ``limit``, or less where the model has objected to that."""
        with self._lock:
            return limit if model is None else min(limit, self._limits.get(model.name, limit))

    def learn(self, model: Model | None, limit: int, before: int) -> None:
        """Take note of the window that a conversation knows by now, if it differs from what it knew ``before``."""
        if model is not None and limit < before:
            with self._lock:
                self._limits[model.name] = min(limit, self._limits.get(model.name, limit))
