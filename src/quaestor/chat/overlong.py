"""What is said when a server still finds a request too long."""

from __future__ import annotations

from quaestor.llm.endpoints.failures import TooLongError
from quaestor.window import Window


def explained(failure: TooLongError, window: Window) -> TooLongError:
    """Return the error for a request that is too long even after it was composed anew."""
    allowed = "an unknown number" if failure.limit is None else str(failure.limit)
    return TooLongError(
        f"the request is still too long after it was composed anew: {window.tokens} tokens by our count and"
        f" {window.reserve} for the reply, under a window of {window.limit}; the server allows {allowed} ({failure});"
        " set `window` to what the server was started with",
        limit=failure.limit,
        asked=failure.asked,
        status=failure.status,
    )
