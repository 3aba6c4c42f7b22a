"""Authors and dates, as documents and people write them. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache, lru_cache

from quaestor.core.errors import UsageError

_LONGEST_NAME = 300
_MOST = 4000
_ADDRESS = re.compile(r"\s*[<(][^<>()\n]{0,100}(?:@| at )[^<>()\n]{0,100}[>)]")
_BLANKS = re.compile(r"[ \t]+")
_BETWEEN = re.compile(r"\s*(?:[,;\n]|\s(?:and|und|et|y)\s|&)\s*")
_WORD = re.compile(r"[^\W_]+")


def author_line(text: str) -> str | None:
    """Return the authors that a document names in one line, separated by commas and without addresses.

    An address without a name stays, because nothing else identifies its owner.
    """
    text = _BLANKS.sub(" ", text[:_MOST])
    plain = _ADDRESS.sub("", text) or text.strip("<> ")
    return ", ".join(name.strip() for name in _BETWEEN.split(plain) if name.strip())[:_LONGEST_NAME] or None


@lru_cache(maxsize=4096)  # a corpus has few authors, and a filter checks every document's
def author_words(text: str) -> frozenset[str]:
    """Return the words of a name, regardless of case, accents and order: "Núñez, Ana" equals "ana nunez"."""
    # Upper case comes first, because that of a Turkish "ı" is "I", whose lower case differs.
    plain = unicodedata.normalize("NFKD", text.upper()).casefold()
    return frozenset(_WORD.findall("".join(character for character in plain if not unicodedata.combining(character))))


def is_by(author: str | None, names: tuple[str, ...]) -> bool:
    """Return whether an author line contains all words of any of ``names`` as whole words."""
    if not author:
        return False
    words = author_words(author)
    return any(wanted and wanted <= words for wanted in map(author_words, names))


def whole_names(author: str) -> frozenset[frozenset[str]]:
    """Return the words of each author in a line, and of the whole line, which may be one "Last, First"."""
    return frozenset(words for name in (author, *_BETWEEN.split(author)) if (words := author_words(name)))


YEAR = r"(?:1[5-9]|20|21)\d\d"
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_FORMS = (
    rf"(?P<year>{YEAR})(?P<mark>[-/.])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)(?:T[\d:.]+(?:Z|[+-][\d:]+)?)?",
    rf"(?P<year>{YEAR})(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])",
    rf"(?P<day>{_DAY})(?:\s+of\s+|[\s-]*)(?P<month>{MONTH}),?[\s-]*(?P<year>{YEAR})",
    rf"(?P<month>{MONTH})\s+(?P<day>{_DAY}),?\s+(?P<year>{YEAR})",
    rf"(?P<first>\d\d?)(?P<mark>[/.])(?P<second>\d\d?)(?P=mark)(?P<year>{YEAR})",
    rf"(?P<year>{YEAR})[-/](?P<month>0?[1-9]|1[0-2])",
    rf"(?P<month>{MONTH})(?:,|\s+of)?[\s-]+(?P<year>{YEAR})",
    rf"(?P<year>{YEAR})",
)
WRITTEN = (
    rf"(?:{YEAR}(?:[-/]\d\d?){{0,2}}|{_DAY}(?:\s+of)?\s+{MONTH},?\s+{YEAR}|{MONTH}\s+(?:{_DAY},?\s+)?(?:of\s+)?{YEAR})"
)
"""A regular expression for a date as people write it in a sentence; to be matched regardless of case."""

_NAMED = rf"({YEAR})-([01]\d)-([0-3]\d)(?=$|[-_. ])"
_FOLDERS = rf"(?:^|/)({YEAR})/([01]\d)(?:/([0-3]\d))?/"
_LONGEST_DATE = 200


def iso_date(text: str) -> str | None:
    """Return the first date in a text, as precise as it is written, or None.

    Of ``03/04/2021`` only the year is certain.
    """
    for form in _forms():
        for match in form.finditer(text[:_LONGEST_DATE]):
            parts = match.groupdict()
            month, day = _month_and_day(parts)
            if joined := _join_date(int(parts["year"]), month, day):
                return joined
    return None


@cache  # compiled for the first text: it takes as long as cutting a file, and few files contain a date
def _forms() -> Sequence[re.Pattern[str]]:
    return [re.compile(rf"(?<![\w.-]){form}(?![\w-]|\.\d)", re.IGNORECASE) for form in _FORMS]


def after(iso: str) -> str:
    """Return the first day, month or year that follows one."""
    year, month, day = (*map(int, iso.split("-")), 0, 0)[:3]
    if day:
        return (date(year, month, day) + timedelta(days=1)).isoformat()
    if month:
        return f"{year + month // 12:04}-{month % 12 + 1:02}"
    return f"{year + 1:04}"


def date_bound(text: str) -> str:
    """Return a date that a user typed in ISO 8601 form; an empty text stays empty.

    Raises:
        UsageError: it is not a date.
    """
    if not text.strip():
        return ""
    date = iso_date(text)
    if date is None:
        raise UsageError(f"{text[:80]!r} is not a date. Give a year, a month or a day: 2020, 2020-03 or 2020-03-14.")
    return date


def days_in_words(name: str, today: date) -> tuple[str, str]:
    """Return the first and last day of a period in words. "Last week" lasts from last week's Monday until today."""
    monday = today - timedelta(days=today.weekday())
    month = today.replace(day=1)
    first = {
        "today": today,
        "yesterday": today - timedelta(days=1),
        "this week": monday,
        "last week": monday - timedelta(days=7),
        "this month": month,
        "last month": (month - timedelta(days=1)).replace(day=1),
        "this year": today.replace(month=1, day=1),
        "last year": date(today.year - 1, 1, 1),
    }.get(name)
    last = date(today.year - 1, 12, 31).isoformat() if name == "last year" else ""
    return ("" if first is None else first.isoformat()), last


def first_day(iso: str) -> str:
    """Return the first day of a year, a month or a day."""
    return f"{iso}-01-01"[:10] if len(iso) == 4 else f"{iso}-01"[:10]


def last_day(iso: str) -> str:
    """Return the last day of a year, a month or a day."""
    if len(iso) == 4:
        return f"{iso}-12-31"
    if len(iso) == 7:
        year, month = map(int, iso.split("-"))
        following = date(year + month // 12, month % 12 + 1, 1) if year < date.max.year else date.max
        return (following - timedelta(days=1)).isoformat()
    return iso


def date_of_path(path: str) -> str | None:
    """Return the date in a path, or None: ``posts/2021-03-04-title.md`` or ``blog/2021/03/title.md``."""
    folders, _, name = path.rpartition("/")
    if (match := re.match(_NAMED, name)) and (joined := _join_date(*map(int, match.groups()))):
        return joined
    for match in re.finditer(_FOLDERS, f"{folders}/"):
        year, month, day = (int(part or 0) for part in match.groups())
        if joined := _join_date(year, month, day):
            return joined
    return None


def _month_and_day(parts: dict[str, str | None]) -> tuple[int, int]:
    month, day = parts.get("month") or "", parts.get("day") or ""
    if "first" in parts:
        first, second = int(parts["first"] or 0), int(parts["second"] or 0)
        if first == second or second > 12 >= first:
            return first, second
        return (second, first) if first > 12 else (0, 0)
    number = _MONTHS.get(month[:3].lower())
    return number or int(month or 0), int(re.sub(r"\D", "", day) or 0)


_MONTHS = {name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}


def _join_date(year: int, month: int = 0, day: int = 0) -> str | None:
    """Return an ISO 8601 date, or None if there is no such date."""
    if not month:
        return None if day else f"{year:04}"
    try:
        date(year, month, day or 1)
    except ValueError:
        return None
    return f"{year:04}-{month:02}-{day:02}" if day else f"{year:04}-{month:02}"
