"""A question's dates and authors against what a corpus holds: never a filter that leaves nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from quaestor.core.light_imports import NamedTuple
from quaestor.core.passages import Hit
from quaestor.search.spelling import Unknown
from quaestor.stores import Bylines, Where

# Quick, and true for many questions that ask for no date or author; most have no such thing in them.
_MAY_SAY = re.compile(r"\bby\s|\d{4}", re.IGNORECASE)
_NAMED = 5


class Understood(NamedTuple):
    """A question as it is searched for.

    Attributes:
        text: its words.
        where: only documents that this lets through.
        phrases: the words that were taken for a filter, and are not searched for.
        missed: words that would be a filter, but nothing was left by it, so they are searched for.
        translated: what the words of a question in another language are in English; they are searched for, too.
        unknown: words that stand nowhere in the corpus, with the nearest that do.
    """

    text: str
    where: Where | None = None
    phrases: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    translated: tuple[str, ...] = ()
    unknown: tuple[Unknown, ...] = ()


class HasBylines(Protocol):
    """Anything that knows the authors and dates of its documents: a store, a corpus, several corpora."""

    def bylines(self, where: Where | None = None) -> Bylines:
        """Return who wrote the documents that a filter lets through, and when."""
        ...


def understood(store: HasBylines, question: str, where: Where | None = None) -> Understood:
    """Return a question with what it says of dates and authors as a filter, within ``where``.

    If no document is of that date or by that author, the question stays as it is.
    """
    if not _MAY_SAY.search(question):
        return Understood(question, where)
    from quaestor.search.filters import both, read_filters  # noqa: PLC0415 - most questions need none

    said = read_filters(question, store.bylines())
    if not said.phrases:
        return Understood(question, where)
    whole = both(said.where, where)
    if not store.bylines(whole).documents:
        return Understood(question, where, missed=said.phrases)
    return Understood(said.text, whole, said.phrases)


def search_understood(
    question: str, asked: Understood, search: Callable[[str, Where | None], Sequence[Hit]], where: Where | None = None
) -> tuple[Sequence[Hit], Understood]:
    """Return what is found for a question as it is understood; if that is nothing, for its words as they stand.

    Args:
        question: as it was asked.
        asked: as it is understood.
        search: finds a text among the documents that a filter lets through.
        where: what was asked for besides the question.

    Returns:
        The hits, and the question as it was searched for in the end.
    """
    hits = search(asked.text, asked.where)
    if hits or not asked.phrases:
        return hits, asked
    return search(question, where), asked._replace(text=question, where=where, phrases=(), missed=asked.phrases)


def why_none(store: HasBylines, where: Where) -> str:
    """Return why a filter lets nothing through, as a sentence; empty if it does let something through."""
    if store.bylines(where).documents:
        return ""
    everything = store.bylines()
    for part in where.parts():
        if part.authors and not store.bylines(Where(authors=part.authors)).documents:
            return f"No document is by {' or '.join(map(repr, part.authors))}. {_authors(everything)}"
        dates = Where(since=part.since, before=part.before)
        if dates != Where() and not store.bylines(dates).documents:
            return f"No document is dated {_span(part)}. {_dates(everything)}"
    return "No document passes all of the filters."


def _span(where: Where) -> str:
    return " and ".join(
        filter(None, (where.since and f"{where.since} or later", where.before and f"before {where.before}"))
    )


def _dates(bylines: Bylines) -> str:
    if not bylines.dated:
        return "None here has a date."
    return f"{bylines.dated:,} of {bylines.documents:,} have a date, {bylines.earliest} to {bylines.latest}."


def _authors(bylines: Bylines) -> str:
    if not bylines.authors:
        return "None here names its author."
    most = sorted(bylines.authors, key=lambda name: (-bylines.authors[name], name))[:_NAMED]
    return f"Authors here: {'; '.join(most)}{' …' if len(bylines.authors) > _NAMED else '.'}"
