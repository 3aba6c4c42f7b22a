"""What of a reply may be shown while it arrives: nothing, until it is clear whether it says that there is no answer."""

from __future__ import annotations

from quaestor.answers.citations.citation_marks import NO_ANSWER, says_no_answer, without_no_answer


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


# No mark that says "no answer" is longer than this, so this much is held back until it is clear.
_MARK_LENGTH = len(NO_ANSWER) + 4


class Visible:
    """Collects a reply and passes on what may be shown."""

    def __init__(self) -> None:
        self._written = Growing()
        self._held = True
        self._begins = 0  # where the part begins that is written now: behind the last call

    @property
    def written(self) -> str:
        """Everything that the model wrote."""
        return self._written.text

    @property
    def known(self) -> bool:
        """Whether the reply, as far as it goes, claims to be an answer."""
        return bool(self.written.strip()) and not says_no_answer(self._part)

    @property
    def answer(self) -> str:
        """The reply as it is shown and remembered."""
        return self.written[: self._begins] + _without_mark(self._part)

    def part(self) -> str:
        """Begin another part of the reply, which may be an answer or not, and return what was held back of the last."""
        held = self.rest()
        self._written = Growing(self.answer)
        self._held, self._begins = True, len(self.written)
        return held

    def feed(self, piece: str) -> str:
        """Take a piece and return what can be shown now."""
        self._written.add(piece)
        if not self._held:
            return piece
        part = self._part
        if says_no_answer(part) or (len(part) < _MARK_LENGTH and _may_be_mark(part)):
            return ""
        self._held = False
        return part

    def rest(self) -> str:
        """Return what was held back, now that the reply is whole."""
        held, self._held = self._held, False
        return _without_mark(self._part) if held else ""

    @property
    def _part(self) -> str:
        return self.written[self._begins :]


def _may_be_mark(part: str) -> bool:
    """Return whether a reply that has just begun may say that there is no answer: it begins with the mark then."""
    begun = part.lstrip()
    return not begun or not begun[0].isalnum()


def _without_mark(part: str) -> str:
    """Return a part of a reply as it is shown; the blank lines before it stay."""
    if not says_no_answer(part):
        return part
    rest = part.lstrip()
    return part[: len(part) - len(rest)] + without_no_answer(rest)
