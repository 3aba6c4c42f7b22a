"""The sources of an answer as a list at its end, for clients that show text and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quaestor.core.citation import STANDING, UNCHECKED, Citation

_HEADING = "Sources:"
# What `trailing_sources` returns, at the end of a text.
_LISTED = re.compile(
    rf"\n\n(?:{_HEADING}(?:\n- \[\d+\] [^\n]*, (?:{'|'.join(STANDING.values())}))+|{re.escape(UNCHECKED)})\s*\Z"
)


def trailing_sources(citations: Sequence[Citation], *, unchecked: bool) -> str:
    """Return what is put behind an answer: where its citations lead, each place once; empty where it has none.

    Args:
        citations: as they were checked.
        unchecked: whether a model answered and none of them holds, which is said instead.
    """
    if unchecked:
        return f"\n\n{UNCHECKED}"
    lines = {f"- [{one.n}] {_place(one)}, {STANDING[one.status]}": None for one in citations}
    return "\n".join(("\n", _HEADING, *lines)) if lines else ""


def without_sources(text: str) -> str:
    """Return an answer that a client sends back without the list that was put behind it."""
    return _LISTED.sub("", text)


def _place(citation: Citation) -> str:
    end = f"-{citation.end_line}" if citation.end_line > citation.start_line else ""
    url = "" if citation.url is None else f" {citation.url}"
    return " ".join(f"{citation.path}:{citation.start_line}{end}{url}".splitlines())
