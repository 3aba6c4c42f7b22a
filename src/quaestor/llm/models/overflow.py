"""Learning a model's true window from a server that says that a request is too long for it."""

from __future__ import annotations

from quaestor.llm.endpoints.failures import TooLongError

_SAFETY = 0.97
LEAST = 256
"""A smaller window holds no conversation, so a server that names one is not believed."""
KEPT_SECONDS = 900.0
"""For so long a learned window counts; then a larger one is tried again, which costs one refused request at most."""


def is_plausible(failure: TooLongError) -> bool:
    """Return whether a server can mean what it says of its window; one that names no number can."""
    return failure.limit is None or failure.limit >= LEAST


def learned_limit(failure: TooLongError, sent: int, reserve: int) -> int:
    """Return the window to compose for after a request was too long, in tokens as we count them.

    The server's own number is used where it gives a plausible one. If it also counted more tokens than we did, its
    number is scaled to our counting. Without a number, half of what was sent is tried.

    Args:
        failure: what the server said.
        sent: tokens that were sent, by our count.
        reserve: tokens that the reply was allowed.
    """
    asked = sent + reserve
    if failure.limit is None or not is_plausible(failure):
        return max(LEAST, asked // 2)
    counted = max(1.0, (failure.asked or 0) / max(1, asked))
    limit = failure.limit if counted == 1.0 else int(failure.limit / counted * _SAFETY)
    if limit >= asked:
        # By our count it should have fitted: the server counts what we cannot see.
        prompt = max(failure.asked or 0, failure.limit + 1)
        limit = int(min(asked * _SAFETY, asked * failure.limit / prompt * _SAFETY))
    return max(LEAST, limit)
