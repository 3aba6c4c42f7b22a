"""Citations: a claim's pointer to a span, after it was checked. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CitationStatus = Literal["verified", "repaired", "unverified"]

STANDING: dict[str, str] = {"verified": "found there", "repaired": "found nearby", "unverified": "not found"}
"""How a citation's status is shown to people: whether the source contains its words, not whether they are right."""

UNCHECKED = "Not checked: nothing that the model cites stands in the corpus, so this answer is its word alone."


@dataclass(frozen=True, slots=True)
class Citation:
    """A claim's pointer to a span, after it was checked.

    Attributes:
        n: the number that the answer uses, from 1.
        path: the document's path.
        url: the address of a page that was crawled.
        start_line: the first line, 1-based.
        end_line: the last line, inclusive.
        quote: the words that support the claim, as the source has them.
        status: ``verified`` (found where it points), ``repaired`` (found nearby, pointer corrected) or
            ``unverified``.
    """

    n: int
    path: str
    start_line: int
    end_line: int
    quote: str
    status: CitationStatus
    url: str | None = None

    @property
    def holds(self) -> bool:
        """Whether its quote is in the source, where it points or nearby."""
        return self.status != "unverified"
