"""One question that a document itself gives, with what must be taken out of the document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its answer.

    Attributes:
        category: ``docstring``, ``heading``, ``sentence``, ``link`` or ``commit``.
        query: what is asked.
        targets: (document, first line, last line) of each answer, 1-based and inclusive; no lines for a whole document.
        place: the document where the question was found; empty for none.
        instead: what stands instead of a line (0-based) of that document.
    """

    category: str
    query: str
    targets: tuple[tuple[str, int | None, int | None], ...]
    place: str = ""
    instead: Mapping[int, str] = field(default_factory=dict)
