"""Restoring a neutralised text that arrives in pieces, cut anywhere."""

from __future__ import annotations

import re
from collections.abc import Collection

from quaestor.llm.chatml.raw import restore
from quaestor.llm.chatml.special_tokens import FORMS, LONGEST

_OPENINGS = "".join(sorted({re.escape(form.opening) for form in FORMS}))
# Forms hold no blanks: what follows the letters behind the blanks tells whether they are one.
_UNDECIDED = re.compile(rf"[{_OPENINGS}](?: +[^\s]{{0,{LONGEST}}})?\Z")


class Restorer:
    """Passes text on with its special tokens restored, holding back no more than what may be the beginning of one.

    Args:
        keep: as for ``restore``.
    """

    def __init__(self, keep: Collection[str] = ()) -> None:
        self._keep = tuple(keep)
        self._held: list[str] = []

    @property
    def holds(self) -> bool:
        """Whether text is held back."""
        return bool(self._held)

    def feed(self, piece: str) -> str:
        """Return what is restored with this piece."""
        if self._held and not piece.strip(" ") and self._held[-1].endswith(" "):
            # Blanks upon blanks decide nothing, and are not read again for each of them.
            self._held += [piece] if piece else []
            return ""
        text = "".join(self._held) + piece
        found = _UNDECIDED.search(text)
        end = found.start() if found else len(text)
        rest = text[end:]
        self._held = [rest] if rest else []
        # A form may end with a letter that opens another, and so reach into what is held back.
        return restore(text, self._keep, end=end).removesuffix(rest)

    def flush(self) -> str:
        """Return what was held back: the text is over."""
        rest, self._held = "".join(self._held), []
        return restore(rest, self._keep)
