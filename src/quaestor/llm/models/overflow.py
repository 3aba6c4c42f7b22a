"""Learning a model's true window from a server that says that a request is too long for it."""

from __future__ import annotations

from quaestor.llm.endpoints.failures import TooLongError

_SAFETY = 0.97
# A window under this holds no conversation.
LEAST = 64


def learned_limit(failure: TooLongError, sent: int, reserve: int) -> int:
    """Return the window to compose for after a request was too long, in tokens as we count them.

    The server's own number is used where it gives one. If it also counted more tokens than we did, its number is
    scaled to our counting. Without a number, half of what was sent is tried.

    Args:
        failure: what the server said.
        sent: tokens that were sent, by our count.
        reserve: tokens that the reply was allowed.
    """
    asked = sent + reserve
    if failure.limit is None:
        return max(LEAST, asked // 2)
    counted = max(1.0, (failure.asked or 0) / max(1, asked))
    limit = failure.limit if counted == 1.0 else int(failure.limit / counted * _SAFETY)
    if limit >= asked:
        # By our count it should have fitted: the server counts what we cannot see.
        prompt = max(failure.asked or 0, failure.limit + 1)
        limit = int(min(asked * _SAFETY, asked * failure.limit / prompt * _SAFETY))
    return max(LEAST, limit)
