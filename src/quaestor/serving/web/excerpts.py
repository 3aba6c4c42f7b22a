"""Lines of documents as the page shows them: numbered, coloured, with those marked that are meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from quaestor.serving.web.highlight import highlight


@dataclass(frozen=True, slots=True)
class Shown:
    """Numbered lines.

    Attributes:
        path: the document's.
        lines: number, HTML, and whether it is one of those that are meant.
    """

    path: str
    lines: tuple[tuple[int, Markup, bool], ...]

    @property
    def first(self) -> int:
        """The first line's number; 0 if there are none."""
        return self.lines[0][0] if self.lines else 0

    @property
    def last(self) -> int:
        """The last line's number; 0 if there are none."""
        return self.lines[-1][0] if self.lines else 0


def shown(path: str, lines: Sequence[str], start: int, language: str, marked: range = range(0)) -> Shown:
    """Return lines as they are shown.

    Args:
        path: of the document.
        lines: without their ends.
        start: the first one's number.
        language: as the corpus names it.
        marked: the numbers of those that are meant.
    """
    html = highlight(lines, language, path)
    return Shown(path, tuple((number, line, number in marked) for number, line in enumerate(html, start)))
