"""What of a reply may be shown while it arrives: nothing, until it is clear whether it says that there is no answer."""

from __future__ import annotations

from quaestor.citations.mark import NO_ANSWER, says_no_answer, without_no_answer

# No mark that says "no answer" is longer than this, so this much is held back until it is clear.
_MARK_LENGTH = len(NO_ANSWER) + 4


class Visible:
    """Collects a reply and passes on what may be shown.

    Attributes:
        written: everything that the model wrote.
    """

    def __init__(self) -> None:
        self.written = ""
        self._held = True

    @property
    def known(self) -> bool:
        """Whether the reply, as far as it goes, claims to be an answer."""
        return bool(self.written.strip()) and not says_no_answer(self.written)

    @property
    def answer(self) -> str:
        """The reply as it is shown and remembered."""
        return self.written if self.known else without_no_answer(self.written)

    def feed(self, piece: str) -> str:
        """Take a piece and return what can be shown now."""
        self.written += piece
        if not self._held:
            return piece
        if len(self.written) < _MARK_LENGTH or says_no_answer(self.written):
            return ""
        self._held = False
        return self.written

    def rest(self) -> str:
        """Return what was held back, now that the reply is whole."""
        held, self._held = self._held, False
        return self.answer if held else ""
