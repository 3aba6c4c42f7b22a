"""Recall for callers that keep no session: the right index is found by the conversation itself."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from quaestor.core.messages import Message
from quaestor.embedding import Embedder
from quaestor.window.recall import Recall

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SharedRecall:
    """Serves several conversations with one index each; the one used longest ago makes room for a new one.

    Results are those of a fresh ``Recall``; what is remembered saves time only.

    Args:
        embedder: as for ``Recall``.
        places: conversations that are remembered.
    """

    def __init__(self, embedder: Embedder | None = None, places: int = 8) -> None:
        self._embedder = embedder
        self._places = places
        self._recalls: list[Recall] = []
        self._lock = Lock()

    def score(self, messages: Sequence[Message], question: int) -> NDArray[np.float32]:
        """Return how much each of ``messages[:question]`` bears on ``messages[question]``."""
        return self._of(list(messages[:question])).score(messages, question)

    def _of(self, messages: list[Message]) -> Recall:
        """Return the index that most of ``messages`` is in, or a new one where another would lose more."""
        with self._lock:
            best = max(self._recalls, key=lambda recall: recall.knows(messages), default=None)
            # One that shares only a beginning, such as a system message, belongs to another conversation.
            if best is None or 2 * best.knows(messages) < best.indexed:
                best = Recall(self._embedder)
            others = [recall for recall in self._recalls if recall is not best]
            self._recalls = [*others, best][-self._places :]
            return best
