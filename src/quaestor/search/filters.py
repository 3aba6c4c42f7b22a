"""Filters by date and author, from options and from a question's words ("posts on retries since 2020").

Pure. A question is read cautiously, because most that name a year or a person are about that year or person:

- ``since``, ``before``, ``until`` or ``between`` with a date is a filter after a word such as "posts" or "written", and
  at either end of the question where most documents have dates;
- ``in``, ``from``, ``during`` or ``after`` with a date is one after such a word only;
- ``by`` is one with the whole name of an author of the corpus. A name of one word needs such a word before it.

Text in quotation marks or backticks is always searched for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from quaestor.core.bylines import WRITTEN, after, author_words, date_bound, iso_date, whole_names
from quaestor.core.terms import find_words
from quaestor.stores import Bylines, Where

_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^“”\n]*”|«[^«»\n]*»|`[^`\n]*`")
_TEXTS = r"(?:posts?|articles?|notes?|pages?|entries|essays?|papers?|documents?|docs|chapters?|proposals?|peps?|rfcs?)"
_WRITTEN = r"(?:written|wrote|writes?|published|posted|authored|blogged)"
_LEAD = re.compile(
    rf"\b(?:{_TEXTS}|{_WRITTEN})(?:\s+(?:that|which))?(?:\s+(?:was|were|is|are))?[\s,]*\Z", re.IGNORECASE
)
_ABOUT_TEXTS = re.compile(rf"\b(?:{_TEXTS}|{_WRITTEN})\b", re.IGNORECASE)
# "accepted in 2021" is about the accepting, whatever it is that was accepted.
_OTHER_DEED = re.compile(r"\b\w+(?:ed|en)\s*\Z", re.IGNORECASE)
_DATED = re.compile(
    rf"\b(?:(?:and|but)\s+)?(?:(?:between|from)\s+(?P<first>{WRITTEN})\s+(?:and|to|until)\s+(?P<last>{WRITTEN})"
    rf"|(?:(?P<open>since|before|prior\s+to|older\s+than|until|up\s+to)|(?P<close>after|newer\s+than|in|from|during))"
    rf"\s+(?P<date>{WRITTEN}))(?![\w-])",
    re.IGNORECASE,
)
_NAME = r"@?[^\W\d_][\w.'’-]*(?:\s+[^\W\d_][\w.'’-]*){0,4}"
_BY = re.compile(rf"\bby\s+(?P<name>{_NAME})", re.IGNORECASE)
_AND = re.compile(rf"\s*(?:,|\bor\b|\band\b)\s+(?:by\s+)?(?P<name>{_NAME})", re.IGNORECASE)
_END = re.compile(r"[\s?.!,;]*\Z")
_LONGEST = 1000
_ALL = Where()


@dataclass(frozen=True, slots=True)
class QuestionFilters:
    """What a question says about dates and authors.

    Attributes:
        text: the question without the filter's words.
        where: the filter.
        phrases: the words that were read as the filter; empty if there are none.
    """

    text: str
    where: Where = _ALL
    phrases: tuple[str, ...] = ()


def make_filter(
    paths: Sequence[str] = (),
    languages: Sequence[str] = (),
    since: str = "",
    before: str = "",
    by: Sequence[str] = (),
) -> Where | None:
    """Return the filter that options ask for; None if they ask for none.

    Raises:
        UsageError: a date cannot be read.
    """
    names = tuple(name.strip() for name in by if name.strip())
    where = Where(tuple(paths), tuple(languages), date_bound(since), date_bound(before), names)
    return None if where == _ALL else where


def both_filters(where: Where | None, other: Where | None) -> Where | None:
    """Return the intersection of two filters."""
    if where is None or other is None:
        return where or other
    *outer, last = list(where.parts())
    whole = last._replace(within=other)
    for part in reversed(outer):
        whole = part._replace(within=whole)
    return whole


def read_filters(question: str, bylines: Bylines) -> QuestionFilters:
    """Return the dates and authors that a question filters by, in a corpus whose documents have these ``bylines``."""
    if len(question) > _LONGEST:
        return QuestionFilters(question)
    known = frozenset[frozenset[str]]().union(*map(whole_names, bylines.authors))
    reading = QuestionFilters(question)
    # One after the other: what leads a phrase in may stand before another one, as in "posts by Ana since 2020".
    while following := _take_date(reading, bylines) or _take_authors(reading, known):
        reading = following
    return reading if find_words(reading.text) else QuestionFilters(question)


def _take_date(filters: QuestionFilters, bylines: Bylines) -> QuestionFilters | None:
    """Return the question without its first filtering date; None if no date filters documents."""
    for match in _DATED.finditer(filters.text) if bylines.dated else ():
        since, before = _dates_of_phrase(match)
        again = (since and filters.where.since) or (before and filters.where.before)
        if (since or before) and not again and _limits_documents(match, filters.text, bylines):
            where = filters.where._replace(since=since or filters.where.since, before=before or filters.where.before)
            if without_date := _without_phrase(filters, *match.span(), where):
                return without_date
    return None


def _take_authors(filters: QuestionFilters, authors: Collection[frozenset[str]]) -> QuestionFilters | None:
    """Return the question without its authors; None if none are named."""
    for match in _BY.finditer(filters.text) if authors and not filters.where.authors else ():
        names, end = _authors_named(filters.text, match, authors)
        if names and (
            without_authors := _without_phrase(filters, match.start(), end, filters.where._replace(authors=names))
        ):
            return without_authors
    return None


def _without_phrase(filters: QuestionFilters, start: int, end: int, where: Where) -> QuestionFilters | None:
    """Return a question without a phrase; None if the phrase is quoted, or part of another."""
    text = filters.text
    if text[end:].startswith(("'", "’")) or any(
        quoted.start() < end and start < quoted.end() for quoted in _QUOTED.finditer(text)
    ):
        return None
    left = re.sub(r"\s+([?.!,;:])", r"\1", f"{text[:start].rstrip()} {text[end:].lstrip()}").strip(" ,;:")
    return QuestionFilters(left, where, (*filters.phrases, text[start:end]))


def _dates_of_phrase(match: re.Match[str]) -> tuple[str, str]:
    """Return the first date that is included and the first that is not; None for both if the text is no date."""
    date, first, last = (iso_date(match[name] or "") for name in ("date", "first", "last"))
    if first and last and first < after(last):
        return first, after(last)
    if date is None:
        return "", ""
    word = " ".join((match["open"] or match["close"]).lower().split())
    since = {"since": date, "after": after(date), "newer than": after(date)}
    before = {"before": date, "prior to": date, "older than": date, "until": after(date), "up to": after(date)}
    if word in since or word in before:
        return since.get(word, ""), before.get(word, "")
    return date, after(date)


def _limits_documents(match: re.Match[str], question: str, bylines: Bylines) -> bool:
    """Return whether a phrase with a date filters documents rather than being part of the subject."""
    head, rest = question[: match.start()], question[match.end() :]
    if _LEAD.search(head):
        return True
    ends = _END.match(rest) is not None
    mostly_dated = 2 * bylines.dated >= bylines.documents
    if match["close"]:
        return ends and bool(_ABOUT_TEXTS.search(head)) and not _OTHER_DEED.search(head) and mostly_dated
    begins = not head.strip() and rest.startswith(",")
    return (ends or begins) and mostly_dated


def _authors_named(
    question: str, by: re.Match[str], authors: Collection[frozenset[str]]
) -> tuple[tuple[str, ...], int]:
    """Return the known authors that a phrase names, and where it ends; no names if it names none."""
    alone = _LEAD.search(question[: by.start()]) is not None
    names: list[str] = []
    end = by.end()
    match: re.Match[str] | None = by
    while match:
        name = _longest_author(match["name"], authors, alone=alone)
        if not name:
            break
        names.append(name)
        end = match.start("name") + len(name)
        match = _AND.match(question, end)
    return tuple(names), end


def _longest_author(text: str, authors: Collection[frozenset[str]], *, alone: bool) -> str:
    """Return the longest beginning of a text that is an author's whole name; one of a single word only if ``alone``."""
    ends = [match.end() for match in re.finditer(r"\S+", text)]
    for end in reversed(ends):
        name = re.sub(r"(?:['’]s|[.'’-])\Z", "", text[:end])
        words = author_words(name)
        if words in authors and (alone or len(words) > 1):
            return name
    return ""
