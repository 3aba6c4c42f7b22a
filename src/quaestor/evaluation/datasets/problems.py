"""What is wrong with a data set, said once a kind however often it occurs."""

from __future__ import annotations

from collections import defaultdict

_SHOWN = 3


class Problems:
    """Collects what is left out, by reason."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = defaultdict(list)

    def add(self, reason: str, place: str) -> None:
        """Note one thing that is left out.

        Args:
            reason: why, as the beginning of a sentence; the same words for the same reason.
            place: what, or where it is written.
        """
        self._places[reason].append(place)

    def sentences(self) -> tuple[str, ...]:
        """Return a sentence a reason, with the number and the first places."""
        return tuple(_sentence(reason, places) for reason, places in self._places.items())


def _sentence(reason: str, places: list[str]) -> str:
    more = len(places) - _SHOWN
    return f"{reason}: {', '.join(places[:_SHOWN])}{f', and {more:,} more' if more > 0 else ''}."
