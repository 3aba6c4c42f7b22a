"""Days and months in UTC: for which of them a request counts, and when they end.

A request counts for the day and the month in which it was sent, also if its reply ends in the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

Length = Literal["day", "month"]


@dataclass(frozen=True, slots=True)
class Period:
    """One day or month.

    Attributes:
        length: which of the two.
        name: ``2026-11-21`` or ``2026-11``.
        end: the moment at which the next one begins.
    """

    length: Length
    name: str
    end: datetime


def day_at(seconds: float) -> Period:
    """Return the day of a moment, given in seconds since the epoch."""
    now = datetime.fromtimestamp(seconds, UTC)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return Period("day", f"{now:%Y-%m-%d}", midnight + timedelta(days=1))


def month_at(seconds: float) -> Period:
    """Return the month of a moment, given in seconds since the epoch."""
    now = datetime.fromtimestamp(seconds, UTC)
    year, month = (now.year, now.month + 1) if now.month < 12 else (now.year + 1, 1)
    return Period("month", f"{now:%Y-%m}", datetime(year, month, 1, tzinfo=UTC))


def until(seconds: float, end: datetime) -> str:
    """Return how long it is from a moment to a later one, for people: ``8 h 12 min``."""
    minutes = max(1, -int((seconds - end.timestamp()) // 60))
    days, hours = minutes // 1440, minutes // 60 % 24
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min"
