"""A text that grows piece by piece: adding to it costs the piece, however long it is by now."""

from __future__ import annotations


class Growing:
    """Keeps pieces, and joins them when the text is asked for.

    Args:
        text: what it begins with.
    """

    def __init__(self, text: str = "") -> None:
        self._pieces = [text]

    def add(self, piece: str) -> None:
        """Go on with a piece."""
        self._pieces.append(piece)

    @property
    def text(self) -> str:
        """All of it."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0]
