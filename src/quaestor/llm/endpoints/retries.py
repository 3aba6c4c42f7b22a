"""When to send a request again, and after how long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often, and how patiently.

    Attributes:
        retries: further tries after the first.
        first: seconds before the first retry; each later one waits twice as long.
        longest: seconds that are waited at most; a server that asks for more is not retried.
        sleep: waits between tries, given seconds.
    """

    retries: int = 2
    first: float = 0.5
    longest: float = 20.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def wait(self, tried: int, retry_after: float | None) -> float | None:
        """Return the seconds to wait before try number ``tried`` + 1, or None to give up.

        Args:
            tried: retries that were made already.
            retry_after: seconds that the server asked for.
        """
        if tried >= self.retries:
            return None
        seconds = self.first * 2**tried if retry_after is None else retry_after
        return seconds if seconds <= self.longest else None


def read_retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Return the seconds that ``Retry-After`` asks for, as a number or as a date; None if it asks for nothing.

    Args:
        headers: the answer's headers, names in lower case or case-insensitive.
        now: seconds since the epoch; the clock's if None.
    """
    milliseconds = headers.get("retry-after-ms")
    if milliseconds is not None:
        seconds = _number(milliseconds)
        return None if seconds is None else seconds / 1000
    value = headers.get("retry-after")
    if value is None:
        return None
    seconds = _number(value)
    return seconds if seconds is not None else _until(value, time.time() if now is None else now)


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _until(value: str, now: float) -> float | None:
    try:
        date = parsedate_to_datetime(value)
        return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        # A year of eleven digits is more than dates hold.
        return None
