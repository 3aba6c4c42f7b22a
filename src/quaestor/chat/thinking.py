"""What reasoning models think aloud before a reply, where the server leaves it in the text: ``<think>...</think>``."""

from __future__ import annotations

_OPENING, _CLOSING = "<think>", "</think>"


class Thinking:
    """Leaves thoughts at the beginning of a reply out; anywhere else the same letters are text."""

    def __init__(self) -> None:
        self._blanks: list[str] = []
        self._held = ""
        self._inside = False
        self._over = False

    def feed(self, piece: str) -> str:
        """Return what is certain to be no thought after this piece."""
        if self._over:
            # The blank lines behind a thought belong to it.
            rest = piece.lstrip("\r\n") if self._inside else piece
            self._inside = self._inside and not rest
            return rest
        if not self._held and not self._inside and not piece.strip():
            self._blanks.append(piece)
            return ""
        self._held += piece
        if not self._inside:
            begun = self._held.lstrip()
            if len(begun) < len(_OPENING) and _OPENING.startswith(begun):
                return ""
            self._inside = begun.startswith(_OPENING)
            if not self._inside:
                return self.finish()
            self._blanks = []  # those before a thought belong to it
        thought, closing, rest = self._held.partition(_CLOSING)
        if not closing:
            # Only so much of a thought is kept as may be the beginning of its end.
            self._held = thought[-len(_CLOSING) + 1 :]
            return ""
        self._held, self._over = "", True
        return self.feed(rest)

    def finish(self) -> str:
        """Return what was held back, unless it is a thought that has no end."""
        held, self._held, self._over = "".join((*self._blanks, self._held)), "", True
        self._blanks = []
        return "" if self._inside else held
