"""Reads filters from a question's dates and authors; a filter that would leave no document is not used."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from quaestor.chunking.languages import KNOWN
from quaestor.core.documents import Hit
from quaestor.core.errors import UsageError
from quaestor.core.light_imports import NamedTuple
from quaestor.search.spelling import UnknownWord
from quaestor.stores import Bylines, Where

if TYPE_CHECKING:
    from quaestor.search.retriever import Mode
    from quaestor.search.spelling import Spelling

# Quick, and true for many questions that ask for no date or author; most have no such thing in them.
_MAY_SAY = re.compile(r"\bby\s|\d{4}", re.IGNORECASE)
_NAMED = 5


class UnderstoodQuestion(NamedTuple):
    """A question with the filters that were understood.

    Attributes:
        text: its words.
        where: a filter on documents.
        phrases: the words that were read as a filter, and are not searched.
        missed: words that would be a filter, but would leave nothing, so they are searched.
        translated: the English translation of a question in another language, which is searched, too.
        unknown: words that the corpus lacks, each with the most similar ones that it has.
    """

    text: str
    where: Where | None = None
    phrases: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    translated: tuple[str, ...] = ()
    unknown: tuple[UnknownWord, ...] = ()


class HasBylines(Protocol):
    """Anything that knows the authors and dates of its documents: a store, a corpus, several corpora."""

    def bylines(self, where: Where | None = None) -> Bylines:
        """Return the authors and dates of the documents that match a filter."""
        ...


def read_understood(store: HasBylines, question: str, where: Where | None = None) -> UnderstoodQuestion:
    """Return a question with its dates and authors as a filter, within ``where``.

    If no document has that date or author, the question is not changed.
    """
    if not _MAY_SAY.search(question):
        return UnderstoodQuestion(question, where)
    from quaestor.search.filters import both_filters, read_filters  # noqa: PLC0415 - most questions need none

    read = read_filters(question, store.bylines())
    if not read.phrases:
        return UnderstoodQuestion(question, where)
    whole = both_filters(read.where, where)
    if not store.bylines(whole).documents:
        return UnderstoodQuestion(question, where, missed=read.phrases)
    return UnderstoodQuestion(read.text, whole, read.phrases)


class _Searchable(Protocol):
    """What ``find_understood`` needs of a corpus, or of several that are searched as one."""

    def search(
        self, query: str, k: int = 10, *, mode: Mode = "ranked", where: Where | None = None
    ) -> Sequence[Hit]: ...

    def understand(self, question: str, where: Where | None = None) -> UnderstoodQuestion: ...

    def translation(self, question: str) -> tuple[str, ...]: ...

    def spelling(self, query: str) -> Spelling: ...


def find_understood(
    corpus: _Searchable, question: str, k: int, mode: Mode, where: Where | None, *, filters: bool
) -> tuple[Sequence[Hit], UnderstoodQuestion]:
    """Return up to ``k`` hits for a question, and how it was understood; the arguments are those of ``Corpus.find``.

    If the filters that were read from the question leave nothing, all of its words are searched.
    """
    understood = corpus.understand(question, where) if filters else UnderstoodQuestion(question, where)
    hits = corpus.search(understood.text, k, mode=mode, where=understood.where)
    if not hits and understood.phrases:
        hits = corpus.search(question, k, mode=mode, where=where)
        understood = UnderstoodQuestion(question, where, missed=understood.phrases)
    understood = understood._replace(translated=corpus.translation(understood.text))
    if mode != "ranked":
        return hits, understood
    return hits, understood._replace(unknown=corpus.spelling(understood.text).unknown)


def why_none(store: HasBylines, where: Where) -> str:
    """Return why no document matches a filter, as a sentence; empty if some document matches."""
    if store.bylines(where).documents:
        return ""
    everything = store.bylines()
    for part in where.parts():
        if part.authors and not store.bylines(Where(authors=part.authors)).documents:
            return f"No document is by {' or '.join(map(repr, part.authors))}. {_authors(everything)}"
        dates = Where(since=part.since, before=part.before)
        if dates != Where() and not store.bylines(dates).documents:
            return f"No document is dated {_span(part)}. {_dates(everything)}"
        if part.languages and not store.bylines(Where(languages=part.languages)).documents:
            return _no_language(part.languages)
        if part.paths and not store.bylines(Where(paths=part.paths)).documents:
            return f"No document's path matches {' or '.join(map(repr, part.paths))}. Try an overview for what is here."
    return "No document passes all of the filters."


def _no_language(languages: Sequence[str]) -> str:
    """Return a sentence that no document is in these languages, with similar names if a language is unknown."""
    from difflib import get_close_matches  # noqa: PLC0415 - few filters leave nothing

    message = f"No document is in {' or '.join(map(repr, languages))}."
    near_names = [
        near for one in languages if one not in KNOWN for near in get_close_matches(one.lower(), KNOWN, 2, 0.75)
    ]
    return f"{message} Did you mean {' or '.join(map(repr, near_names))}?" if near_names else message


def require_some(store: HasBylines, where: Where) -> None:
    """Check that some document matches a filter.

    Raises:
        UsageError: no document matches; the message says why.
    """
    if why := why_none(store, where):
        raise UsageError(why)


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
