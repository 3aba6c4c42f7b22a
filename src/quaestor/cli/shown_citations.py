"""Showing where an answer's citations lead, and whether they hold."""

from __future__ import annotations

from collections.abc import Sequence

from quaestor.cli.output import echo, one_line, remark, safe, style
from quaestor.core.citation import STANDING, UNCHECKED, Citation, CitationStatus
from quaestor.sessions.citation_support import Support

LEGEND = "✓: these words stand there; whether they are right is yours to judge"

_MARKS = {"verified": ("✓", None), "repaired": ("~", "yellow"), "unverified": ("✗", "red")}


def print_citations(citations: Sequence[Citation]) -> None:
    """Print where an answer's citations lead, each place once, one a line."""
    lines = {(one.n, f"{one.path}:{one.start_line}", one.status, one.url): None for one in citations}
    for n, place, status, url in lines:
        print_place(n, place, status)
        if url:
            echo(f"      {style(one_line(url), dim=True)}")


def print_unchecked(quotes: Sequence[Citation]) -> None:
    """Say that nothing of an answer could be checked, and print what would have been quoted without a model."""
    echo(style(f"\n{UNCHECKED}", bold=True))
    if not quotes:
        return
    echo("What stands there:")
    for quote in quotes:
        print_place(quote.n, f"{quote.path}:{quote.start_line}", quote.status)
        for line in quote.quote.splitlines():
            echo(f"      {safe(line)}")


def remark_on_unsupported(sentences: Sequence[str]) -> None:
    """Tell which sentences of an answer nothing supports."""
    for sentence in sentences:
        remark(f"without support: {one_line(sentence.strip())[:160]}")


def remark_on_sent(sent: int, found: int) -> None:
    """Tell how many passages the model was shown, where that is fewer than were found."""
    if sent < found:
        remark(f"{sent} of {found} passages sent: a larger window (--window) would hold more")


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
