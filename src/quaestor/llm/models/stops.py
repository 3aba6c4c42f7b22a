"""Cutting stop sequences out of a reply that arrives in pieces.

Most servers remove the stop sequence; some leave it in the text, and it may be split over pieces.
"""

from __future__ import annotations

from collections.abc import Sequence


class StopCutter:
    """Passes text through until a stop sequence, holding back no more than could be the start of one.

    Attributes:
        found: the stop sequence that was met, or None.
    """

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._held = ""
        self.found: str | None = None

    def feed(self, piece: str) -> str:
        """Return what can be shown after this piece; nothing once a stop sequence was met."""
        if self.found is not None:
            return ""
        text = self._held + piece
        met = [(text.index(stop), -len(stop), stop) for stop in self._stops if stop in text]
        if met:
            end, _, self.found = min(met)
            self._held = ""
            return text[:end]
        kept = len(text) - self._hold(text)
        self._held = text[kept:]
        return text[:kept]

    def flush(self) -> str:
        """Return what was held back: the reply ended without the rest of a stop sequence."""
        rest, self._held = self._held, ""
        return rest

    def _hold(self, text: str) -> int:
        """Return how many characters at the end of ``text`` may be the start of a stop sequence."""
        longest = max(map(len, self._stops), default=1) - 1
        for size in range(min(longest, len(text)), 0, -1):
            if any(stop.startswith(text[-size:]) for stop in self._stops):
                return size
        return 0
