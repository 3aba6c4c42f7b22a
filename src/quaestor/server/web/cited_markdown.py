"""An answer as Markdown to be pasted elsewhere: its marks are numbers, and what they mean is listed below. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from quaestor.answers.citations.citation_marks import parse
from quaestor.core.citation import Citation


def cited_markdown(answer: str, citations: Sequence[Citation], where: Callable[[Citation], str]) -> str:
    """Return an answer with the list of what it cites.

    Args:
        answer: as a model wrote it, with its marks.
        citations: its citations as they were checked.
        where: tells where a citation points, for people.
    """
    listed = [f"- [{n}] {'; '.join(places)}" for n, places in _places(citations, where).items()]
    text = _with_numbers(answer).strip()
    return "\n".join([text, "", *listed, ""]) if listed else f"{text}\n"


def _places(citations: Sequence[Citation], where: Callable[[Citation], str]) -> dict[int, list[str]]:
    """Return where each number points, in the order in which the answer cites them."""
    found: dict[int, list[str]] = {}
    for one in citations:
        said = where(one) + (" (not found there)" if one.status == "unverified" else "")
        if said not in (places := found.setdefault(one.n, [])):
            places.append(said)
    return found


def _with_numbers(answer: str) -> str:
    pieces, at = [], 0
    for (start, end), marks in groupby(parse(answer), key=lambda mark: (mark.start, mark.end)):
        numbers = dict.fromkeys(mark.n for mark in marks)
        pieces += [answer[at:start], *(f"[{n}]" for n in numbers)]
        at = max(at, end)
    return "".join([*pieces, answer[at:]])
