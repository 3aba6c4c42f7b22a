"""What a prose document says about itself: title, author and date from front matter or fields."""

from __future__ import annotations

import re
from dataclasses import dataclass

from quaestor.core.bylines import author_line, iso_date

_LARGEST = 1 << 16
_YAML = re.compile(rb"---[ \t]*\r?\n(?P<body>.*?)^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(rb"\+\+\+[ \t]*\r?\n(?P<body>.*?)^\+\+\+[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_AUTHOR = r"authors?|creators?|by"
# First what says when it was written, then what says when it became known.
_DATES = ("date", "created", "date_created", "published", "date_published", "published_at", "pubdate", "publishdate")
_ENTRY = re.compile(
    rf"^(title|{_AUTHOR}|{'|'.join(_DATES)}|url)[ \t]*[:=][ \t]*(\S[^\n]*)", re.MULTILINE | re.IGNORECASE
)
# Authors one below the other, each with a name of its own or not; or one, with its name below it.
_LISTED = re.compile(
    r"^authors?[ \t]*:[ \t]*\r?\n((?:(?:[ \t]+|-[ \t]+)\S[^\n]*(?:\n|\Z))+)", re.MULTILINE | re.IGNORECASE
)
_LISTED_NAME = re.compile(r"^(?:[ \t]*-[ \t]+(?![\w-]+:[ \t])|[ \t]*(?:-[ \t]+)?name:)[ \t]*(\S[^\n]*)", re.MULTILINE)
_FIELD = re.compile(r"^:(authors?|date|revdate|title):[ \t]*(\S[^\n]*)", re.MULTILINE | re.IGNORECASE)
# A mail's header, as Python's proposals have it and pages of some site generators.
_HEADER = re.compile(r"\A(?:[A-Z][\w-]{0,40}:[ \t]*\S?[^\n]*\n(?:[ \t]+\S[^\n]*\n)*){2,}")
_HEADER_FIELD = re.compile(
    r"^(title|authors?|from|date|created|published):[ \t]*(\S[^\n]*(?:\n[ \t]+\S[^\n]*)*)$",
    re.MULTILINE | re.IGNORECASE,
)
# Under the title of an AsciiDoc document: who wrote it, and the version with its date.
_UNDER_TITLE = re.compile(
    r"\A(?:(?://|:)[^\n]*\n|\n)*= [^\n]+\n(?P<author>[^\s:=/|\[][^\n<]{0,80}<[^\n>]+@[^\n>]+>[^\n]*)\n"
    r"(?:v?[\d.]+,[ \t]*(?P<date>[^\n:]+))?"
)
_COMMENT = re.compile(r"(?<![ \t])[ \t]+#.*$")
_FIELDS_WITHIN = 2000


@dataclass(frozen=True, slots=True)
class About:
    """What a document says about itself.

    Attributes:
        title: its title.
        author: who wrote it, in one line; several with commas between them.
        date: when, in the form of ISO 8601, as exact as it is written.
        end: offset after the front matter.
        url: where it says that it came from.
    """

    title: str | None = None
    author: str | None = None
    date: str | None = None
    end: int = 0
    url: str | None = None


def read_front_matter(data: bytes, start: int) -> About:
    """Read YAML or TOML front matter at the start of a document."""
    for pattern in (_YAML, _TOML):
        found = pattern.match(data, start, start + _LARGEST)
        if found:
            return _about(found["body"].decode("utf-8", errors="replace"), found.end())
    return About(end=start)


def _about(body: str, end: int) -> About:
    entries: dict[str, str] = {}
    for key, value in _ENTRY.findall(body):
        entries.setdefault(key.lower(), value.strip())
    authors = next(
        (_names(entries[key]) for key in ("author", "authors", "creator", "creators", "by") if key in entries), ""
    )
    if not authors and (listed := _LISTED.search(body)):
        authors = ", ".join(_scalar(name) for name in _LISTED_NAME.findall(listed[1]))
    date = _first_date([_scalar(entries.get(key, "")) for key in _DATES])
    title, url = (_scalar(entries.get(key, "")) or None for key in ("title", "url"))
    return About(title, author_line(authors), date, end, url)


def read_fields(data: bytes, start: int) -> About:
    """Read ``:author:`` and ``:date:`` fields near the start of a document, a header of ``Author:`` lines, or the lines
    under an AsciiDoc title.
    """
    head = data[start : start + _FIELDS_WITHIN].decode("utf-8", errors="replace").replace("\r\n", "\n")
    header = _HEADER.match(head)
    found = _HEADER_FIELD.findall(header[0]) if header else _FIELD.findall(head)
    fields = {key.lower(): value.strip() for key, value in reversed(found)}
    under = _UNDER_TITLE.match(head)
    author = fields.get("author") or fields.get("authors") or fields.get("from") or (under["author"] if under else "")
    dates = [fields.get(key, "") for key in ("date", "revdate", "created", "published")]
    date = _first_date([*dates, under["date"] or "" if under else ""])
    return About(" ".join(fields.get("title", "").split()) or None, author_line(author), date, start)


def _first_date(texts: list[str]) -> str | None:
    return next((date for text in texts if (date := iso_date(text))), None)


def _names(value: str) -> str:
    """A scalar, or all of a list in brackets."""
    if not value.startswith("["):
        return _scalar(value)
    return ", ".join(filter(None, (name.strip(" \t'\"") for name in value.strip("[]").split(","))))


def _scalar(value: str) -> str:
    """A quoted scalar, a plain one without its comment, or the first of a list in brackets."""
    value = value.strip()
    if value[:1] == "[":
        value = value.strip("[]").split(",")[0].strip()
    if value[:1] in {'"', "'"} and (closing := value.find(value[0], 1)) > 0:
        return value[1:closing]
    return _COMMENT.sub("", value).strip()
