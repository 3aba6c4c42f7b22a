"""What is known of models' windows while the server runs: one that objected is not asked for too much again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from quaestor.chat.engine import Conversation
from quaestor.llm.models import Model
from quaestor.llm.models.capabilities import KEPT_SECONDS


@dataclass(frozen=True, slots=True)
class _Learned:
    """A window in tokens, and when it was learned."""

    limit: int
    at: float


class Windows:
    """The windows that models turned out to have, by the model's name. Threads may share it.

    A window is forgotten after a while, and at once when a request goes through that is larger: a server may have been
    wrong, or started anew with another window.

    Args:
        clock: seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._learned: dict[str, _Learned] = {}
        self._lock = threading.Lock()

    def limit(self, model: Model | None, limit: int) -> int:
        """Return the window to compose for, in tokens: ``limit``, or less where the model has objected to that."""
        with self._lock:
            known = None if model is None else self._learned.get(model.name)
            if known is None or self._clock() - known.at > KEPT_SECONDS:
                return limit
            return min(limit, known.limit)

    def learn(self, conversation: Conversation, before: int) -> None:
        """Take note of what a turn showed of its model's window.

        Args:
            conversation: after the turn.
            before: the window in tokens that it composed for at the beginning.
        """
        if conversation.model is None:
            return
        name = conversation.model.name
        with self._lock:
            known = self._learned.get(name)
            if known is not None and conversation.accepted > known.limit:
                del self._learned[name]
            if conversation.limit < before:
                self._learned[name] = _Learned(conversation.limit, self._clock())
