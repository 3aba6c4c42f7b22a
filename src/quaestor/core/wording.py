"""A number and what it counts, in words."""

from __future__ import annotations


def amount(number: int, noun: str) -> str:
    """Return ``1 file``, ``2,000 files``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
