"""Showing where an answer's citations lead, and whether they hold."""

from __future__ import annotations

from collections.abc import Sequence

from quaestor.chat.support import Support
from quaestor.cited import STANDING, Citation, CitationStatus
from quaestor.cli.output import echo, one_line, style

LEGEND = "✓: these words stand there; whether they are right is yours to judge"

_MARKS = {"verified": ("✓", None), "repaired": ("~", "yellow"), "unverified": ("✗", "red")}


def print_citations(citations: Sequence[Citation]) -> None:
    """Print an answer's citations, one a line."""
    for citation in citations:
        print_place(citation.n, f"{citation.path}:{citation.start_line}", citation.status)


def print_place(n: int, place: str, status: CitationStatus | None) -> None:
    """Print one place under its number; a status of None means that it is not cited."""
    said = standing_of(status) if status else "· not cited"
    echo(f"  [{n}] {style(one_line(place), fg='cyan')}  {said}")


def standing_of(status: CitationStatus) -> str:
    """Return a citation's mark with what it says, in its colour."""
    mark, colour = _MARKS[status]
    return style(f"{mark} {STANDING[status]}", fg=colour)


def print_support(support: Support) -> None:
    """Print how the answers of a session are supported."""
    told = [
        f"{support.answers} answered, {support.refused} without an answer in the corpus, {support.uncited} uncited",
        f"{support.verified} citations found there, {support.repaired} found nearby, {support.unverified} not found",
        f"{support.unsupported} sentences without support",
    ]
    for line in told:
        echo(f"  {line}")
